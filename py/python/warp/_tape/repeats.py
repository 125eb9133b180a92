"""What a tape repeats: the same launches, scopes included, several times one after the other."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

# Longer rounds are not looked for: tapes of thousands of launches would take long.
LONGEST = 256


@dataclass
class Token:
    """A launch, the begin or end of a scope, or a repetition of tokens.

    Attributes:
        key: Equal for what is the same in each repetition.
        depth: 1 for a begin, -1 for an end.
        value: What it stands for.
        rounds: The tokens of each repetition.
    """

    key: Hashable
    value: Any = None
    depth: int = 0
    rounds: list[list[Token]] | None = None


def fold(tokens: list[Token]) -> list[Token]:
    """Make repetitions one token each, nested ones too."""
    while True:
        folded = _fold_once(tokens)
        if len(folded) == len(tokens):
            return tokens
        tokens = folded


def _fold_once(tokens: list[Token]) -> list[Token]:
    keys = [token.key for token in tokens]
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        length, count = _repetition(tokens, keys, at)
        if count < 2:
            out.append(tokens[at])
            at += 1
            continue
        rounds = [fold(tokens[at + k * length : at + (k + 1) * length]) for k in range(count)]
        out.append(Token(("repeated", count, tuple(keys[at : at + length])), rounds=rounds))
        at += length * count
    return out


def _repetition(tokens: list[Token], keys: list[Hashable], at: int) -> tuple[int, int]:
    """The length of the shortest sequence that is repeated from here on, and how often; 0 where there is none."""
    for length in range(1, min(LONGEST, (len(keys) - at) // 2) + 1):
        if keys[at] != keys[at + length] or not _is_whole(tokens[at : at + length]):
            continue
        unit, count = keys[at : at + length], 1
        while keys[at + count * length : at + (count + 1) * length] == unit:
            count += 1
        if count > 1:
            return length, count
    return 0, 0


def _is_whole(tokens: list[Token]) -> bool:
    """Whether every scope that begins here ends here."""
    depth = 0
    for token in tokens:
        depth += token.depth
        if depth < 0:
            return False
    return depth == 0
