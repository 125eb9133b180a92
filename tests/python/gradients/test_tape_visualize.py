"""Pictures of tapes: what is in the text and in the SVG, and that nothing lies on anything else."""

import inspect
import re
import xml.etree.ElementTree as ET

import pytest
import warp as wp
from warp._tape.build import Options, build, tokens_of
from warp._tape.graph import Scope
from warp._tape.layers import Box, Line, arrange
from warp._tape.repeats import Token, fold

SVG = "{http://www.w3.org/2000/svg}"


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def blend(y: wp.array(dtype=float), weights: wp.array(dtype=float), s: float, z: wp.array(dtype=float)):
    i = wp.tid()
    z[i] = s * y[i] * weights[i]


@wp.kernel
def double(q: wp.array(dtype=float)):
    i = wp.tid()
    q[i] = 2.0 * q[i]


@wp.struct
class Pair:
    a: wp.array(dtype=float)
    b: wp.array(dtype=float)
    n: int


@wp.kernel
def of_struct(p: Pair):
    i = wp.tid()
    p.b[i] = p.a[i] * float(p.n)


def grad(n=3):
    return wp.zeros(n, dtype=float, requires_grad=True)


def chain():
    x, y, w, z = grad(), grad(), grad(), grad()
    tape = wp.Tape()
    with tape:
        tape.record_scope_begin("first <part>", {"rate": 0.5})
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        tape.record_scope_end()
        wp.launch(blend, dim=3, inputs=[y, w, 2.0], outputs=[z])
        wp.launch(double, dim=3, inputs=[z])
    return tape, x, y, w, z


def edges(text):
    """What joins what, by labels: launches by their kernels' names and ports."""
    labels = dict(re.findall(r'(arr\d+) \[label="([^"]*)"', text))
    labels.update(re.findall(r"(kernel\d+) \[label=.*?<B>(\w+)</B>", text))
    found = set()
    for tail, port_out, head, port_in, rest in re.findall(r"(\w+)(:\w+)? -> (\w+)(:\w+)?(.*);", text):
        arrow = "<->" if "dir=both" in rest else "--" if "dir=none" in rest else "->"
        found.add(f"{labels[tail]}{port_out} {arrow} {labels[head]}{port_in}")
    return found


def test_edges_say_who_reads_and_writes():
    tape, *_ = chain()
    assert "rankdir=LR;" in tape.visualize()
    assert edges(tape.visualize()) == {
        "x -> square:in_0",
        "square:out_0 -> y",
        "y -> blend:in_0",
        "weights -> blend:in_1",
        "blend:out_0 -> z",
        "z <-> double:in_0",
    }


def test_an_array_among_the_inputs_that_is_written_is_an_output():
    x, y = grad(), grad()
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x, y])
    assert edges(tape.visualize()) == {"x -> square:in_0", "square:out_0 -> y"}


def test_scopes_are_boxes():
    tape, *_ = chain()
    text = tape.visualize()
    assert text.count("subgraph") == 1
    inside = text[text.index("subgraph") : text.index("}", text.index("fillcolor"))]
    assert '"first <part>"' in inside
    assert "rate: 0.5" in inside
    assert "subgraph" not in tape.visualize(ignore_graph_scopes=True)


def test_names_of_arrays():
    x, y, z = grad(), grad(), grad()
    w = grad()
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.launch(blend, dim=3, inputs=[w, y, 1.0], outputs=[z])
    assert "square:out_0 -> weights" in edges(tape.visualize())
    assert "square:out_0 -> y" in edges(tape.visualize(choose_longest_node_name=False))
    text = tape.visualize(
        array_labels={y: 'the "middle"'}, track_inputs=[x], track_outputs=[z], track_output_names=["loss"]
    )
    assert '[label="the \\"middle\\""' in text
    assert '[label="input_0"' in text
    assert '[label="loss"' in text


