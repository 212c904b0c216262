"""Words that say little about what is asked; they count less, but they count."""

# ruff: noqa: RUF001  (Cyrillic letters that look like Latin ones)

from __future__ import annotations

_ENGLISH = """
a about after again all also an and any are as at be because been before being but by can could did do does doing done
down for from get got had has have having he her here his how i if in into is it its just me more most my no nor not now
of off on once only or other our out over own s same she should so some such t than that the their them then there these
they this those through to too under until up us very was we were what when where which while who whom why will with
would you your
"""
_SPANISH = """
al como con cual cuando de del donde el ella en era es esa ese esta este esto fue ha han hay la las le lo los mas mi muy
ni o para pero por porque que quien se si sin sobre son su sus tambien un una uno y ya
"""
_ITALIAN = (
    "che chi come con da dal del della di dove e gli i il in la le lo ma nel nella non per perche quale si sono su un"
)
_RUSSIAN = """
а без бы был была были было в вот все где да для до его ее если есть еще же за и из или их к как какая какие какои когда
которыи кто ли мы на над не нет ни но о об он она они от по под почему при с со так то тоже только у уже чем что чтобы
эта это этот я
"""

STOP_WORDS = frozenset(" ".join((_ENGLISH, _SPANISH, _ITALIAN, _RUSSIAN)).split())
"""Folded as memory.search.tokens folds them: without accents, `й` as `и`."""
