"""`wp.zeros` in kernels: arrays that each thread has for itself."""

import numpy as np
import pytest
import warp as wp

N = 3


def run(kernel, *inputs, dim=1):
    wp.launch(kernel, dim=dim, inputs=list(inputs))


def test_elements_length_and_shape():
    @wp.kernel
    def kernel(out: wp.array(dtype=float)):
        a = wp.zeros(shape=(4,), dtype=float)
        a[1] = 2.0
        a[-1] = 5.0
        a[2] += 3.0
        out[0] = a[0] + 10.0 * a[1] + 100.0 * a[2] + 1000.0 * a[3]
        out[1] = float(len(a))
        b = wp.zeros((2, N), dtype=wp.vec3)
        for i in range(b.shape[0]):
            for j in range(b.shape[1]):
                b[i, j] = wp.vec3(float(i), float(j), 1.0)
        b[1][2].x = 7.0
        wp.atomic_add(b, 1, 2, wp.vec3(1.0, 1.0, 1.0))
        out[2] = b[1, 2][0] + b[1, 2][1] + b[0, 2][2]
        out[3] = float(b.shape[0] * 10 + b.shape[1]) + float(b.size)
        c = wp.zeros(N, wp.int64)
        old = wp.atomic_max(c, 1, wp.int64(5))
        old += wp.atomic_exch(c, 1, wp.int64(9))
        out[4] = float(old) + float(c[1])

    out = wp.zeros(5)
    run(kernel, out)
    assert out.numpy().tolist() == [5320.0, 4.0, 8.0 + 3.0 + 1.0, 23.0 + 6.0, 14.0]


def test_every_thread_and_every_round_begins_with_zeros():
    @wp.kernel
    def kernel(out: wp.array2d(dtype=float)):
        i = wp.tid()
        for k in range(out.shape[1]):
            a = wp.zeros(10, dtype=float)
            b = wp.zeros(2, dtype=float)
            for n in range(10):
                a[n] += float(i)
            b[k % 2] += 1.0
            out[i, k] = a[k] + 100.0 * b[0]

    out = wp.zeros((50, 3))
    run(kernel, out, dim=50)
    assert (out.numpy() == np.arange(50.0)[:, None] + [100.0, 0.0, 100.0]).all()


def test_assignment_copies_and_parts_are_views():
    @wp.kernel
    def kernel(n: int, out: wp.array(dtype=float)):
        a = wp.zeros((2, 6), dtype=float)
        a[1, 5] = 1.0
        b = a
        b[1, 5] = 2.0
        row = a[1]
        row[0] = 3.0
        tail = row[n:]
        tail[0] = 4.0
        c = wp.zeros((2, 6), dtype=float)
        c[0, 0] = 5.0
        if n == 3:
            c = a
        c[0, 1] = 6.0
        out[0] = a[1, 5]
        out[1] = b[1, 5]
        out[2] = a[1, 0]
        out[3] = a[1, 3]
        out[4] = c[0, 0]
        out[5] = c[0, 1] + a[0, 1]

    out = wp.zeros(6)
    run(kernel, 3, out)
    assert out.numpy().tolist() == [1.0, 2.0, 3.0, 4.0, 0.0, 6.0]


@wp.func
def bump(x: wp.array(dtype=float), by: float):
    for i in range(len(x)):
        x[i] += by
    return x[0]


@wp.func
def bump_three(x: wp.fixedarray(dtype=float, shape=(3,))):
    return bump(x, 2.0)


@wp.func
def made() -> wp.array(dtype=float):
    a = wp.zeros(3, dtype=float)
    a[1] = 4.0
    return a


def test_local_arrays_in_functions():
    @wp.kernel
    def kernel(out: wp.array(dtype=float)):
        a = wp.zeros(3, dtype=float)
        out[0] = bump(a, 1.0)
        out[1] = bump_three(a)
        b = made()
        out[2] = a[2] + b[1]

    out = wp.zeros(3)
    run(kernel, out)
    assert out.numpy().tolist() == [1.0, 3.0, 7.0]


def test_an_index_beyond_is_found():
    @wp.kernel
    def kernel(i: int, out: wp.array(dtype=float)):
        a = wp.zeros(3, dtype=float)
        a[i] = 1.0
        out[0] = a[0]

    with pytest.raises(IndexError, match="index 3 is out of range"):
        run(kernel, 3, wp.zeros(1))


