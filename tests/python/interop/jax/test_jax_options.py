"""What `jax_kernel` and `jax_callable` take besides: names of the top level, effects, batches, modes, wrong calls."""

from __future__ import annotations

import functools
import gc
import weakref

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy


@wp.kernel
def double(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = 2.0 * x[i]


@wp.kernel
def change(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0
    out[i] = 2.0 * x[i]


def changes(x: wp.array(dtype=float), out: wp.array(dtype=float)) -> None:
    wp.launch(change, dim=x.shape, inputs=[x], outputs=[out])


def twice(x: wp.array(dtype=float), out: wp.array(dtype=float)) -> None:
    wp.launch(double, dim=x.shape, inputs=[x], outputs=[out])


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_the_names_of_the_top_level():
    from warp.jax_experimental import GraphMode

    np.testing.assert_array_equal(wp.jax_kernel(double)(jnp.asarray(X[0]))[0], 2 * X[0])
    f = wp.jax_callable(twice, graph_mode=wp.JaxCallableGraphMode.WARP)
    np.testing.assert_array_equal(f(jnp.asarray(X[0]))[0], 2 * X[0])
    assert f.graph_cache_size == 1
    wp.clear_jax_callable_graph_cache()
    assert f.graph_cache_size == 0
    assert [m.name for m in wp.JaxCallableGraphMode] == ["NONE", "JAX", "WARP", "WARP_STAGED", "WARP_STAGED_EX"]
    assert [int(m) for m in wp.JaxModulePreloadMode] == [0, 1, 2]
    assert GraphMode.JAX == wp.JaxCallableGraphMode.JAX


@pytest.mark.parametrize(
    "method", ["broadcast_all", "expand_dims", "legacy_vectorized", "sequential", "sequential_unrolled"]
)
def test_batches(method):
    for f in (wp.jax_kernel(double, vmap_method=method), wp.jax_callable(twice, vmap_method=method)):
        for wrap in (lambda g: g, jax.jit):
            np.testing.assert_array_equal(wrap(jax.vmap(lambda x, f=f: f(x)[0]))(X), 2 * X)
            np.testing.assert_array_equal(wrap(jax.vmap(lambda x, f=f: f(x)[0], in_axes=1))(X.T), 2 * X)


def test_how_batches_are_made():
    def loops(method):
        made = jax.make_jaxpr(jax.vmap(lambda x: wp.jax_kernel(double, vmap_method=method)(x)[0]))(X)
        text = str(made)
        return "scan" in text or "while" in text, text.count("warp_kernel")

    assert loops("sequential") == (True, 1)
    assert loops("sequential_unrolled") == (False, 2)
    assert loops("broadcast_all") == (False, 1)


def test_no_batches():
    for f in (wp.jax_kernel(double, vmap_method=None), wp.jax_callable(twice, vmap_method=None)):
        np.testing.assert_array_equal(f(X[0])[0], 2 * X[0])
        with pytest.raises(NotImplementedError, match="vmap_method=None"):
            jax.vmap(lambda x, f=f: f(x)[0])(X)
        np.testing.assert_array_equal(jax.vmap(lambda x, f=f: f(x, vmap_method="sequential")[0])(X), 2 * X)


def test_effects_are_kept():
    def program(f):
        return jax.jit(lambda x: (f(x), x + 1)[1]).lower(X[0]).compile().as_text().count("warp_kernel")

    assert program(wp.jax_kernel(double)) == 0
    assert program(wp.jax_kernel(double, has_side_effect=True)) > 0
    assert program(wp.jax_callable(twice)) == 0
    assert program(wp.jax_callable(twice, has_side_effect=True)) > 0
    f = wp.jax_kernel(double, has_side_effect=True, enable_backward=True)
    np.testing.assert_array_equal(jax.grad(lambda x: f(x)[0].sum())(jnp.asarray(X[0])), [2, 2, 2])
    np.testing.assert_array_equal(jax.vmap(lambda x: f(x)[0])(X), 2 * X)


@pytest.mark.parametrize("mode", [wp.JaxCallableGraphMode.WARP_STAGED, wp.JaxCallableGraphMode.WARP_STAGED_EX])
def test_staged_modes_are_as_warp_on_the_cpu(mode):
    f = wp.jax_callable(twice, graph_mode=mode, stage_in_argnames=["x"], stage_out_argnames=["out"])
    np.testing.assert_array_equal(f(X[0])[0], 2 * X[0])


def test_options():
    f = wp.jax_callable(twice, graph_cache_max=1, module_preload_mode=wp.JaxModulePreloadMode.NONE)
    for n in (2, 3, 4):
        f(jnp.zeros(n))
    assert f.graph_cache_size == 1
    assert wp.jax_callable(twice).graph_cache_max == 32
    assert wp.jax_callable(twice, graph_cache_max=None).graph_cache_max is None
    wp.jax_kernel(double, module_preload_mode=wp.JaxModulePreloadMode.ALL_DEVICES, block_dim=64)(X[0])


SAME = {
    "nothing": ({}, {}),
    "no names": ({"in_out_argnames": []}, {"in_out_argnames": None}),
    "kinds of sequences": (
        {"in_out_argnames": ["out", "x"], "num_outputs": 2},
        {"in_out_argnames": ("x", "out"), "num_outputs": 2},
    ),
    "extents": ({"output_dims": [4]}, {"output_dims": np.int64(4)}),
    "extents by name": ({"output_dims": {"out": 4}}, {"output_dims": {"out": (4,)}}),
    "NumPy's numbers": ({"num_outputs": np.int32(1)}, {"num_outputs": 1}),
}


@pytest.mark.parametrize(("first", "second"), SAME.values(), ids=SAME)
@pytest.mark.parametrize("make", [lambda **o: wp.jax_kernel(double, **o), lambda **o: wp.jax_callable(twice, **o)])
def test_the_same_options_give_the_same_object(make, first, second):
    assert make(**first) is make(**first)
    assert make(**first) is make(**second)
    assert make(**first) is not make(**{**second, "has_side_effect": True})


def test_the_same_options_of_one_of_the_two():
    assert wp.jax_kernel(double, launch_dims=[3, 2]) is wp.jax_kernel(double, launch_dims=(3, np.int8(2)))
    assert wp.jax_kernel(double, block_dim=np.int32(64)) is wp.jax_kernel(double, block_dim=64)
    assert wp.jax_kernel(double, block_dim=64) is not wp.jax_kernel(double)
    staged = {"graph_mode": wp.JaxCallableGraphMode.WARP_STAGED}
    some = wp.jax_callable(twice, stage_in_argnames=["x"], stage_out_argnames=["out"], **staged)
    assert some is wp.jax_callable(twice, stage_in_argnames=("x",), stage_out_argnames=["out"], **staged)
    assert some is not wp.jax_callable(twice, stage_in_argnames=["x"], **staged)
    assert wp.jax_callable(twice, graph_cache_max=np.int64(3)) is wp.jax_callable(twice, graph_cache_max=3)
    changed = wp.jax_callable(twice, graph_cache_max=5)
    changed.graph_cache_max = 1
    assert wp.jax_callable(twice, graph_cache_max=5).graph_cache_max == 5
    from warp.jax_experimental import custom_call

    assert custom_call.jax_kernel(double) is custom_call.jax_kernel(double)
    dims = {"out": 4}
    f = wp.jax_kernel(double, output_dims=dims)
    dims["out"] = 5
    assert f(X[0])[0].shape == (4,)


FACTOR = 2.0


def test_nothing_is_traced_anew():
    runs = []

    def function(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        runs.append(FACTOR)
        wp.launch(double, dim=x.shape, inputs=[x], outputs=[out])

    for _ in range(3):
        wp.jax_callable(function)(X[0])
    assert len(runs) == 1
    before = wp.jax_callable(function)
    globals()["FACTOR"] = 3.0  # what the function reads is something else
    assert wp.jax_callable(function) is not before
    globals()["FACTOR"] = 2.0


def test_methods_and_wrappers_are_told_apart():
    class Holder:
        def method(self, x: wp.array(dtype=float), out: wp.array(dtype=float)):
            wp.launch(double, dim=x.shape, inputs=[x], outputs=[out])

    one, other = Holder(), Holder()
    f, g = wp.jax_callable(one.method), wp.jax_callable(other.method)
    assert f is not g
    assert f is wp.jax_callable(one.method)
    wrapped = functools.wraps(twice)(lambda x, out: twice(x, out))
    assert wp.jax_callable(wrapped) is not wp.jax_callable(twice)


def test_what_is_made_is_freed_with_the_function():
    def define():
        def function(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            wp.launch(double, dim=x.shape, inputs=[x], outputs=[out])

        return weakref.ref(wp.jax_callable(function))

    made = define()
    gc.collect()
    assert made() is None


@pytest.mark.parametrize("what", ["in_out_argnames", "stage_in_argnames", "stage_out_argnames"])
def test_names_are_checked_each_time(what):
    functions = [lambda **o: wp.jax_callable(changes, **o)]
    if what == "in_out_argnames":
        functions += [lambda **o: wp.jax_kernel(change, **o), lambda **o: wp.jax_kernel(change, 2, **o)]
        functions += [lambda **o: wp.torch.torch_kernel(change, **o), lambda **o: wp.paddle.paddle_kernel(change, **o)]
    for make in functions:
        for _ in range(2):
            with pytest.raises(ValueError, match=f"{what} names 'x' twice"):
                make(**{what: ["x", "x"]})
            with pytest.raises(ValueError, match=f"no parameter 'zz' .{what}."):
                make(**{what: ["zz"]})
            with pytest.raises(TypeError, match=f"{what} is a str"):
                make(**{what: "x"})


def test_extents_that_no_array_has_are_refused():
    large = jax.ShapeDtypeStruct((2**31,), jnp.float32)
    rows = jax.ShapeDtypeStruct((2**31, 2), jnp.float32)
    for f in (wp.jax_kernel(double), wp.jax_callable(twice)):
        for program, shape in ((f, large), (jax.vmap(f), rows), (lambda x, f=f: f(x, output_dims=2**31), X[0])):
            with pytest.raises(ValueError, match="extents"):
                jax.eval_shape(program, shape)


def test_read_only_arrays_become_jax_arrays():
    content = np.arange(6, dtype=np.float32)
    content.flags.writeable = False
    for view in (content, content[::2], np.broadcast_to(content[:1], (3,))):
        np.testing.assert_array_equal(wp.to_jax(wp.array(view, copy=False)), view)


def returns(x: wp.array(dtype=float), out: wp.array(dtype=float)) -> int:
    pass


def bare(x, out: wp.array(dtype=float)):
    pass


def foreign(x: str, out: wp.array(dtype=float)):
    pass


WRONG = {
    "number of dimensions": (lambda: wp.jax_kernel(double)(X), "dimension", (TypeError, ValueError)),
    "no gradient": (
        lambda: jax.grad(lambda x: wp.jax_kernel(double)(x)[0].sum())(jnp.asarray(X[0])),
        "no gradient",
        (TypeError, ValueError),
    ),
    "fewer arguments": (lambda: wp.jax_kernel(double, num_outputs=1)(), "takes 1 inputs", (ValueError, TypeError)),
    "more arguments": (lambda: wp.jax_kernel(double)(X[0], X[0]), "all of them were given", (ValueError, TypeError)),
    "unknown in_out": (lambda: wp.jax_kernel(double, in_out_argnames=["zz"]), "no parameter 'zz'", (ValueError,)),
    "unknown stage": (lambda: wp.jax_callable(twice, stage_in_argnames=["zz"]), "'zz' .stage_in", (ValueError,)),
    "preload mode": (lambda: wp.jax_kernel(double, module_preload_mode=7), "module_preload_mode", (ValueError,)),
    "block_dim": (lambda: wp.jax_kernel(double, block_dim=0), "block_dim", (ValueError,)),
    "graph_cache_max": (lambda: wp.jax_callable(twice, graph_cache_max=0), "cache_max", (ValueError,)),
    "vmap_method": (lambda: wp.jax_kernel(double, vmap_method="loop"), "vmap_method", (ValueError,)),
    "return": (lambda: wp.jax_callable(returns), "returns", (TypeError,)),
    "no annotation": (lambda: wp.jax_callable(bare), "no annotation", (TypeError, RuntimeError)),
    "annotation": (lambda: wp.jax_callable(foreign), "annotation", (TypeError, RuntimeError)),
}


@pytest.mark.parametrize(("misuse", "says", "classes"), WRONG.values(), ids=WRONG)
def test_wrong_calls(misuse, says, classes):
    for expected in classes:
        with pytest.raises(expected, match=says):
            misuse()


def test_arrays_of_jax_are_read_as_the_other_sign():
    x = jnp.asarray(np.int32([[1, -1], [2, -2]]))
    assert wp.from_jax(x, dtype=wp.uint32).numpy().tolist() == [[1, 2**32 - 1], [2, 2**32 - 2]]
    assert wp.from_jax(x, dtype=wp.vec2ui).list() == [(1, 2**32 - 1), (2, 2**32 - 2)]
    assert wp.from_jax(jnp.asarray([True, False]), dtype=wp.uint8).list() == [1, 0]
    assert wp.from_jax(jnp.asarray([[True, False]]), dtype=wp.types.vector(2, wp.int8)).list() == [(1, 0)]
    with pytest.raises(TypeError, match="int32"):
        wp.from_jax(x, dtype=wp.float32)
