"""Drives a real DSH: `drive.py CWD SESSION RESUME PROMPT…`; prints the answers as JSON."""

from __future__ import annotations

import json
import os
import sys

from deepseek_harness import DeepSeekHarness


def main(cwd: str, session: str, resume: str, *prompts: str) -> None:
    with DeepSeekHarness(
        dsh_home=os.environ["DSH_HOME"],
        cwd=cwd,
        profile="sdk",
        provider="deepseek-official",
        model="deepseek-flash",
        request_timeout_seconds=60,
    ) as harness:
        if resume:
            resumed = harness.resume_session(resume)
            answers = [resumed.run(prompt).final_response for prompt in prompts]
        else:
            answers = [harness.run(prompt, session_id=session).final_response for prompt in prompts]
    print(json.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
