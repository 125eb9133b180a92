"""Launches that read and overwrite parts of one array: what a tape keeps of it."""

from __future__ import annotations

import time

import numpy as np
import pytest
import warp as wp
from warp import _warp

from .overwriting import array

torch = pytest.importorskip("torch")

F = wp.float64


@wp.kernel
def next_row(x: wp.array2d(dtype=wp.float64), k: int):
    i = wp.tid()
    x[k + 1, i] = wp.sin(x[k, i]) + F(0.1) * x[k, i]


@wp.kernel
def next_column(x: wp.array2d(dtype=wp.float64), k: int):
    i = wp.tid()
    x[i, k + 1] = wp.sin(x[i, k]) + F(0.1) * x[i, k]


@wp.kernel
def next_of_flat(x: wp.array(dtype=wp.float64), k: int, n: int):
    i = wp.tid()
    x[(k + 1) * n + i] = wp.sin(x[k * n + i]) + F(0.1) * x[k * n + i]


@wp.kernel
def next_of_interleaved(x: wp.array(dtype=wp.float64), k: int, n: int):
    i = wp.tid()
    x[i * n + k + 1] = wp.sin(x[i * n + k]) + F(0.1) * x[i * n + k]


@wp.kernel
def neighbours(x: wp.array2d(dtype=wp.float64), k: int, left: wp.array(dtype=int)):
    i = wp.tid()
    x[k + 1, i] = wp.sin(x[k, left[i]]) * x[k, i]


@wp.kernel
def average_of_all(x: wp.array(dtype=wp.float64), at: wp.array(dtype=int), k: int):
    """Reads any element, and writes one."""
    x[k] = wp.sin(x[at[0]]) * x[at[1]]


def sines(values, count):
    """The last of `count` steps and its derivative by the first."""
    slope = np.ones_like(values)
    for _ in range(count):
        slope = slope * (np.cos(values) + 0.1)
        values = np.sin(values) + 0.1 * values
    return values, slope


COUNT, WIDTH = 40, 6
START = np.linspace(-1.0, 2.0, WIDTH)

FORMS = {
    "rows": ((COUNT + 1, WIDTH), next_row, (), lambda x, k: x[k]),
    "columns": ((WIDTH, COUNT + 1), next_column, (), lambda x, k: x[:, k]),
    "flat rows": (((COUNT + 1) * WIDTH,), next_of_flat, (WIDTH,), lambda x, k: x[k * WIDTH : (k + 1) * WIDTH]),
    "flat columns": (((COUNT + 1) * WIDTH,), next_of_interleaved, (COUNT + 1,), lambda x, k: x[k :: COUNT + 1]),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_nothing_is_kept_of_what_nobody_overwrites(form):
    shape, kernel, more, part = form
    x = array(np.zeros(shape))
    part(x, 0).assign(START)
    before = _warp._watched()
    with wp.Tape() as tape:
        for k in range(COUNT):
            wp.launch(kernel, dim=WIDTH, inputs=[x, k, *more])
    assert tape.kept_bytes == 0
    assert _warp._watched() == before + COUNT
    last, slope = sines(START, COUNT)
    np.testing.assert_allclose(part(x.numpy(), COUNT), last, rtol=1e-13)
    seed = np.zeros(shape)
    part(seed, COUNT)[:] = 1.0
    for _ in range(2):
        tape.zero()
        tape.backward(grads={x: wp.array(seed, dtype=wp.float64)})
        np.testing.assert_allclose(part(x.grad.numpy(), 0), slope, rtol=1e-12)
    assert tape.kept_bytes == 0


def test_a_row_that_is_overwritten_is_kept():
    x = array(np.zeros((4, WIDTH)))
    x[0].assign(START)
    with wp.Tape() as tape:
        for k in range(3):
            wp.launch(next_row, dim=WIDTH, inputs=[x, k])
        x[1].fill_(7.0)
    assert tape.kept_bytes == 8 * WIDTH
    seed = np.zeros((4, WIDTH))
    seed[3] = 1.0
    for _ in range(2):
        tape.zero()
        tape.backward(grads={x: wp.array(seed, dtype=wp.float64)})
        np.testing.assert_allclose(x.grad.numpy()[0], sines(START, 3)[1], rtol=1e-13)
    # Content that nothing recorded has overwritten may be another one in a later pass.
    x[0].assign(START + 0.5)
    tape.zero()
    tape.backward(grads={x: wp.array(seed, dtype=wp.float64)})
    second = sines(START, 1)[0]
    want = (np.cos(START + 0.5) + 0.1) * sines(second, 2)[1]
    np.testing.assert_allclose(x.grad.numpy()[0], want, rtol=1e-13)
    tape.reset()
    assert tape.kept_bytes == 0


def test_indices_from_memory_along_one_dimension():
    left = wp.array([WIDTH - 1, *range(WIDTH - 1)], dtype=int)
    x = array(np.zeros((4, WIDTH)))
    x[0].assign(START)
    with wp.Tape() as tape:
        for k in range(3):
            wp.launch(neighbours, dim=WIDTH, inputs=[x, k, left])
    assert tape.kept_bytes == 0
    seed = np.zeros((4, WIDTH))
    seed[3] = 1.0
    tape.backward(grads={x: wp.array(seed, dtype=wp.float64)})
    t = torch.tensor(START, requires_grad=True)
    y = t
    for _ in range(3):
        y = torch.sin(torch.roll(y, 1)) * y
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[0], t.grad.numpy(), rtol=1e-13)


