"""Structs as arguments of launches: recorded ones, what does not fit, fields outside, faults."""

import copy

import numpy as np
import pytest
import warp as wp
from warp._warp import interpret

from .particles import Grid, Particle, particles


@wp.kernel
def scaled(ps: wp.array(dtype=Particle), g: Grid):
    i = wp.tid()
    ps[i].mass *= float(g.n)


def test_recorded_launches_keep_the_values_of_structs():
    ps, g = particles(3), Grid(n=2)
    before = ps.numpy()["mass"].copy()
    command = wp.launch(scaled, 3, [ps, g], record_cmd=True)
    g.n = 100
    command.launch()
    np.testing.assert_array_equal(ps.numpy()["mass"], before * 2)
    command.set_param_by_name("g", Grid(n=3))
    command.launch()
    command.set_param_at_index(0, particles(3))
    command.launch()
    np.testing.assert_array_equal(ps.numpy()["mass"], before * 6)
    with pytest.raises(TypeError, match="no parameter 'n'; it has ps, g"):
        command.set_param_by_name("n", 1)
    with pytest.raises(TypeError, match="takes 2 arguments, 1 given"):
        command.set_params([ps])


@wp.kernel
def summed(ps: wp.array(dtype=Particle), g: Grid, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = ps[i].mass + g.cells[0, 0]


def good():
    return [particles(3), Grid(cells=wp.zeros((2, 2))), wp.full(3, 7.0)]


@pytest.mark.parametrize(
    ("at", "value", "says"),
    [
        (0, None, r"argument 'ps': expected array\(Particle, ndim=1\), found None"),
        (0, wp.zeros(3), "argument 'ps': .* found a Warp array of float32"),
        (0, wp.zeros((3, 3), dtype=Particle), r"'ps': .*found a Warp array of Particle with shape \[3, 3\]"),
        (0, wp.zeros(3, dtype=wp.struct(type("Other", (), {"__annotations__": {"x": int}}))), "Warp array of Other"),
        (0, [Particle()], "argument 'ps': expected"),
        (0, np.zeros(3, np.float32), "argument 'ps': .* found a numpy.ndarray of float32"),
        (0, np.zeros(3, [("mass", "f4")]), r"'ps': expected records .* \(pos, mass, alive\), found the fields mass"),
        (1, None, "argument 'g': expected an instance of Grid, found None"),
        (1, Particle(), "argument 'g': expected an instance of Grid, found an instance of Particle"),
        (1, Grid, "argument 'g': expected an instance of Grid"),
        (2, Particle(), r"argument 'out': expected array\(float32"),
    ],
)
def test_arguments_that_do_not_fit_are_named_before_anything_is_written(at, value, says):
    args = good()
    args[at] = value
    for run in (lambda: wp.launch(summed, 3, args), lambda: interpret(summed, 3, args)):
        with pytest.raises(TypeError, match=says):
            run()
    if at != 2:
        assert args[2].list() == [7.0] * 3
    with pytest.raises(TypeError, match=r"takes 3 arguments \(ps, g, out\), but inputs and outputs hold 2"):
        wp.launch(summed, 3, args[:2])


def test_read_only_fields_are_not_written():
    records = np.zeros(3, Particle.numpy_dtype())
    records.flags.writeable = False
    with pytest.raises(ValueError, match="argument 'ps.mass': the kernel writes it, but .* is read-only"):
        wp.launch(scaled, 3, [records, Grid(n=2)])
    wp.launch(summed, 3, [records, Grid(cells=wp.ones((1, 1))), out := wp.zeros(3)])
    assert out.list() == [1.0] * 3


def test_a_struct_changed_between_launches_is_seen_changed():
    @wp.kernel
    def k(p: Particle, out: wp.array(dtype=float)):
        out[0] = p.mass + p.pos[0]

    p, out = Particle(mass=1.0), wp.zeros(1)
    for n in range(4):
        p.mass = float(n)
        p.pos[0] = 10.0
        wp.launch(k, 1, [p, out])
        assert out[0] == n + 10.0
    q = copy.copy(p)
    q.mass = 50.0
    wp.launch(k, 1, inputs=[q], outputs=[out])
    assert out[0] == 60.0


def test_operators_refuse_structs_by_name():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="kernel 'scaled': parameter 'ps' is a struct"):
        wp.torch.torch_kernel(scaled, num_outputs=1)(torch.zeros(3))


