"""The graph of a tape as text of the language DOT of GraphViz."""

from __future__ import annotations

from html import escape

from warp._tape.graph import Array, Edge, Graph, Launch, Scope

GREEN = "#76B900"
BLUE = "#0072B9"
GREY = "#BBBBBB"
_FONT = "Helvetica,Arial,sans-serif"


def text(graph: Graph, direction: str) -> str:
    """The text."""
    lines = [
        "digraph tape {",
        f"  rankdir={direction};",
        f'  graph [fontname="{_FONT}"];',
        f'  node [fontname="{_FONT}", shape=plaintext];',
        f'  edge [fontname="{_FONT}"];',
    ]
    counter = [0]
    for item in graph.root.items:
        lines += _item(item, "  ", counter)
    lines += [f"  {_edge(edge)}" for edge in graph.edges]
    return "\n".join([*lines, "}", ""])


def quoted(text: str) -> str:
    """A string of the language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _item(item: Launch | Array | Scope, indent: str, counter: list[int]) -> list[str]:
    if isinstance(item, Array):
        color = GREEN if item.has_gradient else GREY
        return [
            f"{indent}{item.id} [label={quoted(item.label)}, shape=ellipse, style=filled, "
            f'fillcolor="{color}", tooltip={quoted(item.note)}];'
        ]
    if isinstance(item, Launch):
        return [f"{indent}{item.id} [label={_table(item)}, tooltip={quoted(item.note)}];"]
    color = BLUE if item.repeated else GREEN
    lines = [
        f"{indent}subgraph cluster{counter[0]} {{",
        f'{indent}  style="rounded,filled"; fillcolor="{color}22"; pencolor="{color}";',
        f"{indent}  label={quoted(item.label)}; tooltip={quoted(item.note or item.label)};",
    ]
    counter[0] += 1
    for inner in item.items:
        lines += _item(inner, f"{indent}  ", counter)
    return [*lines, f"{indent}}}"]


def _table(launch: Launch) -> str:
    """A launch as a table: its name, then its inputs on the left and its outputs on the right."""
    inputs = [port for port in launch.ports if port.side == "in"]
    outputs = [port for port in launch.ports if port.side == "out"]
    rows = [f'<TR><TD COLSPAN="2" BGCOLOR="#FFFFFF"><B>{escape(launch.title)}</B></TD></TR>']
    for row in range(max(len(inputs), len(outputs))):
        cells = []
        for ports, align in ((inputs, "LEFT"), (outputs, "RIGHT")):
            if row < len(ports):
                port = ports[row]
                cells.append(
                    f'<TD PORT="{port.key}" BGCOLOR="{GREY}" ALIGN="{align}" '
                    f'TITLE="{escape(port.note)}">{escape(port.name)}</TD>'
                )
            else:
                cells.append('<TD BORDER="0"></TD>')
        rows.append(f"<TR>{''.join(cells)}</TR>")
    head = '<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="2" CELLPADDING="4" BGCOLOR="#888888">'
    return f"<{head}{''.join(rows)}</TABLE>>"


def _edge(edge: Edge) -> str:
    if edge.other is not None:
        if edge.kind == "again":
            return f'{edge.array.id} -> {edge.other.id} [color="{BLUE}", constraint=false];'
        return f'{edge.other.id} -> {edge.array.id} [style=dashed, color="{GREY}", dir=none, constraint=false];'
    if edge.launch is None or edge.port is None:
        raise AssertionError("an edge joins two arrays, or an array and a launch")
    port = f"{edge.launch.id}:{edge.port.key}"
    if edge.reads and edge.writes:
        first, last = (edge.array.id, port) if edge.port.side == "in" else (port, edge.array.id)
        return f"{first} -> {last} [dir=both];"
    if edge.writes:
        back = "" if edge.port.side == "out" else " [constraint=false]"
        return f"{port} -> {edge.array.id}{back};"
    return f"{edge.array.id} -> {port};"
