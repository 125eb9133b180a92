"""Gradients: `wp.adjoint`, `wp.grad`, atomics on tapes, repeated passes, components and slices."""

import numpy as np
from program import gradients, program, raised


def adjoints_of_components(wp):
    @wp.func
    def norm(v: wp.vec3):
        return wp.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])

    @wp.func_grad(norm)
    def adj_norm(v: wp.vec3, adj: float):
        wp.adjoint[v] += v * adj * 2.0

    @wp.kernel
    def k(v: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = norm(v[i])

    v = wp.array([[3.0, 4.0, 0.0], [1.0, 2.0, 2.0]], dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 2, [v], [wp.zeros(2, dtype=float, requires_grad=True)])


def adjoints_of_fields(wp):
    @wp.struct
    class S:
        scalar: float
        n: int

    @wp.func
    def square(s: S, x: float):
        return s.scalar * s.scalar * x

    @wp.func_grad(square)
    def adj_square(s: S, x: float, adj: float):
        wp.adjoint[s.scalar] += 10.0 * adj
        wp.adjoint[x] += 100.0 * adj

    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        s = S()
        s.scalar = a[i]
        y[i] = square(s, b[i])

    a = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    b = wp.array([3.0, 4.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 2, [a, b], [wp.zeros(2, dtype=float, requires_grad=True)])


def adjoints_of_vector_fields(wp):
    @wp.struct
    class S:
        vec: wp.vec2

    @wp.func
    def first(s: S):
        return s.vec[0] * 2.0

    @wp.func_grad(first)
    def adj_first(s: S, adj: float):
        wp.adjoint[s.vec].y += 7.0 * adj

    @wp.kernel
    def k(a: wp.array(dtype=wp.vec2), y: wp.array(dtype=float)):
        i = wp.tid()
        s = S()
        s.vec = a[i]
        y[i] = first(s)

    a = wp.array([[1.0, 2.0]], dtype=wp.vec2, requires_grad=True)
    return gradients(wp, k, 1, [a], [wp.zeros(1, dtype=float, requires_grad=True)])


def adjoints_of_array_elements(wp):
    @wp.func
    def pick(a: wp.array(dtype=float), i: int):
        return a[i] * 3.0

    @wp.func_grad(pick)
    def adj_pick(a: wp.array(dtype=float), i: int, adj: float):
        wp.adjoint[a][i] += 5.0 * adj

    @wp.kernel
    def k(a: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = pick(a, i)

    a = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 2, [a], [wp.zeros(2, dtype=float, requires_grad=True)])


def adjoints_of_matrices(wp):
    @wp.func
    def trace2(m: wp.mat22):
        return 2.0 * (m[0, 0] + m[1, 1])

    @wp.func_grad(trace2)
    def adj_trace2(m: wp.mat22, adj: float):
        wp.adjoint[m] += wp.mat22(adj, 0.5 * adj, 0.0, adj)

    @wp.kernel
    def k(m: wp.array(dtype=wp.mat22), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = trace2(m[i])

    m = wp.array(np.arange(8.0), dtype=wp.mat22, requires_grad=True)
    return gradients(wp, k, 2, [m], [wp.zeros(2, dtype=float, requires_grad=True)])


def gradients_of_functions(wp):
    @wp.func
    def f(x: float, y: float):
        return x * x * y + wp.sin(y)

    @wp.kernel
    def k(x: wp.array(dtype=float), g: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        a, b = wp.grad(f)(x[i], 2.0)
        g[i] = wp.vec2(a, b)

    g = wp.zeros(3, dtype=wp.vec2)
    wp.launch(k, dim=3, inputs=[wp.array([1.0, 2.0, -0.5], dtype=float), g])
    return g


def gradients_of_builtins(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), g: wp.array(dtype=float)):
        i = wp.tid()
        g[i] = wp.grad(wp.sin)(x[i]) + wp.grad(wp.sqrt)(x[i])

    g = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 4.0], dtype=float), g])
    return g