def test_arrays_that_nobody_writes_may_be_hidden():
    tape, x, *_ = chain()
    found = edges(tape.visualize(hide_readonly_arrays=True))
    assert "square:out_0 -> y" in found
    assert not [e for e in found if e.startswith(("x ", "weights "))]
    assert "in -> square:in_0" in edges(
        tape.visualize(hide_readonly_arrays=True, track_inputs=[x], track_input_names=["in"])
    )


def test_copies_and_views():
    x, y, z = grad(4), grad(4), grad(2)
    with wp.Tape() as tape:
        wp.launch(square, dim=4, inputs=[x], outputs=[y])
        wp.launch(square, dim=2, inputs=[y[1:3]], outputs=[z])
        wp.copy(x, y)
    found = edges(tape.visualize(choose_longest_node_name=False))
    assert "y -- x" in found  # the part is called by its parameter
    assert "y -> copy:in_0" in found
    assert "copy:out_0 -> x" in found


def test_fields_of_structs_are_ports():
    p = Pair(grad(), grad(), 3)
    with wp.Tape() as tape:
        wp.launch(of_struct, dim=3, inputs=[p])
    assert edges(tape.visualize()) == {"p.a -> of_struct:in_1", "of_struct:out_0 -> p.b"}


def test_repetitions_are_drawn_once():
    arrays, w, out = [grad() for _ in range(9)], grad(), grad()
    tape = wp.Tape()
    with tape:
        for k in range(4):
            wp.launch(square, dim=3, inputs=[arrays[2 * k]], outputs=[arrays[2 * k + 1]])
            for _ in range(3):
                wp.launch(double, dim=3, inputs=[arrays[2 * k + 1]])
            wp.launch(blend, dim=3, inputs=[arrays[2 * k + 1], w, 1.0], outputs=[arrays[2 * k + 2]])
        wp.launch(square, dim=3, inputs=[arrays[8]], outputs=[out])
    text = tape.visualize()
    assert '"repeated 4x"' in text
    assert '"repeated 3x"' in text
    assert text.count("<B>double</B>") == 1
    assert text.count("<B>square</B>") == 2
    # The result of a round is what the next one begins with, and the last one's what follows.
    assert {"z -> x", "blend:out_0 -> z", "z -> square:in_0"} <= edges(tape.visualize(choose_longest_node_name=False))
    assert tape.visualize(simplify_graph=False).count("<B>double</B>") == 12


def test_what_is_a_repetition():
    def folded(text):
        depth = {"(": 1, ")": -1}
        return fold([Token(letter, depth=depth.get(letter, 0)) for letter in text])

    def shown(tokens):
        return "".join(t.key if t.rounds is None else f"[{len(t.rounds)}{shown(t.rounds[0])}]" for t in tokens)

    assert shown(folded("abcabcabd")) == "[2abc]abd"
    assert shown(folded("aaabaaab")) == "[2[3a]b]"
    assert shown(folded("(ab)(ab)c")) == "[2(ab)]c"
    assert shown(folded("a)b(a)b(")) == "a)b(a)b("
    assert shown(folded("")) == ""


@pytest.mark.parametrize("direction", ["LR", "RL", "TB", "BT"])
def test_a_picture(tmp_path, direction):
    tape, *_ = chain()
    path = tmp_path / "tape.svg"
    text = tape.visualize(path, graph_direction=direction)
    assert f"rankdir={direction};" in text
    root = ET.parse(path).getroot()
    assert root.tag == f"{SVG}svg"
    texts = [node.text for node in root.iter(f"{SVG}text")]
    for name in ("square", "blend", "double", "x", "weights", "first <part>"):
        assert name in texts
    width, height = float(root.get("width")), float(root.get("height"))
    assert (width > height) == (direction in ("LR", "RL"))
    ellipses = {}
    for group in root.iter(f"{SVG}g"):
        for ellipse in group.iter(f"{SVG}ellipse"):
            cx, cy, rx, ry = (float(ellipse.get(k)) for k in ("cx", "cy", "rx", "ry"))
            assert 0 <= cx - rx <= cx + rx <= width
            assert 0 <= cy - ry <= cy + ry <= height
            ellipses[group.find(f"{SVG}text").text] = (cx, cy)
    along = {"LR": 1, "RL": -1, "TB": 1, "BT": -1}[direction]
    axis = 0 if direction in ("LR", "RL") else 1
    assert along * ellipses["x"][axis] < along * ellipses["y"][axis] < along * ellipses["z"][axis]