@pytest.mark.parametrize("passes", [1, 2])
def test_small_writes_to_an_array_that_is_read_anywhere(passes):
    """Only the elements that are overwritten are kept, and a copy of all at most, once passes have begun."""
    size, count = 1000, 30
    start = np.linspace(0.5, 1.5, size)
    x = array(start)
    indices = [[(7 * k) % 50, (3 * k + 1) % 50] for k in range(count)]
    with wp.Tape() as tape:
        y = wp.clone(x)
        for k, at in enumerate(indices):
            wp.launch(average_of_all, dim=1, inputs=[y, wp.array(at, dtype=int), k])
    assert 0 < tape.kept_bytes <= 8 * count
    seed = np.linspace(1.0, 2.0, size)
    t = torch.tensor(start, requires_grad=True)
    z = t
    for k, (a, b) in enumerate(indices):
        z = torch.cat([z[:k], (torch.sin(z[a]) * z[b])[None], z[k + 1 :]])
    (z * torch.tensor(seed)).sum().backward()
    for _ in range(passes):
        tape.zero()
        tape.backward(grads={y: wp.array(seed, dtype=wp.float64)})
        np.testing.assert_allclose(x.grad.numpy(), t.grad.numpy(), rtol=1e-12)
        # What is there now is of no interest any more.
        y.fill_(float("nan"))
    assert tape.kept_bytes <= 8 * (count + size)


def test_many_small_writes_become_a_copy():
    """What is logged is never much more than a copy of all."""
    size = 100
    x = array(np.linspace(-1.0, 1.0, size))
    with wp.Tape() as tape:
        wp.launch(average_of_all, dim=1, inputs=[x, wp.array([3, 4], dtype=int), 5])
        for k in range(10 * size):
            x[k % size] = float(k)
            assert tape.kept_bytes <= 2 * 8 * size + 8
    tape.backward(grads={x: wp.zeros_like(x)})
    np.testing.assert_array_equal(x.grad.numpy(), np.zeros(size))


def test_what_others_write_of_a_part_is_refused():
    x = array(np.zeros((4, WIDTH)))
    x[0].assign(START)
    for row, refused in ((0, True), (1, True), (2, True), (3, False)):
        with wp.Tape() as tape:
            for k in range(3):
                wp.launch(next_row, dim=WIDTH, inputs=[x, k])
        x.numpy()[row, 2] += 1e-9
        seed = wp.array(np.ones((4, WIDTH)), dtype=wp.float64)
        if refused:
            with pytest.raises(RuntimeError, match=r"'next_row' needs what 'x' held.*tape.zero\(\)"):
                tape.backward(grads={x: seed})
        else:
            tape.backward(grads={x: seed})


