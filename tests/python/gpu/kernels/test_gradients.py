"""Gradients on a GPU are those on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

GPU = "cuda:0"


def gradients(steps, given: dict[str, np.ndarray], dtype=wp.float64, times: int = 1):
    """The gradients of the sum of what `steps(arrays)` returns, by device."""
    results = []
    for device in (GPU, "cpu"):
        with wp.ScopedDevice(device):
            for _ in range(times):
                arrays = {n: wp.array(v, dtype=dtype, requires_grad=True) for n, v in given.items()}
                with wp.Tape() as tape:
                    out = steps(arrays)
                seed = wp.array(np.linspace(1.0, 2.0, out.size).reshape(out.shape), dtype=out.dtype)
                tape.backward(grads={out: seed})
            results.append([out.numpy(), *(a.grad.numpy() for a in arrays.values())])
    for there, here in zip(*results, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-12, atol=1e-13)
        assert np.isfinite(here).all()
    assert any(g.any() for g in results[1][1:])
    return results[1]


def zeros(n: int, dtype=wp.float64) -> wp.array:
    return wp.zeros(n, dtype=dtype, requires_grad=True)


def values(n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.2, 1.2, n)


@wp.kernel
def smooth(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = wp.sin(x[i]) * y[(i + 1) % y.shape[0]] + wp.exp(-x[i] * y[i])
    if v > wp.float64(0.7):
        v = v * v
    out[i] = v / (wp.float64(1.0) + x[i] * x[i])


def test_branches_and_mathematics():
    def steps(a):
        out = zeros(40)
        wp.launch(smooth, dim=40, inputs=[a["x"], a["y"], out])
        return out

    gradients(steps, {"x": values(40), "y": values(40, 2)})


@wp.kernel
def gather(x: wp.array(dtype=wp.float64), at: wp.array(dtype=int), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(out, i % 3, x[at[i]] * x[i])


def test_gathers_and_sums():
    at = np.random.default_rng(4).integers(0, 30, 30)

    def steps(a):
        out = zeros(3)
        wp.launch(gather, dim=30, inputs=[a["x"], wp.array(at, dtype=int), out])
        return out

    gradients(steps, {"x": values(30)})


@wp.kernel
def iterate(x: wp.array(dtype=wp.float64), rounds: int, out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    for _n in range(rounds + i):
        v = wp.sin(v) * v + wp.float64(0.3)
        if v > wp.float64(0.9):
            v = v - wp.float64(0.5) * v * v
    out[i] = v


@pytest.mark.parametrize("rounds", [0, 3, 40, 700])
def test_loops_that_record_grow_their_stacks(rounds):
    def steps(a):
        out = zeros(12)
        wp.launch(iterate, dim=12, inputs=[a["x"], rounds, out])
        return out

    # The second time the stack is known to be larger.
    gradients(steps, {"x": values(12)}, times=2)


@wp.kernel
def nested(x: wp.array(dtype=wp.float64), n: int, out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    for a in range(n):
        w = v
        for b in range(a % 4 + i % 3):
            w = w * wp.cos(w) + wp.float64(b) * wp.float64(0.01)
        v = v + wp.float64(0.1) * w
    out[i] = v


def test_nested_loops():
    def steps(a):
        out = zeros(9)
        wp.launch(nested, dim=9, inputs=[a["x"], 25, out])
        return out

    gradients(steps, {"x": values(9)}, times=2)


@wp.kernel
def root(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i] + wp.float64(1.0)
    n = int(0)
    while wp.abs(v * v - x[i]) > wp.float64(1.0e-9) and n < 100:
        v = wp.float64(0.5) * (v + x[i] / v)
        n += 1
    out[i] = v


def test_while_loops():
    def steps(a):
        out = zeros(20)
        wp.launch(root, dim=20, inputs=[a["x"], out])
        return out

    _, slope = gradients(steps, {"x": values(20)})
    np.testing.assert_allclose(slope, np.linspace(1, 2, 20) * 0.5 / np.sqrt(values(20)), rtol=1e-6)


@wp.kernel
def step(x: wp.array(dtype=wp.float64), v: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v[i] = v[i] - wp.float64(0.1) * wp.sin(x[i])
    x[i] = x[i] + wp.float64(0.1) * v[i]


def test_steps_in_place_need_snapshots():
    def steps(a):
        x, v = (wp.clone(a[n]) for n in "xv")
        for _ in range(15):
            wp.launch(step, dim=10, inputs=[x, v])
        return x

    gradients(steps, {"x": values(10), "v": values(10, 2)})


def test_what_is_overwritten_behind_the_recording_is_kept():
    def steps(a):
        x, out = wp.clone(a["x"]), zeros(40)
        wp.launch(smooth, dim=40, inputs=[x, a["y"], out])
        x.fill_(0.5)
        wp.copy(a["y"][3:7], x[3:7])
        return out

    gradients(steps, {"x": values(40), "y": values(40, 2)})


@wp.func
def clipped(x: wp.float64):
    return wp.min(x, wp.float64(0.5))


@wp.func_grad(clipped)
def adj_clipped(x: wp.float64, adj: wp.float64):
    wp.adjoint[x] += adj * wp.float64(10.0)


@wp.kernel
def custom(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    out[i] = clipped(x[i]) * wp.float64(2.0)


def test_derivatives_that_authors_wrote():
    def steps(a):
        out = zeros(10)
        wp.launch(custom, dim=10, inputs=[a["x"], out])
        return out

    _, slope = gradients(steps, {"x": values(10)})
    np.testing.assert_allclose(slope, 20.0 * np.linspace(1, 2, 10))


@wp.struct
class Body:
    position: wp.array(dtype=wp.vec3d)
    stiffness: wp.float64


@wp.kernel
def energy(body: Body, m: wp.array(dtype=wp.mat33d), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    x = wp.inverse(m[i]) @ body.position[i]
    wp.atomic_add(out, 0, body.stiffness * wp.dot(x, x) * wp.determinant(m[i]))


def test_structs_vectors_and_matrices():
    rng = np.random.default_rng(8)
    positions, matrices = rng.standard_normal((6, 3)), rng.standard_normal((6, 3, 3)) + 3 * np.eye(3)
    results = []
    for device in (GPU, "cpu"):
        with wp.ScopedDevice(device):
            body = Body()
            body.position = wp.array(positions, dtype=wp.vec3d, requires_grad=True)
            body.stiffness = 2.5
            m, out = wp.array(matrices, dtype=wp.mat33d, requires_grad=True), zeros(1)
            with wp.Tape() as tape:
                wp.launch(energy, dim=6, inputs=[body, m, out])
            tape.backward(loss=out)
            results.append([body.position.grad.numpy(), m.grad.numpy()])
    for there, here in zip(*results, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-12)
        assert here.any()


@wp.kernel
def cube(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    out[i] = x[i] * x[i] * x[i] * wp.sin(x[i])


def test_second_derivatives():
    results = []
    for device in (GPU, "cpu"):
        with wp.ScopedDevice(device):
            x, out = wp.array(values(8), dtype=wp.float64, requires_grad=True), zeros(8)
            first = wp.Tape()
            with first:
                wp.launch(cube, dim=8, inputs=[x, out])
            seed = wp.ones(8, dtype=wp.float64)
            x.grad.requires_grad = True
            second = wp.Tape()
            with second:
                first.backward(grads={out: seed})
            slope = x.grad.numpy()
            second.backward(grads={x.grad: wp.ones(8, dtype=wp.float64)})
            results.append([slope, x.grad.numpy()])
    for there, here in zip(*results, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-12)


def test_gradients_add_up_until_they_are_cleared():
    x, out = wp.array(values(8), dtype=wp.float64, requires_grad=True, device=GPU), zeros(8)
    tape = wp.Tape()
    with tape:
        wp.launch(cube, dim=8, inputs=[x, out])
    seed = wp.ones(8, dtype=wp.float64)
    tape.backward(grads={out: seed})
    once = x.grad.numpy()
    tape.backward(grads={out: seed})
    np.testing.assert_allclose(x.grad.numpy(), 2 * once)
    tape.zero()
    assert not x.grad.numpy().any()


def test_gradients_that_lie_in_one_place():
    n = 500
    x, ones = (wp.full(n, v, dtype=wp.float64, device=GPU) for v in (2.0, 1.0))
    out, cell = wp.zeros(n, dtype=wp.float64, device=GPU), wp.zeros(1, dtype=wp.float64, device=GPU)
    everywhere = wp.array(ptr=cell.ptr, dtype=wp.float64, shape=n, strides=(0,), device=GPU)
    wp.launch(cube, n, [x], [out], adj_inputs=[everywhere], adj_outputs=[ones], adjoint=True, device=GPU)
    slope = 12.0 * np.sin(2.0) + 8.0 * np.cos(2.0)
    np.testing.assert_allclose(cell.numpy(), n * slope)


def test_gradients_flow_between_devices():
    x = wp.array(values(8), dtype=wp.float64, requires_grad=True, device="cpu")
    out = wp.zeros(8, dtype=wp.float64, requires_grad=True, device="cpu")
    with wp.Tape() as tape:
        there = wp.clone(x, device=GPU)
        cubes = wp.zeros(8, dtype=wp.float64, requires_grad=True, device=GPU)
        wp.launch(cube, dim=8, inputs=[there, cubes], device=GPU)
        back = wp.zeros(8, dtype=wp.float64, requires_grad=True, device="cpu")
        wp.copy(back, cubes)
        wp.launch(cube, dim=8, inputs=[back, out], device="cpu")
    y = wp.array(values(8), dtype=wp.float64, requires_grad=True, device="cpu")
    middle, end = (wp.zeros(8, dtype=wp.float64, requires_grad=True, device="cpu") for _ in range(2))
    with wp.Tape() as here:
        wp.launch(cube, dim=8, inputs=[y, middle], device="cpu")
        wp.launch(cube, dim=8, inputs=[middle, end], device="cpu")
    seed = wp.ones(8, dtype=wp.float64, device="cpu")
    for _ in range(2):
        tape.backward(grads={out: seed})
        here.backward(grads={end: seed})
        np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-12)


def test_what_numpy_has_is_copied_while_a_tape_records():
    def steps(a):
        x, out = wp.clone(a["x"]), zeros(8)
        x[:4].assign(values(4, 2))
        wp.launch(cube, dim=8, inputs=[x, out])
        return out

    gradients(steps, {"x": values(8)})


def test_copies_that_are_recorded_run_where_the_arrays_are():
    x, y = (wp.full(8, v, dtype=wp.float64, requires_grad=True, device="cpu") for v in (1.0, 2.0))
    assert wp.get_device() == GPU
    with wp.Tape() as tape:
        wp.copy(y, x)
    tape.backward(grads={y: wp.ones(8, dtype=wp.float64, device="cpu")})
    assert y.list() == x.grad.list() == [1.0] * 8


def test_a_fault_in_a_gradient_names_the_kernel():
    from gpu.support.kernels import beyond

    x = wp.zeros(3, dtype=float, device=GPU, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(beyond, dim=3, inputs=[x, 0], device=GPU)
    tape.backward(grads={x: wp.ones(3, dtype=float, device=GPU)})
    wp.synchronize()
    with wp.Tape() as tape:
        wp.launch(beyond, dim=3, inputs=[x, 1], device=GPU)
    with pytest.raises(IndexError, match="beyond"):
        wp.synchronize()
