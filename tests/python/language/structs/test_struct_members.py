"""What the class of a struct has beside fields, captured instances, local arrays of structs, and fields not set."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp


@wp.struct
class Box:
    low: wp.vec3
    high: wp.vec3
    weight: wp.float64


@wp.func
def size(b: Box):
    return b.high - b.low


@wp.func
def grown(b: Box, by: float):
    return b.high[0] + by


Box.size = size
Box.grown = grown
Box.CORNERS = wp.constant(8)


@wp.struct
class Pair:
    box: Box
    n: int


def box(low=0.0, high=1.0):
    b = Box()
    b.low, b.high, b.weight = wp.vec3(low), wp.vec3(high), 0.1
    return b


def test_functions_of_the_class():
    @wp.kernel
    def k(b: Box, boxes: wp.array(dtype=Box), out: wp.array(dtype=float)):
        i = wp.tid()
        out[4 * i] = b.size()[0] + Box.size(b)[1] + type(b).size(b)[2]
        out[4 * i + 1] = boxes[i].size()[0]
        c = boxes[i]
        out[4 * i + 2] = c.grown(2.0)
        out[4 * i + 3] = c.high[0] + float(b.CORNERS)

    boxes = wp.array([box(0.0, 2.0), box(1.0, 4.0)], dtype=Box)
    out = wp.zeros(8)
    wp.launch(k, 2, [box(), boxes, out])
    assert out.list() == [3.0, 2.0, 4.0, 10.0, 3.0, 3.0, 6.0, 12.0]


def test_functions_of_the_class_have_gradients():
    @wp.kernel
    def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        b = Box()
        b.high = wp.vec3(x[i], x[i] * x[i], 0.0)
        out[i] = b.size()[1]

    x, out = wp.array([3.0, 4.0], dtype=float, requires_grad=True), wp.zeros(2, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 2, [x, out])
    tape.backward(grads={out: wp.ones(2)})
    assert x.grad.list() == [6.0, 8.0]


def test_what_the_class_does_not_have():
    @wp.kernel
    def method(b: Box, out: wp.array(dtype=float)):
        out[0] = b.volume()

    @wp.kernel
    def member(b: Box, out: wp.array(dtype=float)):
        out[0] = b.volume

    for kernel, text in ((method, "no function `volume` that kernels can call"), (member, "no field `volume`")):
        with pytest.raises((AttributeError, TypeError), match=text):
            wp.launch(kernel, 1, [box(), wp.zeros(1)])


def test_captured_instances():
    pair = Pair()
    pair.box, pair.n = box(1.0, 3.0), 5

    @wp.func
    def area(b: Box):
        return b.size()[0] * b.size()[1]

    @wp.kernel
    def k(out: wp.array(dtype=wp.float64)):
        out[0] = wp.float64(area(pair.box)) + pair.box.weight
        out[1] = wp.float64(wp.static(pair).n) + wp.static(pair.box).weight
        out[2] = wp.float64(pair.box.size()[2])

    out = wp.zeros(3, dtype=wp.float64)
    wp.launch(k, 1, [out])
    # Fields keep their types: 0.1 is no float32.
    assert out.list() == [4.1, 5.1, 2.0]


def test_local_arrays_of_structs():
    @wp.kernel
    def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        t = wp.tid()
        pairs = wp.zeros(shape=3, dtype=Pair)
        for i in range(3):
            pairs[i].n = i + 1
            pairs[i].box.high = wp.vec3(x[t] * float(i))
        copied = pairs
        copied[2].n = 100
        s = float(0.0)
        for i in range(3):
            p = pairs[i]
            s += p.box.high[1] * float(p.n) + float(copied[i].n)
        out[t] = s

    x = wp.array(np.arange(1, 71, dtype=np.float32), requires_grad=True)
    out = wp.zeros(70, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 70, [x, out])
    assert out.numpy().tolist() == [8.0 * v + 103.0 for v in x.list()]
    tape.backward(grads={out: wp.ones(70)})
    assert x.grad.numpy().tolist() == [8.0] * 70


@wp.struct
class Mesh:
    points: wp.array(dtype=wp.vec3)
    weights: wp.array(dtype=float)


def test_local_arrays_of_structs_with_arrays_are_refused():
    @wp.kernel
    def k(out: wp.array(dtype=float)):
        meshes = wp.zeros(shape=2, dtype=Mesh)
        out[0] = float(meshes.shape[0])

    with pytest.raises(TypeError, match="`points` is an array"):
        wp.launch(k, 1, [wp.zeros(1)])


def test_fields_that_were_not_set_are_empty_arrays():
    @wp.kernel
    def k(m: Mesh, out: wp.array(dtype=int)):
        out[0] = m.points.shape[0]
        out[1] = m.weights.shape[0]
        if m.weights:
            out[2] = 1
        for i in range(m.weights.shape[0]):
            out[2] += int(m.weights[i])

    @wp.kernel
    def reads(m: Mesh, out: wp.array(dtype=float)):
        out[0] = m.weights[0]

    m, out = Mesh(), wp.zeros(3, dtype=int)
    m.points = wp.zeros(4, dtype=wp.vec3)
    wp.launch(k, 1, [m, out])
    assert out.list() == [4, 0, 0]
    with pytest.raises(IndexError, match="index 0"):
        wp.launch(reads, 1, [m, wp.zeros(1)])


@wp.struct
class Shape:
    n: int
    points: wp.array(dtype=float)
    boxes: wp.array2d(dtype=Box)


@wp.func
def shape_of(kind: int, points: wp.array(dtype=float), boxes: wp.array2d(dtype=Box)):
    s = Shape()
    s.n = 1
    if kind > 0:
        s.points = points
        s.n = 2
        if kind > 1:
            s.boxes = boxes
    return s


def test_fields_that_one_way_leaves_without_an_array():
    @wp.kernel
    def k(points: wp.array(dtype=float), boxes: wp.array2d(dtype=Box), out: wp.array2d(dtype=int)):
        kind = wp.tid()
        s = shape_of(kind, points, boxes)
        out[kind, 0] = s.n
        out[kind, 1] = s.points.shape[0]
        if s.points:
            out[kind, 2] = int(s.points[1])
            s.points[0] += 1.0
        if s.boxes:
            out[kind, 3] = s.boxes.shape[1] + int(s.boxes[0, 1].high[0])

    @wp.kernel
    def reads(kind: int, points: wp.array(dtype=float), boxes: wp.array2d(dtype=Box)):
        s = shape_of(kind, points, boxes)
        s.points[0] = 1.0

    points = wp.array([1.0, 5.0], dtype=float)
    boxes = wp.array([[box(), box(0.0, 7.0)]], dtype=Box)
    out = wp.zeros((3, 4), dtype=int)
    wp.launch(k, 3, [points, boxes, out])
    assert out.numpy().tolist() == [[1, 0, 0, 0], [2, 2, 5, 0], [2, 2, 5, 9]]
    assert points.list() == [3.0, 5.0]
    with pytest.raises(IndexError, match="index 0"):
        wp.launch(reads, 1, [0, points, boxes])


def test_gradients_through_fields_that_one_way_leaves_without_an_array():
    @wp.kernel
    def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        s = Shape()
        if i % 2 == 0:
            s.points = x
        if s.points:
            out[i] = s.points[i] * s.points[i]

    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    out = wp.zeros(3, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 3, [x, out])
    tape.backward(grads={out: wp.ones(3)})
    assert (out.list(), x.grad.list()) == ([1.0, 0.0, 9.0], [2.0, 0.0, 6.0])


def test_structs_without_fields():
    @wp.struct
    class Nothing:
        pass

    @wp.struct
    class Outer:
        a: Nothing
        x: float
        b: Nothing

    @wp.func
    def make(x: float) -> Outer:
        o = Outer()
        o.x = x
        o.a = Nothing()
        return o

    @wp.kernel
    def k(n: Nothing, o: Outer, many: wp.array(dtype=Outer), y: wp.array(dtype=float)):
        i = wp.tid()
        p = make(o.x)
        q = n
        for _ in range(3):
            q = p.b
        p.a = q
        many[i] = p
        y[i] = many[i].x + p.x

    many, y = wp.zeros(2, dtype=Outer), wp.zeros(2)
    wp.launch(k, 2, [Nothing(), Outer(x=2.0), many, y])
    assert y.list() == [4.0, 4.0]
    assert many.list() == [Outer(x=2.0)] * 2
    assert Nothing() == Nothing()
    assert repr(Nothing()) == "Nothing()"
    with pytest.raises(TypeError, match="an array of Nothing, which has no fields"):

        @wp.struct
        class Bad:
            a: wp.array(dtype=Nothing)

    @wp.kernel
    def of_nothing(a: wp.array(dtype=Nothing)):
        a[0] = Nothing()

    with pytest.raises(TypeError, match="an array of Nothing, which has no fields"):
        wp.launch(of_nothing, 1, [wp.zeros(1, dtype=Nothing)])