def test_torch_changes_a_tensor_of_which_parts_were_read():
    t = torch.zeros((4, WIDTH), dtype=torch.float64)
    t[0] = torch.tensor(START)
    t.requires_grad_()
    x = wp.from_torch(t)
    seed = np.zeros((4, WIDTH))
    seed[3] = 1.0
    with wp.Tape() as tape:
        for k in range(3):
            wp.launch(next_row, dim=WIDTH, inputs=[x, k])
    # The launches' own writes are no changes by others.
    tape.backward(grads={x: wp.array(seed, dtype=wp.float64)})
    np.testing.assert_allclose(x.grad.numpy()[0], sines(START, 3)[1], rtol=1e-13)
    tape.reset()
    with tape:
        for k in range(3):
            wp.launch(next_row, dim=WIDTH, inputs=[t, k])
    with torch.no_grad():
        t[3] += 1.0
    with pytest.raises(RuntimeError, match="needs what 'x' held"):
        tape.backward(grads={x: wp.array(seed, dtype=wp.float64)})


def test_a_graph_of_a_tape():
    x = array(np.zeros((4, WIDTH)))
    seed = np.zeros((4, WIDTH))
    seed[3] = 1.0
    given = wp.array(seed, dtype=wp.float64)
    tape = wp.Tape()
    with wp.ScopedCapture(device="cpu") as capture:
        with tape:
            for k in range(3):
                wp.launch(next_row, dim=WIDTH, inputs=[x, k])
            x[1].fill_(7.0)
        x.grad.zero_()
        tape.backward(grads={x: given})
    for shift in (0.0, 0.5):
        x[0].assign(START + shift)
        wp.capture_launch(capture.graph)
        np.testing.assert_allclose(x.grad.numpy()[0], sines(START + shift, 3)[1], rtol=1e-13)


@pytest.mark.parametrize("kernel", [next_row, next_column], ids=["rows", "columns"])
def test_late_launches_take_as_long_as_early_ones(kernel):
    count, width = 12_000, 4
    shape = (count + 1, width) if kernel is next_row else (width, count + 1)
    x, blocks = array(np.zeros(shape)), []
    with wp.Tape() as tape:
        for start in range(0, count, 500):
            begun = time.process_time()
            for k in range(start, start + 500):
                wp.launch(kernel, dim=width, inputs=[x, k])
            blocks.append(time.process_time() - begun)
    assert tape.kept_bytes == 0
    # Were all entries looked at in each step, the last blocks would take twenty times as long.
    assert min(blocks[16:]) < 4 * min(blocks[1:9])
    begun = time.process_time()
    tape.backward(grads={x: wp.ones(shape, dtype=wp.float64)})
    assert time.process_time() - begun < 20


@wp.kernel
def square(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def add_up(x: wp.array(dtype=wp.float64), total: wp.array(dtype=wp.float64)):
    wp.atomic_add(total, 0, F(2.0) * x[wp.tid()])


def test_gradients_of_parts_that_launches_wrote_stay_readable():
    x, y, total = array([1.0, 2.0]), array(np.zeros(4)), array([0.0])
    with wp.Tape() as tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y[:2]])
        wp.launch(square, dim=2, inputs=[x], outputs=[y[2:]])
        wp.launch(add_up, dim=4, inputs=[y], outputs=[total])
    for passes in (1, 2):
        tape.backward(total)
        assert y.grad.numpy().tolist() == [2.0] * 4
        assert x.grad.numpy().tolist() == [8.0 * passes, 16.0 * passes]
    with wp.Tape() as tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y[:2]])
        wp.launch(square, dim=2, inputs=[x], outputs=[y[1:3]])
    tape.backward(grads={y: wp.array([1.0, 10.0, 100.0, 0.0], dtype=wp.float64)})
    assert x.grad.numpy().tolist() == [16.0 + 2.0 + 20.0, 32.0 + 400.0]
