"""Names that blocks of the documents use as if the reader had made them: one maker per kind of block."""

from __future__ import annotations

from typing import Any

import pytest
import warp as wp


def external_array() -> dict[str, Any]:
    import torch

    return {"external_array": torch.arange(6, dtype=torch.float32).reshape(2, 3)}


def one_array_of_each() -> dict[str, Any]:
    """The frameworks, an array of each and one of Warp's, with different values."""
    import torch

    jax = pytest.importorskip("jax")
    paddle = pytest.importorskip("paddle")
    return {
        "jax": jax,
        "torch": torch,
        "paddle": paddle,
        "jax_array": jax.numpy.arange(3, dtype="float32"),
        "torch_tensor": torch.arange(3, dtype=torch.float32) + 10,
        "paddle_tensor": paddle.arange(3, dtype="float32") + 20,
        "warp_array": wp.array([30, 31, 32], dtype=float),
    }


def jax_names() -> dict[str, Any]:
    """What the blocks about JAX take from those before them, and the sizes that they leave open."""
    jax = pytest.importorskip("jax")
    from functools import partial

    from warp.jax_experimental import jax_kernel

    jnp = jax.numpy
    return {
        "jax": jax,
        "jnp": jnp,
        "jp": jnp,
        "partial": partial,
        "jax_kernel": jax_kernel,
        "jax_array": jnp.arange(3.0),
        "a": jnp.ones(10),
        "b": jnp.ones((10, 3)),
        "c": jnp.ones((10, 2, 2)),
        "n": 10,
        "m": 7,
        "k": 5,
    }


def jax_names_and_a_kernel() -> dict[str, Any]:
    """As above, with a kernel."""
    names = jax_names()

    @wp.kernel
    def my_kernel(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 2.0 * x[i]

    return {**names, "my_kernel": my_kernel, "c": names["jnp"].arange(4.0)}


def jax_callback() -> dict[str, Any]:
    """As above, with a callback's arguments, and one that keeps them."""
    names = jax_names()
    calls: list[Any] = []
    return {
        **names,
        "get_jax_device": lambda: names["jax"].local_devices()[0],
        "inputs": [],
        "outputs": [],
        "attrs": {},
        "ctx": None,
        "calls": calls,
        "func": lambda *args: calls.append(args),
    }
