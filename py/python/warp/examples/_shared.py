"""What the examples share: their options, where they compute, and the sheet that a picture is drawn on.

matplotlib is imported where a picture is drawn, a framework where an example is about it.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import warp as wp

INK, PAPER = "#1b1f2a", "#fbfaf7"
RED, BLUE, VIOLET, GOLD, GREEN = "#d1495b", "#00798c", "#6a4c93", "#edae49", "#3c8d5a"


def options(
    file: str, description: str | None, arguments: list[str] | None, *, draws: bool = True, **count: int
) -> argparse.Namespace:
    """The options of the example in `file`; `count` is `frames=100` or `steps=100`, with the number it usually does.

    `picture` is None where none is to be drawn. An example with `draws=False` has none: `--headless` changes nothing.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in count.items():
        parser.add_argument(f"--{name}", type=_positive, default=usual, help=f"how many {name} (default: {usual})")
    parser.add_argument("--device", help="where to compute (default: the current device)")
    parser.add_argument("--headless", action="store_true", help="compute and print, draw no picture")
    picture = f"{Path(file).stem}.png" if draws else None
    if draws:
        where = f"where it goes (default: {picture})"
        parser.add_argument("--picture", "--output", default=picture, metavar="FILE", help=where)
    else:
        parser.set_defaults(picture=None)
    chosen = parser.parse_args(arguments)
    if chosen.headless:
        chosen.picture = None
    return chosen


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def progress(count: int, unit: str = "frame") -> Iterable[int]:
    """The numbers below `count`; on a terminal a long loop over them shows how far it is.

    It is shown by tqdm where that is installed.
    """
    if not sys.stderr.isatty():
        return range(count)
    try:
        tqdm: Any = importlib.import_module("tqdm").tqdm
    except ImportError:
        return _counted(count, unit)
    shown: Iterable[int] = tqdm(range(count), unit=unit, delay=_PATIENCE)
    return shown


#: After so many seconds someone at a terminal is told how far an example is.
_PATIENCE = 1.0


def _counted(count: int, unit: str) -> Iterator[int]:
    """The numbers below `count`, which a line counts."""
    due = time.monotonic() + _PATIENCE
    line = ""
    for number in range(count):
        if time.monotonic() >= due:
            line = f"{unit} {number + 1} of {count}"
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
            due = time.monotonic() + 0.2
        yield number
    if line:
        print(f"\r{' ' * len(line)}\r", end="", file=sys.stderr, flush=True)


@contextmanager
def with_torch(device: str | None) -> Iterator[Any]:
    """Makes a device the current one, of torch too; gives torch's name for it."""
    import torch

    with wp.ScopedDevice(device) as chosen:
        place = torch.device(wp.device_to_torch(chosen))
        if place.type == "cpu":  # torch's own default; its context slows every call
            yield place
        else:
            with place:
                yield place


@contextmanager
def with_jax(device: str | None) -> Iterator[Any]:
    """Makes a device the current one, of jax too; gives jax's object for it."""
    import jax

    with wp.ScopedDevice(device) as chosen:
        place = wp.device_to_jax(chosen)
        with jax.default_device(place):
            yield place


@contextmanager
def sheet(
    file: str, rows: int = 1, columns: int = 1, *, size: tuple[float, float] = (10, 6), dark: bool = False, **more: Any
) -> Iterator[Any]:
    """The axes of a new figure: one, or a flat array of them. The figure is saved when the block ends."""
    import matplotlib
    from matplotlib.figure import Figure

    ink, paper = (PAPER, "#0b0d14") if dark else (INK, PAPER)
    colours = dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color"), ink) | {
        "axes.edgecolor": "#8a8d96",
        "axes.facecolor": paper,
    }
    style = {"font.size": 10.5, "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False}
    with matplotlib.rc_context({**colours, **style, "legend.frameon": False}):
        figure = Figure(figsize=size, facecolor=paper, layout="constrained")
        axes = figure.subplots(rows, columns, **more)
        yield axes if rows * columns == 1 else axes.ravel()
        figure.savefig(file, dpi=120)
    print(f"drawn in {file}")


def image(axes: Any, values: Any, title: str = "", **how: Any) -> Any:
    """An image without ticks, its first row at the bottom."""
    shown = axes.imshow(values, **{"origin": "lower", "interpolation": "antialiased", **how})
    bare(axes, title)
    return shown


def bare(axes: Any, title: str = "") -> None:
    """Leaves nothing around what is drawn but a title."""
    axes.set(xticks=[], yticks=[], title=title)
    for spine in axes.spines.values():
        spine.set_visible(False)


def solid(axes: Any, triangles: Any, *, colour: Any, edge: str = "none", view: Any = (-0.5, -0.7, 0.5)) -> None:
    """Triangles in space (n, 3, 3) as seen from the direction `view`, far ones first, shaded by one light.

    `colour` is one for all, or one for each triangle.
    """
    import numpy as np
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba_array

    towards = np.array(view) / np.linalg.norm(view)
    right = np.cross((0, 0, 1), towards)
    right /= np.linalg.norm(right)
    up = np.cross(towards, right)
    order = np.argsort(triangles.mean(axis=1) @ towards)
    seen = triangles[order].astype(float)
    normals = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True) + 1e-30
    normals *= np.sign(normals @ towards)[:, None]
    light = towards + 0.8 * up - 0.6 * right
    bright = np.clip(normals @ (light / np.linalg.norm(light)), 0, 1)[:, None]
    base = np.broadcast_to(to_rgba_array(colour)[:, :3], (len(seen), 3))[order]
    colours = np.clip((0.18 + 0.82 * bright) * base + 0.35 * bright**24, 0, 1)
    flat = np.stack([seen @ right, seen @ up], axis=-1)
    edges = colours if edge == "none" else edge
    axes.add_collection(PolyCollection(list(flat), facecolors=colours, edgecolors=edges, linewidths=0.3))
    axes.autoscale_view()
    axes.set_aspect("equal")
