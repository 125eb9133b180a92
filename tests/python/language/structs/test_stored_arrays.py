"""Kernels that store arrays in the structs of an array: values, what stays alive, gradients, what is refused."""

import functools
import gc
import weakref

import numpy as np
import pytest
import warp as wp
from warp import _warp

from .holders import Group, Item, Part, item, numbers


@wp.kernel
def gather(parts: wp.array(dtype=Part), which: wp.array(dtype=int), out: wp.array(dtype=Part)):
    i = wp.tid()
    if which[i] >= 0:
        out[i] = parts[which[i]]


@wp.kernel
def sums(parts: wp.array(dtype=Part), out: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(parts[i].values.shape[0]):
        out[i] += parts[i].values[j] * float(parts[i].count)


def totals(parts):
    out = wp.zeros(len(parts))
    wp.launch(sums, len(parts), inputs=[parts, out])
    return out.list()


def part(*values, grad=False):
    return Part(values=numbers(*values, grad=grad), count=len(values))


def test_elements_of_another_array():
    parts = wp.array([part(1.0, 2.0), part(3.0), Part()], dtype=Part)
    out = wp.zeros(5, dtype=Part)
    wp.launch(gather, 5, inputs=[parts, wp.array([1, 0, -1, 2, 0], dtype=int), out])
    assert totals(out) == [3.0, 6.0, 0.0, 0.0, 6.0]
    assert out[0].values is parts[1].values
    assert out[2].values is None
    assert out[3].values is None
    wp.launch(gather, 1, inputs=[parts, wp.array([2], dtype=int), out])
    assert out[0].values is None
    assert totals(out)[0] == 0.0


def test_parameters_fields_and_parts_of_arrays():
    @wp.kernel
    def k(a: wp.array(dtype=float), points: wp.array3d(dtype=wp.vec3), given: Part, out: wp.array(dtype=Item)):
        i = wp.tid()
        made = Item()
        made.part.values = a[i::2]
        made.part.count = i
        made.points = points[i]
        out[i] = made
        if i == 1:
            out[i].part.values = given.values
            out[i].points = points[0, ::-1, 1:]

    @wp.kernel
    def read(items: wp.array(dtype=Item), out: wp.array2d(dtype=float)):
        i = wp.tid()
        out[i, 0] = items[i].part.values[0]
        out[i, 1] = items[i].part.values[-1]
        out[i, 2] = items[i].points[1, 0][2]
        out[i, 3] = float(items[i].points.shape[1])

    a = numbers(*range(10))
    points = wp.array(np.arange(2 * 2 * 3 * 3).reshape(2, 2, 3, 3), dtype=wp.vec3)
    items, out = wp.zeros(2, dtype=Item), wp.zeros((2, 4))
    wp.launch(k, 2, inputs=[a, points, part(5.0, 6.0), items])
    wp.launch(read, 2, inputs=[items, out])
    assert out.numpy().tolist() == [[0.0, 8.0, 11.0, 3.0], [5.0, 6.0, 5.0, 2.0]]
    assert items[0].part.values.list() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert items[0].points.numpy().tolist() == points.numpy()[0].tolist()
    assert items[1].points.numpy().tolist() == points.numpy()[0, ::-1, 1:].tolist()
    assert [items[i].part.count for i in range(2)] == [0, 1]


def test_one_of_several_arrays_and_none():
    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=Part)):
        i = wp.tid()
        made = Part()
        if i % 3 == 0:
            made.values = a
        elif i % 3 == 1:
            made.values = b[1:]
        made.count = 1
        out[i] = made

    out = wp.zeros(6, dtype=Part)
    wp.launch(k, 6, inputs=[numbers(1.0, 2.0), None, out])
    assert totals(out) == [3.0, 0.0, 0.0, 3.0, 0.0, 0.0]
    wp.launch(k, 6, inputs=[None, numbers(1.0, 2.0, 4.0), out])
    assert totals(out) == [0.0, 6.0, 0.0, 0.0, 6.0, 0.0]


