"""What users are told of over 200 mistakes: each message has the words that its grade stands for."""

from __future__ import annotations

from importlib.util import find_spec

from .mistake_table import read, told

NEEDED = ("torch", "jax")


def test_every_mistake_is_answered():
    mistakes = read()
    assert len({mistake.name for mistake in mistakes}) == len(mistakes) >= 150
    wrong = []
    for mistake in mistakes:
        if any(f"import {name}" in mistake.code and find_spec(name) is None for name in NEEDED):
            continue
        message = told(mistake)
        missing = [words for words in mistake.words if words not in message]
        if missing or len(mistake.words) < 2 or mistake.grade not in ("A", "B"):
            wrong.append(f"{mistake.name} ({mistake.grade}): the message lacks {missing}:\n{message}")
    assert not wrong, "\n".join(wrong)