def test_functions_of_arrays_may_launch_structs_inside_jax():
    jax = pytest.importorskip("jax")
    from warp.jax_experimental import jax_callable

    @wp.struct
    class Pair:
        x: wp.array(dtype=float)
        y: wp.array(dtype=float)
        a: float

    @wp.kernel
    def k(p: Pair, kept: wp.array(dtype=Particle)):
        i = wp.tid()
        kept[i].mass = p.a
        p.y[i] = p.x[i] * kept[i].mass

    def through(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        wp.launch(k, x.shape, [Pair(x, y, 3.0), wp.zeros(x.shape, dtype=Particle)])

    called = jax_callable(through, num_outputs=1)
    assert jax.jit(lambda x: called(x)[0])(jax.numpy.arange(4.0)).tolist() == [0.0, 3.0, 6.0, 9.0]


def test_fields_of_a_struct_outside_are_constants():
    settings = Particle(mass=2.5, pos=(1, 2, 3))

    @wp.kernel
    def k(out: wp.array(dtype=float)):
        out[0] = settings.mass * settings.pos[2]

    wp.launch(k, 1, [out := wp.zeros(1)])
    assert out[0] == 7.5
    with pytest.raises(TypeError, match="constant: expected a number"):
        wp.constant(settings)

    @wp.kernel
    def whole(out: wp.array(dtype=float)):
        p = settings
        p.mass += 1.0
        out[0] = p.mass + settings.mass

    wp.launch(whole, 1, [out])
    assert out[0] == 6.0
    grid = Grid(cells=wp.ones((2, 2)))

    @wp.kernel
    def of_arrays(out: wp.array(dtype=float)):
        out[0] = grid.cells[0, 0]

    with pytest.raises(TypeError, match="`grid.cells` is .*array.*, which kernels cannot use"):
        wp.launch(of_arrays, 1, [out])


def test_an_index_out_of_range_names_the_line(monkeypatch):
    monkeypatch.setattr(wp.config, "mode", "debug")

    @wp.kernel
    def k(g: Grid, ps: wp.array(dtype=Particle)):
        ps[4].mass = g.cells[0, 1]

    with pytest.raises(IndexError, match=r"(?s)index 4 is out of range for a dimension of size 3.*ps\[4\]"):
        wp.launch(k, 1, [Grid(cells=wp.zeros((2, 2))), particles(3)])


def test_many_elements_are_added_to_without_losing_any():
    @wp.kernel
    def own(a: wp.array(dtype=Particle), b: wp.array(dtype=Particle)):
        i = wp.tid()
        a[i].mass += b[i].pos[1]
        a[i].pos += wp.vec3(b[i].mass, 0.0, 1.0)

    @wp.kernel
    def shared(a: wp.array(dtype=Particle), b: wp.array(dtype=Particle)):
        i = wp.tid()
        a[i % 3].mass += b[i].pos[1]

    n = 1000
    records = particles(n).numpy().copy()
    records["pos"], records["mass"] = np.arange(3 * n).reshape(n, 3) % 17, np.arange(n) % 5
    other = records[::-1].copy()
    for make in (lambda r: wp.array(r, dtype=Particle), lambda r: r.copy(), lambda r: wp.array(r, dtype=Particle)[::1]):
        a, b = make(records), make(other)
        wp.launch(own, n, [a, b])
        found = a if isinstance(a, np.ndarray) else a.numpy()
        np.testing.assert_array_equal(found["mass"], records["mass"] + other["pos"][:, 1])
        np.testing.assert_array_equal(found["pos"][:, 0], records["pos"][:, 0] + other["mass"])
        np.testing.assert_array_equal(found["pos"][:, 2], records["pos"][:, 2] + 1)
        np.testing.assert_array_equal(found["alive"], records["alive"])
        wp.launch(shared, n, [a, b])
        sums = [other["pos"][k::3, 1].sum() for k in range(3)]
        np.testing.assert_array_equal(found["mass"][:3], (records["mass"] + other["pos"][:, 1])[:3] + sums)
    # One array for both: each thread reads what it changes.
    a = wp.array(records, dtype=Particle)
    wp.launch(own, n, [a, a])
    np.testing.assert_array_equal(a.numpy()["mass"], records["mass"] + records["pos"][:, 1])
    # Every other element, and elements in reverse.
    a, b = wp.array(records, dtype=Particle), wp.array(other, dtype=Particle)
    wp.launch(own, n // 2, [a[::2], b[::-2]])
    assert (a.numpy()["mass"][1::2] == records["mass"][1::2]).all()
    np.testing.assert_array_equal(a.numpy()["mass"][::2], records["mass"][::2] + other[::-2]["pos"][:, 1])


def test_array_fields_that_are_not_set_have_no_elements():
    @wp.struct
    class Shape:
        vertices: wp.array(dtype=wp.vec3)
        kind: int

    @wp.func
    def support(s: Shape, i: int):
        if s.kind == 1:
            return s.vertices[i]
        return wp.vec3(float(s.kind))

    @wp.kernel
    def k(kind: int, points: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3), count: wp.array(dtype=int)):
        s = Shape()
        s.kind = kind
        if kind > 4:
            s.vertices = points
        count[0] = s.vertices.shape[0]
        if s.vertices:
            count[0] += 100
        out[0] = support(s, 0)

    out, count = wp.zeros(1, dtype=wp.vec3), wp.zeros(1, dtype=int)
    points = wp.ones(3, dtype=wp.vec3)
    for kind, value, size in ((0, 0.0, 0), (3, 3.0, 0), (5, 5.0, 103)):
        wp.launch(k, 1, [kind, points, out, count])
        assert (out.list(), count.list()) == ([wp.vec3(value)], [size])
    with pytest.raises(IndexError, match=r"index 0 is out of range for a dimension of size 0|holds no array"):
        wp.launch(k, 1, [1, points, out, count])

    @wp.kernel
    def write(out: wp.array(dtype=int)):
        s = Shape()
        if out[0] > 1:
            s.vertices[0] = wp.vec3(1.0)
        out[0] += 1

    n = wp.zeros(1, dtype=int)
    wp.launch(write, 1, [n])
    assert n.list() == [1]
    wp.launch(write, 1, [n])
    with pytest.raises(IndexError):
        wp.launch(write, 1, [n])
