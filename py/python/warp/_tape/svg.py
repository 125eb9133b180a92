"""The graph of a tape as a picture: an SVG, without GraphViz.

Scopes are laid out from the inside: each is a box of its parent, with a gate for each line that passes its border.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from warp._tape.dot import BLUE, GREEN, GREY
from warp._tape.graph import Array, Edge, Graph, Launch, Scope
from warp._tape.layers import Box, Line, arrange

SIZE = 12
ROW = 22.0
PAD = 14.0
TITLE = 22.0
MARGIN = 20.0
Point = tuple[float, float]
Node = Launch | Array | Scope


def text_width(text: str) -> float:
    """About how wide a text is."""
    width = 0.0
    for letter in text:
        if letter in "iljtfrI.,:;|!'()[] ":
            width += 4.2
        else:
            width += 10.0 if letter in "mwMW@" else 8.2 if letter.isupper() else 7.0
    return width


@dataclass
class Level:
    """A scope that has been laid out.

    Attributes:
        boxes: Of its items, by ``id``.
        lines: Of its edges, by their numbers.
        out: Where lines leave it, by the number of the edge: the distance from its ``v``.
        into: Where lines enter it.
    """

    length: float = 0.0
    width: float = 0.0
    boxes: dict[int, Box] = field(default_factory=dict)
    lines: dict[int, list[Line]] = field(default_factory=dict)
    out: dict[int, float] = field(default_factory=dict)
    into: dict[int, float] = field(default_factory=dict)


class Picture:
    """Lays a graph out and draws it."""

    def __init__(self, graph: Graph, direction: str) -> None:
        self.graph = graph
        self.direction = direction
        self.upright = direction in ("TB", "BT")
        self.levels: dict[int, Level] = {}
        self.holders: dict[int, list[Scope]] = {}
        self.parts: list[str] = []
        self._hold(graph.root, [])
        self.ends = [_ends(edge) for edge in graph.edges]
        whole = self._lay_out(graph.root)
        self.length, self.width = whole.length + 2 * MARGIN, whole.width + 2 * MARGIN

    def _hold(self, scope: Scope, outer: list[Scope]) -> None:
        path = [*outer, scope]
        for item in scope.items:
            self.holders[id(item)] = path
            if isinstance(item, Scope):
                self._hold(item, path)

    # Layout

    def _size(self, item: Node) -> tuple[float, float]:
        """The extents of an item along u and v."""
        if isinstance(item, Scope):
            level = self._lay_out(item)
            across = text_width(item.label) + 2 * PAD
            if self.upright:
                return level.length + 2 * PAD + TITLE, max(level.width + 2 * PAD, across)
            return max(level.length + 2 * PAD, across), level.width + 2 * PAD + TITLE
        across, down = _extents(item, self.upright)
        return (down, across) if self.upright else (across, down)

    def _inset(self) -> Point:
        """Where the content of a scope begins in it. Its title is on top."""
        if not self.upright:
            return PAD, PAD + TITLE
        return (PAD + TITLE if self.direction == "TB" else PAD), PAD

    def _lay_out(self, scope: Scope) -> Level:
        known = self.levels.get(id(scope))
        if known is not None:
            return known
        level = self.levels[id(scope)] = Level()
        for item in scope.items:
            length, width = self._size(item)
            level.boxes[id(item)] = Box(length, width)
        boxes, lines = list(level.boxes.values()), []
        gates: list[tuple[dict[int, float], int, Box]] = []
        for number, (tail, head, tail_key, head_key) in enumerate(self.ends):
            a, b = self._item_in(scope, tail), self._item_in(scope, head)
            if (a is None and b is None) or a is b:
                continue
            ends: list[tuple[Box, float]] = []
            for inner, node, key, outwards in ((a, tail, tail_key, True), (b, head, head_key, False)):
                if inner is not None:
                    ends.append((level.boxes[id(inner)], self._at(inner, node, number, key, outwards)))
                    continue
                # What it leads from is outside of the scope: it enters; or what it leads to: it leaves.
                gate = Box(pin="first" if outwards else "last")
                boxes.append(gate)
                gates.append((level.into if outwards else level.out, number, gate))
                ends.append((gate, 0.0))
            line = Line(ends[0][0], ends[1][0], ends[0][1], ends[1][1])
            lines.append(line)
            level.lines.setdefault(number, []).append(line)
        level.length, level.width = arrange(boxes, lines)
        for table, number, gate in gates:
            table[number] = gate.v
        return level

    def _item_in(self, scope: Scope, node: Launch | Array) -> Node | None:
        """The item of a scope that a node is, or is in."""
        path: list[Node] = [*self.holders[id(node)], node]
        for outer, item in itertools.pairwise(path):
            if outer is scope:
                return item
        return None

    def _at(self, item: Node, node: Launch | Array, number: int, key: str, outwards: bool) -> float:
        """Where a line leaves or enters an item: the distance from its v."""
        if isinstance(item, Scope):
            level = self.levels[id(item)]
            return (level.out if outwards else level.into)[number] + self._inset()[1]
        box_width = self._size(item)[1]
        if isinstance(item, Launch) and key:
            return _port_at(item, key, self.upright)
        return box_width / 2

    # Drawing

    def draw(self) -> str:
        """The picture."""
        self._scope(self.graph.root, MARGIN, MARGIN)
        for number, edge in enumerate(self.graph.edges):
            self._edge(number, edge)
        self._nodes(self.graph.root, MARGIN, MARGIN)
        width, height = (self.width, self.length) if self.upright else (self.length, self.width)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="{SIZE}">'
        )
        return "\n".join([head, '<rect width="100%" height="100%" fill="#FFFFFF"/>', *self.parts, "</svg>", ""])

    def _point(self, point: Point) -> Point:
        u, v = point
        if self.direction in ("RL", "BT"):
            u = self.length - u
        return (v, u) if self.upright else (u, v)

    def _rectangle(self, u: float, v: float, length: float, width: float) -> tuple[float, float, float, float]:
        x, y = self._point((u, v))
        across, down = (width, length) if self.upright else (length, width)
        if self.direction == "RL":
            x -= across
        if self.direction == "BT":
            y -= down
        return x, y, across, down

    def _scope(self, scope: Scope, u: float, v: float) -> None:
        """The boxes of the scopes in a scope, and where their contents begin."""
        level = self.levels[id(scope)]
        level.boxes = {key: _moved(box, u, v) for key, box in level.boxes.items()}
        for lines in level.lines.values():
            for line in lines:
                line.points = [(a + u, b + v) for a, b in line.points]
        inset = self._inset()
        for item in scope.items:
            if not isinstance(item, Scope):
                continue
            box = level.boxes[id(item)]
            x, y, across, down = self._rectangle(box.u, box.v, box.length, box.width)
            color = BLUE if item.repeated else GREEN
            self.parts.append(
                f"<g><title>{escape(item.note or item.label)}</title>"
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" '
                f'height="{down:.1f}" rx="8" fill="{color}" fill-opacity="0.1" stroke="{color}"/>'
                f'<text x="{x + across / 2:.1f}" y="{y + 17:.1f}" text-anchor="middle" font-weight="bold">'
                f"{escape(item.label)}</text></g>"
            )
            inner = self.levels[id(item)]
            du = (box.length - (inner.length + 2 * PAD + (TITLE if self.upright else 0))) / 2
            dv = (box.width - (inner.width + 2 * PAD + (0 if self.upright else TITLE))) / 2 if self.upright else 0.0
            self._scope(item, box.u + inset[0] + max(du, 0.0), box.v + inset[1] + max(dv, 0.0))

    def _edge(self, number: int, edge: Edge) -> None:
        tail, head, _, _ = self.ends[number]
        points: list[Point] = []
        back = False
        outer, inner = self.holders[id(tail)], self.holders[id(head)]
        common = [a for a, b in zip(outer, inner, strict=False) if a is b]
        for scope in [*reversed(outer[len(common) - 1 :]), *inner[len(common) :]]:
            for line in self.levels[id(scope)].lines.get(number, []):
                back = back or line.back
                points += line.points
        color, dash = "#444444", ""
        if edge.kind == "again":
            color = BLUE
        elif edge.kind == "part":
            color, dash = "#999999", ' stroke-dasharray="4 3"'
        arrows = edge.kind != "part"
        places = [self._point(point) for point in points]
        path = _curve(places, self.upright)
        self.parts.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.2"{dash}/>')
        if arrows:
            self.parts.append(self._arrow(points[-1], 1.0, color))
            if edge.other is None and edge.reads and edge.writes:
                self.parts.append(self._arrow(points[0], -1.0, color))

    def _arrow(self, tip: Point, sense: float, color: str) -> str:
        u, v = tip
        corners = [(u, v), (u - sense * 8, v - 3.5), (u - sense * 8, v + 3.5)]
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(self._point, corners))
        return f'<polygon points="{text}" fill="{color}"/>'

    def _nodes(self, scope: Scope, u: float, v: float) -> None:
        level = self.levels[id(scope)]
        for item in scope.items:
            box = level.boxes[id(item)]
            place = self._rectangle(box.u, box.v, box.length, box.width)
            if isinstance(item, Scope):
                self._nodes(item, u, v)
            elif isinstance(item, Array):
                self.parts.append(_ellipse(item, *place))
            else:
                self.parts.append(_table(item, self.direction, *place))


def _ends(edge: Edge) -> tuple[Launch | Array, Launch | Array, str, str]:
    """What an edge leads from and to, and their ports."""
    if edge.other is not None:
        ends = (edge.array, edge.other) if edge.kind == "again" else (edge.other, edge.array)
        return (*ends, "", "")
    if edge.launch is None or edge.port is None:
        raise AssertionError("an edge joins two arrays, or an array and a launch")
    if edge.port.side == "in":
        return edge.array, edge.launch, "", edge.port.key
    return edge.launch, edge.array, edge.port.key, ""


def _moved(box: Box, u: float, v: float) -> Box:
    return Box(box.length, box.width, box.pin, box.u + u, box.v + v, box.layer)


def _sides(launch: Launch) -> tuple[list[str], list[str]]:
    names: tuple[list[str], list[str]] = ([], [])
    for port in launch.ports:
        names[port.side == "out"].append(port.name)
    return names


def _widest(names: list[str]) -> float:
    return max((text_width(name) for name in names), default=0.0) + PAD


def _extents(item: Launch | Array, upright: bool) -> tuple[float, float]:
    """How wide and how high an item is."""
    if isinstance(item, Array):
        return text_width(item.label) + 2 * PAD, 28.0
    inputs, outputs = _sides(item)
    title = text_width(item.title) * 1.1 + PAD
    if upright:
        cells = max(_widest(names) * len(names) for names in (inputs, outputs))
        return max(title, cells), ROW * (1 + bool(inputs) + bool(outputs))
    columns = (_widest(inputs) if inputs else 0.0) + (_widest(outputs) if outputs else 0.0)
    return max(title, columns), ROW * (1 + max(len(inputs), len(outputs)))


def _port_at(launch: Launch, key: str, upright: bool) -> float:
    side, _, number = key.partition("_")
    if not upright:
        return ROW * (1.5 + int(number))
    names = _sides(launch)[side == "out"]
    return (int(number) + 0.5) * _extents(launch, True)[0] / len(names)


def _ellipse(array: Array, x: float, y: float, width: float, height: float) -> str:
    color = GREEN if array.has_gradient else GREY
    cx, cy = x + width / 2, y + height / 2
    return (
        f'<g><title>{escape(array.note)}</title><ellipse cx="{cx:.1f}" cy="{cy:.1f}" rx="{width / 2:.1f}" '
        f'ry="{height / 2:.1f}" fill="{color}" stroke="#333333"/>'
        f'<text x="{cx:.1f}" y="{cy + 4:.1f}" text-anchor="middle">{escape(array.label)}</text></g>'
    )


def _cell(x: float, y: float, width: float, height: float, text: str, note: str, style: str) -> str:
    fill = "#FFFFFF" if style else "#DDDDDD"
    return (
        f"<g><title>{escape(note)}</title>"
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill={quoteattr(fill)} '
        f'stroke="#888888"/><text x="{x + width / 2:.1f}" y="{y + height / 2 + 4:.1f}" text-anchor="middle"{style}>'
        f"{escape(text)}</text></g>"
    )


def _table(launch: Launch, direction: str, x: float, y: float, width: float, height: float) -> str:
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="#EEEEEE" stroke="#333333"/>'
    ]
    inputs = [port for port in launch.ports if port.side == "in"]
    outputs = [port for port in launch.ports if port.side == "out"]
    bold = ' font-weight="bold"'
    if direction in ("TB", "BT"):
        rows = [inputs, None, outputs] if direction == "TB" else [outputs, None, inputs]
        top = y
        for ports in rows:
            if ports is None:
                parts.append(_cell(x, top, width, ROW, launch.title, launch.note, bold))
            elif not ports:
                continue
            else:
                each = width / len(ports)
                parts += [
                    _cell(x + at * each, top, each, ROW, port.name, port.note, "") for at, port in enumerate(ports)
                ]
            top += ROW
        return "".join(parts)
    parts.append(_cell(x, y, width, ROW, launch.title, launch.note, bold))
    left, right = (inputs, outputs) if direction == "LR" else (outputs, inputs)
    total = sum(_widest([port.name for port in ports]) for ports in (left, right) if ports) or 1.0
    divide = width * (_widest([port.name for port in left]) if left else 0.0) / total
    for ports, start, extent in ((left, x, divide), (right, x + divide, width - divide)):
        for at, port in enumerate(ports):
            parts.append(_cell(start, y + ROW * (1 + at), extent, ROW, port.name, port.note, ""))
    return "".join(parts)


def _curve(points: list[Point], upright: bool) -> str:
    """A smooth path through points: straight along the layers, bent between them."""
    path = [f"M{points[0][0]:.1f},{points[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if abs(x0 - x1) < 0.5 or abs(y0 - y1) < 0.5:
            path.append(f"L{x1:.1f},{y1:.1f}")
        elif upright:
            middle = (y0 + y1) / 2
            path.append(f"C{x0:.1f},{middle:.1f} {x1:.1f},{middle:.1f} {x1:.1f},{y1:.1f}")
        else:
            middle = (x0 + x1) / 2
            path.append(f"C{middle:.1f},{y0:.1f} {middle:.1f},{y1:.1f} {x1:.1f},{y1:.1f}")
    return " ".join(path)


def picture(graph: Graph, direction: str) -> str:
    """The picture of a graph."""
    return Picture(graph, direction).draw()