def test_arrays_of_structs_and_indexed_arrays():
    @wp.struct
    class Picked:
        chosen: wp.indexedarray(dtype=float)

    @wp.kernel
    def groups_of(parts: wp.array(dtype=Part), out: wp.array(dtype=Group)):
        made = Group()
        made.parts = parts[1:]
        made.weight = 2.0
        out[wp.tid()] = made

    @wp.kernel
    def total(groups: wp.array(dtype=Group), out: wp.array(dtype=float)):
        for j in range(groups[0].parts.shape[0]):
            out[0] += groups[0].parts[j].values[0] * groups[0].weight

    @wp.kernel
    def pick(of: wp.indexedarray(dtype=float), out: wp.array(dtype=Picked)):
        out[wp.tid()].chosen = of

    @wp.kernel
    def picked(all: wp.array(dtype=Picked), out: wp.array(dtype=float)):
        out[0] = all[0].chosen[0] * 10.0 + all[0].chosen[1]

    groups, out = wp.zeros(1, dtype=Group), wp.zeros(1)
    wp.launch(groups_of, 1, inputs=[wp.array([part(1.0), part(2.0), part(3.0)], dtype=Part), groups])
    gc.collect()
    wp.launch(total, 1, inputs=[groups, out])
    assert out.list() == [10.0]

    all = wp.zeros(1, dtype=Picked)
    wp.launch(pick, 1, inputs=[wp.indexedarray(numbers(4.0, 5.0, 6.0), [wp.array([2, 0], dtype=int)]), all])
    gc.collect()
    wp.launch(picked, 1, inputs=[all, out])
    assert out.list() == [64.0]


def test_what_is_stored_stays_alive_and_nothing_else():
    a, b, c = numbers(1.0), numbers(2.0, 2.0), numbers(3.0)
    alive = [weakref.ref(x) for x in (a, b, c)]
    parts = wp.array([Part(values=x, count=1) for x in (a, b, c)], dtype=Part)
    out = wp.zeros(2, dtype=Part)
    wp.launch(gather, 2, inputs=[parts, wp.array([0, 1], dtype=int), out])
    copy = out.clone()
    del a, b, c, parts
    gc.collect()
    assert [x() is not None for x in alive] == [True, True, False]
    assert totals(out) == [1.0, 4.0]
    assert totals(copy) == [1.0, 4.0]
    # Another one takes its place: in the copy it stays.
    wp.launch(gather, 1, inputs=[wp.array([part(7.0)], dtype=Part), wp.zeros(1, dtype=int), out])
    gc.collect()
    assert totals(out) == [7.0, 4.0]
    assert alive[0]() is not None
    copy[0] = Part()
    gc.collect()
    assert alive[0]() is None
    assert totals(copy) == [0.0, 4.0]
    del out, copy
    gc.collect()
    assert alive[1]() is None


def test_a_row_keeps_its_array():
    @wp.kernel
    def row(x: wp.array2d(dtype=float), out: wp.array(dtype=Part)):
        out[0].values = x[1]

    x = wp.array(np.arange(6.0).reshape(2, 3), dtype=float)
    kept = weakref.ref(x)
    out = wp.zeros(1, dtype=Part)
    wp.launch(row, 1, inputs=[x, out])
    del x
    gc.collect()
    assert kept() is not None
    assert out[0].values.list() == [3.0, 4.0, 5.0]
    out[0] = Part()
    gc.collect()
    assert kept() is None


def test_a_loop_of_launches_holds_only_the_last():
    out, alive = wp.zeros(1, dtype=Part), []
    for k in range(20):
        one = part(float(k))
        alive.append(weakref.ref(one.values))
        wp.launch(gather, 1, inputs=[wp.array([one], dtype=Part), wp.zeros(1, dtype=int), out])
    del one
    gc.collect()
    assert [x() is not None for x in alive] == [False] * 19 + [True]
    assert totals(out) == [19.0]


def test_within_one_array():
    @wp.kernel
    def turn(parts: wp.array(dtype=Part)):
        first = parts[0]
        for i in range(parts.shape[0] - 1):
            parts[i] = parts[i + 1]
        parts[parts.shape[0] - 1] = first

    parts = wp.array([part(1.0), part(2.0), part(4.0)], dtype=Part)
    for _ in range(4):
        wp.launch(turn, 1, inputs=[parts])
        gc.collect()
    assert totals(parts) == [2.0, 4.0, 1.0]


