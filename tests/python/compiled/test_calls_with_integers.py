"""Long functions that are called with many constant integers compute what they compute for integers that are read."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import warp as wp

from randomized import random_kernels

CALLS = 8
HEAD = ["a: wp.array(dtype=wp.float64)", "i: int", "x: wp.float64", "k: int"]


def statements(rng: random.Random, needs: bool) -> list[str]:
    """What a function does with the integer `k`. `needs`: some of it is other code for other integers."""
    number = f"{rng.uniform(0.2, 0.8):.3f}"
    m, n = rng.randint(1, 6), rng.randint(-5, 5)
    ways = [
        [f"x = x * wp.float64({number}) + wp.float64(k * {m} - {n}) * wp.float64(0.1)"],
        [f"x = x * wp.float64({number}) + a[(i + k * {m} + {n + 9}) % a.shape[0]]"],
        [f"j = j + k - {n}", f"x += wp.sin(wp.float64(j)) * wp.float64({number})"],
        [f"j = wp.max(-j, k // {m}) % 11", "x += wp.float64(wp.int64(j) * wp.int64(k)) * wp.float64(0.01)"],
        [f"x -= a[wp.clamp(k + j + {n}, 0, 8)] * wp.float64({number})"],
        [f"x = x * wp.float64({number}) + helper(a, j, x, k + {m}) * wp.float64(0.1)"],
        [f"x += wp.float64(wp.vec3d(x, wp.float64(k), wp.float64(1.0))[{m} % 3]) * wp.float64({number})"],
    ]
    if needs:
        ways += [
            [f"for q in range(k % {m + 1}):", f"    x += wp.float64(q + {n}) * wp.float64({number})"],
            [f"if k % {m + 1} == 1:", f"    x = x * wp.float64({number}) + wp.float64(j)", "else:", "    j += 1"],
            ["x += wp.vec3d(x, wp.float64(2.0), wp.float64(j))[k % 3]"],
            [f"x = x * wp.float64({number}) + (wp.float64(1.5) + wp.sin(x)) ** wp.float64(k % 3)"],
        ]
    return rng.choice(ways)


def function(rng: random.Random, name: str, size: int, needs: bool) -> list[str]:
    lines = ["@wp.func", f"def {name}({', '.join(HEAD)}):", f"    j = k * {rng.randint(1, 5)}"]
    while len(lines) < size:
        block = statements(rng, needs)
        lines += [f"    {line}" for line in block if name != "helper" or "helper" not in line]
    return [*lines, "    return x"]


def kernel(name: str, arguments: list[str]) -> list[str]:
    lines = ["@wp.kernel", f"def {name}(a: wp.array(dtype=wp.float64), ks: wp.array(dtype=int),"]
    lines += ["        y: wp.array(dtype=wp.float64)):", "    i = wp.tid()", "    x = a[i]"]
    lines += [f"    x = x * wp.float64(0.5) + f(a, i, x, {k}) * wp.float64(0.1)" for k in arguments]
    return [*lines, "    y[i] = x"]


def run(kernel: wp.Kernel, ks: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """What it writes, and the gradient of the sum of that."""
    a = wp.array(np.linspace(0.1, 1.3, 23), dtype=wp.float64, requires_grad=True)
    y = wp.zeros(23, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(kernel, dim=23, inputs=[a, wp.array(ks, dtype=int)], outputs=[y])
    tape.backward(grads={y: wp.ones_like(y)})
    return y.numpy(), a.grad.numpy()


@pytest.mark.parametrize("inline", [True, False], ids=["short", "long"])
@pytest.mark.parametrize("needs", [False, True], ids=["any", "needed"])
@pytest.mark.parametrize("seed", range(2))
def test_constants_are_integers_like_others(seed: int, needs: bool, inline: bool) -> None:
    rng = random.Random(f"{seed} {needs} {inline}")
    ks = [rng.randint(0, 40) for _ in range(CALLS if inline else 2 * CALLS)]
    lines = function(rng, "helper", 40, needs) + function(rng, "f", 75 if inline else 110, needs)
    lines += kernel("known", [str(k) for k in ks]) + kernel("read", [f"ks[{n}]" for n in range(len(ks))])
    text = "\n".join(lines) + "\n"
    names: dict[str, Any] = random_kernels.compile_text(text, {"wp": wp}, f"integers {seed} {needs} {inline}")
    for got, want in zip(run(names["known"], ks), run(names["read"], ks), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12, err_msg=text)


@wp.func
def with_flags(x: float, k: int, twice: bool):
    s = x
    for j in range(16):
        s = s * 0.5 + float(k + j) * 0.01
    if twice:
        s = s * 2.0
    return s


def test_flags_and_integers_of_one_call() -> None:
    """Flags are known, integers need not be."""

    @wp.kernel
    def kernel(y: wp.array(dtype=float)):
        s = float(0.0)
        for k in range(12):
            s += with_flags(s, k, k % 2 == 0)
        y[0] = s

    y = wp.zeros(1, dtype=float)
    wp.launch(kernel, dim=1, inputs=[y])
    want = 0.0
    for k in range(12):
        s = want
        for j in range(16):
            s = s * 0.5 + (k + j) * 0.01
        want += s * 2.0 if k % 2 == 0 else s
    np.testing.assert_allclose(y.numpy()[0], want, rtol=1e-5)
