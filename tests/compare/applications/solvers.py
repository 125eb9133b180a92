"""Numerical methods written as kernels: systems, roots, quadrature, differential equations, transforms."""

import numpy as np
from program import gradients, program


def sparse_rows_times_a_vector(wp):
    @wp.kernel
    def spmv(
        start: wp.array(dtype=int),
        column: wp.array(dtype=int),
        value: wp.array(dtype=float),
        x: wp.array(dtype=float),
        y: wp.array(dtype=float),
    ):
        i = wp.tid()
        s = float(0.0)
        for j in range(start[i], start[i + 1]):
            s += value[j] * x[column[j]]
        y[i] = s

    rng = np.random.default_rng(0)
    counts = rng.integers(0, 5, 12)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    column = wp.array(rng.integers(0, 12, start[-1]), dtype=int)
    value = wp.array(rng.normal(size=start[-1]), dtype=float, requires_grad=True)
    x = wp.array(rng.normal(size=12), dtype=float, requires_grad=True)
    y = wp.zeros(12, dtype=float, requires_grad=True)
    return gradients(wp, spmv, 12, [wp.array(start), column, value, x], [y])


def conjugate_gradients_by_hand(wp):
    @wp.kernel
    def apply(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        n = x.shape[0]
        left, right = wp.float64(0.0), wp.float64(0.0)
        if i > 0:
            left = x[i - 1]
        if i < n - 1:
            right = x[i + 1]
        y[i] = wp.float64(2.5) * x[i] - left - right

    @wp.kernel
    def axpy(a: wp.float64, x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        y[i] = y[i] + a * x[i]

    n = 20
    x = wp.zeros(n, dtype=wp.float64)
    r = wp.array(np.linspace(-1, 1, n), dtype=wp.float64)
    p, ap = wp.clone(r), wp.zeros(n, dtype=wp.float64)
    rr = wp.utils.array_inner(r, r)
    for _ in range(8):
        wp.launch(apply, dim=n, inputs=[p, ap])
        alpha = rr / wp.utils.array_inner(p, ap)
        wp.launch(axpy, dim=n, inputs=[alpha, p, x])
        wp.launch(axpy, dim=n, inputs=[-alpha, ap, r])
        new = wp.utils.array_inner(r, r)
        q = wp.clone(r)
        wp.launch(axpy, dim=n, inputs=[new / rr, p, q])
        p, rr = q, new
    return x


def tridiagonal_systems(wp):
    @wp.kernel
    def solve(b: wp.array2d(dtype=wp.float64), c: wp.array2d(dtype=wp.float64), x: wp.array2d(dtype=wp.float64)):
        i = wp.tid()
        n = b.shape[1]
        c[i, 0] = wp.float64(-0.25)
        x[i, 0] = b[i, 0] / wp.float64(4.0)
        for j in range(1, n):
            m = wp.float64(4.0) + c[i, j - 1]
            c[i, j] = wp.float64(-1.0) / m
            x[i, j] = (b[i, j] + x[i, j - 1]) / m
        for k in range(1, n):
            j = n - 1 - k
            x[i, j] = x[i, j] - c[i, j] * x[i, j + 1]

    b = wp.array(np.random.default_rng(1).normal(size=(3, 10)), dtype=wp.float64)
    c, x = wp.zeros((3, 10), dtype=wp.float64), wp.zeros((3, 10), dtype=wp.float64)
    wp.launch(solve, dim=3, inputs=[b, c, x])
    return x


def cholesky_of_a_small_matrix(wp):
    @wp.kernel
    def factor(a: wp.array(dtype=wp.mat44), l: wp.array(dtype=wp.mat44)):
        t = wp.tid()
        m = a[t]
        r = wp.mat44()
        for i in range(4):
            for j in range(4):
                if j <= i:
                    s = m[i, j]
                    for k in range(4):
                        if k < j:
                            s -= r[i, k] * r[j, k]
                    if i == j:
                        r[i, j] = wp.sqrt(s)
                    else:
                        r[i, j] = s / r[j, j]
        l[t] = r

    rng = np.random.default_rng(2)
    b = rng.normal(size=(2, 4, 4))
    a = wp.array(b @ b.transpose(0, 2, 1) + 4.0 * np.eye(4), dtype=wp.mat44)
    l = wp.zeros(2, dtype=wp.mat44)
    wp.launch(factor, dim=2, inputs=[a, l])
    return l


def jacobi_rotations(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), y: wp.array(dtype=wp.vec3)):
        t = wp.tid()
        m = a[t]
        for _ in range(6):
            for p in range(2):
                for q in range(1, 3):
                    if p < q and wp.abs(m[p, q]) > 1.0e-12:
                        theta = 0.5 * wp.atan2(2.0 * m[p, q], m[q, q] - m[p, p])
                        r = wp.identity(n=3, dtype=float)
                        r[p, p] = wp.cos(theta)
                        r[q, q] = wp.cos(theta)
                        r[p, q] = wp.sin(theta)
                        r[q, p] = -wp.sin(theta)
                        m = wp.transpose(r) * m * r
        d = wp.get_diag(m)
        lo = wp.min(d)
        hi = wp.max(d)
        y[t] = wp.vec3(lo, d[0] + d[1] + d[2] - lo - hi, hi)

    b = np.random.default_rng(3).normal(size=(3, 3, 3))
    a = wp.array(b + b.transpose(0, 2, 1), dtype=wp.mat33)
    y = wp.zeros(3, dtype=wp.vec3)
    wp.launch(k, dim=3, inputs=[a, y])
    return y


def gauss_seidel_by_colours(wp):
    @wp.kernel
    def relax(u: wp.array2d(dtype=float), f: wp.array2d(dtype=float), colour: int):
        i, j = wp.tid()
        if (i + j) % 2 == colour:
            u[i + 1, j + 1] = 0.25 * (u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j] + u[i + 1, j + 2] + f[i, j])

    u, f = wp.zeros((8, 9), dtype=float), wp.ones((6, 7), dtype=float)
    for n in range(20):
        wp.launch(relax, dim=(6, 7), inputs=[u, f, n % 2])
    return u