def test_tensors_stay_alive():
    torch = pytest.importorskip("torch")

    @wp.kernel
    def k(a: wp.array(dtype=float), out: wp.array(dtype=Part)):
        out[wp.tid()] = Part(a, 1)

    out = wp.zeros(1, dtype=Part)
    tensor = torch.arange(1000, dtype=torch.float32)
    wp.launch(k, 1, inputs=[tensor, out])
    del tensor
    gc.collect()
    torch.full((1000,), -1.0)
    assert totals(out) == [499500.0]
    assert out[0].values.list()[:3] == [0.0, 1.0, 2.0]


def test_graphs_and_recorded_launches():
    parts, out = wp.array([part(1.0), part(2.0)], dtype=Part), wp.zeros(2, dtype=Part)
    which = wp.array([1, 0], dtype=int)
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(gather, 2, inputs=[parts, which, out])
    recorded = wp.launch(gather, 2, inputs=[parts, which, out], record_cmd=True)
    replay = functools.partial(wp.capture_launch, capture.graph)
    for again in (replay, recorded.launch):
        out[0], out[1] = Part(), Part()
        assert totals(out) == [0.0, 0.0]
        again()
        gc.collect()
        assert totals(out) == [2.0, 1.0]
    del capture, recorded, parts, again, replay
    gc.collect()
    assert totals(out) == [2.0, 1.0]


