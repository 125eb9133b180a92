"""Structs in kernels: what native code does is what the reference interpreter does, and what was meant."""

import numpy as np
import warp as wp
from warp._warp import interpret

from .particles import Grid, Particle, particles


@wp.func
def moved(p: Particle, by: wp.vec3):
    p.pos = p.pos + by
    return p


@wp.func
def heavier(p: Particle, q: Particle) -> Particle:
    for _ in range(20):
        if p.mass > q.mass:
            return p
        q.mass = q.mass * 0.5
    return q


def both(kernel, dim, make):
    """Runs a kernel natively and in the interpreter on arguments made anew, and compares all arrays."""
    native, wanted = make(), make()
    wp.launch(kernel, dim, native)
    interpret(kernel, dim, wanted)
    for x, y in zip(arrays(native), arrays(wanted), strict=True):
        np.testing.assert_equal(x, y)
    return native


def arrays(args):
    found = []
    for value in args:
        if isinstance(value, wp.array):
            found.append(value.numpy())
        elif isinstance(value, np.ndarray):
            found.append(value)
        elif hasattr(value, "_values"):
            found.extend(arrays(value._values))
    return found


def test_parameters_are_read_and_copies_are_values():
    @wp.kernel
    def k(p: Particle, q: Particle, out: wp.array(dtype=float)):
        r = p
        r.mass = r.mass + q.pos[1]
        r.pos.x = 5.0
        r.pos[2] += 1.0
        s = moved(r, wp.vec3(1.0, 1.0, 1.0))
        out[0] = p.mass
        out[1] = r.mass
        out[2] = r.pos[0]
        out[3] = r.pos[2]
        out[4] = s.pos[0]
        p.mass = 100.0
        out[5] = p.mass
        if q.alive and not p.alive:
            out[6] = 1.0

    p, q = Particle(mass=2.0, pos=(1, 2, 3)), Particle(pos=(4, 5, 6), alive=True)
    *_, out = both(k, 1, lambda: [p, q, wp.zeros(7)])
    assert out.list() == [2.0, 7.0, 5.0, 4.0, 6.0, 100.0, 1.0]
    assert p.mass == 2.0, "a launch takes a copy"


def test_structs_are_made_and_chosen_in_kernels():
    @wp.kernel
    def k(out: wp.array(dtype=Particle), n: int):
        i = wp.tid()
        zero = Particle()
        p = Particle(wp.vec3(1.0, 2.0, 3.0), 4.0, True)
        q = Particle(mass=7.0)
        if i == 0:
            out[i] = zero
        elif i == 1:
            p.mass = float(n)
            out[i] = p
        else:
            r = p if i < 4 else q
            for j in range(n):
                if j == i:
                    continue
                r.mass = r.mass + float(j)
                if j > 5:
                    r.alive = False
                    break
            out[i] = heavier(r, p)

    out, _ = both(k, 7, lambda: [wp.zeros(7, dtype=Particle), 9])
    assert out[0] == Particle()
    assert out[1] == Particle((1, 2, 3), 9.0, True)
    # 0 + 1 + 3 + 4 + 5 + 6 on top of 4, and then the jump.
    assert out[2] == Particle((1, 2, 3), 23.0, False)
    assert out[4] == Particle((0, 0, 0), 7.0 + 0 + 1 + 2 + 3 + 5 + 6, False)


def test_where_chooses_structs():
    @wp.kernel
    def k(items: wp.array(dtype=Particle), grid: Grid, out: wp.array(dtype=float)):
        i = wp.tid()
        p = Particle(mass=7.0)
        q = wp.where(items[i].alive, items[i], p)
        q.pos[0] = q.mass * q.mass
        out[i] = q.pos[0] + 100.0 * p.pos[0]
        other = grid
        other.cells = grid.cells[1:]
        out[i] += wp.where(value_if_true=grid, value_if_false=other, cond=i > 1).cells[0, 0]
        out[i] += wp.where(True, p, q).mass

    grid = Grid(cells=wp.array([[1000.0], [2000.0]], dtype=float))
    items = wp.array([Particle(mass=m, alive=m > 1.5) for m in (1.0, 2.0, 3.0)], dtype=Particle)
    *_, out = both(k, 3, lambda: [items, grid, wp.zeros(3)])
    assert out.list() == [49.0 + 2007.0, 4.0 + 2007.0, 9.0 + 1007.0]


