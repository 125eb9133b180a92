"""Fitting and learning: losses, layers, training loops, statistics."""

import numpy as np
from program import gradients


def softmax_of_rows(wp):
    @wp.kernel
    def k(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
        i = wp.tid()
        top = x[i, 0]
        for j in range(1, 5):
            top = wp.max(top, x[i, j])
        s = float(0.0)
        for j in range(5):
            s += wp.exp(x[i, j] - top)
        for j in range(5):
            y[i, j] = wp.exp(x[i, j] - top) / s

    x = wp.array(np.random.default_rng(1).normal(size=(3, 5)), dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros((3, 5), dtype=float, requires_grad=True)])


def cross_entropy_with_labels(wp):
    @wp.kernel
    def k(x: wp.array2d(dtype=float), label: wp.array(dtype=int), loss: wp.array(dtype=float)):
        i = wp.tid()
        s = float(0.0)
        for j in range(4):
            s += wp.exp(x[i, j])
        wp.atomic_add(loss, 0, wp.log(s) - x[i, label[i]])

    x = wp.array(np.random.default_rng(2).normal(size=(6, 4)), dtype=float, requires_grad=True)
    label = wp.array([0, 3, 2, 1, 1, 0], dtype=int)
    return gradients(wp, k, 6, [x, label], [wp.zeros(1, dtype=float, requires_grad=True)])


def logistic_regression(wp):
    @wp.kernel
    def loss_of(
        x: wp.array(dtype=wp.vec2), t: wp.array(dtype=float), w: wp.array(dtype=float), l: wp.array(dtype=float)
    ):
        i = wp.tid()
        z = w[0] * x[i][0] + w[1] * x[i][1] + w[2]
        p = 1.0 / (1.0 + wp.exp(-z))
        wp.atomic_add(l, 0, -t[i] * wp.log(p) - (1.0 - t[i]) * wp.log(1.0 - p))

    rng = np.random.default_rng(3)
    points = rng.normal(size=(32, 2))
    x = wp.array(points, dtype=wp.vec2)
    t = wp.array((points.sum(axis=1) > 0.3).astype(np.float32))
    w = wp.zeros(3, dtype=float, requires_grad=True)
    losses = []
    for _ in range(5):
        l = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(loss_of, dim=32, inputs=[x, t, w], outputs=[l])
        tape.backward(l)
        w.assign(w.numpy() - 0.05 * w.grad.numpy())
        tape.zero()
        losses.append(float(l.numpy()[0]))
    return losses, w