def test_gradients_go_to_the_arrays_that_were_stored():
    @wp.kernel
    def store(a: wp.array(dtype=float), scale: wp.array(dtype=float), out: wp.array(dtype=Item)):
        i = wp.tid()
        made = Item()
        made.part.values = a[2 * i :]
        made.scale = scale[i] * 2.0
        out[i] = made

    @wp.kernel
    def read(items: wp.array(dtype=Item), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = items[i].part.values[0] * items[i].part.values[1] * items[i].scale

    a, scale = numbers(1.0, 2.0, 3.0, 4.0, grad=True), numbers(1.0, 10.0, grad=True)
    items = wp.zeros(2, dtype=Item, requires_grad=True)
    out = wp.zeros(2, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(store, 2, inputs=[a, scale], outputs=[items])
        wp.launch(read, 2, inputs=[items], outputs=[out])
    assert out.list() == [4.0, 240.0]
    for _ in range(2):
        tape.backward(grads={out: numbers(1.0, 1.0)})
        assert a.grad.list() == [4.0, 2.0, 80.0, 60.0]
        assert scale.grad.list() == [4.0, 24.0]
        tape.zero()


def test_gradients_where_another_array_was_stored_since():
    a, b = part(1.0, 2.0, grad=True), part(3.0, grad=True)
    parts, out = wp.array([a, b], dtype=Part), wp.zeros(1, dtype=Part)
    first, second = wp.zeros(1, requires_grad=True), wp.zeros(1, requires_grad=True)
    with wp.Tape() as tape:
        for k, result in enumerate([first, second]):
            wp.launch(gather, 1, inputs=[parts, wp.array([k], dtype=int), out])
            wp.launch(sums, 1, inputs=[out], outputs=[result])
    assert (first.list(), second.list()) == ([6.0], [3.0])
    tape.backward(grads={first: numbers(1.0), second: numbers(10.0)})
    assert a.values.grad.list() == [2.0, 2.0]
    assert b.values.grad.list() == [10.0]


def test_points_of_meshes_whose_ids_lie_in_memory():
    """In an array, and in a struct: what is stored stays alive, and nothing else does."""

    @wp.struct
    class Points:
        at: wp.array(dtype=wp.vec3)

    @wp.struct
    class Scene:
        mesh: wp.uint64

    @wp.kernel
    def k(ids: wp.array(dtype=wp.uint64), scene: Scene, out: wp.array(dtype=Points)):
        i = wp.tid()
        if i < 2:
            out[i].at = wp.mesh_get(ids[2 * i]).points
        else:
            out[i].at = wp.mesh_get(scene.mesh).points

    face = wp.array([0, 1, 2], dtype=int)
    meshes = [wp.Mesh(wp.full(3, wp.vec3(n, n, n), dtype=wp.vec3), face) for n in (1.0, 2.0, 3.0, 4.0)]
    gone = [weakref.ref(mesh.points) for mesh in meshes]
    scene = Scene()
    scene.mesh = meshes[3].id
    ids = wp.array([mesh.id for mesh in meshes], dtype=wp.uint64)
    all = wp.zeros(3, dtype=Points)
    wp.launch(k, 3, inputs=[ids, scene, all])
    wp.synchronize()
    assert [all[n].at.numpy()[2, 1] for n in range(3)] == [1, 3, 4]
    del meshes
    gc.collect()
    # Memory that was given back would be used for these.
    others = [wp.full(3, wp.vec3(9.0, 9.0, 9.0), dtype=wp.vec3) for _ in range(20)]
    assert [all[n].at.numpy()[2, 1] for n in range(3)] == [1, 3, 4]
    assert len(others) == 20
    assert [ref() is None for ref in gone] == [False, True, False, False]


def test_points_of_a_mesh():
    @wp.struct
    class Points:
        at: wp.array(dtype=wp.vec3)

    @wp.kernel
    def k(mesh: wp.uint64, out: wp.array(dtype=Points)):
        out[wp.tid()].at = wp.mesh_get(mesh).points

    @wp.kernel
    def read(all: wp.array(dtype=Points), out: wp.array(dtype=float)):
        out[0] = all[0].at[1][0]

    points = wp.array([[0, 0, 0], [5, 0, 0], [0, 1, 0]], dtype=wp.vec3)
    mesh = wp.Mesh(points, wp.array([0, 1, 2], dtype=int))
    all, out = wp.zeros(1, dtype=Points), wp.zeros(1)
    wp.launch(k, 1, inputs=[mesh, all])
    del mesh, points
    gc.collect()
    wp.launch(read, 1, inputs=[all, out])
    assert out.list() == [5.0]


def test_memory_of_another_library():
    @wp.kernel
    def k(a: wp.array(dtype=float), out: wp.array(dtype=Part)):
        out[wp.tid()] = Part(a, 1)

    size = wp.zeros(1, dtype=Part).numpy().dtype.itemsize
    foreign = wp.array(ptr=np.zeros(size, np.uint8).ctypes.data, dtype=Part, shape=1)
    with pytest.raises(ValueError, match=r"'out.*would not keep the arrays in the structs alive"):
        wp.launch(k, 1, inputs=[numbers(1.0), foreign])


def test_what_is_refused():
    @wp.kernel
    def local(out: wp.array(dtype=Part)):
        mine = wp.zeros(3, dtype=float)
        out[wp.tid()].values = mine

    @wp.kernel
    def nested(a: wp.array(dtype=float), groups: wp.array(dtype=Group)):
        groups[0].parts[0].values = a

    @wp.kernel
    def wrong(a: wp.array(dtype=int), out: wp.array(dtype=Part)):
        out[0].values = a

    cases = [
        (local, [wp.zeros(1, dtype=Part)], "a local array ends with its thread"),
        (nested, [numbers(1.0), wp.zeros(1, dtype=Group)], "this array of structs is no parameter of the kernel"),
        (wrong, [wp.zeros(1, dtype=int), wp.zeros(1, dtype=Part)], "field `values` of Part is"),
    ]
    for kernel, inputs, text in cases:
        with pytest.raises(TypeError, match=text):
            wp.launch(kernel, 1, inputs=inputs)


def test_the_interpreter_refuses():
    with pytest.raises(RuntimeError, match="interpret: the kernel stores arrays in an array of structs"):
        _warp.interpret(gather, 1, [wp.zeros(1, dtype=Part), wp.zeros(1, dtype=int), wp.zeros(1, dtype=Part)])


def test_items_of_another_dtype():
    items = wp.array([item([1.0, 2.0])], dtype=Item)

    @wp.kernel
    def k(items: wp.array(dtype=Item), out: wp.array(dtype=Part)):
        out[0] = items[0].part

    out = wp.zeros(1, dtype=Part)
    wp.launch(k, 1, inputs=[items, out])
    assert out[0].values is items[0].part.values
    assert totals(out) == [6.0]