def test_other_files_get_the_text(tmp_path):
    tape, *_ = chain()
    path = tmp_path / "tape.dot"
    text = tape.visualize(str(path))
    assert path.read_text() == text
    assert text.startswith("digraph")


def test_a_tape_without_launches(tmp_path):
    path = tmp_path / "empty.svg"
    assert wp.Tape().visualize(path).startswith("digraph")
    assert ET.parse(path).getroot().tag == f"{SVG}svg"


def overlap(a, b):
    return (
        a.u < b.u + b.length - 0.01
        and b.u < a.u + a.length - 0.01
        and a.v < b.v + b.width - 0.01
        and b.v < a.v + a.width - 0.01
    )


@pytest.mark.parametrize("seed", range(8))
def test_boxes_lie_apart_and_lines_pass_them(seed):
    import random

    rng = random.Random(seed)
    boxes = [Box(rng.uniform(20, 90), rng.uniform(20, 120)) for _ in range(30)]
    lines = []
    for at in range(1, 30):
        for tail in rng.sample(range(at), min(at, 2)):
            a, b = boxes[tail], boxes[at]
            lines.append(Line(a, b, rng.uniform(0, a.width), rng.uniform(0, b.width)))
    lines.append(Line(boxes[20], boxes[3], 1.0, 1.0))
    length, width = arrange(boxes, lines)
    for i, a in enumerate(boxes):
        assert 0 <= a.u <= a.u + a.length <= length + 0.01
        assert 0 <= a.v <= a.v + a.width <= width + 0.01
        assert not [b for b in boxes[i + 1 :] if overlap(a, b)]
    for line in lines[:-1]:
        assert line.points[0] == (line.tail.u + line.tail.length, line.tail.v + line.tail_at)
        assert line.points[-1] == (line.head.u, line.head.v + line.head_at)
        for (u0, v0), (u1, _) in zip(line.points[1:-1:2], line.points[2:-1:2], strict=True):
            straight = Box(u1 - u0, 0.0, u=u0, v=v0)
            assert not [b for b in boxes if b not in (line.tail, line.head) and overlap(straight, b)]
    assert lines[-1].back
    assert max(v for _, v in lines[-1].points) > max(b.v + b.width for b in boxes)


def test_arrays_are_placed_in_scopes():
    tape, *_ = chain()
    graph = build(tape, Options(simplify=False))
    (scope,) = [item for item in graph.root.items if isinstance(item, Scope)]
    assert [getattr(item, "label", "") for item in scope.items if not hasattr(item, "ports")] == ["x", "y"]
    assert len(tokens_of(tape, ignore_scopes=True)) == 3


def test_bad_arguments():
    tape, x, *_ = chain()
    with pytest.raises(ValueError, match="graph_direction is 'XX', expected one of LR"):
        tape.visualize(graph_direction="XX")
    with pytest.raises(TypeError, match="filename is int"):
        tape.visualize(3)
    with pytest.raises(TypeError, match="array_labels"):
        tape.visualize(array_labels=3)
    with pytest.raises(ValueError, match="track_input_names has 2 names for 1 arrays"):
        tape.visualize(track_inputs=[x], track_input_names=["a", "b"])
    with pytest.raises(TypeError, match="track_outputs holds int"):
        tape.visualize(track_outputs=[3])
    with pytest.raises(OSError, match="no/such"):
        tape.visualize("/no/such/folder.svg")


def test_the_signature_says_where_the_graph_leads():
    assert inspect.signature(wp.Tape.visualize).parameters["graph_direction"].default == "LR"
