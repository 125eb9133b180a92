"""What must be true after a block about JAX ran: numbers known beforehand, from the functions that it defines."""

from __future__ import annotations

import numpy as np

from .running import Ran


def same(got: object, want: object) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-6)


def round_trip(ran: Ran) -> None:
    """Both directions share one memory."""
    import jax

    assert isinstance(ran["jax_array"], jax.Array)
    assert ran["jax_array"].unsafe_buffer_pointer() == ran["warp_array"].ptr
    assert ran["warp_array"].list() == ran["jax_array"].tolist() == [0, 1, 2]


def imported(ran: Ran) -> None:
    import warp.jax

    assert ran["jax_kernel"] is warp.jax.jax_kernel


def triple(ran: Ran) -> None:
    (out,) = ran["f"]()
    same(out, 3 * np.arange(64))
    assert "189." in ran.printed


def sums_of_pairs(ran: Ran) -> None:
    same(ran["x"], np.full(64, 3))
    same(ran["y"], np.full(64, 5))


def add(ran: Ran) -> None:
    (out,) = ran["f"]()
    same(out, np.arange(10) + 1)
    assert out.dtype == np.int32


def sincos(ran: Ran) -> None:
    angle = np.linspace(0, 2 * np.pi, 32, dtype=np.float32)
    s, c = ran["f"]()
    np.testing.assert_allclose(s, np.sin(angle), atol=1e-6)
    np.testing.assert_allclose(c, np.cos(angle), atol=1e-6)


def diagonal(ran: Ran) -> None:
    (out,) = ran["f"]()
    same(out, np.broadcast_to(np.diag([1, 2, 3]), (4, 3, 3)))


def scaled(ran: Ran) -> None:
    (out,) = ran["f"]()
    same(out, 2 * np.arange(10))


def scaled_by_argument(ran: Ran) -> None:
    """Also where the document announces an error: a value that jax traces is passed on."""
    for s in (2.0, 3.5):
        same(ran["f"](ran["a"], s)[0], s * np.arange(10))
    assert "18." in ran.printed


def products(ran: Ran) -> None:
    same(*ran["r1"], np.full((3, 4), 12))
    same(*ran["r2"], np.full((4, 3), 12))


def product(ran: Ran) -> None:
    (out,) = ran["f"]()
    same(out, np.full((3, 4), 12))


def funky(ran: Ran) -> None:
    """The kernel does nothing: what it would have written is zero."""
    b, c = ran["jax_funky"](ran["a"])
    assert b.shape == c.shape == ran["a"].shape
    assert not b.any()
    assert not c.any()


def funky_shapes(*shapes: tuple[int, ...]):
    def check(ran: Ran) -> None:
        for name, shape in zip("bc", shapes, strict=True):
            assert ran[name].shape == shape
            assert not ran[name].any()

    return check


def vectors(ran: Ran) -> None:
    assert ran["f"]() is None  # the block's function returns nothing
    made = ran["jax_vecmat"](*(ran["jnp"].zeros(shape) for shape in ((10,), (10, 3), (10, 2, 2))))
    assert [x.shape for x in made] == [(10,), (10, 3), (10, 2, 2)]


def vector_shapes(ran: Ran) -> None:
    assert [ran[name].shape for name in "def"] == [(10,), (10, 3), (10, 2, 2)]


def vmap_methods(ran: Ran) -> None:
    import jax
    from warp._jax.primitive import kernel_p

    assert ran["f"]() is None
    batch = ran["jnp"].arange(12.0).reshape(3, 4)
    same(jax.vmap(ran["jax_callback"])(batch)[0], 2 * batch)
    # "sequential" loops over the batch, "expand_dims" does not.
    for method, loops in ((None, True), ("expand_dims", False)):
        made = jax.make_jaxpr(jax.vmap(lambda x, m=method: ran["jax_callback"](x, vmap_method=m)))(batch)
        names = [e.primitive for e in made.eqns]
        assert (kernel_p in names) != loops


def batched_add(ran: Ran) -> None:
    same(ran["output"], 1 + np.arange(12).reshape(3, 4))