def gradients_of_functions_that_take_functions(wp):
    @wp.func
    def cube(x: float):
        return x * x * x

    @wp.func
    def apply(f: wp.Function, x: float):
        return f(x) * 2.0

    @wp.kernel
    def k(x: wp.array(dtype=float), g: wp.array(dtype=float)):
        i = wp.tid()
        g[i] = wp.grad(apply)(cube, x[i])

    g = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 4.0], dtype=float), g])
    return g


def gradients_of_vector_functions(wp):
    @wp.func
    def energy(x: wp.vec3, k: float):
        return 0.5 * k * wp.dot(x, x)

    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3), f: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        gx, gk = wp.grad(energy)(x[i], 3.0)
        f[i] = -gx + wp.vec3(gk)

    f = wp.zeros(2, dtype=wp.vec3)
    wp.launch(k, dim=2, inputs=[wp.array([[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]], dtype=wp.vec3), f])
    return f


def backward_twice(wp):
    @wp.kernel
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    x, y = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    once = x.grad.numpy().copy()
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return once, x.grad


def backward_of_a_loss_twice(wp):
    @wp.kernel
    def total(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(loss, 0, x[i] * x[i])

    x, loss = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(total, dim=2, inputs=[x], outputs=[loss])
    tape.backward(loss)
    once = x.grad.numpy().copy()
    tape.backward(loss)
    return once, x.grad


def minimum_on_a_tape(wp):
    @wp.kernel
    def least(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_min(y, 0, x[i] * x[i])

    x = wp.array([3.0, -1.0, 2.0], dtype=float, requires_grad=True)
    y = wp.full(1, 100.0, dtype=float, requires_grad=True)
    return gradients(wp, least, 3, [x], [y])


def maximum_by_group_on_a_tape(wp):
    @wp.kernel
    def most(x: wp.array(dtype=float), g: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_max(y, g[i], 2.0 * x[i])

    x = wp.array([3.0, -1.0, 2.0, 5.0], dtype=float, requires_grad=True)
    g = wp.array([0, 1, 0, 1], dtype=int)
    y = wp.full(2, -100.0, dtype=float, requires_grad=True)
    return gradients(wp, most, 4, [x, g], [y])


def used_results_of_atomic_adds(wp):
    @wp.kernel
    def place(x: wp.array(dtype=float), n: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        j = wp.atomic_add(n, 0, 1)
        y[j] = x[i] * 2.0

    x = wp.array([5.0], dtype=float, requires_grad=True)
    n, y = wp.zeros(1, dtype=int), wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(place, dim=1, inputs=[x, n], outputs=[y])
    return n, y


@program(decided="`atomic_exch`, `atomic_cas` on floats under a tape")
def used_results_of_atomic_minima(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), best: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        old = wp.atomic_min(best, 0, x[i])
        y[i] = x[i] * 3.0 + 0.0 * old

    x = wp.array([5.0], dtype=float, requires_grad=True)
    best, y = wp.full(1, 9.0, dtype=float), wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=1, inputs=[x, best], outputs=[y])
    tape.backward(grads={y: wp.ones(1, dtype=float)})
    return best, y, x.grad


def exchanges_of_integers_on_a_tape(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), flag: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        old = wp.atomic_exch(flag, i, 1)
        seen = wp.atomic_cas(flag, i, 1, 2)
        y[i] = x[i] * float(seen) + float(old)

    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    flag, y = wp.zeros(2, dtype=int), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=2, inputs=[x, flag], outputs=[y])
    return flag, y


def exchanges_of_floats_on_a_tape(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_exch(y, i, x[i])

    x, y = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=2, inputs=[x], outputs=[y])
    return y


def kernels_of_modules_without_gradients(wp):
    @wp.kernel(enable_backward=False)
    def count(x: wp.array(dtype=float), n: wp.array(dtype=int)):
        i = wp.tid()
        if x[i] > 0.0:
            wp.atomic_add(n, 0, 1)

    @wp.kernel
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    x, y = wp.array([1.0, -2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    n = wp.zeros(1, dtype=int)
    tape = wp.Tape()
    with tape:
        wp.launch(count, dim=2, inputs=[x, n])
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        wp.launch(count, dim=2, inputs=[y, n])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return n, x.grad


def components_assigned_from_slices(wp):
    @wp.kernel
    def k(v: wp.array(dtype=wp.vec2), y: wp.array(dtype=wp.mat33)):
        i = wp.tid()
        m = wp.mat33()
        m[0, 1:] = v[i]
        y[i] = m

    v = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=wp.vec2, requires_grad=True)
    return gradients(wp, k, 2, [v], [wp.zeros(2, dtype=wp.mat33, requires_grad=True)])


def slices_of_vectors_assigned(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec2), y: wp.array(dtype=wp.vec4)):
        i = wp.tid()
        v = wp.vec4(1.0, 2.0, 3.0, 4.0)
        v[1:3] = a[i] * 2.0
        y[i] = v

    a = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=wp.vec2, requires_grad=True)
    return gradients(wp, k, 2, [a], [wp.zeros(2, dtype=wp.vec4, requires_grad=True)])


def rows_of_matrices_assigned(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.mat33)):
        i = wp.tid()
        m = wp.identity(n=3, dtype=float)
        m[1] = a[i]
        y[i] = m

    a = wp.array([[1.0, 2.0, 3.0]], dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 1, [a], [wp.zeros(1, dtype=wp.mat33, requires_grad=True)])


