"""`@wp.func_grad` that writes arrays besides adjoints: the backward pass does so."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

D = wp.float64


def floats(*values):
    return wp.array(np.array(values), dtype=D, requires_grad=True)


@wp.func
def solve(n: int, A: wp.array2d(dtype=D), b: wp.array(dtype=D), x: wp.array(dtype=D), work: wp.array(dtype=D)):
    """x = A^-1 b by Gauss-Seidel, of a matrix with a heavy diagonal."""
    for _ in range(60):
        for i in range(n):
            rest = b[i]
            for j in range(n):
                if j != i:
                    rest -= A[i, j] * x[j]
            x[i] = rest / A[i, i]


@wp.func_grad(solve)
def adj_solve(n: int, A: wp.array2d(dtype=D), b: wp.array(dtype=D), x: wp.array(dtype=D), work: wp.array(dtype=D)):
    for i in range(n):
        work[i] = D(0.0)
    for _ in range(60):
        for i in range(n):
            rest = wp.adjoint[x][i]
            for j in range(n):
                if j != i:
                    rest -= A[j, i] * work[j]
            work[i] = rest / A[i, i]
    for i in range(n):
        wp.adjoint[b][i] += work[i]
        for j in range(n):
            wp.adjoint[A][i, j] -= work[i] * x[j]


@wp.kernel
def solves(A: wp.array2d(dtype=D), b: wp.array(dtype=D), x: wp.array(dtype=D), work: wp.array(dtype=D)):
    solve(b.shape[0], A, b, x, work)


def test_a_linear_system_with_memory_to_work_in():
    rng = np.random.default_rng(3)
    A, b, seed = rng.normal(size=(4, 4)) + 8.0 * np.eye(4), rng.normal(size=4), rng.normal(size=4)
    mine = wp.array(A, dtype=D, requires_grad=True), floats(*b)
    x, work = floats(0.0, 0.0, 0.0, 0.0), wp.full(4, 7.0, dtype=D)
    with wp.Tape() as tape:
        wp.launch(solves, dim=1, inputs=mine, outputs=[x, work])
    assert work.numpy().tolist() == [7.0] * 4
    tape.backward(grads={x: wp.array(seed, dtype=D)})

    adj_b = np.linalg.solve(A.T, seed)
    np.testing.assert_allclose(x.numpy(), np.linalg.solve(A, b), rtol=1e-12)
    np.testing.assert_allclose(work.numpy(), adj_b, rtol=1e-12)
    np.testing.assert_allclose(mine[1].grad.numpy(), adj_b, rtol=1e-12)
    np.testing.assert_allclose(mine[0].grad.numpy(), -np.outer(adj_b, x.numpy()), rtol=1e-12)


@wp.func
def tripled(x: D, seen: wp.array(dtype=D), i: int):
    return D(3.0) * x


@wp.func_grad(tripled)
def adj_tripled(x: D, seen: wp.array(dtype=D), i: int, adj: D):
    wp.adjoint[x] += D(3.0) * adj + seen[i]
    seen[i] = adj
    seen[i] += D(1.0)


@wp.kernel
def triple(x: wp.array(dtype=D), seen: wp.array(dtype=D), rounds: int, y: wp.array(dtype=D)):
    i = wp.tid()
    s = x[i]
    for _ in range(rounds):
        s = tripled(s, seen, i)
    y[i] = s


def test_each_call_sees_what_the_one_before_wrote():
    x, seen, y = floats(1.0, 2.0), wp.array([0.5, 0.25], dtype=D), floats(0.0, 0.0)
    with wp.Tape() as tape:
        wp.launch(triple, dim=2, inputs=[x, seen, 3], outputs=[y])
    tape.backward(grads={y: wp.array([1.0, 10.0], dtype=D)})

    adjoints, left = [], []
    for adj, found in ((1.0, 0.5), (10.0, 0.25)):
        for _ in range(3):
            adj, found = 3.0 * adj + found, adj + 1.0
        adjoints.append(adj)
        left.append(found)
    assert x.grad.numpy().tolist() == adjoints
    assert seen.numpy().tolist() == left


@wp.func
def kept(x: D, memory: wp.array(dtype=D), i: int):
    memory[i] = x
    return x


@wp.func_grad(kept)
def adj_kept(x: D, memory: wp.array(dtype=D), i: int, adj: D):
    wp.adjoint[x] += memory[i] * adj
    memory[i] = D(-1.0)


@wp.kernel
def keeps(x: wp.array(dtype=D), memory: wp.array(dtype=D), y: wp.array(dtype=D)):
    i = wp.tid()
    y[i] = kept(x[i], memory, i)


def test_an_array_that_both_ways_write_is_as_it_is():
    x, memory, y = floats(2.0, 3.0), wp.zeros(2, dtype=D), floats(0.0, 0.0)
    with wp.Tape() as tape:
        wp.launch(keeps, dim=2, inputs=[x, memory], outputs=[y])
    assert memory.numpy().tolist() == [2.0, 3.0]
    memory.assign([5.0, 7.0])
    tape.backward(grads={y: wp.ones(2, dtype=D)})
    assert x.grad.numpy().tolist() == [5.0, 7.0]
    assert memory.numpy().tolist() == [-1.0, -1.0]


@wp.func
def watched(a: wp.array(dtype=D), i: int):
    pass


@wp.func_grad(watched)
def adj_watched(a: wp.array(dtype=D), i: int):
    wp.adjoint[a][i] += D(7.0)


@wp.func
def ignored(x: D, log: wp.array(dtype=int)):
    return x


@wp.func_grad(ignored)
def adj_ignored(x: D, log: wp.array(dtype=int), adj: D):
    wp.atomic_add(log, 0, 1)


@wp.kernel
def watches(a: wp.array(dtype=D), log: wp.array(dtype=int), b: wp.array(dtype=D)):
    i = wp.tid()
    watched(a, i)
    ignored(a[i], log)
    b[i] = D(2.0) * a[i]


def test_a_call_that_does_nothing_forward_is_called_backward():
    a, log, b = floats(1.0, 2.0, 3.0), wp.zeros(1, dtype=int), floats(0.0, 0.0, 0.0)
    with wp.Tape() as tape:
        wp.launch(watches, dim=3, inputs=[a, log], outputs=[b])
    tape.backward(grads={b: wp.array([1.0, 10.0, 100.0], dtype=D)})
    assert a.grad.numpy().tolist() == [9.0, 27.0, 207.0]
    assert log.numpy().tolist() == [3]


@wp.kernel
def squares_again(x: wp.array(dtype=D), memory: wp.array(dtype=D), y: wp.array(dtype=D)):
    i = wp.tid()
    before = memory[i]
    y[i] = kept(x[i], memory, i) + before * before


def test_needing_what_is_overwritten_there_is_refused():
    x, memory, y = floats(2.0), floats(3.0), floats(0.0)
    with wp.Tape() as tape:
        wp.launch(squares_again, dim=1, inputs=[x, memory], outputs=[y])
    with pytest.raises(RuntimeError, match=r"elements of `memory` that the kernel overwrites.*wp.func_grad writes"):
        tape.backward(grads={y: wp.ones(1, dtype=D)})


def test_memory_that_may_not_be_written_is_refused():
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    x, y = floats(1.0, 2.0), floats(0.0, 0.0)
    with wp.Tape() as tape:
        wp.launch(triple, dim=2, inputs=[x, frozen, 1], outputs=[y])
    with pytest.raises((TypeError, ValueError, RuntimeError), match="'seen'.*read-only"):
        tape.backward(grads={y: wp.ones(2, dtype=D)})
    assert not frozen.any()


def test_one_array_for_two_parameters():
    x, y = floats(0.5, 0.25), floats(0.0, 0.0)
    with wp.Tape() as tape:
        wp.launch(triple, dim=2, inputs=[x, x, 2], outputs=[y])
    tape.backward(grads={y: wp.array([1.0, 10.0], dtype=D)})
    assert x.numpy().tolist() == [3.0 + 0.5 + 1.0, 30.0 + 0.25 + 1.0]


def test_torch_operators():
    """An operator changes nothing that others see: its derivative writes to a copy."""
    torch = pytest.importorskip("torch")
    operator = wp.torch.torch_kernel(triple)
    x, seen = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True), torch.tensor([0.5, 0.25]).double()
    y = operator(x, seen, 2)
    seed = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    (dx,) = torch.autograd.grad(y, x, seed, create_graph=True)
    # First 3 s + seen, which leaves s + 1; then 3 times that and s + 1.
    torch.testing.assert_close(dx, 10.0 * seed + 3.0 * seen + 1.0)
    assert seen.tolist() == [0.5, 0.25]
    (again,) = torch.autograd.grad(dx.sum(), seed)
    assert again.tolist() == [10.0, 10.0]
