"""Arrays that are overwritten after a launch has read them: gradients are those of what was recorded."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np
import pytest
import warp as wp
from warp import _warp


@wp.kernel
def sine(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = wp.sin(x[i])


@wp.kernel
def sine_of_column(buf: wp.array2d(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = wp.sin(buf[i, 0])


@wp.kernel
def set_column(r: wp.array(dtype=wp.float64), buf: wp.array2d(dtype=wp.float64)):
    i = wp.tid()
    buf[i, 0] = r[i]


@wp.kernel
def product(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), z: wp.array(dtype=wp.float64)):
    i = wp.tid()
    z[i] = x[i] * y[i]


@wp.kernel
def add(x: wp.array(dtype=wp.float64), s: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(s, 0, x[i])


@wp.kernel
def largest(x: wp.array(dtype=wp.float64), s: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_max(s, 0, x[i])


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


def array(values, grad: bool = True):
    return wp.array(np.asarray(values, float), dtype=wp.float64, requires_grad=grad)


def ones(like):
    return wp.ones(like.shape, dtype=wp.float64)


VALUES = np.array([0.3, -1.1, 2.0])

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
@pytest.mark.parametrize("overwrite", OVERWRITES.values(), ids=OVERWRITES.keys())
def test_what_is_overwritten_is_kept(overwrite, inside):
    x, y = array(VALUES), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        if inside:
            overwrite(x)
    assert tape.kept_bytes == (24 if inside else 0)
    if not inside:
        overwrite(x)
    assert tape.kept_bytes == 24
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


SHARES = {
    "numpy": lambda x: x.numpy(),
    "a part": lambda x: x[1:].numpy(),
    "asarray": lambda x: np.asarray(x),
    "interface": lambda x: np.asarray(Interface(x.__array_interface__)),
    "dlpack": lambda x: np.from_dlpack(x),
    "to_torch": lambda x: wp.to_torch(x, requires_grad=False).numpy(),
    "torch's view": lambda x: torch.from_dlpack(x).numpy(),
}


class Interface:
    def __init__(self, interface):
        self.__array_interface__ = interface


@pytest.mark.parametrize("share", SHARES.values(), ids=SHARES.keys())
def test_what_others_write_is_refused(share):
    """Memory that somebody else was given after the recording is compared with what it held then."""
    for size in (3, 1000):
        start = np.linspace(-1.0, 2.0, size)
        x, y = array(start), array(np.zeros(size))
        with wp.Tape() as tape:
            wp.launch(sine, dim=size, inputs=[x, y])
        shared = share(x)
        tape.backward(grads={y: ones(y)})
        np.testing.assert_allclose(x.grad.numpy(), np.cos(start))
        for at in {-1, -2, 0}:
            x, y = array(start), array(np.zeros(size))
            with wp.Tape() as tape:
                wp.launch(sine, dim=size, inputs=[x, y])
                wp.launch(sine, dim=size, inputs=[x, y])
            shared = share(x)
            shared[at] += 1e-9
            with pytest.raises(RuntimeError, match=r"'sine' needs what 'x' held.*tape.zero\(\)"):
                tape.backward(grads={y: ones(y)})
            # It is not too late for others: they see what is there now.
            with wp.Tape() as other:
                wp.launch(sine, dim=size, inputs=[x, y])
            other.backward(grads={y: ones(y)})
            np.testing.assert_allclose(x.grad.numpy(), np.cos(x.numpy()))


def test_what_others_write_before_warp_does_is_refused():
    x, y = array(VALUES), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        x.numpy()[0] = 1.0
        x.fill_(2.0)
    with pytest.raises(RuntimeError, match="needs what 'x' held"):
        tape.backward(grads={y: ones(y)})


torch = pytest.importorskip("torch")


@pytest.mark.parametrize("given", ["tensor", "descriptor", "array", "to_torch"])
def test_torch_changes_a_tensor(given):
    y = array(np.zeros(3))
    t = torch.tensor(VALUES, requires_grad=True)
    if given == "to_torch":
        x = array(VALUES)
        t = wp.to_torch(x)
    else:
        make = {
            "tensor": lambda: t,
            "descriptor": lambda: wp.from_torch(t, return_ctype=True),
            "array": lambda: wp.from_torch(t),
        }
        x = make[given]()
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
    with torch.no_grad():
        t.fill_(0.5)
    with pytest.raises(RuntimeError, match=r"'sine' needs what 'x' held.*tape.zero\(\)"):
        tape.backward(grads={y: ones(y)})
    tape.zero()
    tape.backward(grads={y: ones(y)})
    # And after a pass torch may do as it likes.
    with torch.no_grad():
        t.fill_(0.25)
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(t.grad.numpy(), np.full(3, np.cos(0.5) + np.cos(0.25)))
    # What Warp has kept before torch changed it is right.
    tape.reset()
    with tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        wp.from_torch(t.detach()).fill_(2.0)
    with torch.no_grad():
        t.fill_(1.0)
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(t.grad.numpy(), np.full(3, np.cos(0.25)))


def test_memory_that_torch_has_replaced_is_not_copied():
    """Its old address may belong to somebody else, or to nobody."""
    t = torch.zeros(1 << 22, dtype=torch.float64)
    x, y = wp.from_torch(t), wp.zeros(1 << 22, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
    address = x.ptr
    t.untyped_storage().resize_(0)  # It goes back to the system.
    with pytest.raises(RuntimeError, match="given other memory"):
        x.fill_(1.0)
    there = wp.array(ptr=address, shape=0, dtype=wp.float64)
    there.fill_(1.0)
    assert tape.kept_bytes == 0
    with pytest.raises(RuntimeError, match="given other memory"):
        tape.backward(grads={y: ones(y)})


def test_a_command_whose_tensor_was_given_other_memory():
    """The command goes on with the memory that it has; nobody knows whose gradient that would be."""
    t, y = torch.tensor(VALUES, requires_grad=True), array(np.zeros(3))
    launch = wp.launch(sine, dim=3, inputs=[t, y], record_cmd=True)
    t.data = torch.zeros(3, dtype=torch.float64)
    launch.launch()
    np.testing.assert_array_equal(y.numpy(), np.sin(VALUES))
    with wp.Tape() as tape:
        with pytest.raises(RuntimeError, match=r"'sine'.*'x' was given other memory.*set the argument again"):
            launch.launch()
        launch.set_param_by_name("x", t)
        launch.launch()
    tape.backward(grads={y: ones(y)})
    np.testing.assert_array_equal(t.grad.numpy(), np.ones(3))


def test_many_tensors_on_one_memory():
    """Each launch has its own; a change through any of them is seen, and time does not grow."""
    t, y = torch.tensor(VALUES, requires_grad=True), array(np.zeros(3))
    x, count, times = wp.from_torch(t), 3000, []
    with wp.Tape() as tape:
        held = [t.data for _ in range(count)]
        for at in range(count):
            start = time.perf_counter()
            wp.launch(sine, dim=3, inputs=[held[at], y])
            times.append(time.perf_counter() - start)
        wp.launch(sine, dim=3, inputs=[x, y])
    assert np.median(times[-500:]) < 5 * np.median(times[20:520])
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(t.grad.numpy(), np.cos(VALUES))
    for at in (0, count // 2, count - 1):
        with wp.Tape() as tape:
            for one in held:
                wp.launch(sine, dim=3, inputs=[one, y])
        held[at].add_(1.0)
        with pytest.raises(RuntimeError, match="needs what 'x' held"):
            tape.backward(grads={y: ones(y)})
        # Nobody else is harmed.
        with wp.Tape() as other:
            wp.launch(sine, dim=3, inputs=[x, y])
        t.grad = None
        other.backward(grads={y: ones(y)})
        np.testing.assert_allclose(t.grad.numpy(), np.cos(t.detach().numpy()))


class Odd(torch.Tensor):
    """Its functions run Python code, also when it is asked for its count."""

    launches = False

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if cls.launches and "_version" in str(function):
            cls.launches = False
            wp.launch(sine, dim=3, inputs=[wp.from_torch(args[0].as_subclass(torch.Tensor).detach()), array(VALUES)])
            cls.launches = True
        return super().__torch_function__(function, types, args, kwargs or {})


def test_tensors_whose_class_is_the_users():
    t, y = torch.tensor(VALUES).as_subclass(Odd), array(np.zeros(3))
    x = array(VALUES)
    with wp.Tape() as tape:
        wp.launch(product, dim=3, inputs=[t, x, y])
        Odd.launches = True
        wp.launch(product, dim=3, inputs=[t, x, y])
        wp.launch(product, dim=3, inputs=[t, x, y])
        wp.from_torch(t.as_subclass(torch.Tensor)).fill_(2.0)
    Odd.launches = False
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(x.grad.numpy(), VALUES)


def test_operators_between_launches():
    """torch's operators launch too: neither they nor the tape disturb what the other keeps."""
    from warp.torch import torch_kernel

    operator = torch_kernel(sine)
    t = torch.tensor(VALUES, requires_grad=True)
    y = array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[t, y])
        out = operator(t)
        wp.launch(sine, dim=3, inputs=[y, y])
        out.sum().backward()
        y.fill_(0.5)
    assert torch.equal(t.grad, torch.cos(t.detach()))
    assert tape.kept_bytes == 24
    x = wp.from_torch(t)
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        out = operator(t)
        wp.launch(sine, dim=3, inputs=[y, y])
    t.grad = None
    out.sum().backward()
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(t.grad.numpy(), np.cos(VALUES) * (1 + np.cos(np.sin(VALUES))))