def distances_to_centres(wp):
    @wp.kernel
    def assign(x: wp.array(dtype=wp.vec2), c: wp.array(dtype=wp.vec2), nearest: wp.array(dtype=int)):
        i = wp.tid()
        best = float(1.0e9)
        at = int(0)
        for j in range(c.shape[0]):
            d = wp.length_sq(x[i] - c[j])
            if d < best:
                best = d
                at = j
        nearest[i] = at

    @wp.kernel
    def gather(x: wp.array(dtype=wp.vec2), nearest: wp.array(dtype=int), s: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        wp.atomic_add(s, nearest[i], wp.vec3(x[i][0], x[i][1], 1.0))

    @wp.kernel
    def move(s: wp.array(dtype=wp.vec3), c: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        if s[i][2] > 0.0:
            c[i] = wp.vec2(s[i][0], s[i][1]) / s[i][2]

    x = wp.array(np.random.default_rng(4).normal(size=(60, 2)), dtype=wp.vec2)
    c = wp.array([[0.0, 1.0], [1.0, -1.0], [-1.0, -1.0]], dtype=wp.vec2)
    nearest = wp.zeros(60, dtype=int)
    for _ in range(4):
        s = wp.zeros(3, dtype=wp.vec3)
        wp.launch(assign, dim=60, inputs=[x, c, nearest])
        wp.launch(gather, dim=60, inputs=[x, nearest, s])
        wp.launch(move, dim=3, inputs=[s, c])
    return c, nearest


def principal_direction(wp):
    @wp.kernel
    def covariance(x: wp.array(dtype=wp.vec3), m: wp.array(dtype=wp.mat33)):
        i = wp.tid()
        wp.atomic_add(m, 0, wp.outer(x[i], x[i]))

    @wp.kernel
    def iterate(m: wp.array(dtype=wp.mat33), v: wp.array(dtype=wp.vec3)):
        u = v[0]
        for _ in range(30):
            u = wp.normalize(m[0] * u)
        v[0] = u

    x = wp.array(np.random.default_rng(5).normal(size=(40, 3)) * [3.0, 1.0, 0.5], dtype=wp.vec3)
    m, v = wp.zeros(1, dtype=wp.mat33), wp.ones(1, dtype=wp.vec3)
    wp.launch(covariance, dim=40, inputs=[x, m])
    wp.launch(iterate, dim=1, inputs=[m, v])
    return m, v


def convolution_with_gradients(wp):
    @wp.kernel
    def conv(x: wp.array2d(dtype=float), w: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
        i, j = wp.tid()
        s = float(0.0)
        for a in range(3):
            for b in range(3):
                s += x[i + a, j + b] * w[a, b]
        y[i, j] = s

    rng = np.random.default_rng(6)
    x = wp.array(rng.normal(size=(8, 7)), dtype=float, requires_grad=True)
    w = wp.array(rng.normal(size=(3, 3)), dtype=float, requires_grad=True)
    return gradients(wp, conv, (6, 5), [x, w], [wp.zeros((6, 5), dtype=float, requires_grad=True)])


def attention_of_one_head(wp):
    @wp.kernel
    def scores(q: wp.array(dtype=wp.vec4), k: wp.array(dtype=wp.vec4), s: wp.array2d(dtype=float)):
        i, j = wp.tid()
        s[i, j] = wp.exp(wp.dot(q[i], k[j]) * 0.5)

    @wp.kernel
    def sums(s: wp.array2d(dtype=float), z: wp.array(dtype=float)):
        i, j = wp.tid()
        wp.atomic_add(z, i, s[i, j])

    @wp.kernel
    def mix(
        s: wp.array2d(dtype=float), z: wp.array(dtype=float), v: wp.array(dtype=wp.vec4), y: wp.array(dtype=wp.vec4)
    ):
        i, j = wp.tid()
        wp.atomic_add(y, i, v[j] * (s[i, j] / z[i]))

    rng = np.random.default_rng(7)
    q, k, v = (wp.array(rng.normal(size=(5, 4)), dtype=wp.vec4, requires_grad=True) for _ in range(3))
    s, z = wp.zeros((5, 5), dtype=float, requires_grad=True), wp.zeros(5, dtype=float, requires_grad=True)
    y = wp.zeros(5, dtype=wp.vec4, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(scores, dim=(5, 5), inputs=[q, k], outputs=[s])
        wp.launch(sums, dim=(5, 5), inputs=[s], outputs=[z])
        wp.launch(mix, dim=(5, 5), inputs=[s, z, v], outputs=[y])
    tape.backward(grads={y: wp.array(np.arange(20.0).reshape(5, 4) * 0.1, dtype=wp.vec4)})
    return y, q.grad, k.grad, v.grad


def recurrence_unrolled_over_launches(wp):
    @wp.kernel
    def cell(h: wp.array(dtype=wp.vec3), x: wp.vec3, w: wp.array(dtype=wp.mat33), out: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        a = w[0] * h[i] + x
        out[i] = wp.vec3(wp.tanh(a[0]), wp.tanh(a[1]), wp.tanh(a[2]))

    rng = np.random.default_rng(8)
    w = wp.array(rng.normal(size=(1, 3, 3)) * 0.5, dtype=wp.mat33, requires_grad=True)
    first = h = wp.array(rng.normal(size=(2, 3)), dtype=wp.vec3, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for step in range(4):
            out = wp.zeros(2, dtype=wp.vec3, requires_grad=True)
            wp.launch(cell, dim=2, inputs=[h, wp.vec3(0.1 * step, 0.0, -0.1), w], outputs=[out])
            h = out
    tape.backward(grads={h: wp.ones(2, dtype=wp.vec3)})
    return h, w.grad, first.grad


def batch_normalisation(wp):
    @wp.kernel
    def moments(x: wp.array2d(dtype=float), m: wp.array(dtype=float), v: wp.array(dtype=float)):
        j = wp.tid()
        s = float(0.0)
        for i in range(8):
            s += x[i, j]
        mean = s / 8.0
        q = float(0.0)
        for i in range(8):
            q += (x[i, j] - mean) * (x[i, j] - mean)
        m[j] = mean
        v[j] = q / 8.0

    @wp.kernel
    def scale(
        x: wp.array2d(dtype=float), m: wp.array(dtype=float), v: wp.array(dtype=float), y: wp.array2d(dtype=float)
    ):
        i, j = wp.tid()
        y[i, j] = (x[i, j] - m[j]) / wp.sqrt(v[j] + 1.0e-5)

    x = wp.array(np.random.default_rng(9).normal(size=(8, 3)), dtype=float, requires_grad=True)
    m, v = wp.zeros(3, dtype=float, requires_grad=True), wp.zeros(3, dtype=float, requires_grad=True)
    y = wp.zeros((8, 3), dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(moments, dim=3, inputs=[x], outputs=[m, v])
        wp.launch(scale, dim=(8, 3), inputs=[x, m, v], outputs=[y])
    tape.backward(grads={y: wp.array(np.arange(24.0).reshape(8, 3), dtype=float)})
    return y, x.grad


def radial_basis_functions(wp):
    @wp.kernel
    def evaluate(
        x: wp.array(dtype=wp.vec2), c: wp.array(dtype=wp.vec2), w: wp.array(dtype=float), y: wp.array(dtype=float)
    ):
        i = wp.tid()
        s = float(0.0)
        for j in range(4):
            s += w[j] * wp.exp(-2.0 * wp.length_sq(x[i] - c[j]))
        y[i] = s

    rng = np.random.default_rng(10)
    x, c = (wp.array(rng.random((n, 2)), dtype=wp.vec2, requires_grad=True) for n in (9, 4))
    w = wp.array(rng.normal(size=4), dtype=float, requires_grad=True)
    return gradients(wp, evaluate, 9, [x, c, w], [wp.zeros(9, dtype=float, requires_grad=True)])


def activations_and_slopes(wp):
    @wp.func
    def gelu(x: float):
        return 0.5 * x * (1.0 + wp.tanh(0.7978846 * (x + 0.044715 * x * x * x)))

    @wp.func
    def silu(x: float):
        return x / (1.0 + wp.exp(-x))

    @wp.func
    def leaky(x: float):
        return wp.where(x > 0.0, x, 0.1 * x)

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.vec3(gelu(x[i]), silu(x[i]), leaky(x[i]))

    x = wp.array(np.linspace(-3.0, 3.0, 11), dtype=float, requires_grad=True)
    return gradients(wp, k, 11, [x], [wp.zeros(11, dtype=wp.vec3, requires_grad=True)])


def histogram_that_is_differentiable(wp):
    @wp.kernel
    def soft(x: wp.array(dtype=float), h: wp.array(dtype=float)):
        i = wp.tid()
        at = x[i] * 4.0
        lo = int(wp.floor(at))
        f = at - float(lo)
        wp.atomic_add(h, lo, 1.0 - f)
        wp.atomic_add(h, lo + 1, f)

    x = wp.array(np.random.default_rng(11).random(30), dtype=float, requires_grad=True)
    return gradients(wp, soft, 30, [x], [wp.zeros(6, dtype=float, requires_grad=True)])


def adam_by_hand(wp):
    @wp.kernel
    def gradient(w: wp.array(dtype=float), g: wp.array(dtype=float)):
        i = wp.tid()
        g[i] = 2.0 * (w[i] - float(i)) + 0.3 * wp.cos(3.0 * w[i])

    @wp.kernel
    def step(
        w: wp.array(dtype=float), g: wp.array(dtype=float), m: wp.array(dtype=float), v: wp.array(dtype=float), t: float
    ):
        i = wp.tid()
        m[i] = 0.9 * m[i] + 0.1 * g[i]
        v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i]
        a = m[i] / (1.0 - wp.pow(0.9, t))
        b = v[i] / (1.0 - wp.pow(0.999, t))
        w[i] = w[i] - 0.1 * a / (wp.sqrt(b) + 1.0e-8)

    w, g, m, v = (wp.zeros(4, dtype=float) for _ in range(4))
    for t in range(1, 11):
        wp.launch(gradient, dim=4, inputs=[w, g])
        wp.launch(step, dim=4, inputs=[w, g, m, v, float(t)])
    return w


def kalman_filter(wp):
    @wp.kernel
    def run(z: wp.array(dtype=float), out: wp.array(dtype=wp.vec2)):
        x = wp.vec2(0.0, 0.0)
        p = wp.mat22(1.0, 0.0, 0.0, 1.0)
        f = wp.mat22(1.0, 0.1, 0.0, 1.0)
        for t in range(z.shape[0]):
            x = f * x
            p = f * p * wp.transpose(f) + wp.mat22(0.01, 0.0, 0.0, 0.01)
            gain = wp.vec2(p[0, 0], p[1, 0]) / (p[0, 0] + 0.25)
            x = x + gain * (z[t] - x[0])
            h = wp.mat22(1.0 - gain[0], 0.0, -gain[1], 1.0)
            p = h * p
            out[t] = x

    z = wp.array(np.sin(np.arange(20) * 0.3), dtype=float)
    out = wp.zeros(20, dtype=wp.vec2)
    wp.launch(run, dim=1, inputs=[z, out])
    return out


def forward_backward_of_a_hidden_chain(wp):
    @wp.kernel
    def run(obs: wp.array(dtype=int), alpha: wp.array(dtype=wp.vec2)):
        a = wp.mat22(0.7, 0.3, 0.4, 0.6)
        v = wp.vec2(0.6, 0.4)
        for t in range(obs.shape[0]):
            e = wp.vec2(0.9, 0.2)
            if obs[t] == 1:
                e = wp.vec2(0.1, 0.8)
            v = wp.cw_mul(wp.transpose(a) * v, e)
            v = v / (v[0] + v[1])
            alpha[t] = v

    alpha = wp.zeros(6, dtype=wp.vec2)
    wp.launch(run, dim=1, inputs=[wp.array([0, 0, 1, 1, 0, 1], dtype=int), alpha])
    return alpha


def running_mean_and_variance(wp):
    @wp.kernel
    def welford(x: wp.array2d(dtype=wp.float64), y: wp.array(dtype=wp.vec2d)):
        i = wp.tid()
        mean = wp.float64(0.0)
        m2 = wp.float64(0.0)
        for j in range(x.shape[1]):
            d = x[i, j] - mean
            mean = mean + d / wp.float64(j + 1)
            m2 = m2 + d * (x[i, j] - mean)
        y[i] = wp.vec2d(mean, m2 / wp.float64(x.shape[1]))

    x = wp.array(np.random.default_rng(12).normal(size=(3, 50)) + 1e6, dtype=wp.float64)
    y = wp.zeros(3, dtype=wp.vec2d)
    wp.launch(welford, dim=3, inputs=[x, y])
    return y


def quantiles_by_bisection(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), q: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        lo, hi = float(-10.0), float(10.0)
        for _ in range(40):
            mid = 0.5 * (lo + hi)
            n = int(0)
            for j in range(x.shape[0]):
                if x[j] <= mid:
                    n += 1
            if float(n) < q[i] * float(x.shape[0]):
                lo = mid
            else:
                hi = mid
        y[i] = hi

    x = wp.array(np.random.default_rng(13).normal(size=101), dtype=float)
    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[x, wp.array([0.1, 0.5, 0.9], dtype=float), y])
    return y