def test_what_is_no_local_array():
    @wp.kernel
    def of_run_time(out: wp.array(dtype=float)):
        a = wp.zeros(out.shape[0], dtype=float)
        out[0] = a[0]

    @wp.kernel
    def empty(out: wp.array(dtype=float)):
        a = wp.zeros(0, dtype=float)
        out[0] = a[0]

    @wp.kernel
    def large(out: wp.array(dtype=float)):
        a = wp.zeros(1000000, dtype=float)
        out[0] = a[0]

    @wp.kernel
    def other_size(out: wp.array(dtype=float)):
        a = wp.zeros(4, dtype=float)
        out[0] = bump_three(a)

    @wp.kernel
    def no_local(out: wp.array(dtype=float)):
        out[0] = bump_three(out)

    out = wp.zeros(3)
    for kernel, error, text in [
        (of_run_time, ValueError, "must be known when compiling"),
        (empty, ValueError, "extent of 0"),
        (large, ValueError, "a local array of 4000000 bytes"),
        (other_size, TypeError, "no local array of this shape"),
        (no_local, TypeError, "no local array of this shape"),
    ]:
        with pytest.raises(error, match=text):
            run(kernel, out)


def convolved(n):
    @wp.kernel
    def kernel(x: wp.array2d(dtype=wp.float64), rounds: int, out: wp.array(dtype=wp.float64)):
        i = wp.tid()
        a = wp.zeros(n, dtype=wp.float64)
        for k in range(n):
            a[k] = x[i, k]
        for _ in range(rounds):
            b = a
            for k in range(n):
                a[k] = wp.sin(b[k]) * b[(k + 1) % n] + a[(k + 2) % n]
        s = wp.float64(0.0)
        for k in range(n):
            s += a[k] * wp.float64(k + 1)
        out[i] = s

    return kernel


@pytest.mark.parametrize("n", [3, 7])
def test_gradients_through_loops(n):
    x = wp.array(np.random.default_rng(0).normal(size=(2, n)), dtype=wp.float64, requires_grad=True)
    out = wp.zeros(2, dtype=wp.float64, requires_grad=True)
    assert wp.autograd.gradcheck(convolved(n), dim=2, inputs=[x, 3], outputs=[out])


def test_second_derivatives():
    torch = pytest.importorskip("torch")
    from warp.torch import torch_kernel

    f = torch_kernel(convolved(3))
    x = torch.tensor(np.random.default_rng(1).normal(size=(2, 3)), requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda x: f(x, 2, launch_dims=2, output_dims=2), [x])


def test_text_does_not_grow_with_the_array():
    @wp.kernel
    def kernel(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        a = wp.zeros(2000, dtype=float)
        for k in range(2000):
            a[k] = x[i] * float(k)
        b = a
        for k in range(1, 2000):
            b[k] += a[k - 1]
        out[i] = b[1999]

    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    out = wp.zeros(2, requires_grad=True)
    with wp.Tape() as tape:
        run(kernel, x, out, dim=2)
    tape.backward(grads={out: wp.ones(2)})
    assert out.numpy().tolist() == [3997.0, 7994.0]
    assert x.grad.numpy().tolist() == [3997.0, 3997.0]


def test_the_address_of_a_local_array_is_taken_by_wp_array():
    @wp.func
    def total(p: wp.uint64, n: int):
        a = wp.array(ptr=p, shape=(n,), dtype=float)
        s = float(0.0)
        for j in range(n):
            s += a[j]
        a[0] = 7.0
        return s

    @wp.func
    def trace(p: wp.uint64):
        m = wp.array(ptr=p, shape=(2, 2), dtype=float)
        return m[0, 0] + m[1, 1]

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float), n: int):
        i = wp.tid()
        local = wp.zeros(shape=4, dtype=float)
        for j in range(4):
            local[j] = x[i] * float(j)
        square = wp.zeros(shape=(2, 2), dtype=float)
        square[1, 1] = x[i]
        y[i] = total(local.ptr, n) + 100.0 * local[0] + trace(square.ptr)

    x, y = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, 2, [x], [y, 3])
    assert y.list() == [704.0, 708.0]
    tape.backward(grads={y: wp.ones(2)})
    assert x.grad.list() == [4.0, 4.0]
    with pytest.raises(IndexError, match="index 4 is out of range"):
        wp.launch(k, 2, [x], [y, 5])
