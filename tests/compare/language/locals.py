"""Arrays that each thread has for itself."""

import numpy as np
from program import gradients, program, raised


@program(exact=True)
def insertion_sort_of_a_window(wp):
    """A median filter: the values round an element, sorted."""

    @wp.kernel
    def median(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        w = wp.zeros(shape=(5,), dtype=float)
        for j in range(5):
            at = wp.clamp(i + j - 2, 0, x.shape[0] - 1)
            v = x[at]
            n = j
            while n > 0 and w[n - 1] > v:
                w[n] = w[n - 1]
                n = n - 1
            w[n] = v
        y[i] = w[2]

    x = wp.array(np.random.default_rng(0).normal(size=40), dtype=float)
    y = wp.zeros_like(x)
    wp.launch(median, dim=40, inputs=[x, y])
    return y


@program(exact=True)
def a_stack_of_indices(wp):
    """A tree is walked without recursion."""

    @wp.kernel
    def walk(left: wp.array(dtype=int), right: wp.array(dtype=int), order: wp.array(dtype=int)):
        stack = wp.zeros(shape=(16,), dtype=int)
        top = int(1)
        n = int(0)
        while top > 0:
            top -= 1
            node = stack[top]
            order[n] = node
            n += 1
            if right[node] >= 0:
                stack[top] = right[node]
                top += 1
            if left[node] >= 0:
                stack[top] = left[node]
                top += 1

    left = wp.array([1, 3, 5, -1, -1, -1, -1], dtype=int)
    right = wp.array([2, 4, 6, -1, -1, -1, -1], dtype=int)
    order = wp.full(7, -1, dtype=int)
    wp.launch(walk, dim=1, inputs=[left, right, order])
    return order


def vectors_in_local_arrays(wp):
    @wp.kernel
    def k(y: wp.array(dtype=wp.vec3), n: wp.array(dtype=int)):
        i = wp.tid()
        points = wp.zeros(shape=(2, 3), dtype=wp.vec3)
        for a in range(2):
            for b in range(3):
                points[a, b] = wp.vec3(float(a), float(b), float(i))
        total = wp.vec3()
        for a in range(2):
            for b in range(3):
                total += points[a, b]
        y[i] = total
        n[i] = points.shape[0] * 10 + points.shape[1]

    y, n = wp.zeros(3, dtype=wp.vec3), wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[y, n])
    return y, n


def functions_fill_local_arrays(wp):
    @wp.func
    def powers(a: wp.array(dtype=float), x: float):
        a[0] = 1.0
        for j in range(1, 4):
            a[j] = a[j - 1] * x

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        a = wp.zeros(shape=4, dtype=float)
        powers(a, x[i])
        y[i] = a[0] + a[1] + a[2] + a[3]

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array([1.0, 2.0, -3.0], dtype=float), y])
    return y


def local_arrays_are_copied(wp):
    @wp.kernel
    def k(y: wp.array(dtype=int)):
        a = wp.zeros(shape=3, dtype=int)
        a[0] = 1
        b = wp.zeros(shape=3, dtype=int)
        b = a
        a[0] = 2
        y[0] = a[0]
        y[1] = b[0]
        y[2] = len(a)

    y = wp.zeros(3, dtype=int)
    wp.launch(k, dim=1, inputs=[y])
    return y


@program(decided="gradient through a local array")
def gradients_through_local_arrays(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        a = wp.zeros(shape=3, dtype=float)
        for j in range(3):
            a[j] = x[i] * float(j + 1)
        y[i] = a[0] * a[1] + a[2]

    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 2, [x], [wp.zeros(2, dtype=float, requires_grad=True)])


def arrays_swapped_in_a_loop(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), y: wp.array(dtype=float)):
        src = a
        dst = b
        for _ in range(3):
            dst[0] = src[0] + 1.0
            t = src
            src = dst
            dst = t
        y[0] = src[0]

    y = wp.zeros(1, dtype=float)
    wp.launch(k, 1, [wp.ones(1, dtype=float), wp.zeros(1, dtype=float), y])
    return y


def arrays_chosen_by_a_branch(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        c = a
        if i % 2 == 1:
            c = b
        y[i] = c[i]

    y = wp.zeros(4, dtype=float)
    wp.launch(k, 4, [wp.ones(4, dtype=float), wp.full(4, 2.0, dtype=float), y])
    return y


def local_arrays_of_two_dimensions(wp):
    @wp.func
    def fill(a: wp.array2d(dtype=float), s: float):
        for i in range(2):
            for j in range(3):
                a[i, j] = s * float(i * 3 + j)

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        a = wp.zeros(shape=(2, 3), dtype=float)
        fill(a, float(i))
        y[i] = a[1, 2] + float(a.shape[0] * a.shape[1])

    y = wp.zeros(3, dtype=float)
    wp.launch(k, 3, [y])
    return y


def local_arrays_by_their_type(wp):
    @wp.func
    def total(a: wp.fixedarray(shape=(3,), dtype=float)):
        return a[0] + a[1] + a[2]

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        a = wp.zeros(shape=3, dtype=float)
        a[2] = 5.0
        y[0] = total(a)

    y = wp.zeros(1, dtype=float)
    wp.launch(k, 1, [y])
    return y


def atomics_on_local_arrays(wp):
    @wp.kernel
    def k(x: wp.array2d(dtype=int), y: wp.array2d(dtype=int)):
        i = wp.tid()
        bins = wp.zeros(shape=4, dtype=int)
        for j in range(x.shape[1]):
            wp.atomic_add(bins, x[i, j] & 3, 1)
        high = wp.zeros(shape=1, dtype=int)
        for j in range(x.shape[1]):
            wp.atomic_max(high, 0, x[i, j])
        for b in range(4):
            y[i, b] = bins[b]
        y[i, 4] = high[0]

    x = wp.array(np.random.default_rng(1).integers(0, 50, (3, 20)), dtype=int)
    y = wp.zeros((3, 5), dtype=int)
    wp.launch(k, dim=3, inputs=[x, y])
    return y


def sizes_of_local_arrays_are_constant(wp):
    @wp.kernel
    def k(n: int, y: wp.array(dtype=int)):
        a = wp.zeros(shape=n, dtype=int)
        y[0] = a[0]

    return raised(wp.launch, k, dim=1, inputs=[3, wp.zeros(1, dtype=int)]) != "nothing"
