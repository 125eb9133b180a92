"""Kernels, and the functions of torch that they stand for, for the tests of `torch_kernel`."""

from __future__ import annotations

import pytest
import warp as wp

torch = pytest.importorskip("torch")

torch_kernel = wp.torch.torch_kernel


@wp.kernel
def wave(x: wp.array(dtype=wp.float64), s: wp.float64, y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = x[i] * x[i] * s * wp.sin(x[i])


@wp.kernel
def sincos(angle: wp.array(dtype=float), s: wp.array(dtype=float), c: wp.array(dtype=float)):
    i = wp.tid()
    s[i] = wp.sin(angle[i])
    c[i] = wp.cos(angle[i])


@wp.kernel
def turn(
    m: wp.array(dtype=wp.mat33d),
    v: wp.array(dtype=wp.vec3d),
    u: wp.array(dtype=wp.vec3d),
    n: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    u[i] = m[i] * v[i]
    n[i] = wp.dot(m[i] * v[i], v[i])


@wp.kernel
def matmul(a: wp.array2d[wp.float64], b: wp.array2d[wp.float64], c: wp.array2d[wp.float64]):
    i, j = wp.tid()
    s = wp.float64(0.0)
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s


@wp.kernel
def rowsum(m: wp.array2d[wp.float64], sums: wp.array1d[wp.float64]):
    i, j = wp.tid()
    wp.atomic_add(sums, i, m[i, j] * m[i, j])


@wp.kernel
def lookup(table: wp.array(dtype=wp.float64), indices: wp.array(dtype=int), output: wp.array(dtype=wp.float64)):
    i = wp.tid()
    output[i] = table[indices[i]]


@wp.kernel
def diagonal(output: wp.array[wp.mat33]):
    i = wp.tid()
    output[i] = wp.mat33(1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0)


@wp.kernel
def rewritten(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = x[i] * x[i]
    y[i] = y[i] * wp.sin(y[i])


@wp.kernel
def iterated(x: wp.array(dtype=wp.float64), n: int, y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    for _ in range(n):
        v = wp.sin(v) * v + x[i]
    y[i] = v


def expected_iterated(x, n):
    v = x
    for _ in range(n):
        v = torch.sin(v) * v + x
    return v


@wp.kernel
def lowest(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    wp.atomic_min(y, 0, -x[wp.tid()] * x[wp.tid()])


@wp.kernel
def double_in_place(x: wp.array(dtype=wp.float64), w: wp.array(dtype=wp.float64)):
    i = wp.tid()
    w[i] = w[i] * x[i]


def randn(*shape, requires_grad=False):
    made = torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    return made.requires_grad_(requires_grad)


def expected_wave(x, s):
    return x * x * s * x.sin()


def same(a, b):
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


CASES = {
    "values": (lambda: torch_kernel(wave), lambda: (randn(5), 2.0), expected_wave),
    "several outputs": (
        lambda: torch_kernel(turn, num_outputs=2),
        lambda: (randn(4, 3, 3), randn(4, 3)),
        lambda m, v: (torch.einsum("nij,nj->ni", m, v), torch.einsum("ni,nij,nj->n", v, m, v)),
    ),
    "loop": (
        lambda: torch_kernel(matmul, launch_dims=(3, 4)),
        lambda: (randn(3, 2), randn(2, 4)),
        torch.matmul,
    ),
    "in-out": (
        lambda: torch_kernel(rowsum, in_out_argnames=["sums"]),
        lambda: (randn(3, 4), randn(3)),
        lambda m, sums: sums + (m * m).sum(1),
    ),
    "in-out that is overwritten": (
        lambda: torch_kernel(double_in_place, in_out_argnames=["w"]),
        lambda: (randn(5), randn(5)),
        lambda x, w: x * w,
    ),
    "indices": (
        lambda: torch_kernel(lookup, launch_dims=6),
        lambda: (randn(4), torch.tensor([3, 0, 0, 1, 3, 3], dtype=torch.int32)),
        lambda t, i: t[i.long()],
    ),
    "output that is overwritten": (
        lambda: torch_kernel(rewritten),
        lambda: (randn(5),),
        lambda x: x**2 * torch.sin(x**2),
    ),
    "loop that overwrites": (lambda: torch_kernel(iterated), lambda: (randn(3), 9), expected_iterated),
    "minimum": (
        lambda: torch_kernel(lowest, output_dims=1),
        lambda: (randn(5),),
        lambda x: (-x * x).min().reshape(1),
    ),
}


def differentiable(args):
    return tuple(
        a.clone().requires_grad_() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in args
    )


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096
