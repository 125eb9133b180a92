"""Gradients through structs, against central differences in double precision."""

import numpy as np
import pytest
import warp as wp

D = wp.float64


@wp.struct
class Body:
    pos: wp.vec3d
    mass: wp.float64
    kind: int


@wp.struct
class Spring:
    stiffness: wp.array(dtype=wp.float64)
    rest: wp.float64
    bodies: wp.array(dtype=Body)
    inner: Body


def bodies(n, requires_grad=True):
    rng = np.random.default_rng(n)
    a = wp.zeros(n, dtype=Body, requires_grad=requires_grad)
    view = a.numpy()
    view["pos"], view["mass"], view["kind"] = rng.normal(size=(n, 3)), rng.uniform(1, 2, n), np.arange(n) % 2
    return a


def doubles(n, seed=0):
    return wp.array(np.random.default_rng(seed).uniform(0.5, 1.5, n), dtype=D, requires_grad=True)


def floats_of(array):
    """Views of all floating point numbers of an array, and of their gradients."""
    if array.dtype is Body:
        return [(array.numpy()[name], array.grad.numpy()[name]) for name in ("pos", "mass")]
    return [(array.numpy(), array.grad.numpy())]


def check(run, inputs, loss, step=1e-6):
    """Compares the gradients of `loss`, an array of one number that `run()` sets, with differences."""
    with wp.Tape() as tape:
        run()
    tape.backward(loss)
    kept = [(values, gradient.copy()) for array in inputs for values, gradient in floats_of(array)]
    assert any(gradient.any() for _, gradient in kept)

    def at():
        run()
        return float(loss.numpy()[0])

    for values, gradient in kept:
        for index in np.ndindex(values.shape):
            before = values[index]
            values[index] = before + step
            high = at()
            values[index] = before - step
            low = at()
            values[index] = before
            np.testing.assert_allclose(gradient[index], (high - low) / (2 * step), rtol=2e-6, atol=1e-7)
    return tape


@wp.func
def energy(a: Body, b: Body, rest: wp.float64):
    d = a.pos - b.pos
    stretch = wp.length(d) - rest
    return a.mass * b.mass * stretch * stretch


