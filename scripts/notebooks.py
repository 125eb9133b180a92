"""Runs the notebooks of the documentation, and writes what their cells print and draw into them.

    python scripts/notebooks.py [FILE ...]

Each cell runs as in a notebook: one namespace, in order, and a figure that is open at its end is shown. The site shows
the notebooks as pages (`scripts/site_hooks.py`), and a test compares what they print.
"""

from __future__ import annotations

import base64
import io
import json
import linecache
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "notebooks"


def figure() -> str | None:
    """The figure that is open, as a PNG in base64; it is closed."""
    if "matplotlib.pyplot" not in sys.modules:
        return None
    import matplotlib.pyplot as plt

    if not plt.get_fignums():
        return None
    from PIL import Image

    full, small = io.BytesIO(), io.BytesIO()
    plt.savefig(full, dpi=70, bbox_inches="tight")
    plt.close("all")
    Image.open(full).convert("RGB").quantize(64).save(small, "PNG", optimize=True)
    return base64.b64encode(small.getvalue()).decode()


def outputs(notebook: dict[str, Any], name: str) -> Iterator[tuple[dict[str, Any], str, str | None]]:
    """Runs the cells; gives each with what it prints and its figure."""
    namespace: dict[str, Any] = {"__name__": f"notebook_{name}"}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        file = f"<cell {number} of {name}>"
        # Kernels are compiled from their text, which is found here.
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(source + "\n", file, "exec", dont_inherit=True), namespace)
        yield cell, printed.getvalue(), figure()


def shown(printed: str, picture: str | None) -> list[dict[str, Any]]:
    """The outputs of a cell, as a notebook holds them."""
    made: list[dict[str, Any]] = []
    if printed:
        made.append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)})
    if picture:
        made.append({"data": {"image/png": picture}, "metadata": {}, "output_type": "display_data"})
    return made


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    for path in [Path(name) for name in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for count, (cell, printed, picture) in enumerate(outputs(notebook, path.stem), start=1):
            cell["execution_count"], cell["outputs"] = count, shown(printed, picture)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path.name)


if __name__ == "__main__":
    main()
