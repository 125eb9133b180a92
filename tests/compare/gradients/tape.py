"""Tapes: chains of launches, seeds, scopes, accumulation."""

import numpy as np
from program import program, raised


def _square(wp):
    @wp.kernel
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    return square


def _sum(wp):
    @wp.kernel
    def sum_up(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(y, 0, x[i])

    return sum_up


def chain_of_launches(wp):
    square, sum_up = _square(wp), _sum(wp)
    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    y, loss = wp.zeros_like(x), wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.launch(square, dim=3, inputs=[y], outputs=[y2 := wp.zeros_like(y)])
        wp.launch(sum_up, dim=3, inputs=[y2], outputs=[loss])
    tape.backward(loss)
    return loss, x.grad, tape.gradients[x]


@program(decided="gradient of an output stored with")
def gradients_of_stored_outputs_after_backward(wp):
    square, sum_up = _square(wp), _sum(wp)
    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y, loss = wp.zeros_like(x), wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        wp.launch(sum_up, dim=2, inputs=[y], outputs=[loss])
    tape.backward(loss)
    return x.grad, y.grad, loss.grad


def retained_gradients(wp):
    square, sum_up = _square(wp), _sum(wp)
    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True, retain_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        wp.launch(sum_up, dim=2, inputs=[y], outputs=[loss])
    tape.backward(loss)
    return x.grad, y.grad


def zero_and_backward_again(wp):
    square = _square(wp)
    x, y = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
    seed = wp.array([1.0, 10.0], dtype=float)
    tape.backward(grads={y: seed})
    first = x.grad.numpy().copy()
    tape.zero()
    zeroed = x.grad.numpy().copy()
    tape.backward(grads={y: seed})
    return first, zeroed, x.grad, seed


def reset_forgets(wp):
    square = _square(wp)
    x, y = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
    tape.reset()
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return x.grad


def gradients_of_an_array_that_is_used_twice(wp):
    @wp.kernel
    def product(a: wp.array(dtype=float), b: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = a[i] * b[i]

    x, y = wp.array([2.0, 3.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(product, dim=2, inputs=[x, x], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return x.grad


def copies_on_a_tape(wp):
    square = _square(wp)
    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    c, y = wp.zeros(3, dtype=float, requires_grad=True), wp.zeros(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.copy(c, x)
        wp.launch(square, dim=3, inputs=[c], outputs=[y])
    tape.backward(grads={y: wp.array([1.0, 2.0, 3.0], dtype=float)})
    return x.grad


def clones_on_a_tape(wp):
    square = _square(wp)
    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        c = wp.clone(x)
        wp.launch(square, dim=2, inputs=[c], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return x.grad


def views_on_a_tape(wp):
    square = _square(wp)
    x = wp.array(np.arange(6, dtype=np.float32).reshape(2, 3), dtype=float, requires_grad=True)
    y = wp.zeros(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=3, inputs=[x[1]], outputs=[y])
    tape.backward(grads={y: wp.ones(3, dtype=float)})
    return x.grad


def functions_recorded_by_hand(wp):
    square = _square(wp)
    x, y = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    z = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])

        def backward():
            y.grad.assign(z.grad.numpy() * 3.0)

        z.assign(y.numpy() * 3.0)
        tape.record_func(backward, [y, z])
    tape.backward(grads={z: wp.ones(2, dtype=float)})
    return x.grad


def launches_that_are_not_recorded(wp):
    square = _square(wp)
    x, y = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y], record_tape=False)
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return y, x.grad


def kernels_without_gradients_are_passed_over(wp):
    @wp.kernel(enable_backward=False)
    def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 2.0 * x[i]

    square = _square(wp)
    x, y, z = (wp.ones(2, dtype=float, requires_grad=True) for _ in range(3))
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        wp.launch(double, dim=2, inputs=[y], outputs=[z])
    tape.backward(grads={z: wp.ones(2, dtype=float)})
    return z, x.grad


def scopes_of_a_tape(wp):
    square = _square(wp)
    x, y = wp.ones(2, dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        tape.record_scope_begin("outer")
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        tape.record_scope_end()
    return len(tape.launches), len(tape.scopes)


def pictures_of_a_tape(wp):
    square = _square(wp)
    x, y = wp.ones(2, dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
    text = tape.visualize(array_labels={x: "x", y: "y"})
    return text.startswith("digraph"), "square" in text


def misuse_of_tapes(wp):
    square = _square(wp)
    x, y = wp.ones(2, dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])

    def nested():
        with wp.Tape(), wp.Tape():
            pass

    return raised(tape.backward, y), raised(nested)


def gradient_descent(wp):
    @wp.kernel
    def loss_of(
        w: wp.array(dtype=float), x: wp.array(dtype=float), t: wp.array(dtype=float), loss: wp.array(dtype=float)
    ):
        i = wp.tid()
        e = w[0] * x[i] + w[1] - t[i]
        wp.atomic_add(loss, 0, e * e)

    @wp.kernel
    def step(w: wp.array(dtype=float), g: wp.array(dtype=float), rate: float):
        i = wp.tid()
        w[i] = w[i] - rate * g[i]

    x = wp.array(np.linspace(0, 1, 8), dtype=float)
    t = wp.array(3.0 * np.linspace(0, 1, 8) - 1.0, dtype=float)
    w, losses = wp.zeros(2, dtype=float, requires_grad=True), []
    for _ in range(10):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(loss_of, dim=8, inputs=[w, x, t], outputs=[loss])
        tape.backward(loss)
        wp.launch(step, dim=2, inputs=[w, w.grad, 0.05])
        tape.zero()
        losses.append(float(loss.numpy()[0]))
    return w, losses


def operators_on_a_tape(wp):
    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        y = x * x + x
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return y, x.grad


def arrays_without_gradients(wp):
    square = _square(wp)
    x, y = wp.array([1.0, 2.0], dtype=float), wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return y, x.grad is None


def springs_over_time(wp):
    @wp.kernel
    def force(x: wp.array(dtype=wp.vec2), f: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        d = x[i + 1] - x[i]
        l = wp.length(d)
        s = d / l * (l - 1.0) * 10.0
        wp.atomic_add(f, i, s)
        wp.atomic_sub(f, i + 1, s)

    @wp.kernel
    def move(
        x: wp.array(dtype=wp.vec2),
        v: wp.array(dtype=wp.vec2),
        f: wp.array(dtype=wp.vec2),
        x1: wp.array(dtype=wp.vec2),
        v1: wp.array(dtype=wp.vec2),
    ):
        i = wp.tid()
        v1[i] = v[i] + 0.01 * f[i]
        x1[i] = x[i] + 0.01 * v1[i]

    def state():
        return wp.zeros(4, dtype=wp.vec2, requires_grad=True)

    x0 = wp.array([[0.0, 0.0], [1.2, 0.0], [2.0, 0.5], [3.0, 1.0]], dtype=wp.vec2, requires_grad=True)
    x, v = x0, state()
    tape = wp.Tape()
    with tape:
        for _ in range(5):
            f, x1, v1 = state(), state(), state()
            wp.launch(force, dim=3, inputs=[x], outputs=[f])
            wp.launch(move, dim=4, inputs=[x, v, f], outputs=[x1, v1])
            x, v = x1, v1
    seed = wp.array(np.arange(8.0).reshape(4, 2), dtype=wp.vec2)
    tape.backward(grads={x: seed})
    return x, x0.grad


def metadata_of_scopes_and_launches(wp):
    square, sum_up = _square(wp), _sum(wp)
    x, y = wp.ones(2, dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        tape.record_scope_begin("outer", {"step": 1})
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        tape.record_scope_begin("inner")
        wp.launch(sum_up, dim=2, inputs=[y], outputs=[loss])
        tape.record_scope_end()
        tape.record_scope_begin("empty")
        tape.record_scope_end()
        tape.record_scope_end()
    return [(s[0], s[1], s[2]) for s in tape.scopes], len(tape.launches)


def scopes_change_no_gradient(wp):
    square = _square(wp)
    x = wp.array([1.0, 3.0], dtype=float, requires_grad=True)
    y, z = wp.zeros_like(x), wp.zeros_like(x)
    tape = wp.Tape()
    with tape:
        with wp.ScopedTimer("", active=False):
            tape.record_scope_begin("a")
            wp.launch(square, dim=2, inputs=[x], outputs=[y])
            tape.record_scope_end()
        wp.launch(square, dim=2, inputs=[y], outputs=[z])
    tape.backward(grads={z: wp.ones(2, dtype=float)})
    return x.grad, tape.get_adjoint(x) is x.grad
