"""Arrays as text with their content: `repr`, and what notebooks show."""

from __future__ import annotations

import html
from typing import Any

from warp import _warp
from warp._arrays import conversions
from warp._warp import array

#: With more numbers than this only those at the ends of each dimension are shown, and how many those are.
_MANY, _ENDS = 1000, 3


def representation(a: array) -> str:
    """`repr(a)`: the content, the dtype, and the shape and device where the content does not say them."""
    content, is_short = _content(a)
    words = []
    if is_short or a.size == 0:
        words.append(f"shape={a.shape}")
    words.append(f"dtype={a.dtype.__name__}")
    if not a.device.is_cpu:
        words.append(f'device="{a.device}"')
    if a.requires_grad:
        words.append("requires_grad=True")
    return f"array({content}, {', '.join(words)})"


def _content(a: array) -> tuple[str, bool]:
    """The elements as NumPy shows them, and whether some are left out."""
    count = a.size * getattr(a.dtype._elem, "count", 1)
    is_short = count > _MANY
    try:
        import numpy as np
    except ImportError:
        return str(a) if is_short else repr(conversions.tolist(a)), is_short
    values = _values(_ends(a) if is_short else a)
    text = np.array2string(values, separator=", ", prefix="array(", threshold=0 if is_short else _MANY, edgeitems=_ENDS)
    return text, is_short


def _values(a: array) -> Any:
    """The elements for NumPy, which has no bfloat16: each is a float32, too."""
    if a.dtype._elem.kind != "struct" and a.dtype._elem.scalar == "bfloat16":
        a = array(a, copy=False).astype("float32")
    return a.numpy()


def _ends(a: array) -> array:
    """What is shown of an array: of each dimension the elements at its ends, and one between."""
    for d, extent in enumerate(a.shape):
        if extent > 2 * _ENDS + 1:
            before = (slice(None),) * d
            parts = [a[(*before, slice(0, _ENDS + 1))], a[(*before, slice(extent - _ENDS, extent))]]
            shape = [2 * _ENDS + 1 if at == d else n for at, n in enumerate(a.shape)]
            shown = _warp.empty(tuple(shape), a.dtype, "cpu")
            _warp.copy(shown[(*before, slice(0, _ENDS + 1))], parts[0])
            _warp.copy(shown[(*before, slice(_ENDS + 1, None))], parts[1])
            a = shown
    return a


def _repr_html_(self: Any) -> str | None:
    """A table for notebooks: rows and columns of an array of one or two dimensions, else the text."""
    if isinstance(self, array) and self.ptr is None and self.size:
        return None
    a = self if isinstance(self, array) else self.contiguous()
    elem = a.dtype._elem
    title = f"array of {' × '.join(map(str, a.shape))} {html.escape(a.dtype.__name__)}"
    if not a.device.is_cpu:
        title += f" on {html.escape(str(a.device))}"
    if a.ndim > 2 or elem.kind == "struct" or a.size == 0:
        return f"<div><small>{title}</small><pre>{html.escape(str(a))}</pre></div>"
    shown = _ends(a)
    cells = shown.list() if shown.ndim == 2 else [[value] for value in shown.list()]
    if shown.ndim == 2:
        width = shown.shape[1]
        cells = [cells[at : at + width] for at in range(0, len(cells), width)]
    rows = [[_text(value) for value in row] for row in cells]
    # The one between the ends stands for what is left out.
    if shown.ndim == 2 and shown.shape[1] != a.shape[1]:
        for row in rows:
            row[_ENDS] = "…"
    if shown.shape[0] != a.shape[0]:
        rows[_ENDS] = ["…"] * len(rows[_ENDS])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div><small>{title}</small><table>{body}</table></div>"


def _text(value: Any) -> str:
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))