@wp.kernel
def springs(s: Spring, loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    a = s.bodies[i]
    b = s.bodies[(i + 1) % 4]
    if a.kind == 1:
        b.mass = b.mass * s.inner.mass * s.stiffness[i]
    e = energy(a, b, s.rest)
    wp.atomic_add(loss, 0, e * s.stiffness[i])


def test_array_fields_carry_gradients():
    s = Spring(stiffness=doubles(4), rest=0.3, bodies=bodies(4), inner=Body(mass=1.7))
    loss = wp.zeros(1, dtype=D, requires_grad=True)

    def run():
        loss.zero_()
        wp.launch(springs, 4, [s, loss])

    tape = check(run, [s.stiffness, s.bodies], loss)
    assert set(map(id, tape.gradients)) == {id(s), id(s.stiffness), id(s.bodies), id(loss)}
    assert tape.gradients[s.bodies] is s.bodies.grad
    tape.zero()
    assert not s.bodies.grad.numpy()["pos"].any()
    assert not s.stiffness.grad.numpy().any()
    assert not s.bodies.grad.numpy()["kind"].any()


@wp.kernel
def step(old: wp.array(dtype=Body), new: wp.array(dtype=Body), dt: wp.float64):
    i = wp.tid()
    b = old[i]
    for _ in range(b.kind + 2):
        b.pos = b.pos + wp.vec3d(wp.sin(b.pos[1]), b.mass * b.pos[0], dt) * dt
        b.mass = b.mass * wp.exp(-b.pos[2] * dt)
    new[i] = b


@wp.kernel
def in_place(ps: wp.array(dtype=Body)):
    i = wp.tid()
    ps[i].pos = ps[i].pos * ps[i].mass
    ps[i].mass = ps[i].mass * ps[i].pos[1]
    ps[i].pos[0] += ps[i].mass


@wp.kernel
def total(ps: wp.array(dtype=Body), loss: wp.array(dtype=wp.float64)):
    p = ps[wp.tid()]
    wp.atomic_add(loss, 0, p.mass * wp.dot(p.pos, p.pos))


def test_a_chain_of_launches_over_arrays_of_structs():
    a, b, c = bodies(5), bodies(5), bodies(5)
    loss = wp.zeros(1, dtype=D, requires_grad=True)

    def run():
        loss.zero_()
        wp.launch(step, 5, [a, b, 0.1])
        wp.launch(step, 5, [b, c, 0.2])
        wp.launch(total, 5, [c, loss])

    check(run, [a], loss)


def test_elements_that_are_overwritten_in_place():
    a, b = bodies(5), bodies(5)
    loss = wp.zeros(1, dtype=D, requires_grad=True)

    def run():
        loss.zero_()
        wp.copy(b, a)
        wp.launch(in_place, 5, [b])
        wp.launch(total, 5, [b, loss])

    check(run, [a], loss)


def test_structs_made_in_the_kernel():
    @wp.func
    def mixed(p: Body, q: Body, t: wp.float64):
        r = Body()
        r.pos = p.pos * t + q.pos * (D(1.0) - t)
        r.mass = wp.sqrt(p.mass * q.mass)
        if r.mass > D(1.4):
            r = Body(q.pos, p.mass, 3)
        return r

    @wp.kernel
    def k(ps: wp.array(dtype=Body), ts: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
        i = wp.tid()
        p = ps[i]
        total = D(0.0)
        for j in range(ps.shape[0]):
            m = mixed(p, ps[j], ts[j])
            p.pos.x = p.pos.x + m.pos.y
            total += m.mass * m.pos.x * m.pos.x
        wp.atomic_add(loss, 0, total)

    ps, ts = bodies(9), doubles(9)
    loss = wp.zeros(1, dtype=D, requires_grad=True)

    def run():
        loss.zero_()
        wp.launch(k, 9, [ps, ts, loss])

    check(run, [ps, ts], loss)


def test_a_gradient_per_field_by_hand():
    ps = bodies(3)
    out = wp.zeros(1, dtype=D, requires_grad=True)
    gradient, seed = wp.zeros(3, dtype=Body), wp.ones(1, dtype=D)
    wp.launch(total, 3, [ps], [out], adj_inputs=[gradient], adj_outputs=[seed], adjoint=True)
    a, g = ps.numpy(), gradient.numpy()
    np.testing.assert_allclose(g["mass"], (a["pos"] ** 2).sum(1))
    np.testing.assert_allclose(g["pos"], 2 * a["mass"][:, None] * a["pos"])
    assert not ps.grad.numpy()["mass"].any()
    assert not g["kind"].any()
    wp.launch(total, 3, [ps], [out], adj_outputs=[seed], adjoint=True)
    np.testing.assert_allclose(ps.grad.numpy()["mass"], g["mass"])
    with pytest.raises(ValueError, match=r"the gradient of 'ps.pos' has shape \[2\], the array has \[3\]"):
        wp.launch(total, 3, [ps], [out], adj_inputs=[gradient[:2]], adj_outputs=[seed], adjoint=True)
    with pytest.raises(TypeError, match="argument 'ps'.*expected"):
        wp.launch(total, 3, [ps], [out], adj_inputs=[wp.zeros(3)], adj_outputs=[seed], adjoint=True)


def test_a_struct_of_gradients():
    s = Spring(stiffness=doubles(4), rest=0.3, bodies=bodies(4), inner=Body(mass=1.7))
    loss = wp.zeros(1, dtype=D, requires_grad=True)
    mine = Spring(stiffness=wp.zeros(4, dtype=D), bodies=wp.zeros(4, dtype=Body))
    seed = wp.ones(1, dtype=D)
    wp.launch(springs, 4, [s, loss], adj_inputs=[mine, seed], adjoint=True)
    with wp.Tape() as tape:
        wp.launch(springs, 4, [s, loss])
    tape.backward(loss)
    np.testing.assert_allclose(mine.stiffness.numpy(), s.stiffness.grad.numpy())
    np.testing.assert_allclose(mine.bodies.numpy()["pos"], s.bodies.grad.numpy()["pos"])


def test_seeds_and_second_passes():
    a, b = bodies(4), bodies(4)
    with wp.Tape() as tape:
        wp.launch(step, 4, [a, b, 0.1])
    seed = wp.zeros(4, dtype=Body)
    seed.numpy()["mass"] = 1.0
    kept = seed.numpy().copy()
    tape.backward(grads={b: seed})
    once = a.grad.numpy().copy()
    assert once["pos"].any()
    assert once["mass"].any()
    np.testing.assert_array_equal(seed.numpy(), kept)
    tape.backward(grads={b: kept})
    np.testing.assert_allclose(a.grad.numpy()["pos"], 2 * once["pos"])


def test_a_gradient_that_is_asked_for_after_the_launch():
    a, b = bodies(4), bodies(4, requires_grad=False)
    with wp.Tape() as tape:
        wp.launch(step, 4, [a, b, 0.1])
    seed = wp.zeros(4, dtype=Body)
    seed.numpy()["mass"] = 1.0
    tape.backward(grads={b: seed})
    assert a.grad.numpy()["mass"].all()
    assert b.grad.numpy()["mass"].all()


def test_parts_of_one_array_that_is_read_and_written():
    @wp.kernel
    def k(ps: wp.array(dtype=Body), qs: wp.array(dtype=Body)):
        i = wp.tid()
        qs[i].pos = ps[i].pos * ps[i].mass

    a = bodies(3)
    loss = wp.zeros(1, dtype=D, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 3, [a, a])
        wp.launch(total, 3, [a, loss])
    tape.backward(loss)
    fresh = bodies(3).numpy()
    m, x = fresh["mass"], fresh["pos"]
    # loss = sum of m * (m x)^2
    np.testing.assert_allclose(a.grad.numpy()["mass"], 3 * m**2 * (x**2).sum(1))
    np.testing.assert_allclose(a.grad.numpy()["pos"], 2 * m[:, None] ** 3 * x)


def test_fields_have_gradients_of_their_own_in_every_pass():
    @wp.kernel
    def push(ps: wp.array(dtype=Body)):
        i = wp.tid()
        ps[i].pos = wp.vec3d(ps[i].mass, D(0.0), D(1.0)) * ps[i].mass

    a = bodies(3)
    loss = wp.zeros(1, dtype=D, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(push, 3, [a])
        wp.launch(total, 3, [a, loss])
    tape.backward(loss)
    once = a.grad.numpy()["mass"].copy()
    m = a.numpy()["mass"]
    # The loss is the sum of m (m^4 + m^2).
    np.testing.assert_allclose(once, 5 * m**4 + 3 * m**2)
    # Positions are passed on and start anew; masses are inputs, whose gradients add up.
    tape.backward(loss)
    np.testing.assert_allclose(a.grad.numpy()["mass"], 2 * once)


def test_columns_of_one_array_are_told_apart():
    @wp.kernel
    def square(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    both = wp.array(np.arange(1.0, 7.0).reshape(3, 2), dtype=D, requires_grad=True)
    x, y = both.transpose()[0], both.transpose()[1]
    with wp.Tape() as tape:
        wp.launch(square, 3, [x, y])
    tape.backward(grads={y: wp.ones(3, dtype=D)})
    np.testing.assert_allclose(x.grad.numpy(), [2.0, 6.0, 10.0])
    np.testing.assert_allclose(y.grad.numpy(), [1.0, 1.0, 1.0])


def test_threads_that_meet_at_one_element_lose_no_gradient():
    @wp.kernel
    def met(ps: wp.array(dtype=Body), loss: wp.array(dtype=D)):
        i = wp.tid()
        p = ps[i % 7]
        wp.atomic_add(loss, 0, p.mass * p.pos[i % 3] * D(i % 5))

    @wp.kernel
    def apart(ps: wp.array(dtype=Body), loss: wp.array(dtype=D)):
        i = wp.tid()
        wp.atomic_add(loss, 0, ps[i].mass * ps[i].pos[1] * D(i % 5))

    n = 1000
    for kernel, size in ((met, 7), (apart, n)):
        ps, loss = bodies(size), wp.zeros(1, dtype=D, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(kernel, n, [ps, loss])
        tape.backward(loss)
        i, part = np.arange(n), np.arange(n) % 3 if kernel is met else np.full(n, 1)
        mass, pos = np.zeros(size), np.zeros((size, 3))
        np.add.at(mass, i % size, ps.numpy()["pos"][i % size, part] * (i % 5))
        np.add.at(pos, (i % size, part), ps.numpy()["mass"][i % size] * (i % 5))
        np.testing.assert_allclose(ps.grad.numpy()["mass"], mass, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(ps.grad.numpy()["pos"], pos, rtol=1e-12, atol=1e-12)


def test_instances_in_the_gradients_of_a_tape():
    @wp.struct
    class Weights:
        w: wp.array(dtype=float)
        n: int

    @wp.struct
    class Model:
        inner: Weights
        bias: wp.array(dtype=float)

    @wp.kernel
    def k(m: Model, unused: Weights, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = m.inner.w[i] * m.inner.w[i] + m.bias[i] + float(m.inner.n + unused.n)

    m, unused = Model(), Weights(w=wp.ones(2), n=1)
    m.inner.w = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    m.inner.n = 4
    m.bias = wp.ones(2)
    y = wp.zeros(2, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, 2, [m, unused], [y])
    tape.backward(grads={y: wp.ones(2)})
    gradients = tape.gradients
    assert set(gradients) == {m, m.inner, m.inner.w, y}
    found = gradients[m]
    assert isinstance(found, Model)
    assert found.inner.w.list() == [2.0, 4.0]
    assert found.inner.n == 4
    assert found.bias is None
    assert gradients[m.inner].w is gradients[m.inner.w]
    # Equal values are another instance.
    same = Model(inner=m.inner, bias=m.bias)
    assert same == m
    assert same not in gradients
