"""Arrays that are overwritten after a launch has read them: gradients are those of what was recorded."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import warp as wp

from .overwriting import VALUES, add, array, ones, product, sine

torch = pytest.importorskip("torch")


@wp.kernel
def sine_of_column(buf: wp.array2d(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = wp.sin(buf[i, 0])


@wp.kernel
def set_column(r: wp.array(dtype=wp.float64), buf: wp.array2d(dtype=wp.float64)):
    i = wp.tid()
    buf[i, 0] = r[i]


@wp.kernel
def largest(x: wp.array(dtype=wp.float64), s: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_max(s, 0, x[i])


OVERWRITES = {
    "fill_": lambda x: x.fill_(5.0),
    "zero_": lambda x: x.zero_(),
    "assign": lambda x: x.assign([4.0, 5.0, 6.0]),
    "assign an array": lambda x: x.assign(array([4.0, 5.0, 6.0], False)),
    "copy": lambda x: wp.copy(x, array([4.0, 5.0, 6.0], False)),
    "a slice": lambda x: x.__setitem__(slice(0, 2), [7.0, 8.0]),
    "a slice of one value": lambda x: x.__setitem__(slice(None), 7.0),
    "an element": lambda x: x.__setitem__(1, 9.0),
    "a view": lambda x: x.reshape((3, 1)).fill_(3.0),
    "a launch": lambda x: wp.launch(sine, dim=3, inputs=[array([4.0, 5.0, 6.0], False), x]),
    "a launch that no tape records": lambda x: wp.launch(
        sine, dim=3, inputs=[array([4.0, 5.0, 6.0], False), x], record_tape=False
    ),
    "a recorded launch": lambda x: wp.launch(
        sine, dim=3, inputs=[array([4.0, 5.0, 6.0], False), x], record_cmd=True
    ).launch(),
    "an adjoint": lambda x: wp.launch(
        sine, dim=3, inputs=[array(VALUES)], outputs=[x], adj_inputs=[x], adj_outputs=[array(VALUES)], adjoint=True
    ),
}


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("how", OVERWRITES)
def test_what_is_overwritten_is_kept(how, inside):
    overwrite = OVERWRITES[how]
    # One element of three, or all.
    kept = 8 if how == "an element" and wp.get_device().is_cpu else 24
    x, y = array(VALUES), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        if inside:
            overwrite(x)
    assert tape.kept_bytes == (kept if inside else 0)
    if not inside:
        overwrite(x)
    assert tape.kept_bytes == kept
    assert not np.array_equal(x.numpy(), VALUES)
    tape.backward(grads={y: ones(y)})
    # Not that of a value which was overwritten: the gradient is read where it came from.
    np.testing.assert_allclose(x.grad.numpy(), np.cos(VALUES), rtol=1e-15)
    tape.reset()
    assert tape.kept_bytes == 0


def test_a_column_that_the_next_launch_sets():
    buf, y, r = array(np.full((3, 2), 0.5)), array(np.zeros(3)), array(VALUES)
    z = array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine_of_column, dim=3, inputs=[buf, y])
        wp.launch(set_column, dim=3, inputs=[r, buf])
        wp.launch(sine_of_column, dim=3, inputs=[buf, z])
    tape.backward(grads={y: ones(y), z: ones(z)})
    np.testing.assert_allclose(buf.grad.numpy()[:, 0], np.full(3, np.cos(0.5)))
    np.testing.assert_allclose(r.grad.numpy(), np.cos(VALUES))


def test_a_fill_ends_the_gradient():
    x, y, z = array(VALUES), array(np.zeros(3)), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        y[1:] = 0.25
        y[0] = 0.5
        y[0:1].fill_(0.75)
        wp.launch(sine, dim=3, inputs=[y, z])
    for _ in range(2):
        x.grad.zero_()
        tape.backward(grads={z: ones(z)})
        np.testing.assert_array_equal(x.grad.numpy(), np.zeros(3))
    x, y = array(VALUES), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        y[1] = 0.25
        wp.launch(sine, dim=3, inputs=[y, z])
    tape.backward(grads={z: ones(z)})
    np.testing.assert_allclose(x.grad.numpy(), np.cos(VALUES) * np.cos(np.sin(VALUES)) * [1, 0, 1])
    # After the recording, an array is only a place for another value.
    x, y = array(VALUES), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
    y.zero_()
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(x.grad.numpy(), np.cos(VALUES))


def test_a_sum_that_starts_at_zero_keeps_its_gradient():
    x, s = array(VALUES), array([7.0])
    with wp.Tape() as tape:
        s.zero_()
        wp.launch(add, dim=3, inputs=[x, s])
    for _ in range(2):
        tape.zero()
        tape.backward(s)
        assert s.grad.numpy()[0] == 1.0
        np.testing.assert_array_equal(x.grad.numpy(), np.ones(3))
        assert list(tape.gradients) == [x, s]


def test_a_sum_that_starts_again():
    """What was summed before the fill has no gradient."""
    x, w, s = array(VALUES), array(VALUES), array([0.0])
    with wp.Tape() as tape:
        wp.launch(add, dim=3, inputs=[x, s])
        s.fill_(1.0)
        wp.launch(add, dim=3, inputs=[w, s])
    tape.backward(s)
    np.testing.assert_array_equal(x.grad.numpy(), np.zeros(3))
    np.testing.assert_array_equal(w.grad.numpy(), np.ones(3))


def test_what_a_launch_left_is_kept():
    """The gradient of an atomic maximum compares with the final content."""
    x, s = array(VALUES), array([-10.0])
    with wp.Tape() as tape:
        wp.launch(largest, dim=3, inputs=[x, s])
        t = wp.clone(s)
        s.fill_(-10.0)
    tape.backward(t)
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 0.0, 1.0])
    assert tape.kept_bytes == 8


@pytest.mark.parametrize("count", [1, 2])
def test_backward_twice(count):
    x, y, z = array(VALUES), array(np.zeros(3)), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        wp.launch(product, dim=3, inputs=[x, y, z])
        wp.launch(sine, dim=3, inputs=[z, x])
        wp.launch(sine, dim=3, inputs=[x, y])
    for _ in range(count):
        tape.zero()
        tape.backward(grads={y: ones(y)})
    z = VALUES * np.sin(VALUES)
    want = np.cos(np.sin(z)) * np.cos(z) * (np.sin(VALUES) + VALUES * np.cos(VALUES))
    np.testing.assert_allclose(x.grad.numpy(), want)


def test_a_tape_that_is_recorded_once():
    """After a pass, and after zero(), gradients are taken at what arrays hold: nothing is kept any more."""
    x, y, s = array(VALUES), array(np.zeros(3)), array([0.0])
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        wp.launch(add, dim=3, inputs=[y, s])
    x.fill_(0.25)
    tape.backward(s)
    np.testing.assert_allclose(x.grad.numpy(), np.cos(VALUES))
    for value in (0.5, 0.75):
        x.fill_(value)
        x.grad.zero_()
        tape.backward(s)
        # It was overwritten before the first pass: until zero(), what is kept counts.
        np.testing.assert_allclose(x.grad.numpy(), np.cos(VALUES))
    for value in (0.5, 0.75):
        tape.zero()
        assert tape.kept_bytes == 0
        x.fill_(value)
        tape.backward(s)
        np.testing.assert_allclose(x.grad.numpy(), np.full(3, np.cos(value)))
    x.fill_(1.0)
    x.grad.zero_()
    tape.backward(s)
    np.testing.assert_allclose(x.grad.numpy(), np.full(3, np.cos(1.0)))
    assert tape.kept_bytes == 0


def test_recording_goes_on_after_a_pass():
    x, y, z = array(VALUES), array(np.zeros(3)), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
    tape.backward(grads={y: ones(y)})
    tape.zero()
    with tape:
        wp.launch(sine, dim=3, inputs=[y, x])
        wp.launch(sine, dim=3, inputs=[x, z])
    assert tape.kept_bytes == 24
    for _ in range(2):
        tape.zero()
        tape.backward(grads={z: ones(z)})
        y0 = np.sin(VALUES)
        np.testing.assert_allclose(x.grad.numpy(), np.cos(np.sin(y0)) * np.cos(y0) * np.cos(VALUES))


def test_a_pass_while_the_tape_records():
    x, y = array(VALUES), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        tape.backward(grads={y: ones(y)})
        tape.zero()
        x.fill_(1.0)
        assert tape.kept_bytes == 24
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(x.grad.numpy(), np.cos(VALUES))


def test_tapes_of_other_threads():
    x, y = array(VALUES), array(np.zeros(3))
    recorded, written = threading.Event(), threading.Event()

    def other():
        with wp.Tape() as tape:
            wp.launch(sine, dim=3, inputs=[x, y])
            recorded.set()
            written.wait()
        tape.backward(grads={y: ones(y)})

    thread = threading.Thread(target=other)
    thread.start()
    recorded.wait()
    x.fill_(3.0)
    written.set()
    thread.join()
    np.testing.assert_allclose(x.grad.numpy(), np.cos(VALUES))


def test_a_gradient_that_a_launch_read():
    """Backward passes write gradients: those may have been read by recorded launches."""
    x, y, z = array(VALUES), array(np.zeros(3)), array(np.zeros(3))
    x.grad.fill_(0.5)
    x.grad.requires_grad = True
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        wp.launch(sine, dim=3, inputs=[x.grad, z])
    with wp.Tape() as other:
        wp.launch(sine, dim=3, inputs=[x, y])
    other.backward(grads={y: ones(y)})
    tape.backward(grads={z: ones(z)})
    np.testing.assert_allclose(x.grad.grad.numpy(), np.full(3, np.cos(0.5)))


@wp.struct
class Particle:
    x: wp.float64
    v: wp.vec3d


@wp.kernel
def energy(p: wp.array(dtype=Particle), e: wp.array(dtype=wp.float64)):
    i = wp.tid()
    e[i] = wp.dot(p[i].v, p[i].v) * p[i].x


@wp.kernel
def stop(p: wp.array(dtype=Particle)):
    i = wp.tid()
    p[i].v = wp.vec3d()


def test_structs():
    values = np.zeros(3, dtype=Particle.numpy_dtype())
    values["x"], values["v"] = VALUES, 2.0
    for overwrite in (
        lambda p: wp.launch(stop, dim=3, inputs=[p]),
        lambda p: p.zero_(),
        lambda p: p["v"].fill_(1.0),
    ):
        p, e = wp.array(values, dtype=Particle, requires_grad=True), array(np.zeros(3))
        with wp.Tape() as tape:
            wp.launch(energy, dim=3, inputs=[p, e])
            overwrite(p)
        tape.backward(grads={e: ones(e)})
        np.testing.assert_allclose(p.grad.numpy()["x"], np.full(3, 12.0))
        np.testing.assert_allclose(p.grad.numpy()["v"], np.repeat(4.0 * VALUES[:, None], 3, 1))


def test_record_func_and_an_array_that_is_overwritten():
    """A function takes the gradient of the array that it knew."""
    x, y, z = array(VALUES), array(np.zeros(3)), array(np.zeros(3))
    seen = []
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        tape.record_func(lambda: seen.append(y.grad.numpy().copy()), [y])
        wp.launch(sine, dim=3, inputs=[x, y])
        wp.launch(sine, dim=3, inputs=[y, z])
    tape.backward(grads={z: ones(z)})
    np.testing.assert_array_equal(seen[0], np.zeros(3))


@wp.struct
class Scales:
    by: wp.float64
    v: wp.vec3d


@wp.kernel
def scaled(
    x: wp.array(dtype=wp.float64), s: Scales, u: wp.vec3d, w: wp.float64, y: wp.array(dtype=wp.float64), n: wp.int64
):
    i = wp.tid()
    y[i] = x[i] * s.by * s.v[1] * u[2] * w * wp.float64(n)


@pytest.mark.parametrize("command", [False, True])
@pytest.mark.parametrize("vector", [wp.vec3d, lambda *v: np.array(v), lambda *v: list(v)], ids=["vec", "numpy", "list"])
def test_values_that_are_changed(vector, command):
    """What is passed as a value may be an object that changes: the gradient takes what the launch read."""
    x, y = array(VALUES), array(np.zeros(3))
    s, u, w = Scales(), vector(0.0, 0.0, 5.0), np.array(7.0)
    s.by, s.v = 2.0, wp.vec3d(0.0, 3.0, 0.0)
    with wp.Tape() as tape:
        if command:
            launch = wp.launch(scaled, dim=3, inputs=[x, s, u, 7.0, y, 1], record_cmd=True)
            launch.launch()
            launch.set_param_by_name("w", 100.0)
        else:
            wp.launch(scaled, dim=3, inputs=[x, s, u, w[()], y, 1])
    s.by, u[2] = 100.0, 100.0
    s.v[1] = 100.0
    tape.backward(grads={y: ones(y)})
    np.testing.assert_array_equal(x.grad.numpy(), np.full(3, 2.0 * 3.0 * 5.0 * 7.0))


def test_what_a_launch_left_may_be_verified(monkeypatch):
    """The digest of what a launch leaves is that of its results."""
    monkeypatch.setattr(wp.config, "verify_autograd_array_access", True)
    for command in (False, True):
        x, s = array(VALUES), array([-10.0])
        with wp.Tape() as tape:
            launch = wp.launch(largest, dim=3, inputs=[x, s], record_cmd=command)
            if launch is not None:
                launch.launch()
        tape.backward(s)
        np.testing.assert_array_equal(x.grad.numpy(), [0.0, 0.0, 1.0])
        with wp.Tape() as tape:
            wp.launch(largest, dim=3, inputs=[x, s])
        s.numpy()[0] = 3.0
        with pytest.raises(RuntimeError, match="needs what 's' held"):
            tape.backward(s)


@wp.kernel
def clamp(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    if x[i] > wp.float64(0.0):
        y[i] = wp.float64(1.0)


@wp.kernel
def first_two(count: wp.array(dtype=int), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    if wp.atomic_add(count, 0, 1) < 2:
        y[i] = wp.float64(1.0)


def test_what_decides_where_a_gradient_ends():
    """A launch that sets constants has no derivative, but reads where the gradients of earlier ones end."""
    x, y, w = array(VALUES), array(np.zeros(3)), array(VALUES)
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[w, y])
        wp.launch(clamp, dim=3, inputs=[x, y])
        x.fill_(-1.0)
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(w.grad.numpy(), np.where(VALUES > 0, 0.0, np.cos(VALUES)))
    # Where nobody can say, only a gradient that ends there is refused.
    y, count = array(np.zeros(3)), wp.zeros(1, dtype=int)
    with wp.Tape() as tape:
        wp.launch(first_two, dim=3, inputs=[count, y])
        wp.launch(sine, dim=3, inputs=[w, w])
    tape.backward(grads={w: ones(w)})
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[w, y])
        wp.launch(first_two, dim=3, inputs=[count, y])
    with pytest.raises(RuntimeError, match="gradient of `first_two`.*depends on the order of threads"):
        tape.backward(grads={y: ones(y)})


def test_a_kernel_overwrites_what_it_reads():
    """In one launch, again and again, and what other launches read before."""
    x, y = array(VALUES), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        wp.launch(sine, dim=3, inputs=[y, y])
        wp.launch(product, dim=3, inputs=[x, y, y])
        wp.launch(product, dim=3, inputs=[y, y, x])
    tape.backward(grads={x: ones(x)})
    y2 = np.sin(np.sin(VALUES))
    slope = np.cos(np.sin(VALUES)) * np.cos(VALUES)
    want = 2 * VALUES * y2 * (y2 + VALUES * slope)
    np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-14)
