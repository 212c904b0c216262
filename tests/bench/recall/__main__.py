"""`python -m tests.bench.recall [--tune | --fit] [--json]`: all numbers of the held-out half, or of the half to tune on."""

from __future__ import annotations

import argparse
import json
import os
import tempfile


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.recall", description=__doc__)
    parser.add_argument("--tune", action="store_true", help="the half that may be looked at while tuning")
    parser.add_argument("--fit", action="store_true", help="fit the coefficients of relevance on that half instead")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memdock-recall-") as directory:
        os.environ |= {"MEMDOCK_DATA_DIR": directory, "DJANGO_SETTINGS_MODULE": "memsite.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        from tests.bench.recall import bench, report

        if options.fit:
            print(json.dumps(bench.fitted(), indent=2))
            return
        answers = bench.answered("tune" if options.tune else "held")
    if options.json:
        print(json.dumps(report.as_json(answers), indent=2))
    else:
        print(*report.as_text(answers), sep="\n")


if __name__ == "__main__":
    main()