def newton_with_gradients_of_functions(wp):
    @wp.func
    def f(x: wp.float64):
        return x * x * x - wp.float64(2.0) * x - wp.float64(5.0)

    @wp.kernel
    def solve(x: wp.array(dtype=wp.float64)):
        i = wp.tid()
        v = x[i]
        for _ in range(20):
            v = v - f(v) / wp.grad(f)(v)
        x[i] = v

    x = wp.array([2.0, 3.0, 10.0], dtype=wp.float64)
    wp.launch(solve, dim=3, inputs=[x])
    return x


def runge_kutta_orbits(wp):
    @wp.func
    def slope(s: wp.vec4):
        r2 = s[0] * s[0] + s[1] * s[1]
        r3 = r2 * wp.sqrt(r2)
        return wp.vec4(s[2], s[3], -s[0] / r3, -s[1] / r3)

    @wp.kernel
    def run(s: wp.array(dtype=wp.vec4), h: float, n: int):
        i = wp.tid()
        y = s[i]
        for _ in range(n):
            a = slope(y)
            b = slope(y + 0.5 * h * a)
            c = slope(y + 0.5 * h * b)
            d = slope(y + h * c)
            y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        s[i] = y

    s = wp.array([[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.2], [0.5, 0.5, -0.7, 0.7]], dtype=wp.vec4)
    wp.launch(run, dim=3, inputs=[s, 0.02, 40])
    return s


