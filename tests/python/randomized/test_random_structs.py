"""Random kernels whose variables, arguments and arrays are put into structs: values and gradients stay what they are.

The kernels are those of `test_random_kernels`, where they are held to CPython, the interpreter and differences.
"""

from __future__ import annotations

import os
import re

import numpy as np
import pytest
import warp as wp
from warp import _warp

from . import random_kernels
from .test_random_kernels import SIZE, copy, inputs

COUNT = int(os.environ.get("WARP_RANDOM_STRUCTS", "10000" if random_kernels.SOAK else "10"))
PER_TEST = 50

D = wp.float64


@wp.struct
class Numbers:
    n: int
    p: wp.float64


@wp.struct
class Cell:
    """An element with other things around the number that counts."""

    before: wp.int8
    y: wp.float64
    after: wp.vec3


@wp.struct
class Given:
    x: wp.array(dtype=wp.float64)
    cells: wp.array(dtype=Cell)
    numbers: Numbers
    acc: wp.array(dtype=wp.float64)


def in_structs(text: str) -> tuple[str, dict]:
    """The program with its variables in a struct within a struct, and the names that it needs."""
    functions, body = text.split("@wp.kernel")
    body = body.split("i = wp.tid()\n")[1]
    names = sorted(set(re.findall(r"\bv\d+\b", body)))
    part = wp.struct(type("Part", (), {"__annotations__": dict.fromkeys(names, wp.float64)}))
    local = wp.struct(type("Local", (), {"__annotations__": {"count": int, "part": part}}))
    body = re.sub(r"\b(v\d+)\b", r"s.part.\1", body)
    body = re.sub(r"\b(n|p)\b", r"g.numbers.\1", body)
    body = re.sub(r"\b(x\[|acc\b)", r"g.\1", body)
    body = re.sub(r"\by\[i\]", "g.cells[i].y", body)
    head = "@wp.kernel\ndef kernel(g: Given, out: wp.array(dtype=wp.float64)):\n    i = wp.tid()\n    s = Local()\n"
    return functions + head + body, {"wp": wp, "Local": local, "Given": Given}


def run(kernel, seed, x, y, n, p):
    """Values and gradients with arguments of their own."""
    plain = seed is None
    wx, leaf, wy, out = (wp.array(v, dtype=D, requires_grad=True) for v in (x, y, y, np.zeros(SIZE)))
    acc = wp.zeros(1, dtype=D, requires_grad=True)
    leaves, cells = (wp.zeros(SIZE, dtype=Cell, requires_grad=True) for _ in range(2))
    leaves.numpy()["y"], leaves.numpy()["after"] = y, 5.0
    args = [wx, wy, out, acc, n, p] if plain else [Given(wx, cells, Numbers(n, p), acc), out]
    rng = np.random.default_rng(3)
    seeds = {
        wy if plain else cells: rng.uniform(-1, 1, SIZE),
        out: rng.uniform(-1, 1, SIZE),
        acc: rng.uniform(-1, 1, 1),
    }
    if not plain:
        given = np.zeros(SIZE, Cell.numpy_dtype())
        given["y"] = seeds[cells]
        seeds[cells] = given
    with wp.Tape() as tape:
        if plain:
            wp.launch(copy, SIZE, [leaf, wy])
        else:
            wp.copy(cells, leaves)
        wp.launch(kernel, SIZE, args)
    tape.backward(grads=seeds)
    if not plain:
        again = leaves.clone()
        _warp.interpret(kernel, SIZE, [Given(wx, again, Numbers(n, p), wp.zeros(1, dtype=D)), wp.zeros(SIZE, dtype=D)])
        np.testing.assert_allclose(again.numpy()["y"], cells.numpy()["y"], rtol=1e-12, atol=1e-13)
        assert (cells.numpy()["after"] == 5.0).all()
        assert not cells.numpy()["before"].any()
        assert not leaves.grad.numpy()["after"].any()
    gradient = leaf.grad.numpy() if plain else leaves.grad.numpy()["y"]
    return [wy.numpy() if plain else cells.numpy()["y"], out.numpy(), acc.numpy(), wx.grad.numpy(), gradient]


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_values_and_gradients_are_those_without_structs(first, monkeypatch):
    for seed in range(first, min(first + PER_TEST, COUNT)):
        monkeypatch.setattr(wp.config, "optimization_level", random_kernels.optimization_level(seed))
        text = random_kernels.Generator(seed).program()
        changed, names = in_structs(text)
        kernel = random_kernels.compile_text(text, {"wp": wp}, f"{seed} plain")["kernel"]
        struct_kernel = random_kernels.compile_text(changed, names, f"{seed} structs")["kernel"]
        x, y, n, p = inputs(seed)
        wanted, found = run(kernel, None, x, y, n, p), run(struct_kernel, seed, x, y, n, p)
        for w, f in zip(wanted, found, strict=True):
            np.testing.assert_allclose(f, w, rtol=1e-10, atol=1e-12, err_msg=changed)
