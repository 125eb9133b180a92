"""The examples of docs/builtins.md: each builtin has one, and kernels find the results that it shows.

An example is lines of a kernel. Comments before them are lines that ran before the launch; `wp.sqrt(4.0)  # 2.0` shows
the value of an expression, `n = f(x)  # n: 3; x: [1, 2]` the values of others after a line, and
`print(1)  # prints: 1` what a line prints.
"""

from __future__ import annotations

import ast
import linecache
import re
from dataclasses import dataclass, field
from itertools import chain, product

import numpy as np
import pytest
import warp as wp

from support.places import ROOT

PAGE = (ROOT / "docs" / "builtins.md").read_text(encoding="utf-8")
ENTRY = re.compile(r"^### (\w+)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python kernel\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What a line of results has between a name and its value, and between two of them.
SHOWN = re.compile(r"(?:^|; )(\S[^:;]*): ")
# Objects that kernels take as their ids.
BY_ID = ("HashGrid", "Bvh", "Mesh", "Volume")


@dataclass
class Example:
    """An example as a function of a module of examples."""

    name: str
    setup: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    # Expressions and the values that are shown for them.
    values: list[tuple[str, object]] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)

    @staticmethod
    def read(name: str, text: str, first: int) -> Example:
        """The example in a block, whose results go to places of `out` from `first` on."""
        example = Example(name)
        at = first
        for line in text.splitlines():
            code, _, comment = line.partition("# ") if line.startswith("# ") else line.partition("  # ")
            if not code and not example.lines:
                example.setup.append(comment)
                continue
            if code:
                example.lines.append(code)
            for expression, value in example.results(code, comment):
                stores = list(stored(f"r{at}", value, at))
                example.lines += [f"r{at} = {expression}", *stores]
                at += len(stores)
                example.values.append((expression, value))
        assert example.values or example.printed, f"the example of {name} shows no result"
        return example

    def results(self, code: str, comment: str) -> list[tuple[str, object]]:
        if comment.startswith("prints:"):
            self.printed += [comment.removeprefix("prints:").strip()]
            return []
        if code and comment and ": " not in comment:
            # The value of an expression, which is computed once.
            assert isinstance(ast.parse(code).body[0], ast.Expr), f"{code}: what is {comment}?"
            return [(self.lines.pop(), ast.literal_eval(comment))]
        parts = SHOWN.split(comment) if ": " in comment else [""]
        return [(name, ast.literal_eval(value)) for name, value in zip(parts[1::2], parts[2::2], strict=True)]


def stored(name: str, value: object, at: int):
    """Lines that store what has the shape of a value in `out`."""
    if isinstance(value, list):
        for i, index in enumerate(product(*map(range, np.shape(value)))):
            yield f"out[{at + i}] = wp.float64({name}[{', '.join(map(str, index))}])"
    else:
        yield f"out[{at}] = wp.float64({f'wp.where({name}, 1, 0)' if isinstance(value, bool) else name})"


def flat(value: object) -> list[float]:
    return [float(x) for x in np.ravel(value)]


def annotation(value: object) -> str:
    """The type of a parameter for something that was made before a launch."""
    if isinstance(value, wp.array):
        return f"wp.array[wp.{value.dtype.__name__}]" if value.ndim == 1 else f"wp.array2d[wp.{value.dtype.__name__}]"
    name = type(value).__name__
    return "wp.uint64" if name in BY_ID else f"wp.{name}"


def launched(examples: list[Example], name: str) -> np.ndarray:
    """What the results of some examples are in a kernel that runs them all."""
    given: dict[str, object] = {}
    functions, calls = [], []
    for example in examples:
        made: dict[str, object] = {"wp": wp, "np": np}
        exec("\n".join(example.setup), made)
        names = [name for name in made if name not in ("wp", "np", "__builtins__")]
        head = "".join(f", {name}: {annotation(made[name])}" for name in names)
        body = "\n    ".join(example.lines)
        functions.append(f"@wp.func\ndef of_{example.name}(out: wp.array[wp.float64]{head}):\n    {body}\n")
        given |= {f"{example.name}_{name}": made[name] for name in names}
        calls.append(f"    of_{example.name}(out{''.join(f', {example.name}_{name}' for name in names)})")
    head = "".join(f", {name}: {annotation(value)}" for name, value in given.items())
    source = "\n".join([*functions, f"@wp.kernel\ndef {name}(out: wp.array[wp.float64]{head}):", *calls, ""])
    file = f"<examples of {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope = {"wp": wp, "__name__": name}
    exec(compile(source, file, "exec"), scope)
    out = wp.zeros(sum(len(flat(value)) for example in examples for _, value in example.values), dtype=wp.float64)
    wp.launch(scope[name], dim=1, inputs=[out, *given.values()])
    return out.numpy()


def chapters() -> dict[str, list[tuple[str, list[str]]]]:
    """The entries of each chapter: names, and the blocks of their examples."""
    parts = re.split(r"^## (.*)$", PAGE, flags=re.MULTILINE)
    entries = ((title, ENTRY.findall(text)) for title, text in zip(parts[1::2], parts[2::2], strict=True))
    return {title: [(name, BLOCK.findall(text)) for name, text in found] for title, found in entries if found}


CHAPTERS = chapters()


def test_every_builtin_has_an_example():
    entries = list(chain.from_iterable(CHAPTERS.values()))
    assert len(entries) >= 229
    assert [name for name, blocks in entries if len(blocks) != 1] == []
    # `help()` shows it, too.
    shown = [(getattr(wp, name), blocks[0]) for name, blocks in entries if hasattr(wp, name)]
    assert len(shown) >= 227
    assert [it.__name__ for it, block in shown if block.strip() not in it.__doc__] == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_examples(chapter, capfd):
    examples: list[Example] = []
    places = 0
    for name, [block] in CHAPTERS[chapter]:
        examples.append(Example.read(name, block, places))
        places += sum(len(flat(value)) for _, value in examples[-1].values)
    found = launched(examples, re.sub(r"\W", "_", chapter.lower()))
    wrong = []
    at = 0
    for example in examples:
        for expression, value in example.values:
            shown = flat(value)
            here = found[at : at + len(shown)]
            at += len(shown)
            if not np.allclose(here, shown, rtol=2e-5, atol=2e-6):
                wrong.append(f"{example.name}: {expression} is {[float(f'{x:.6g}') for x in here]}, shown is {value}")
    assert not wrong, "\n".join(wrong)
    printed = [line for example in examples for line in example.printed if line]
    assert capfd.readouterr().out.split("\n")[:-1] == printed
