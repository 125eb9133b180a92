"""Hooks of mkdocs (`mkdocs.yml`): pages of the site that are not in `docs/`.

The Markdown files of the repository's root become `project/NAME.md`, and what `scripts/api_reference.py` wrote into
`target/api` becomes `api/NAME.md`. Links between pages are rewritten; a link to any other file becomes its text.
Notebooks become pages, with what they hold of prints and pictures.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
API = ROOT / "target" / "api"
#: What the theme loads from the network where the site is opened as files; `docs/file_worker.js` takes its place.
SHIM = "https://unpkg.com/iframe-worker/shim"
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def at_root() -> set[str]:
    """Names of the Markdown files of the repository's root."""
    return {path.name for path in ROOT.glob("*.md")}


def from_docs(text: str) -> str:
    """A page of `docs/` for the site: links to the root go to `project/`, and those to notebooks to their pages."""
    names = "|".join(re.escape(name) for name in sorted(at_root()))
    text = re.sub(rf"\]\(\.\./({names})", r"](project/\1", text)
    # mkdocs takes one word after the backquotes for a language, and two for no block.
    text = re.sub(r"^```python (?:error|kernel|program)$", "```python", text, flags=re.MULTILINE)
    return re.sub(r"\]\((notebooks/\w+)\.ipynb\)", r"](\1.md)", text)


def from_root(text: str) -> str:
    """A page of the repository's root, with links as they are from `project/`."""

    def moved(found: re.Match[str]) -> str:
        label, target = found.groups()
        if target.startswith(("#", "http:", "https:", "mailto:")):
            return found[0]
        if target.startswith("docs/"):
            return f"[{label}](../{target.removeprefix('docs/')})"
        return found[0] if target.partition("#")[0] in at_root() else label

    return LINK.sub(moved, text)


def from_notebook(path: Path) -> str:
    """A notebook as a page, with a link to its file."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            if "text" in output:
                parts.append(f"```text\n{''.join(output['text'])}```")
            elif "data" in output:
                parts.append(
                    f'<img alt="what the cell draws" src="data:image/png;base64,{output["data"]["image/png"]}">'
                )
    heading, _, rest = "\n\n".join(parts).partition("\n")
    return f"{heading}\n\nThis page is a notebook: [{path.name}]({path.name}).\n{rest}\n"


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages that are not in `docs/`."""
    from mkdocs.structure.files import File

    for name in sorted(at_root()):
        text = from_root((ROOT / name).read_text(encoding="utf-8"))
        files.append(File.generated(config, f"project/{name}", content=text))
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=from_notebook(path)))
    for path in sorted(API.glob("*.md")):
        files.append(File.generated(config, f"api/{path.name}", content=path.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """The text of a page of `docs/`."""
    del config, files
    return markdown if "/" in page.file.src_uri else from_docs(markdown)


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """A page as it is written, which loads nothing from the network."""
    del config
    return output.replace(SHIM, "../" * page.url.count("/") + "file_worker.js")


def on_post_template(output_content: str, *, template_name: str, config: Any) -> str:
    """The page for addresses without a page, which loads nothing from the network either."""
    del template_name, config
    return output_content.replace(SHIM, "file_worker.js")
