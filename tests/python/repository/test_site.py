"""What the site says of the API: every public name is on a page, and links lead to pages."""

from __future__ import annotations

import sys
from types import ModuleType

import warp as wp

from support.places import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import api_reference
import site_hooks

#: What `dir(wp)` has beside public names: Python's own, and names of kernels that `math` has, too.
OTHERS = {"annotations", "breakpoint", "float", "int", "range"}


def _is_absent(name: str) -> bool:
    """Whether it only says what to do instead."""
    return "not supported" in repr(getattr(wp, name))


def test_every_public_name_is_on_a_page():
    made = api_reference.pages()
    assert set(made) >= {"arrays", "core", "devices", "language", "values", "utils", "config"}
    text = "\n".join("\n".join(lines) for lines in made.values())
    builtins = (ROOT / "docs" / "builtins.md").read_text(encoding="utf-8")
    missing = [
        name
        for name in dir(wp)
        if not name.startswith("_")
        and name not in OTHERS
        and not isinstance(getattr(wp, name), ModuleType | float)
        and not _is_absent(name)
        and f"`wp.{name}`" not in text
        and f"`{name}(" not in builtins
        and f"`{name}`" not in builtins
    ]
    assert missing == []


def test_public_names_have_docstrings():
    bare = {name for _, name, of in api_reference.names() if callable(of) and not api_reference.described(of)}
    assert bare == set()


def test_what_classes_have_is_described():
    lines = list(api_reference.attributes(wp.array))
    argmax = "- `argmax(axis: Any = None, keepdims: bool = False, **numpy: Any) -> Any`: The index"
    assert [line.startswith(argmax) for line in lines].count(True) == 1
    assert [line for line in lines if "until it is first asked for" in line or "self" in line or "Args:" in line] == []


def test_pages_of_the_site_are_those_that_are_made():
    made = {f"api/{page}.md" for page in api_reference.pages()} | {"api/index.md"}
    listed = {line.split(": ")[1] for line in (ROOT / "mkdocs.yml").read_text().splitlines() if ": api/" in line}
    assert listed == made


def test_the_overview_links_every_name():
    made = api_reference.pages()
    text = api_reference.overview(made)
    names = [line[4:-1] for lines in made.values() for line in lines if line.startswith("## `")]
    assert [name for name in names if f"[`{name}`](" not in text] == []
    assert text.index("(language.md)") < text.index("(arrays.md)") < text.index("(paddle.md)")
    assert "[`wp.optim.linear.cg`](optim_linear.md#wpoptimlinearcg)" in text


def test_links_are_rewritten():
    assert (
        site_hooks.from_docs("[a](../ARCHITECTURE.md#x) [b](arrays.md)")
        == "[a](project/ARCHITECTURE.md#x) [b](arrays.md)"
    )
    assert site_hooks.from_docs("[a](notebooks/kernels.ipynb)") == "[a](notebooks/kernels.md)"
    for kind in ("error", "kernel", "program"):
        assert site_hooks.from_docs(f"```python {kind}\nf()\n```\n") == "```python\nf()\n```\n"
    text = "[a](docs/arrays.md) [b](CONTRIBUTING.md#x) [c](warp-core/src/lib.rs) [d](https://example.org) [e](#here)"
    moved = "[a](../arrays.md) [b](CONTRIBUTING.md#x) c [d](https://example.org) [e](#here)"
    assert site_hooks.from_root(text) == moved


class Page:
    """What the hook asks of a page of mkdocs."""

    def __init__(self, url: str) -> None:
        self.url = url


def test_pages_load_nothing_from_the_network():
    script = f'<script src="{site_hooks.SHIM}"></script>'
    for url, found in (("arrays.html", "file_worker.js"), ("api/core.html", "../file_worker.js")):
        assert site_hooks.on_post_page(script, page=Page(url), config=None) == f'<script src="{found}"></script>'
    missing = site_hooks.on_post_template(script, template_name="404.html", config=None)
    assert missing == '<script src="file_worker.js"></script>'
    assert (ROOT / "docs" / "file_worker.js").exists()


def test_long_signatures_have_a_line_for_each_parameter():
    assert api_reference.broken("f", "(a, b=(1, 2))") == "f(a, b=(1, 2))"
    long = "(first: 'dict[str, int] | None' = None, second=(1, 2), *, third: str = ', ') -> 'tuple[int, int]'"
    assert api_reference.broken("name", long).splitlines() == [
        "name(",
        "    first: 'dict[str, int] | None' = None,",
        "    second=(1, 2),",
        "    *,",
        "    third: str = ', ',",
        ") -> 'tuple[int, int]'",
    ]
