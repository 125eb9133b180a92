"""What `jax_callable` traces, what it calls back, and how much of it is kept."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy
from warp.jax_experimental import GraphMode, ffi, jax_callable  # noqa: E402

from .callable_kernels import A, B, add, increase, scale  # noqa: E402


def test_traced_once_per_signature():
    seen = []

    def func(a: wp.array[float], s: float, out: wp.array[float]):
        seen.append((a.shape, s))
        wp.launch(scale, dim=a.shape, inputs=[a, s], outputs=[out])

    f = jax_callable(func)
    for _ in range(3):
        assert f(A, 2.0)[0].tolist() == (2 * A).tolist()
        assert jax.jit(lambda a: f(a, 2.0)[0] + 1)(A).tolist() == (2 * A + 1).tolist()
        assert jax.vmap(lambda a: f(a, 2.0)[0])(np.stack([A, B]))[1].tolist() == (2 * B).tolist()
    assert seen == [((6,), 2.0)]
    f(A[:3], 2.0)
    f(A, 3.0)
    f(A, 3)
    assert seen == [((6,), 2.0), ((3,), 2.0), ((6,), 3.0)]
    assert f.graph_cache_size == 3


def test_called_each_time_without_a_graph():
    seen = []

    def func(a: wp.array[float], out: wp.array[float]):
        seen.append(a.numpy().sum())
        out.assign(np.cumsum(a.numpy()))

    f = jax.jit(jax_callable(func, graph_mode=GraphMode.NONE))
    for k in range(3):
        assert f(A + k)[0].tolist() == np.cumsum(A + k).tolist()
    assert seen == [15, 21, 27]


READS = {
    "numpy": lambda a: a.numpy().sum(),
    "list": lambda a: sum(a.list()),
    "index": lambda a: sum(a[i] for i in range(len(a))),
    "iterate": lambda a: sum(iter(a)),
    "text": lambda a: float(str(a)[1:-1].split()[1]) * 15,
    "__array__": lambda a: np.asarray(a).sum(),
    "bytes": lambda a: np.frombuffer(bytes(a), np.float32).sum(),
    "to_jax": lambda a: float(np.asarray(wp.to_jax(a)).sum()),
    "copied": lambda a: wp.array(a).numpy().sum(),
    "dlpack": lambda a: np.from_dlpack(a).sum(),
    "slice": lambda a: a[1:].numpy().sum() + a[0],
    "clone": lambda a: wp.clone(a).numpy().sum(),
    "temporary": lambda a: _temporary(a).numpy().sum(),
    "swallowed": lambda a: _swallowed(a),
}


def _temporary(a):
    out = wp.zeros_like(a)
    wp.launch(scale, dim=a.shape, inputs=[a, 1.0], outputs=[out])
    return out


def _swallowed(a):
    try:
        return a.numpy().sum()
    except BaseException:  # noqa: BLE001
        return -1.0


@pytest.mark.parametrize("how", READS)
def test_who_reads_contents_is_called_back(how):
    calls = []

    def func(a: wp.array[float], out: wp.array[float]):
        calls.append(1)
        wp.launch(increase, dim=1, inputs=[out, float(READS[how](a))])

    f = jax.jit(jax_callable(func))
    for k in (1, 2):
        assert f(k * A)[0].tolist() == [15 * k, 0, 0, 0, 0, 0]
    assert len(calls) == 3


@pytest.mark.parametrize("mode", [GraphMode.JAX, GraphMode.NONE], ids=lambda m: m.name)
def test_fills_copies_and_views(mode):
    def func(a: wp.array2d[float], out: wp.array2d[float], col: wp.array[float]):
        out.fill_(2.0)
        out[1] = 5.0
        out[0, 1] = 7.0
        wp.copy(out[2], a[0])
        col.assign([1.0, 2.0, 3.0])
        table = wp.array([10.0, 20.0, 30.0], dtype=float)
        wp.launch(add, dim=3, inputs=[col, a.transpose()[1]], outputs=[out[:, 2]])
        wp.launch(add, dim=3, inputs=[out[:, 2], table], outputs=[col])
        ones = wp.ones(3, dtype=float)
        wp.launch(add, dim=2, inputs=[a.flatten()[4:6], ones], outputs=[out[2, :2]])

    a = np.arange(9, dtype=np.float32).reshape(3, 3)
    f = jax_callable(func, num_outputs=2, output_dims={"col": 3}, graph_mode=mode)
    want = np.full((3, 3), 2.0)
    want[1] = 5
    want[0, 1] = 7
    want[2] = a[0]
    want[:, 2] = [1, 2, 3] + a[:, 1]
    col = want[:, 2] + [10, 20, 30]
    want[2, :2] = a.flatten()[4:6] + 1
    out, made = jax.jit(f)(a)
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(made, col)
    if mode == GraphMode.JAX:
        assert "warp_host_call" not in str(jax.make_jaxpr(f)(a))


def test_arrays_from_outside():
    """They are neither frozen nor forgotten: what they hold when the program runs counts."""
    table, log = wp.ones(6, dtype=float), wp.zeros(6, dtype=float)

    def func(a: wp.array[float], out: wp.array[float]):
        wp.launch(add, dim=a.shape, inputs=[a, table], outputs=[out])

    def func2(a: wp.array[float], out: wp.array[float]):
        wp.launch(add, dim=a.shape, inputs=[a, log], outputs=[log])
        wp.launch(scale, dim=a.shape, inputs=[a, 2.0], outputs=[out])

    f = jax.jit(jax_callable(func))
    assert f(A)[0].tolist() == (A + 1).tolist()
    table.fill_(2.0)
    assert f(A)[0].tolist() == (A + 2).tolist()
    text = str(jax.make_jaxpr(f)(A))
    assert "warp_captured" in text
    assert "warp_host_call" not in text
    for axis in (0, None):
        both = jax.vmap(lambda a: f(a)[0], in_axes=axis, axis_size=2)(np.stack([A, A]) if axis == 0 else A)
        assert both.tolist() == [(A + 2).tolist()] * 2
    assert jax.grad(lambda a: jnp.sum(f(a)[0] ** 2))(jnp.asarray(A)).tolist() == (2 * (A + 2)).tolist()
    # What is written is.
    f = jax.jit(jax_callable(func2))
    for k in (1, 2):
        assert f(A)[0].tolist() == (2 * A).tolist()
        assert log.list() == (k * A).tolist()


def test_zeros_that_differ_and_calls_with_the_same_numbers():
    seen = []

    def func(a: wp.array[float], s: float, n: int, flag: bool, out: wp.array[float]):
        seen.append((s, n, flag))
        wp.launch(scale, dim=a.shape, inputs=[a, 1.0 / s if s else np.copysign(1.0, s)], outputs=[out])

    f, a = jax_callable(func), jnp.asarray(A)
    for s, want in ((0.0, A), (-0.0, -A), (2.0, A / 2), (2, A / 2), (np.float32(2.0), A / 2)):
        assert f(a, s, 1, True)[0].tolist() == want.tolist()
        assert f(a, s, 1, True)[0].tolist() == want.tolist()
    assert seen == [(0.0, 1, True), (-0.0, 1, True), (2.0, 1, True)]
    assert [str(s) for s, _, _ in seen[:2]] == ["0.0", "-0.0"]
    f(a, 2.0, True, True)  # a bool is no int of another value
    f(a, 2.0, 2, False)
    assert seen[3:] == [(2.0, 2, False)]


def test_how_much_is_kept():
    before = ffi.get_jax_callable_default_graph_cache_max()
    assert before == 32
    seen = []

    def func(a: wp.array[float], out: wp.array[float]):
        seen.append(len(a))
        wp.launch(scale, dim=a.shape, inputs=[a, 2.0], outputs=[out])

    try:
        ffi.set_jax_callable_default_graph_cache_max(2)
        f = jax_callable(func)
    finally:
        ffi.set_jax_callable_default_graph_cache_max(before)
    assert f.graph_cache_max == 2

    def traced(n):
        return jax.make_jaxpr(lambda a: f(a))(A[:n])  # a new function, so that jax traces it

    for n in (1, 2, 3, 3, 2, 1):
        traced(n)
    assert f.graph_cache_size == 2
    assert seen == [1, 2, 3, 1]
    f.graph_cache_max = None
    ffi.clear_jax_callable_graph_cache(f)
    assert f.graph_cache_size == 0
    for n in (1, 2, 3, 4, 1):
        traced(n)
    assert f.graph_cache_size == 4
    ffi.clear_jax_callable_graph_cache()
    assert f.graph_cache_size == 0
    for wrong in (0, -1, 2.0, True):
        with pytest.raises(ValueError, match="expected a positive int or None"):
            ffi.set_jax_callable_default_graph_cache_max(wrong)
