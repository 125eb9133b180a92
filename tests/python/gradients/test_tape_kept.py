"""What tapes keep of overwritten arrays, for how long, and what that costs."""

from __future__ import annotations

import gc
import time

import numpy as np
import pytest
import warp as wp
from warp import _warp

from .overwriting import VALUES, add, array, ones, sine

torch = pytest.importorskip("torch")


@wp.kernel
def step(x: wp.array(dtype=wp.float64), v: wp.array(dtype=wp.float64), dt: wp.float64):
    i = wp.tid()
    v[i] = v[i] - dt * wp.sin(x[i])
    x[i] = x[i] + dt * v[i]


@wp.kernel
def step_apart(
    x: wp.array(dtype=wp.float64),
    v: wp.array(dtype=wp.float64),
    dt: wp.float64,
    x2: wp.array(dtype=wp.float64),
    v2: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    v2[i] = v[i] - dt * wp.sin(x[i])
    x2[i] = x[i] + dt * v2[i]


def test_nothing_is_kept_that_no_gradient_needs():
    x, y, s = array(VALUES), array(np.zeros(3)), array([0.0])
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        wp.launch(add, dim=3, inputs=[y, s])
        y.fill_(1.0)
        s.zero_()
        wp.copy(y, x)
        assert tape.kept_bytes == 0
        # Without gradients there is none to compute.
        plain = array(VALUES, False)
        wp.launch(sine, dim=3, inputs=[plain, array(np.zeros(3), False)])
        plain.zero_()
        assert tape.kept_bytes == 0
    # A part that is no part of what was read, and fields that lie between.
    big, out = array(np.zeros(12)), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[big[3:6], out])
        wp.launch(sine, dim=3, inputs=[big[6:12:2], out])
    big[0:3] = 1.0
    big[7:12:2] = 2.0
    assert tape.kept_bytes == 0
    big[5:7] = 2.0
    assert tape.kept_bytes == 48


def test_launches_of_one_content_share_one_copy():
    x, out = array(VALUES), [array(np.zeros(3)) for _ in range(50)]
    with wp.Tape() as tape:
        for y in out:
            wp.launch(sine, dim=3, inputs=[x, y])
        x.fill_(1.0)
        wp.launch(sine, dim=3, inputs=[x, out[0]])
        x.fill_(2.0)
        x.fill_(3.0)
    assert tape.kept_bytes == 48


def trajectory(in_place: bool, count: int):
    x, v = array(VALUES), array([0.1, 0.2, -0.3])
    first, total = (x, v), array([0.0])
    with wp.Tape() as tape:
        x, v = wp.clone(x), wp.clone(v)
        for _ in range(count):
            if in_place:
                wp.launch(step, dim=3, inputs=[x, v, 0.01])
            else:
                x2, v2 = array(np.zeros(3)), array(np.zeros(3))
                wp.launch(step_apart, dim=3, inputs=[x, v, 0.01, x2, v2])
                x, v = x2, v2
        wp.launch(add, dim=3, inputs=[x, total])
    tape.backward(total)
    return first[0].grad.numpy(), first[1].grad.numpy(), tape.kept_bytes


def test_a_thousand_steps_in_place():
    x, v, kept = trajectory(True, 1000)
    x_apart, v_apart, none = trajectory(False, 1000)
    np.testing.assert_allclose(x, x_apart, rtol=1e-12)
    np.testing.assert_allclose(v, v_apart, rtol=1e-12)
    assert none == 0
    # The sine needs x; v is only added to.
    assert kept == 1000 * 24


def test_a_thousand_steps_through_two_arrays():
    """Two arrays in turns, and a sum that reads each."""
    count = 1000
    a, b, total = array(VALUES), array(np.zeros(3)), array([0.0])
    with wp.Tape() as tape:
        for at in range(count):
            x, y = (a, b) if at % 2 == 0 else (b, a)
            wp.launch(sine, dim=3, inputs=[x, y])
        wp.launch(add, dim=3, inputs=[a, total])
    assert tape.kept_bytes == (count - 1) * 24
    tape.backward(total)
    x, slope = VALUES, np.ones(3)
    for _ in range(count):
        x, slope = np.sin(x), slope * np.cos(x)
    np.testing.assert_allclose(a.grad.numpy(), slope, rtol=1e-11)


def test_late_steps_take_as_long_as_early_ones():
    x, v = array(VALUES), array(VALUES)
    blocks = []
    with wp.Tape():
        for _ in range(24):
            start = time.perf_counter()
            for _ in range(500):
                wp.launch(step, dim=3, inputs=[x, v, 0.01])
            blocks.append(time.perf_counter() - start)
    # Were all entries looked at in each step, the last blocks would take ten times as long.
    assert min(blocks[16:]) < 4 * min(blocks[1:9])


def test_nothing_is_watched_when_tapes_are_gone():
    gc.collect()
    before = _warp._watched()
    x, y = array(VALUES), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
    assert _warp._watched() == before + 1
    tape.backward(grads={y: ones(y)})
    assert _warp._watched() == before
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
    del tape
    gc.collect()
    assert _warp._watched() == before


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.parametrize("end", ["reset", "dropped", "dropped in a cycle"])
def test_what_is_kept_is_given_back(end):
    x, y = wp.zeros(1 << 20, requires_grad=True), wp.zeros(1 << 20, requires_grad=True)
    wp.launch(grow_in_place, dim=1, inputs=[x, y])
    gc.collect()
    before = resident()
    for _ in range(12):
        tape = wp.Tape()
        with tape:
            for _ in range(10):
                wp.launch(grow_in_place, dim=1 << 20, inputs=[x, y])
        assert tape.kept_bytes == 10 * 4 << 20
        if end == "reset":
            tape.reset()
            assert tape.kept_bytes == 0
        elif end == "dropped in a cycle":
            tape.record_func(tape.backward)
            del tape
            gc.collect()
    # Of 480 MB that were kept in turns.
    assert resident() - before < 100 << 20


@wp.kernel
def grow_in_place(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * x[i] + 1.0
    y[i] = x[i]
