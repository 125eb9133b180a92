"""Atomic operations and reductions in kernels."""

import numpy as np
from program import gradients, program


@program(exact=True)
def histogram(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), bins: wp.array(dtype=int)):
        i = wp.tid()
        wp.atomic_add(bins, int(x[i] * 10.0), 1)

    bins = wp.zeros(10, dtype=int)
    x = wp.array(np.random.default_rng(0).random(1000), dtype=float)
    wp.launch(k, dim=1000, inputs=[x, bins])
    return bins


def sum_with_gradient(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(y, 0, x[i] * x[i])

    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(1, dtype=float, requires_grad=True)])


def sum_by_augmented_assignment(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3), n: wp.array(dtype=int), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[n[i]] += x[i] * 2.0
        y[n[i] + 1] -= x[i]

    x = wp.array(np.arange(12.0).reshape(4, 3), dtype=wp.vec3, requires_grad=True)
    n = wp.array([0, 1, 0, 1], dtype=int)
    return gradients(wp, k, 4, [x, n], [wp.zeros(3, dtype=wp.vec3, requires_grad=True)])


@program(exact=True)
def old_values_are_returned(wp):
    @wp.kernel
    def k(counter: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        y[wp.atomic_add(counter, 0, 1)] = 1
        wp.atomic_sub(counter, 1, i)

    counter, y = wp.zeros(2, dtype=int), wp.zeros(6, dtype=int)
    wp.launch(k, dim=6, inputs=[counter, y])
    return counter, y


@program(exact=True)
def smallest_and_largest(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_min(y, 0, x[i])
        wp.atomic_max(y, 1, x[i])

    y = wp.zeros(2, dtype=float)
    x = wp.array(np.random.default_rng(1).normal(size=100), dtype=float)
    wp.launch(k, dim=100, inputs=[x, y])
    return y


@program(exact=True)
def bounding_box_of_vectors(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3), lo: wp.array(dtype=wp.vec3), hi: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        wp.atomic_min(lo, 0, x[i])
        wp.atomic_max(hi, 0, x[i])

    lo, hi = wp.full(1, wp.vec3(1e9), dtype=wp.vec3), wp.full(1, wp.vec3(-1e9), dtype=wp.vec3)
    x = wp.array(np.random.default_rng(2).normal(size=(50, 3)), dtype=wp.vec3)
    wp.launch(k, dim=50, inputs=[x, lo, hi])
    return lo, hi


def gradient_of_an_atomic_maximum(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_max(y, 0, x[i])

    x = wp.array([1.0, 5.0, 3.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(1, dtype=float, requires_grad=True)])


@program(exact=True)
def bits_set_atomically(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.uint32), y: wp.array(dtype=wp.uint32)):
        i = wp.tid()
        wp.atomic_or(y, 0, x[i])
        wp.atomic_and(y, 1, x[i])
        wp.atomic_xor(y, 2, x[i])

    y = wp.array(np.array([0, 0xFFFFFFFF, 0], dtype=np.uint32), dtype=wp.uint32)
    x = wp.array(np.array([1, 6, 12, 1 << 31], dtype=np.uint32), dtype=wp.uint32)
    wp.launch(k, dim=4, inputs=[x, y])
    return y


@program(exact=True)
def compare_and_swap(wp):
    @wp.kernel
    def k(slots: wp.array(dtype=int), owner: wp.array(dtype=int)):
        i = wp.tid()
        if wp.atomic_cas(slots, i % 3, -1, i) == -1:
            owner[i] = 1
        wp.atomic_exch(slots, 3, 7)

    slots, owner = wp.full(4, -1, dtype=int), wp.zeros(9, dtype=int)
    wp.launch(k, dim=9, inputs=[slots, owner], record_tape=False)
    return owner.numpy().sum(), slots.numpy()[3]


@program(exact=True)
def sums_in_two_dimensions(wp):
    @wp.kernel
    def k(x: wp.array2d(dtype=wp.float64), rows: wp.array(dtype=wp.float64), all: wp.array2d(dtype=wp.float64)):
        i, j = wp.tid()
        wp.atomic_add(rows, i, x[i, j])
        wp.atomic_add(all, 0, 0, x[i, j])

    x = wp.array(np.arange(12.0).reshape(3, 4), dtype=wp.float64)
    rows, all = wp.zeros(3, dtype=wp.float64), wp.zeros((1, 1), dtype=wp.float64)
    wp.launch(k, dim=(3, 4), inputs=[x, rows, all])
    return rows, all


@program(exact=True)
def search_in_a_sorted_array(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), v: wp.array(dtype=float), y: wp.array2d(dtype=int)):
        i = wp.tid()
        y[i, 0] = wp.lower_bound(a, v[i])
        y[i, 1] = wp.lower_bound(a, 1, 3, v[i])

    a = wp.array([1.0, 2.0, 2.0, 5.0, 9.0], dtype=float)
    v = wp.array([0.0, 1.0, 2.0, 3.0, 9.0, 10.0], dtype=float)
    y = wp.zeros((6, 2), dtype=int)
    wp.launch(k, dim=6, inputs=[a, v, y])
    return y


def mean_and_variance(wp):
    @wp.kernel
    def moments(x: wp.array(dtype=float), s: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        wp.atomic_add(s, 0, wp.vec2(x[i], x[i] * x[i]))

    @wp.kernel
    def finish(s: wp.array(dtype=wp.vec2), n: float, y: wp.array(dtype=float)):
        m = s[0][0] / n
        y[0] = s[0][1] / n - m * m

    x = wp.array([1.0, 4.0, 2.0, 8.0], dtype=float, requires_grad=True)
    s, y = wp.zeros(1, dtype=wp.vec2, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(moments, dim=4, inputs=[x], outputs=[s])
        wp.launch(finish, dim=1, inputs=[s, 4.0], outputs=[y])
    tape.backward(loss=y)
    return y, x.grad
