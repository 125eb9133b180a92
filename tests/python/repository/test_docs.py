"""Every Python block of the README and the user guide runs, and prints what the page says it prints.

The blocks of one page share a namespace, in order. A `text` block right after a Python block is that block's
output; a block headed `python error` must raise, and the `text` block after it is the message.
"""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest
import warp
from warp._warp import ERROR_CODES

from support.places import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
# A block that is no Python is there to be read, and lines of kernels and whole programs have tests of their own
# (`test_builtin_examples.py`, `test_several_processes.py`); any other heading is a mistake that would skip a test.
NOT_RUN = {"sh", "toml", "cpp", "python kernel", "python program"}


@dataclass
class Block:
    """One fenced block of a page."""

    info: str
    body: str
    line: int


def blocks_of(text: str) -> list[Block]:
    return [Block(m["info"].strip(), m["body"], text.count("\n", 0, m.start()) + 2) for m in FENCE.finditer(text)]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def code_of(text: str) -> str:
    """The page with everything but its Python blocks blanked, so that lines keep their numbers."""
    kept = [""] * (text.count("\n") + 1)
    for block in blocks_of(text):
        if block.info in ("python", "python error"):
            lines = block.body.splitlines()
            kept[block.line - 1 : block.line - 1 + len(lines)] = lines
    return "\n".join(kept) + "\n"


def run_block(block: Block, name: str, namespace: dict) -> None:
    """Run the block as part of its page: messages show the page and its line numbers."""
    # As in a file of its own: without the imports from `__future__` of this one.
    exec(compile("\n" * (block.line - 1) + block.body, name, "exec", dont_inherit=True), namespace)


def run_page(name: str, text: str, printed) -> None:
    """Run all blocks; `printed()` gives what was printed since it was last asked."""
    namespace = {"__name__": f"docs_{re.sub(r'[^a-z]', '_', name.lower())}"}
    # Kernels are compiled from source text, which `inspect` takes from here. Without a time stamp it is never dropped.
    source = code_of(text)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    blocks = blocks_of(text)
    for block, after in zip_longest(blocks, blocks[1:]):
        where = f"{name}:{block.line}"
        if block.info == "python":
            run_block(block, name, namespace)
            output = printed()
        elif block.info == "python error":
            # Which error is what the page says, by the text that follows.
            with pytest.raises(Exception) as caught:  # noqa: PT011
                run_block(block, name, namespace)
            output = f"{caught.type.__name__}: {caught.value}"
            assert after is not None, f"{where}: this block lacks a `text` block with the message"
            assert after.info == "text", f"{where}: this block lacks a `text` block with the message"
        else:
            assert block.info in NOT_RUN | {"text"}, f"{where}: unknown kind of block `{block.info}`"
            continue
        if after is not None and after.info == "text":
            assert lines_of(output) == lines_of(after.body), f"{where} prints something else"
        else:
            assert not output, f"{where} prints what the page does not show: {output}"


def lines_of(output: str) -> list[str]:
    return [line.rstrip() for line in output.strip("\n").splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page(page, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    if "import paddle" in page.read_text():
        pytest.importorskip("paddle", reason="paddle is not installed (it has no wheel for every Python)")
    # Kernels may print from native code as well; pages show only what Python prints.
    run_page(name_of(page), page.read_text(), lambda: capsys.readouterr().out)


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{name_of(page)} links to {target}"


def test_the_guide_lists_its_pages():
    index = (ROOT / "docs/README.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, f"docs/README.md does not list {page.name}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "prints something else"),
        ("```python\nprint(1)\n```\n", "does not show"),
        ("```pyhton\nprint(1)\n```\n", "unknown kind"),
        ("```python error\n1 / 0\n```\n", "lacks a `text` block"),
        ("```python error\npass\n```\n\n```text\n```\n", "DID NOT RAISE"),
    ],
)
def test_a_page_that_is_wrong_fails(text, complaint, capsys):
    with pytest.raises((AssertionError, pytest.fail.Exception), match=complaint):
        run_page("page.md", text, lambda: capsys.readouterr().out)


def test_a_page_that_is_right_passes(capsys):
    text = (
        "```python\nx = 1\n```\n\n```python\nprint(x)\n```\n\n```text\n1\n```\n\n```sh\nls\n```\n"
        "```python error\n1 / 0\n```\n\n```text\nZeroDivisionError: division by zero\n```\n"
    )
    run_page("page.md", text, lambda: capsys.readouterr().out)


def entries_of(text: str) -> dict[str, str]:
    """The entries of the section `Codes` by their heading."""
    _, _, codes = text.partition("\n## Codes\n")
    parts = re.split(r"^### (.*)$", codes, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_code_has_its_entry():
    entries = entries_of((ROOT / "docs/errors.md").read_text())
    assert list(entries) == [code for code, *_ in ERROR_CODES], "docs/errors.md lists other codes, or another order"
    for code, exception, in_text, meaning in ERROR_CODES:
        entry = entries[code]
        raised = f"`{exception}`" if exception == in_text else f"`{exception}`, in a kernel's text `{in_text}`"
        assert entry.strip().startswith(f"{raised}: {meaning}\n"), f"docs/errors.md: {code} begins differently"
        # No call can be relied upon to break an invariant.
        if code != "Bug":
            shown = [block.body for block in blocks_of(entry) if block.info == "text"]
            assert any(text.startswith((f"{exception}: ", f"{in_text}: ")) for text in shown), (
                f"docs/errors.md: {code} has no example"
            )


def test_every_class_of_exceptions_is_listed():
    text = (ROOT / "docs/errors.md").read_text()
    for name in dir(warp):
        found = getattr(warp, name)
        if isinstance(found, type) and issubclass(found, Exception) and name in warp.__all__:
            bases = ", ".join(f"`{base.__name__}`" for base in found.__bases__)
            assert f"| `{name}` | {bases} |" in text