def components_of_elements_added_to(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i][0] += x[i] * 2.0
        y[i][2] -= x[i] * x[i]

    x = wp.array([1.0, 3.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 2, [x], [wp.ones(2, dtype=wp.vec3, requires_grad=True)])


def elements_multiplied_in_place(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] *= x[i]

    x, y = wp.array([2.0, 3.0], dtype=float), wp.array([5.0, 7.0], dtype=float)
    wp.launch(k, dim=2, inputs=[x, y])
    return y


def scopes_among_launches(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = 1.0

    x = wp.zeros(2, dtype=float)
    tape = wp.Tape()
    with tape:
        tape.record_scope_begin("a")
        wp.launch(k, dim=2, inputs=[x])
        tape.record_scope_end()
        wp.launch(k, dim=2, inputs=[x])
    return len(tape.launches), [s[1] for s in tape.scopes]


def gradients_by_torus_of_neighbours(wp):
    @wp.kernel
    def k(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
        i, j = wp.tid()
        n = x.shape[0]
        y[i, j] = x[(i + 1) % n, j] * x[i, (j + n - 1) % n] - x[i, j]

    x = wp.array(np.arange(64.0).reshape(8, 8) * 0.1, dtype=float, requires_grad=True)
    return gradients(wp, k, (8, 8), [x], [wp.zeros((8, 8), dtype=float, requires_grad=True)])


def gradient_of_a_where(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.where(x[i] > 0.0, x[i] * x[i], -x[i])

    x = wp.array([2.0, -3.0, 0.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=float, requires_grad=True)])


def gradient_of_several_outputs(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec2), a: wp.array(dtype=float), b: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        l = wp.length(x[i])
        a[i] = l
        b[i] = x[i] / l

    x = wp.array([[3.0, 4.0], [1.0, 0.0]], dtype=wp.vec2, requires_grad=True)
    a, b = wp.zeros(2, dtype=float, requires_grad=True), wp.zeros(2, dtype=wp.vec2, requires_grad=True)
    return gradients(wp, k, 2, [x], [a, b])


def wrong_losses(wp):
    tape = wp.Tape()
    with tape:
        pass
    return raised(tape.backward, wp.zeros(1, dtype=float)), raised(tape.backward, wp.zeros(2, dtype=float))
