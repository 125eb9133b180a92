"""Arrays of integers and bools that are asked for gradients."""

import numpy as np
from program import raised


def integers_by_every_maker(wp):
    made = [
        wp.zeros(3, dtype=int, requires_grad=True),
        wp.ones((2, 2), dtype=wp.int64, requires_grad=True),
        wp.full(2, 7, dtype=wp.uint8, requires_grad=True),
        wp.empty(0, dtype=wp.int16, requires_grad=True),
        wp.array([1, 2], dtype=wp.uint32, requires_grad=True),
        wp.array([True, False], dtype=bool, requires_grad=True),
    ]
    return [[a.requires_grad, a] for a in made]


def likes_of_integers(wp):
    a = wp.array([3, 4], dtype=int, requires_grad=True)
    made = [wp.zeros_like(a), wp.ones_like(a), wp.full_like(a, 5), wp.clone(a), wp.empty_like(a)]
    return [b.requires_grad for b in made], made[0], made[2], made[3]


def numpy_integers_with_gradients(wp):
    a = wp.from_numpy(np.arange(4, dtype=np.int32), requires_grad=True)
    b = wp.array(np.array([True, False]), requires_grad=True)
    c = wp.from_numpy(np.arange(6).reshape(3, 2), dtype=wp.vec2i, requires_grad=True)
    return a, a.requires_grad, b, b.requires_grad, c, c.requires_grad


def gradient_asked_for_later(wp):
    a, b = wp.array([1, 2], dtype=int), wp.zeros(2, dtype=wp.vec3i)
    a.requires_grad = True
    b.requires_grad = True
    b.requires_grad = False
    return a.requires_grad, b.requires_grad, b.grad is None, a


def integer_vectors_with_gradients(wp):
    a = wp.zeros(2, dtype=wp.vec2i, requires_grad=True)
    b = wp.ones((2, 1), dtype=wp.types.matrix(shape=(2, 2), dtype=wp.int32), requires_grad=True)
    return a, b, a.requires_grad, b.requires_grad


def integers_kept_by_retain_grad(wp):
    a = wp.zeros(2, dtype=int, requires_grad=True, retain_grad=True)
    return a.requires_grad, a.retain_grad, raised(wp.array, [1, 2], dtype=wp.int64, retain_grad=True)


def indices_that_require_gradients(wp):
    @wp.kernel
    def gather(x: wp.array(dtype=float), at: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[at[i]] * x[at[i]]

    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    at = wp.array([2, 0, 2, 1], dtype=int, requires_grad=True)
    y = wp.zeros(4, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(gather, dim=4, inputs=[x, at], outputs=[y])
    tape.backward(grads={y: wp.ones(4, dtype=float)})
    return y, x.grad


def counters_that_require_gradients(wp):
    @wp.kernel
    def count(x: wp.array(dtype=float), n: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        if x[i] > 0.0:
            wp.atomic_add(n, 0, 1)
        y[i] = 2.0 * x[i]

    x = wp.array([1.0, -2.0, 3.0], dtype=float, requires_grad=True)
    n, y = wp.zeros(1, dtype=int, requires_grad=True), wp.zeros(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(count, dim=3, inputs=[x], outputs=[n, y])
    tape.backward(grads={y: wp.array([1.0, 2.0, 3.0], dtype=float)})
    return n, y, x.grad


def masks_that_require_gradients(wp):
    @wp.kernel
    def pick(x: wp.array(dtype=wp.vec2), keep: wp.array(dtype=wp.bool), y: wp.array(dtype=float)):
        i = wp.tid()
        if keep[i]:
            y[i] = wp.dot(x[i], x[i])

    x = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=wp.vec2, requires_grad=True)
    keep = wp.array([False, True], dtype=wp.bool, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(pick, dim=2, inputs=[x, keep], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return y, x.grad


def integers_of_a_struct(wp):
    @wp.struct
    class Graph:
        start: wp.array(dtype=int)
        weight: wp.array(dtype=float)

    @wp.kernel
    def rows(g: Graph, y: wp.array(dtype=float)):
        i = wp.tid()
        for j in range(g.start[i], g.start[i + 1]):
            wp.atomic_add(y, i, g.weight[j] * g.weight[j])

    g = Graph()
    g.start = wp.array([0, 2, 3], dtype=int, requires_grad=True)
    g.weight = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(rows, dim=2, inputs=[g], outputs=[y])
    tape.backward(grads={y: wp.array([1.0, 10.0], dtype=float)})
    return y, g.weight.grad


def a_tape_forgets_integers(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=float), n: wp.array(dtype=wp.int64), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * float(n[0])

    x, n = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.array([3], dtype=wp.int64, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(scale, dim=2, inputs=[x, n], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    first = x.grad.numpy().copy()
    tape.zero()
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return first, x.grad, n


def integer_outputs_beside_floats(wp):
    @wp.kernel
    def floors(x: wp.array(dtype=float), n: wp.array(dtype=int), f: wp.array(dtype=float)):
        i = wp.tid()
        n[i] = int(wp.floor(x[i]))
        f[i] = x[i] * x[i] - float(n[i])

    x = wp.array([1.5, 2.25, -0.75], dtype=float, requires_grad=True)
    n, f = wp.zeros(3, dtype=int, requires_grad=True), wp.zeros(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(floors, dim=3, inputs=[x], outputs=[n, f])
    tape.backward(grads={f: wp.ones(3, dtype=float)})
    return n, f, x.grad


def integers_through_many_threads(wp):
    @wp.kernel
    def bins(x: wp.array(dtype=float), of: wp.array(dtype=wp.uint16), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(y, int(of[i]), x[i] * x[i])

    n = 500
    x = wp.array(np.arange(n) % 7 * 0.25, dtype=float, requires_grad=True)
    of = wp.array(np.arange(n) % 5, dtype=wp.uint16, requires_grad=True)
    y = wp.zeros(5, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(bins, dim=n, inputs=[x, of], outputs=[y])
    tape.backward(grads={y: wp.array(np.arange(5.0), dtype=float)})
    return y, x.grad


def copies_of_integers_on_a_tape(wp):
    @wp.kernel
    def pick(x: wp.array(dtype=float), at: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 3.0 * x[at[i]]

    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    at, used = wp.array([1, 1], dtype=int, requires_grad=True), wp.zeros(2, dtype=int, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.copy(used, at)
        wp.launch(pick, dim=2, inputs=[x, used], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return used, y, x.grad


def views_of_integers_with_gradients(wp):
    a = wp.array(np.arange(6), dtype=int, requires_grad=True)
    b = a.reshape((2, 3))
    c = b[:, 1:]
    d = b.transpose()
    return [v.requires_grad for v in (b, c, d)], c, d, raised(lambda: a.view(wp.uint32))


def generic_kernels_of_integers_with_gradients(wp):
    from typing import Any

    @wp.kernel
    def double(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = x[i] + x[i]

    out = []
    for t in (wp.int32, wp.uint8, wp.float64):
        x, y = wp.array([1, 2], dtype=t, requires_grad=True), wp.zeros(2, dtype=t, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(double, dim=2, inputs=[x], outputs=[y])
        if t is wp.float64:
            tape.backward(grads={y: wp.ones(2, dtype=t)})
            out.append(x.grad)
        out.append(y)
    return out
