"""Layered layout of a graph without scopes (Sugiyama, Tagawa and Toda 1981): layers, an order within each that crosses
few edges, and places.

Layers follow each other along the axis ``u``; within a layer boxes lie along ``v``. What turns that into left and right
is up to the caller.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

GAP_U = 46.0
GAP_V = 16.0
GAP_LINES = 7.0
LANE = 12.0
SWEEPS = 8


@dataclass(eq=False)
class Box:
    """What has a place.

    Attributes:
        length: Its extent along ``u``.
        width: Its extent along ``v``.
        pin: "first" or "last": it is before or after all others, for edges that come from or go to elsewhere.
        u: Where it begins.
        v: Where it begins.
    """

    length: float = 0.0
    width: float = 0.0
    pin: str = ""
    u: float = 0.0
    v: float = 0.0
    layer: int = 0


@dataclass(eq=False)
class Line:
    """What joins two boxes: from the end of one, at a distance from its ``v``, to the begin of another.

    Attributes:
        points: The path: (u, v) from end to begin, set by :func:`arrange`.
        back: Whether it leads to a layer that is no later: it goes around all boxes.
    """

    tail: Box
    head: Box
    tail_at: float
    head_at: float
    points: list[tuple[float, float]] = field(default_factory=list)
    back: bool = False


def arrange(boxes: Sequence[Box], lines: Sequence[Line]) -> tuple[float, float]:
    """Place boxes, which come in the order of their first use, and route lines. Returns the extents along u and v."""
    place = {id(box): at for at, box in enumerate(boxes)}
    forward = []
    for line in lines:
        tail, head = line.tail, line.head
        fixed = tail.pin == "last" or head.pin == "first"
        line.back = fixed or (not (tail.pin == "first" or head.pin == "last") and place[id(tail)] >= place[id(head)])
        if not line.back:
            forward.append(line)
    _assign_layers(boxes, forward)
    layers, chains = _with_bends(boxes, forward)
    _order(layers, chains)
    _place_v(layers, chains)
    length = _place_u(layers)
    width = max((box.v + box.width for layer in layers for box in layer), default=0.0)
    for line, chain in chains:
        points = [(chain[0].u + chain[0].length, chain[0].v + line.tail_at)]
        for bend in chain[1:-1]:
            middle = bend.v + bend.width / 2
            points += [(bend.u, middle), (bend.u + bend.length, middle)]
        line.points = [*points, (chain[-1].u, chain[-1].v + line.head_at)]
    lanes = 0
    for line in lines:
        if line.back:
            lanes += 1
            lane = width + GAP_V / 2 + lanes * LANE
            begin = (line.tail.u + line.tail.length, line.tail.v + line.tail_at)
            end = (line.head.u, line.head.v + line.head_at)
            step = 6.0 + 2.0 * (lanes % 4)
            line.points = [
                begin,
                (begin[0] + step, begin[1]),
                (begin[0] + step, lane),
                (end[0] - step, lane),
                (end[0] - step, end[1]),
                end,
            ]
    if lanes:
        width += GAP_V / 2 + (lanes + 1) * LANE
    return length, width


def _assign_layers(boxes: Sequence[Box], lines: Sequence[Line]) -> None:
    """Each box after all that lead to it; those that nothing leads to close to what they lead to."""
    into: dict[int, list[Line]] = {id(box): [] for box in boxes}
    out: dict[int, list[Line]] = {id(box): [] for box in boxes}
    for line in lines:
        into[id(line.head)].append(line)
        out[id(line.tail)].append(line)
    inner = [box for box in boxes if not box.pin]
    for box in inner:
        # Lines lead on in the order of the boxes, so that those before have their layers.
        box.layer = max((line.tail.layer + 1 for line in into[id(box)] if not line.tail.pin), default=0)
    for box in reversed(inner):
        heads = [line.head.layer for line in out[id(box)] if not line.head.pin]
        if heads and not [line for line in into[id(box)] if not line.tail.pin]:
            box.layer = min(heads) - 1
    last = max((box.layer for box in inner), default=0)
    for box in boxes:
        if box.pin:
            box.layer = -1 if box.pin == "first" else last + 1
    low = min((box.layer for box in boxes), default=0)
    for box in boxes:
        box.layer -= low


Chain = tuple[Line, list[Box]]


def _with_bends(boxes: Sequence[Box], lines: Sequence[Line]) -> tuple[list[list[Box]], list[Chain]]:
    """Layers, with a bend in each layer that a line passes; and the boxes and bends of each line."""
    count = max((box.layer for box in boxes), default=-1) + 1
    layers: list[list[Box]] = [[] for _ in range(count)]
    for box in boxes:
        layers[box.layer].append(box)
    chains = []
    for line in lines:
        bends = [Box(layer=layer, width=4.0) for layer in range(line.tail.layer + 1, line.head.layer)]
        for bend in bends:
            layers[bend.layer].append(bend)
        chains.append((line, [line.tail, *bends, line.head]))
    return layers, chains


def _neighbours(chains: Sequence[Chain]) -> tuple[dict[int, list[tuple[Box, float, float]]], ...]:
    """For each box those before it and those after it, with where the lines end at it and at them."""
    before: dict[int, list[tuple[Box, float, float]]] = {}
    behind: dict[int, list[tuple[Box, float, float]]] = {}
    for line, chain in chains:
        for at, (a, b) in enumerate(itertools.pairwise(chain)):
            out = line.tail_at if at == 0 else a.width / 2
            into = line.head_at if at == len(chain) - 2 else b.width / 2
            before.setdefault(id(b), []).append((a, out, into))
            behind.setdefault(id(a), []).append((b, into, out))
    return before, behind


def _order(layers: list[list[Box]], chains: Sequence[Chain]) -> None:
    """Order each layer by the mean place of neighbours, to and fro; the best order that was seen stays."""
    before, behind = _neighbours(chains)
    best, fewest = [list(layer) for layer in layers], _crossings(layers, behind)
    place = {id(box): float(at) for layer in layers for at, box in enumerate(layer)}
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        near = before if down else behind
        for layer in layers if down else reversed(layers):
            mean = {
                id(box): sum(place[id(n)] + at / (n.width + 1.0) for n, at, _ in near[id(box)]) / len(near[id(box)])
                if near.get(id(box))
                else place[id(box)]
                for box in layer
            }
            layer.sort(key=lambda box: mean[id(box)])
            place.update((id(box), float(at)) for at, box in enumerate(layer))
        crossings = _crossings(layers, behind)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
        if fewest == 0:
            break
    layers[:] = best


def _crossings(layers: Sequence[Sequence[Box]], behind: dict[int, list[tuple[Box, float, float]]]) -> int:
    total = 0
    for layer, after in itertools.pairwise(layers):
        place = {id(box): at for at, box in enumerate(after)}
        ends: list[tuple[float, float]] = []
        for at, box in enumerate(layer):
            lines = behind.get(id(box), [])
            ends += [(at + out / (box.width + 1.0), place[id(n)] + into / (n.width + 1.0)) for n, into, out in lines]
        ends.sort()
        for i, (a, x) in enumerate(ends[:400]):
            total += sum(1 for b, y in ends[i + 1 : 400] if b > a and y < x)
    return total


def _gap(a: Box, b: Box) -> float:
    """The distance of two boxes of a layer; bends and ends of the scope may be nearer to each other."""
    return GAP_V if a.length and b.length else GAP_LINES


def _offsets(layer: Sequence[Box]) -> list[float]:
    """Where boxes begin that lie as close together as they may."""
    offsets = [0.0]
    for a, b in itertools.pairwise(layer):
        offsets.append(offsets[-1] + a.width + _gap(a, b))
    return offsets


def _place_v(layers: Sequence[list[Box]], chains: Sequence[Chain]) -> None:
    """Place boxes so that lines are as straight as the order of the layers lets them be."""
    before, behind = _neighbours(chains)
    for layer in layers:
        for box, at in zip(layer, _offsets(layer), strict=False):
            box.v = at
    for sweep in range(2 * SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            wanted, weights = [], []
            for box in layer:
                near = (before if down else behind).get(id(box), [])
                if sweep >= SWEEPS:
                    near = before.get(id(box), []) + behind.get(id(box), [])
                want = [n.v + there - here for n, there, here in near]
                wanted.append(sum(want) / len(want) if want else box.v)
                weights.append(len(want) + 0.01)
            _spread(layer, wanted, weights)
    low = min((box.v for layer in layers for box in layer), default=0.0)
    for layer in layers:
        for box in layer:
            box.v -= low


def _spread(layer: Sequence[Box], wanted: Sequence[float], weights: Sequence[float]) -> None:
    """The places nearest to the wanted ones, by least squares, that keep order and distances."""
    offsets = _offsets(layer)[: len(layer)]
    # Pools of boxes that touch: sum of weights, weighted sum of wanted places, how many.
    pools: list[list[float]] = []
    for want, offset, weight in zip(wanted, offsets, weights, strict=True):
        pools.append([weight, weight * (want - offset), 1])
        while len(pools) > 1 and pools[-2][1] / pools[-2][0] > pools[-1][1] / pools[-1][0]:
            weight_, sum_, count = pools.pop()
            pools[-1][0] += weight_
            pools[-1][1] += sum_
            pools[-1][2] += count
    number = 0
    for weight, total, count in pools:
        for _ in range(int(count)):
            layer[number].v = total / weight + offsets[number]
            number += 1


def _place_u(layers: Sequence[Sequence[Box]]) -> float:
    at = 0.0
    for layer in layers:
        length = max((box.length for box in layer), default=0.0)
        for box in layer:
            box.u = at + (length - box.length) / 2
            if not box.length:
                # A bend, or an end of the scope: the line runs straight past the others.
                box.u, box.length = at, length
        at += length + GAP_U
    return max(at - GAP_U, 0.0)
