"""What the documents say of `torch.compile`: code with kernels in it keeps its results, operator or not."""

from __future__ import annotations

import pytest
import warp as wp

torch = pytest.importorskip("torch")


@wp.kernel
def rosenbrock(xy: wp.array(dtype=wp.vec2), z: wp.array(dtype=float)):
    i = wp.tid()
    x = xy[i]
    z[i] = (1.0 - x[0]) ** 2.0 + 100.0 * (x[1] - x[0] ** 2.0) ** 2.0


def gradient(xy):
    x, y = xy.detach().T
    return torch.stack([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)], 1)


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, xy):
        ctx.xy = wp.from_torch(xy, dtype=wp.vec2, requires_grad=True)
        ctx.z = wp.zeros(len(xy), requires_grad=True)
        wp.launch(rosenbrock, dim=len(xy), inputs=[ctx.xy], outputs=[ctx.z])
        return wp.to_torch(ctx.z)

    @staticmethod
    def backward(ctx, adj_z):
        wp.launch(
            rosenbrock,
            dim=len(ctx.z),
            inputs=[ctx.xy],
            outputs=[ctx.z],
            adj_inputs=[ctx.xy.grad],
            adj_outputs=[wp.from_torch(adj_z.contiguous())],
            adjoint=True,
        )
        return wp.to_torch(ctx.xy.grad)


def launched(xy):
    z = torch.empty(len(xy))
    wp.launch(rosenbrock, dim=len(xy), inputs=[wp.from_torch(xy * 1.0, dtype=wp.vec2)], outputs=[z])
    return z + 1.0


def converted(xy):
    z = wp.zeros(len(xy))
    wp.launch(rosenbrock, dim=len(xy), inputs=[wp.from_torch(xy * 1.0, dtype=wp.vec2)], outputs=[z])
    return wp.to_torch(z) + 1.0


def taped(xy):
    x, z = wp.from_torch(xy, dtype=wp.vec2), wp.zeros(len(xy), requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(rosenbrock, dim=len(xy), inputs=[x], outputs=[z])
    tape.backward(grads={z: wp.ones(len(xy))})
    return xy.grad.clone()


def points():
    return torch.randn(20, 2, generator=torch.Generator().manual_seed(3))


def test_a_function_in_a_compiled_graph():
    xy = points().requires_grad_()
    torch.compile(lambda xy: (Function.apply(2.0 * xy) * 3.0).sum())(xy).backward()
    torch.testing.assert_close(xy.grad, 6.0 * gradient(2.0 * xy), rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("function", [launched, converted])
def test_launches_in_a_compiled_function(function):
    xy = points()
    torch.testing.assert_close(torch.compile(function)(xy), function(xy))
    x, y = xy.T
    torch.testing.assert_close(function(xy), (1 - x) ** 2 + 100 * (y - x * x) ** 2 + 1, rtol=1e-4, atol=1e-4)


def test_a_tape_in_a_compiled_function():
    xy = points().requires_grad_()
    torch.testing.assert_close(torch.compile(taped)(xy), gradient(xy), rtol=1e-4, atol=1e-2)
