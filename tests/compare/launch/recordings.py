"""Captures and tapes beside each other: graphs, their launches, what they hold."""

import numpy as np
from program import program, raised


def _add(wp):
    @wp.kernel
    def add(x: wp.array(dtype=float), v: float):
        i = wp.tid()
        x[i] = x[i] + v

    return add


def graphs_run_again(wp):
    add = _add(wp)
    x = wp.zeros(3, dtype=float)
    with wp.ScopedCapture() as capture:
        wp.launch(add, 3, [x, 1.0])
        wp.launch(add, 3, [x, 0.5])
    for _ in range(4):
        wp.capture_launch(capture.graph)
    return x


def graphs_by_begin_and_end(wp):
    add = _add(wp)
    x = wp.zeros(3, dtype=float)
    wp.capture_begin()
    try:
        wp.launch(add, 3, [x, 2.0])
    finally:
        graph = wp.capture_end()
    wp.capture_launch(graph)
    wp.capture_launch(graph)
    return x


def graphs_copy_and_fill(wp):
    x, y = wp.array([1.0, 2.0], dtype=float), wp.zeros(2, dtype=float)
    z = wp.zeros((2, 2), dtype=float)
    with wp.ScopedCapture() as capture:
        wp.copy(y, x)
        x.fill_(9.0)
        z.zero_()
        wp.copy(z[1], y)
    z.fill_(5.0)
    wp.capture_launch(capture.graph)
    first = y.numpy().copy()
    wp.capture_launch(capture.graph)
    return first, x, y, z


def graphs_of_a_backward_pass(wp):
    @wp.kernel
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(y, 0, x[i] * x[i])

    @wp.kernel
    def step(x: wp.array(dtype=float), g: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = x[i] - 0.1 * g[i]

    x, loss = wp.array([1.0, -2.0], dtype=float, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    wp.load_module(square.module)
    with wp.ScopedCapture() as capture:
        loss.zero_()
        with tape:
            wp.launch(square, 2, [x], [loss])
        tape.backward(loss)
        wp.launch(step, 2, [x, x.grad])
        tape.zero()
    for _ in range(5):
        wp.capture_launch(capture.graph)
    return x, loss


def loops_of_a_graph(wp):
    @wp.kernel
    def halve(x: wp.array(dtype=float), more: wp.array(dtype=int)):
        x[0] = x[0] * 0.5
        if x[0] < 1.0:
            more[0] = 0

    x, more = wp.array([37.0], dtype=float), wp.ones(1, dtype=int)
    with wp.ScopedCapture() as capture:
        wp.capture_while(more, while_body=lambda: wp.launch(halve, 1, [x, more]))
    wp.capture_launch(capture.graph)
    return x, more


def branches_of_a_graph(wp):
    add = _add(wp)
    x, which = wp.zeros(2, dtype=float), wp.array([1], dtype=int)
    with wp.ScopedCapture() as capture:
        wp.capture_if(
            which,
            on_true=lambda: wp.launch(add, 2, [x, 1.0]),
            on_false=lambda: wp.launch(add, 2, [x, 100.0]),
        )
    wp.capture_launch(capture.graph)
    which.fill_(0)
    wp.capture_launch(capture.graph)
    return x


def conditions_outside_a_graph(wp):
    add = _add(wp)
    x = wp.zeros(2, dtype=float)
    wp.capture_if(wp.array([0], dtype=int), lambda: wp.launch(add, 2, [x, 1.0]), lambda: wp.launch(add, 2, [x, 3.0]))
    wp.capture_if(wp.array([5], dtype=int), lambda: wp.launch(add, 2, [x, 10.0]))
    return x


def recorded_launches_in_a_graph(wp):
    add = _add(wp)
    x = wp.zeros(2, dtype=float)
    launch = wp.launch(add, 2, [x, 1.0], record_cmd=True)
    with wp.ScopedCapture() as capture:
        launch.launch()
        launch.launch()
    wp.capture_launch(capture.graph)
    return x


def sorts_and_sums_in_a_graph(wp):
    keys, values = wp.array([3, 1, 2, 0, 0, 0], dtype=int), wp.array([30, 10, 20, 0, 0, 0], dtype=int)
    total = wp.zeros(3, dtype=int)
    with wp.ScopedCapture() as capture:
        wp.utils.radix_sort_pairs(keys, values, 3)
        wp.utils.array_scan(keys[:3], total, inclusive=True)
    wp.capture_launch(capture.graph)
    return keys.numpy()[:3], values.numpy()[:3], total


def tapes_keep_a_graphs_arrays(wp):
    add = _add(wp)

    def make():
        x = wp.zeros(2, dtype=float)
        with wp.ScopedCapture() as capture:
            wp.launch(add, 2, [x, 1.0])
        return capture.graph, x

    graph, x = make()
    wp.capture_launch(graph)
    return x


def captures_that_raise(wp):
    def run():
        with wp.ScopedCapture():
            raise KeyError("inside")

    return raised(run), raised(wp.capture_end)


def arrays_of_gradients_are_kept(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 3.0 * x[i]

    x = wp.ones(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        y = wp.zeros(2, dtype=float, requires_grad=True)
        wp.launch(scale, 2, [x], [y])
        z = wp.empty_like(y)
        wp.launch(scale, 2, [y], [z])
    tape.backward(grads={z: wp.array([1.0, 2.0], dtype=float)})
    return x.grad, len(tape.launches), x in tape.gradients, len(tape.gradients) >= 2


def two_tapes_for_one_array(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = s * x[i]

    x = wp.ones(2, dtype=float, requires_grad=True)
    tapes = []
    for s in (2.0, 5.0):
        tape, y = wp.Tape(), wp.zeros(2, dtype=float, requires_grad=True)
        with tape:
            wp.launch(scale, 2, [x, s], [y])
        tapes.append((tape, y))
    out = []
    for tape, y in tapes:
        tape.backward(grads={y: wp.ones(2, dtype=float)})
        out.append(x.grad.numpy().copy())
    return out


def a_tape_that_is_entered_again(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 2.0 * x[i]

    x = wp.ones(2, dtype=float, requires_grad=True)
    y, z = wp.zeros(2, dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(scale, 2, [x], [y])
    with tape:
        wp.launch(scale, 2, [y], [z])
    tape.backward(grads={z: wp.ones(2, dtype=float)})
    return x.grad, len(tape.launches)


def gradients_added_by_hand(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 2.0 * x[i]

    x = wp.ones(2, dtype=float, requires_grad=True)
    x.grad.fill_(100.0)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(scale, 2, [x], [y])
    y.grad.assign(np.array([1.0, 3.0], np.float32))
    tape.backward()
    return x.grad


@program(decided="`tape.zero()` before the first backward pass")
def zeroed_tapes_forget_seeds(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 2.0 * x[i]

    x, y = wp.ones(2, dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(scale, 2, [x], [y])
    y.grad.fill_(5.0)
    tape.zero()
    tape.backward()
    return x.grad, y.grad
