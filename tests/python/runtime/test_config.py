"""Settings: each one does what it says, and wrong ones are refused."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp


@wp.kernel
def total(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.atomic_add(out, 0, x[wp.tid()])


@wp.kernel
def scatter(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, i % 7, x[i])


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@pytest.fixture(autouse=True)
def restore():
    names = ("deterministic", "cpu_threads", "verify_autograd_array_access", "verbose")
    before = {name: getattr(wp.config, name) for name in names}
    yield
    for name, value in before.items():
        setattr(wp.config, name, value)


@pytest.mark.parametrize("kernel", [total, scatter])
def test_deterministic_sums_are_bit_equal(kernel):
    wp.config.deterministic = True
    x = np.random.default_rng(1).normal(size=300_001).astype(np.float32)
    seen = set()
    for threads in (1, 2, 8, None):
        wp.config.cpu_threads = threads
        for _ in range(3):
            out = np.zeros(7, dtype=np.float32)
            wp.launch(kernel, dim=len(x), inputs=[x, out])
            seen.add(out.tobytes())
    assert len(seen) == 1
    assert abs(out.sum() - x.sum(dtype=np.float64)) < 0.5


def test_deterministic_gradients_are_bit_equal():
    wp.config.deterministic = True

    @wp.kernel
    def spread(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.sin(x[i % 5] + float(i))

    seen = set()
    for threads in (1, 2, 8):
        wp.config.cpu_threads = threads
        x, y = wp.ones(5, requires_grad=True), wp.zeros(100_000, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(spread, dim=100_000, inputs=[x, y])
        tape.backward(grads={y: wp.ones(100_000)})
        seen.add(x.grad.numpy().tobytes())
    assert len(seen) == 1


def test_threads_do_not_change_values():
    x = np.linspace(0, 1, 200_000, dtype=np.float32)
    for threads in (1, 3, None):
        wp.config.cpu_threads = threads
        y = np.zeros_like(x)
        wp.launch(square, dim=len(x), inputs=[x, y])
        np.testing.assert_array_equal(y, x * x)


def test_arrays_that_others_change_are_refused():
    """What Warp overwrites is kept; what NumPy writes is only found by comparing."""
    wp.config.verify_autograd_array_access = True
    x, y = wp.full(3, 2.0, requires_grad=True), wp.zeros(3, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x, y])
        wp.launch(square, dim=3, inputs=[y, x])
    tape.backward(grads={x: wp.ones(3)})
    np.testing.assert_array_equal(x.grad.numpy(), [32.0] * 3)  # d(x^4)/dx
    x, y = wp.full(3, 2.0, requires_grad=True), wp.zeros(3, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x, y])
    x.numpy()[1] = 5.0
    with pytest.raises(RuntimeError, match=r"'square' needs what 'x' held.*tape.zero\(\)"):
        tape.backward(grads={y: wp.ones(3)})
    # Even if Warp keeps it later.
    x.fill_(1.0)
    with pytest.raises(RuntimeError, match=r"'square' needs what 'x' held"):
        tape.backward(grads={y: wp.ones(3)})
    np.testing.assert_array_equal(x.grad.numpy(), [0.0] * 3)
    tape.zero()
    tape.backward(grads={y: wp.ones(3)})
    np.testing.assert_array_equal(x.grad.numpy(), [2.0] * 3)


def test_verbose_names_what_is_compiled(capsys):
    wp.config.verbose = True

    @wp.kernel
    def talkative(x: wp.array(dtype=float)):
        x[wp.tid()] = 1.0

    wp.launch(talkative, dim=1, inputs=[wp.zeros(1)])
    assert "kernel 'talkative'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "value"),
    [("verbose", 1), ("mode", "fast"), ("cpu_threads", 0), ("cpu_threads", "2")],
)
def test_wrong_settings_are_refused(name, value):
    with pytest.raises(wp.MismatchError, match=name):
        setattr(wp.config, name, value)
