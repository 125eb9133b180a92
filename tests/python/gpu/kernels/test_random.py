"""Random kernels and programs: a GPU, the CPU and the interpreter agree, gradients included."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import warp as wp
from warp import _warp

from randomized import random_kernels, random_language, random_programs
from randomized import test_random_language as language
from randomized import test_random_programs as programs

GPU = "cuda:0"
PER_TEST = 5
COUNT = int(os.environ.get("WARP_RANDOM_GPU", "2000" if random_kernels.SOAK else "40"))
SIZE = 4
firsts = pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))


def gradients(kernel, dim: int, values: list[np.ndarray], dtypes: list[Any], rest: tuple, device: str):
    """What a launch leaves in its arrays, and the gradients of all of them."""
    with wp.ScopedDevice(device):
        leaves = [wp.array(v, dtype=d, requires_grad=True) for v, d in zip(values, dtypes, strict=True)]
        with wp.Tape() as tape:
            passed = [wp.clone(a) for a in leaves]
            wp.launch(kernel, dim=dim, inputs=[*passed, *rest])
        seeds = {
            a: wp.array(np.linspace(0.5, 1.5, v.size).reshape(v.shape), dtype=d)
            for a, v, d in zip(passed, values, dtypes, strict=True)
        }
        tape.backward(grads=seeds)
        return [a.numpy() for a in passed], [a.grad.numpy() for a in leaves]


def agree(kernel, dim, values, dtypes, rest, note):
    there, slopes_there = gradients(kernel, dim, values, dtypes, rest, GPU)
    here, slopes_here = gradients(kernel, dim, values, dtypes, rest, "cpu")
    interpreted = [v.copy() for v in values]
    _warp.interpret(kernel, dim=dim, inputs=[*interpreted, *rest])
    for got, want, again in zip(there, here, interpreted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12, err_msg=note)
        np.testing.assert_allclose(got, again, rtol=1e-11, atol=1e-12, err_msg=note)
    for got, want in zip(slopes_there, slopes_here, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9, err_msg=note)


@firsts
def test_kernels(first, monkeypatch):
    for seed in range(first, first + PER_TEST):
        monkeypatch.setattr(wp.config, "optimization_level", random_kernels.optimization_level(seed))
        text = random_kernels.Generator(seed).program()
        kernel = random_kernels.compile_text(text, {"wp": wp}, f"gpu {seed}")["kernel"]
        rng = np.random.default_rng(seed)
        values = [*rng.uniform(-1.5, 1.5, (2, SIZE)), np.zeros(SIZE), np.zeros(1)]
        rest = int(rng.integers(0, 5)), float(rng.uniform(-1.0, 1.0))
        agree(kernel, SIZE, values, [wp.float64] * 4, rest, f"seed {seed}\n{text}")


@firsts
def test_language(first, monkeypatch):
    for seed in range(first, first + PER_TEST):
        monkeypatch.setattr(wp.config, "optimization_level", random_kernels.optimization_level(seed))
        text = random_language.Generator(seed).program()
        kernel = random_kernels.compile_text(text, {"wp": wp, "Any": Any}, f"gpu language {seed}")["kernel"]
        given, n, p = language.inputs(seed)
        values = given + [np.zeros(shape) for shape in language.SHAPES[language.GIVEN :]]
        agree(kernel, language.SIZE, values, language.DTYPES, (n, p), f"seed {seed}\n{text}")


@firsts
def test_programs(first, monkeypatch):
    for seed in range(first, first + PER_TEST):
        monkeypatch.setattr(wp.config, "optimization_level", random_kernels.optimization_level(seed))
        program = random_programs.Program(seed)
        rng = np.random.default_rng(seed)
        values = {name: rng.uniform(-1.5, 1.5, programs.SHAPES[name]) for name in programs.NAMES}
        seeds = {name: rng.uniform(-1.0, 1.0, programs.SHAPES[name]) for name in programs.NAMES}
        found = []
        for device in (GPU, "cpu"):
            with wp.ScopedDevice(device):
                last = program.run(programs.arrays(values, False))
                found.append(
                    [*(last[n].numpy() for n in programs.NAMES), programs.gradients(program, values, seeds, seed)]
                )
        for there, here in zip(*found, strict=True):
            np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-10, err_msg=f"seed {seed}\n{program}")