def test_gradients_go_to_the_struct_that_where_chose():
    @wp.kernel
    def k(items: wp.array(dtype=Particle), out: wp.array(dtype=float)):
        i = wp.tid()
        p = wp.where(items[i].alive, items[i], items[0])
        out[i] = p.mass * p.mass

    items = wp.array([Particle(mass=m, alive=m > 2.5) for m in (1.0, 2.0, 3.0)], dtype=Particle, requires_grad=True)
    out = wp.zeros(3, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 3, inputs=[items], outputs=[out])
    tape.backward(grads={out: wp.array([1.0, 10.0, 100.0], dtype=float)})
    assert items.grad.numpy()["mass"].tolist() == [22.0, 0.0, 600.0]


def test_nested_structs_and_their_arrays():
    @wp.kernel
    def k(g: Grid, out: wp.array(dtype=wp.float64)):
        i, j = wp.tid()
        g.cells[i, j] += g.origin.mass * float(i * g.n + j)
        row = g.cells[i]
        wp.atomic_max(row, j, 3.0)
        g.parts[i].pos[1] = g.cells[i, j]
        p = g.parts[j]
        h = g.h
        inner = g.origin
        inner.pos = p.pos
        g.origin = inner
        if j == 0:
            out[i] = h * wp.float64(g.origin.pos[0]) + wp.float64(g.parts.shape[0] + len(g.cells))

    def make():
        g = Grid(n=3, h=0.5, origin=Particle(mass=2.0))
        g.cells = wp.array(np.arange(12).reshape(4, 3), dtype=float)
        g.parts = particles(4)
        return [g, wp.zeros(4, dtype=wp.float64)]

    before = make()[0].parts.numpy()["pos"][0, 0]
    g, out = both(k, (4, 3), make)
    assert out[2] == 0.5 * float(before) + 8.0
    assert g.cells.numpy()[3].tolist() == [27.0, 30.0, 33.0]


def test_elements_of_arrays_of_structs():
    @wp.kernel
    def k(ps: wp.array(dtype=Particle), order: wp.array(dtype=int), out: wp.array2d(dtype=Particle)):
        i = wp.tid()
        j = order[i]
        p = ps[j]
        p.mass = p.mass * 2.0
        out[i, 0] = p
        out[i, 1] = ps[-1]
        out[i, 1].pos.z = ps[j].pos[i % 3]
        out[i, 1].mass += ps[j].mass
        out[i, 1].pos -= p.pos
        out[i, 1].mass *= 3.0
        out[i, 1].alive = not out[i, 1].alive

    order = wp.array([3, 1, 4, 0, 2], dtype=int)
    ps, _, out = both(k, 5, lambda: [particles(5), order, wp.zeros((5, 2), dtype=Particle)])
    a, b = ps.numpy(), out.numpy()
    np.testing.assert_array_equal(b["mass"][:, 0], a["mass"][[3, 1, 4, 0, 2]] * 2)
    np.testing.assert_array_equal(b["alive"][:, 1], np.repeat(not a["alive"][-1], 5))
    assert a["alive"].any()
    assert not a["alive"].all()


def test_local_structs_hold_arrays_of_the_kernel():
    @wp.struct
    class Pair:
        x: wp.array(dtype=float)
        y: wp.array(dtype=float)
        scale: float

    @wp.func
    def axpy(p: Pair, i: int):
        p.y[i] = p.scale * p.x[i] + p.y[i]
        return p.y[i]

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float), rows: wp.array2d(dtype=float)):
        i = wp.tid()
        p = Pair(x, y, 2.0)
        q = Pair()
        q.x = rows[i]
        q.y = p.y
        total = float(0.0)
        for j in range(3):
            p.scale = p.scale + q.x[j]
            total += p.scale
        y[i] = axpy(p, i) + total

    def make():
        x, y = wp.array([1.0, 2.0], dtype=float), wp.array([3.0, 4.0], dtype=float)
        return [x, y, wp.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]], dtype=float)]

    _, y, _ = both(k, 2, make)
    assert y.list() == [8.0 * 1 + 3 + (3 + 5 + 8), 3.0 * 2 + 4 + (2 + 2 + 3)]


def test_whole_structs_are_printed(capfd):
    @wp.kernel
    def k(g: Particle):
        print(g)

    wp.launch(k, 1, [Particle((1, 2, 3), 4.0, True)])
    assert capfd.readouterr().out == "Particle(pos=1 2 3, mass=4, alive=True)\n"


def test_views_of_arrays_of_structs():
    @wp.kernel
    def k(ps: wp.array2d(dtype=Particle)):
        i, j = wp.tid()
        ps[i, j].mass = float(10 * i + j)

    def make():
        return [wp.zeros((4, 6), dtype=Particle)[::2, ::-1].transpose()]

    (part,) = both(k, (6, 2), make)
    assert part.numpy()["mass"].tolist() == [[10.0 * i + j for j in range(2)] for i in range(6)]