def simpsons_rule(wp):
    @wp.kernel
    def integrate(hi: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        n = 16
        h = hi[i] / 16.0
        s = float(0.0)
        for j in range(n + 1):
            w = 2.0
            if j == 0 or j == n:
                w = 1.0
            elif j % 2 == 1:
                w = 4.0
            x = h * float(j)
            s += w * wp.exp(-x * x)
        y[i] = s * h / 3.0

    hi = wp.array([0.5, 1.0, 2.0], dtype=float)
    y = wp.zeros(3, dtype=float)
    wp.launch(integrate, dim=3, inputs=[hi, y])
    return y


def fourier_transform_by_definition(wp):
    @wp.kernel
    def dft(x: wp.array(dtype=wp.vec2), y: wp.array(dtype=wp.vec2)):
        k = wp.tid()
        n = x.shape[0]
        s = wp.vec2(0.0, 0.0)
        for j in range(n):
            a = -2.0 * wp.pi * float((j * k) % n) / float(n)
            c, d = wp.cos(a), wp.sin(a)
            s += wp.vec2(x[j][0] * c - x[j][1] * d, x[j][0] * d + x[j][1] * c)
        y[k] = s

    x = wp.array(np.random.default_rng(4).normal(size=(12, 2)), dtype=wp.vec2)
    y = wp.zeros(12, dtype=wp.vec2)
    wp.launch(dft, dim=12, inputs=[x, y])
    return y


def fast_fourier_transform_in_steps(wp):
    @wp.kernel
    def butterfly(x: wp.array(dtype=wp.vec2), y: wp.array(dtype=wp.vec2), half: int):
        i = wp.tid()
        n = x.shape[0]
        k = i % half
        a, b = x[i], x[i + n // 2]
        angle = -wp.pi * float(k) / float(half)
        c, s = wp.cos(angle), wp.sin(angle)
        t = wp.vec2(b[0] * c - b[1] * s, b[0] * s + b[1] * c)
        j = (i // half) * 2 * half + k
        y[j] = a + t
        y[j + half] = a - t

    data = np.random.default_rng(5).normal(size=(16, 2)).astype(np.float32)
    x, y = wp.array(data, dtype=wp.vec2), wp.zeros(16, dtype=wp.vec2)
    for half in (1, 2, 4, 8):
        wp.launch(butterfly, dim=8, inputs=[x, y, half])
        x, y = y, x
    return x


def polynomials_by_horner(wp):
    @wp.kernel
    def k(c: wp.array(dtype=float), x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        s = float(0.0)
        for j in range(6):
            s = s * x[i] + c[j]
        y[i] = s

    c = wp.array([1.0, -2.0, 0.5, 3.0, -1.0, 0.25], dtype=float, requires_grad=True)
    x = wp.array([0.5, -1.0, 2.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [c, x], [wp.zeros(3, dtype=float, requires_grad=True)])


def splines_through_points(wp):
    @wp.func
    def hermite(a: wp.vec2, b: wp.vec2, c: wp.vec2, d: wp.vec2, t: float):
        m0 = 0.5 * (c - a)
        m1 = 0.5 * (d - b)
        t2 = t * t
        t3 = t2 * t
        return (2.0 * t3 - 3.0 * t2 + 1.0) * b + (t3 - 2.0 * t2 + t) * m0 + (3.0 * t2 - 2.0 * t3) * c + (t3 - t2) * m1

    @wp.kernel
    def k(p: wp.array(dtype=wp.vec2), y: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        u = float(i) * 0.3 + 1.0
        j = int(wp.floor(u))
        y[i] = hermite(p[j - 1], p[j], p[j + 1], p[j + 2], u - float(j))

    p = wp.array(np.random.default_rng(6).normal(size=(8, 2)), dtype=wp.vec2, requires_grad=True)
    return gradients(wp, k, 12, [p], [wp.zeros(12, dtype=wp.vec2, requires_grad=True)])


def power_series_of_matrices(wp):
    @wp.kernel
    def expm(a: wp.array(dtype=wp.mat33), y: wp.array(dtype=wp.mat33)):
        i = wp.tid()
        term = wp.identity(n=3, dtype=float)
        s = term
        for k in range(1, 12):
            term = term * a[i] * (1.0 / float(k))
            s = s + term
        y[i] = s

    a = wp.array(np.random.default_rng(7).normal(size=(3, 3, 3)) * 0.5, dtype=wp.mat33)
    y = wp.zeros(3, dtype=wp.mat33)
    wp.launch(expm, dim=3, inputs=[a, y])
    return y


def continued_fractions(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        s = wp.float64(0.0)
        for n in range(30, 0, -1):
            s = wp.float64(n) * wp.float64(n) * x[i] * x[i] / (wp.float64(2 * n + 1) + s)
        y[i] = x[i] / (wp.float64(1.0) + s)

    y = wp.zeros(3, dtype=wp.float64)
    wp.launch(k, dim=3, inputs=[wp.array([0.1, 0.5, 1.0], dtype=wp.float64), y])
    return y


@program(exact=True)
def primes_by_a_sieve(wp):
    @wp.kernel
    def strike(composite: wp.array(dtype=wp.uint8)):
        p = wp.tid() + 2
        n = composite.shape[0]
        j = p * p
        while j < n:
            composite[j] = wp.uint8(1)
            j += p

    composite = wp.zeros(100, dtype=wp.uint8)
    wp.launch(strike, dim=8, inputs=[composite])
    return np.flatnonzero(composite.numpy() == 0)[2:]


@program(decided="kernel: a variable that gets another type")
def greatest_common_divisors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.int64), b: wp.array(dtype=wp.int64), y: wp.array(dtype=wp.int64)):
        i = wp.tid()
        x, z = a[i], b[i]
        while z != wp.int64(0):
            t = x % z
            x = z
            z = t
        y[i] = x

    a = wp.array([48, 17, 2**40, 270], dtype=wp.int64)
    y = wp.zeros(4, dtype=wp.int64)
    wp.launch(k, dim=4, inputs=[a, wp.array([36, 5, 2**20 * 3, 192], dtype=wp.int64), y])
    return y


@program(exact=True)
def powers_modulo_a_prime(wp):
    @wp.kernel
    def k(b: wp.array(dtype=wp.uint64), e: wp.array(dtype=wp.uint64), y: wp.array(dtype=wp.uint64)):
        i = wp.tid()
        m = wp.uint64(1000000007)
        r = wp.uint64(1)
        base = b[i] % m
        n = e[i]
        while n > wp.uint64(0):
            if n & wp.uint64(1) == wp.uint64(1):
                r = r * base % m
            base = base * base % m
            n = n >> wp.uint64(1)
        y[i] = r

    y = wp.zeros(3, dtype=wp.uint64)
    b, e = wp.array([2, 3, 123456789], dtype=wp.uint64), wp.array([10, 200, 10**12], dtype=wp.uint64)
    wp.launch(k, dim=3, inputs=[b, e, y])
    return y


def random_walks_of_many(wp):
    @wp.kernel
    def walk(seed: int, n: int, y: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        state = wp.rand_init(seed, i)
        p = wp.vec2(0.0, 0.0)
        for _ in range(n):
            a = wp.randf(state, 0.0, 2.0 * wp.pi)
            p += wp.vec2(wp.cos(a), wp.sin(a)) * 0.1
        y[i] = p

    y = wp.zeros(50, dtype=wp.vec2)
    wp.launch(walk, dim=50, inputs=[42, 20, y])
    return y