def batched_rowsum(ran: Ran) -> None:
    matrices = np.arange(24).reshape(2, 3, 4)
    same(ran["output"], np.moveaxis(matrices, 2, 0).sum(2))
    for axis in range(3):
        moved = np.moveaxis(matrices, axis, 0)
        sums = ran["matrices"][0, 0, 0] * np.zeros(moved.shape[:2], np.float32)
        (out,) = ran["jax"].vmap(ran["jax_rowsum"], in_axes=(axis, 0))(ran["matrices"], sums)
        same(out, moved.sum(2))


def rowsum_kernel(ran: Ran) -> None:
    wp = ran["wp"]
    sums = wp.zeros(2, dtype=float)
    wp.launch(ran["rowsum_kernel"], dim=(2, 3), inputs=[wp.array(np.ones((2, 3), np.float32)), sums])
    assert sums.list() == [3, 3]


def lookup_kernel(ran: Ran) -> None:
    wp = ran["wp"]
    out = wp.zeros(2, dtype=float)
    table, indices = wp.array([5.0, 6.0, 7.0], dtype=float), wp.array([2, 0], dtype=int)
    wp.launch(ran["lookup_kernel"], dim=2, inputs=[table, indices, out])
    assert out.list() == [7, 5]


def batched_lookup(ran: Ran) -> None:
    same(ran["output"], np.asarray(ran["indices"]).T)
    assert ran["output"].shape == (50, 20)


def gradients(ran: Ran) -> None:
    """(2 a + 1)^2, differentiated by both."""
    a = np.arange(16)
    same(ran["da"], 4 * (2 * a + 1))
    same(ran["db"], 2 * (2 * a + 1))


def gradients_of_two(ran: Ran) -> None:
    """a^2 + 2 a b at b = 1."""
    a = np.arange(16)
    same(ran["da"], 2 * a + 2)
    same(ran["db"], 2 * a)


def gradients_of_vectors(ran: Ran) -> None:
    same(ran["da2"], np.full((5, 2), 3))


def callback_imported(ran: Ran) -> None:
    import warp.jax_experimental

    assert ran["register_ffi_callback"] is warp.jax_experimental.register_ffi_callback


def callback_called(ran: Ran) -> None:
    """The block is the form of the call."""
    assert ran["calls"] == [(ran["inputs"], ran["outputs"], ran["attrs"], ran["ctx"])]


def callbacks(ran: Ran) -> None:
    same(ran["c"], 2 * np.arange(10))
    same(ran["d"], 2 * np.arange(10).reshape(5, 2))


def begun(printed: str, _devices: int) -> None:
    """The block says nothing; that there are two processes is asked after it."""
    assert printed == ""


def sharded_double(printed: str, devices: int) -> None:
    assert printed.startswith(f"Running on {devices} GPU(s)\nTest distributed multiplication")
    given, made = printed.split("Input array:")[1].split("Warp Output:")
    same(numbers(given), np.arange(5 * devices))
    same(numbers(made), 2 * np.arange(5 * devices))


def sharded_product(printed: str, devices: int) -> None:
    assert printed.startswith(f"Running on {devices} GPU(s)")
    m = 8 * devices
    a, b = np.arange(m * 4).reshape(m, 4), np.arange(24).reshape(4, 6)
    assert f"Warp output shape: {(m, 6)}" in printed
    assert printed.rstrip().endswith("Allclose: True")
    made = printed.split("Warp Output:")[1].split("JAX Output:")[0]
    same(numbers(made).reshape(m, 6), a @ b)


def numbers(text: str) -> np.ndarray:
    """The numbers of a printed array."""
    return np.array([float(word) for word in text.replace("[", " ").replace("]", " ").split() if word[0].isdigit()])


def callables(ran: Ran) -> None:
    """Traced: the compiled program calls no Python."""
    import warp.jax_experimental.ffi

    assert ran["jax_callable"] is warp.jax_experimental.ffi.jax_callable is warp.jax_experimental.jax_callable
    same(ran["r1"], 2 * np.arange(10))
    same(ran["r2"], 2 * np.arange(10).reshape(5, 2))
    assert "callback" not in ran["f"].lower().as_text()
    assert ran["f"].lower().as_text().count("warp_kernel") == 2
    for mode in warp.jax_experimental.ffi.GraphMode:
        f = ran["jax_callable"](ran["example_func"], num_outputs=2, graph_mode=mode)
        made = f(ran["a"], ran["c"].reshape(20, 2), -1.5, output_dims={"c": 10, "d": 20})
        same(made[0], -1.5 * np.ones(10))
        same(made[1], -1.5 * np.ones((20, 2)))
