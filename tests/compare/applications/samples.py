"""Small programs of the kinds that people write: simulation, images, fitting, geometry."""

import numpy as np
from program import program


def n_body_step(wp):
    @wp.kernel
    def accelerate(x: wp.array(dtype=wp.vec3), m: wp.array(dtype=float), a: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        s = wp.vec3()
        for j in range(x.shape[0]):
            if i != j:
                d = x[j] - x[i]
                r2 = wp.dot(d, d) + 0.01
                s += m[j] * d / (r2 * wp.sqrt(r2))
        a[i] = s

    rng = np.random.default_rng(0)
    x, m = wp.array(rng.normal(size=(8, 3)), dtype=wp.vec3), wp.array(rng.random(8), dtype=float)
    a = wp.zeros(8, dtype=wp.vec3)
    wp.launch(accelerate, dim=8, inputs=[x, m, a])
    return a


def blur_of_an_image(wp):
    @wp.kernel
    def blur(src: wp.array2d(dtype=wp.vec3), dst: wp.array2d(dtype=wp.vec3), radius: int):
        i, j = wp.tid()
        s = wp.vec3(0.0, 0.0, 0.0)
        n = float(0.0)
        for di in range(-radius, radius + 1):
            for dj in range(-radius, radius + 1):
                y = wp.clamp(i + di, 0, src.shape[0] - 1)
                x = wp.clamp(j + dj, 0, src.shape[1] - 1)
                w = wp.exp(-float(di * di + dj * dj) / 2.0)
                s += src[y, x] * w
                n += w
        dst[i, j] = s / n

    src = wp.array(np.random.default_rng(1).random((6, 7, 3)), dtype=wp.vec3)
    dst = wp.zeros((6, 7), dtype=wp.vec3)
    wp.launch(blur, dim=(6, 7), inputs=[src, dst, 2])
    return dst


def product_of_matrices(wp):
    @wp.kernel
    def matmul(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
        i, j = wp.tid()
        s = float(0.0)
        for k in range(a.shape[1]):
            s += a[i, k] * b[k, j]
        c[i, j] = s

    rng = np.random.default_rng(2)
    a = wp.array(rng.normal(size=(4, 5)), dtype=float, requires_grad=True)
    b = wp.array(rng.normal(size=(5, 3)), dtype=float, requires_grad=True)
    c = wp.zeros((4, 3), dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(matmul, dim=(4, 3), inputs=[a, b], outputs=[c])
    tape.backward(grads={c: wp.ones((4, 3), dtype=float)})
    return c, a.grad, b.grad


def rays_and_spheres(wp):
    @wp.func
    def hit(o: wp.vec3, d: wp.vec3, c: wp.vec3, r: float):
        oc = o - c
        b = wp.dot(oc, d)
        disc = b * b - wp.dot(oc, oc) + r * r
        if disc < 0.0:
            return -1.0
        return -b - wp.sqrt(disc)

    @wp.kernel
    def render(centers: wp.array(dtype=wp.vec3), image: wp.array2d(dtype=float)):
        i, j = wp.tid()
        d = wp.normalize(wp.vec3(float(j) - 3.5, float(i) - 3.5, 4.0))
        best = float(1.0e9)
        for k in range(centers.shape[0]):
            t = hit(wp.vec3(0.0, 0.0, -5.0), d, centers[k], 1.0)
            if t > 0.0 and t < best:
                best = t
        image[i, j] = wp.where(best < 1.0e8, best, 0.0)

    centers = wp.array([[0.0, 0.0, 1.0], [1.5, 0.5, 2.0]], dtype=wp.vec3)
    image = wp.zeros((8, 8), dtype=float)
    wp.launch(render, dim=(8, 8), inputs=[centers, image])
    return image


def distances_to_boxes(wp):
    @wp.func
    def box(p: wp.vec3, size: wp.vec3):
        q = wp.vec3(wp.abs(p[0]) - size[0], wp.abs(p[1]) - size[1], wp.abs(p[2]) - size[2])
        outside = wp.length(wp.max(q, wp.vec3(0.0, 0.0, 0.0)))
        return outside + wp.min(wp.max(q[0], wp.max(q[1], q[2])), 0.0)

    @wp.kernel
    def evaluate(p: wp.array(dtype=wp.vec3), d: wp.array(dtype=float)):
        i = wp.tid()
        d[i] = box(p[i], wp.vec3(1.0, 0.5, 0.25))

    p = wp.array(np.random.default_rng(3).uniform(-2, 2, (10, 3)), dtype=wp.vec3)
    d = wp.zeros(10, dtype=float)
    wp.launch(evaluate, dim=10, inputs=[p, d])
    return d


@program(tolerance=5e-5)
def cloth_energy_and_forces(wp):
    @wp.kernel
    def energy(
        x: wp.array(dtype=wp.vec3),
        edges: wp.array(dtype=wp.vec2i),
        rest: wp.array(dtype=float),
        e: wp.array(dtype=float),
    ):
        i = wp.tid()
        a, b = edges[i][0], edges[i][1]
        stretch = wp.length(x[a] - x[b]) - rest[i]
        wp.atomic_add(e, 0, 0.5 * 100.0 * stretch * stretch)

    x = wp.array(np.random.default_rng(4).normal(size=(4, 3)), dtype=wp.vec3, requires_grad=True)
    edges = wp.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], dtype=wp.vec2i)
    rest, e = wp.ones(5, dtype=float), wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(energy, dim=5, inputs=[x, edges, rest], outputs=[e])
    tape.backward(e)
    return e, x.grad


def deformation_of_tetrahedra(wp):
    @wp.kernel
    def energy(x: wp.array(dtype=wp.vec3), inv: wp.array(dtype=wp.mat33), e: wp.array(dtype=float)):
        i = wp.tid()
        ds = wp.matrix_from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0])
        f = ds * inv[i]
        j = wp.determinant(f)
        wp.atomic_add(e, 0, wp.trace(wp.transpose(f) * f) - 3.0 - 2.0 * wp.log(j) + (j - 1.0) * (j - 1.0))

    x = wp.array(
        [[0.0, 0.0, 0.0], [1.2, 0.1, 0.0], [0.0, 0.9, 0.1], [0.1, 0.0, 1.1]], dtype=wp.vec3, requires_grad=True
    )
    inv = wp.array([np.eye(3)], dtype=wp.mat33)
    e = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(energy, dim=1, inputs=[x, inv], outputs=[e])
    tape.backward(e)
    return e, x.grad


def heat_by_checkerboard(wp):
    @wp.kernel
    def sweep(u: wp.array2d(dtype=wp.float64), parity: int):
        i, j = wp.tid()
        if i > 0 and j > 0 and i < u.shape[0] - 1 and j < u.shape[1] - 1 and (i + j) % 2 == parity:
            u[i, j] = wp.float64(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

    start = np.zeros((8, 8))
    start[0] = 1.0
    u = wp.array(start, dtype=wp.float64)
    for step in range(20):
        wp.launch(sweep, dim=(8, 8), inputs=[u, step % 2])
    return u


def waves_in_time(wp):
    @wp.kernel
    def step(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float), k: float):
        i, j = wp.tid()
        n, m = a.shape[0], a.shape[1]
        lap = b[(i + 1) % n, j] + b[(i + n - 1) % n, j] + b[i, (j + 1) % m] + b[i, (j + m - 1) % m] - 4.0 * b[i, j]
        c[i, j] = 2.0 * b[i, j] - a[i, j] + k * lap

    start = np.zeros((6, 6), np.float32)
    start[2, 3] = 1.0
    a, b, c = wp.array(start), wp.array(start), wp.zeros((6, 6), dtype=float)
    for _ in range(15):
        wp.launch(step, dim=(6, 6), inputs=[a, b, c, 0.1])
        a, b, c = b, c, a
    return b


@program(exact=True)
def prefix_sum_and_compaction(wp):
    @wp.kernel
    def mark(x: wp.array(dtype=int), keep: wp.array(dtype=int)):
        i = wp.tid()
        keep[i] = wp.where(x[i] % 2 == 0, 1, 0)

    @wp.kernel
    def scan_step(a: wp.array(dtype=int), b: wp.array(dtype=int), d: int):
        i = wp.tid()
        b[i] = a[i] + a[i - d] if i >= d else a[i]

    @wp.kernel
    def scatter(x: wp.array(dtype=int), keep: wp.array(dtype=int), at: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        if keep[i] == 1:
            y[at[i] - 1] = x[i]

    x = wp.array(np.random.default_rng(5).integers(0, 100, 16), dtype=int)
    keep, b, y = (wp.zeros(16, dtype=int) for _ in range(3))
    wp.launch(mark, dim=16, inputs=[x, keep])
    a = wp.clone(keep)
    for d in (1, 2, 4, 8):
        wp.launch(scan_step, dim=16, inputs=[a, b, d])
        a, b = b, a
    wp.launch(scatter, dim=16, inputs=[x, keep, a, y])
    return y


def projective_camera(wp):
    @wp.kernel
    def project(p: wp.array(dtype=wp.vec3), view: wp.mat44, proj: wp.mat44, uv: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        q = proj * (view * wp.vec4(p[i][0], p[i][1], p[i][2], 1.0))
        uv[i] = wp.vec2(q[0] / q[3], q[1] / q[3])

    p = wp.array(np.random.default_rng(6).normal(size=(5, 3)), dtype=wp.vec3, requires_grad=True)
    view = wp.mat44(1.0, 0.0, 0.0, 0.0, 0.0, 0.8, -0.6, 0.0, 0.0, 0.6, 0.8, -6.0, 0.0, 0.0, 0.0, 1.0)
    proj = wp.mat44(1.5, 0.0, 0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0, -1.0, -0.2, 0.0, 0.0, -1.0, 0.0)
    uv = wp.zeros(5, dtype=wp.vec2, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(project, dim=5, inputs=[p, view, proj], outputs=[uv])
    tape.backward(grads={uv: wp.ones(5, dtype=wp.vec2)})
    return uv, p.grad


@program(decided="gradient through a loop of run-time length")
def small_neural_network(wp):
    @wp.kernel
    def layer(
        x: wp.array2d(dtype=float), w: wp.array2d(dtype=float), b: wp.array(dtype=float), y: wp.array2d(dtype=float)
    ):
        i, j = wp.tid()
        s = b[j]
        for k in range(x.shape[1]):
            s += x[i, k] * w[k, j]
        y[i, j] = wp.tanh(s)

    rng = np.random.default_rng(7)
    x = wp.array(rng.normal(size=(3, 2)), dtype=float)
    weights = [wp.array(rng.normal(size=s), dtype=float, requires_grad=True) for s in ((2, 4), (4, 1))]
    biases = [wp.zeros(n, dtype=float, requires_grad=True) for n in (4, 1)]
    hidden, out = wp.zeros((3, 4), dtype=float, requires_grad=True), wp.zeros((3, 1), dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(layer, dim=(3, 4), inputs=[x, weights[0], biases[0]], outputs=[hidden])
        wp.launch(layer, dim=(3, 1), inputs=[hidden, weights[1], biases[1]], outputs=[out])
    tape.backward(grads={out: wp.ones((3, 1), dtype=float)})
    return [out] + [w.grad for w in weights] + [b.grad for b in biases]


def rigid_bodies_that_turn(wp):
    @wp.kernel
    def integrate(q: wp.array(dtype=wp.quat), w: wp.array(dtype=wp.vec3), dt: float):
        i = wp.tid()
        v = w[i]
        dq = wp.quat(v[0], v[1], v[2], 0.0) * q[i] * (0.5 * dt)
        q[i] = wp.normalize(q[i] + dq)

    q = wp.array([[0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5]], dtype=wp.quat)
    w = wp.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0]], dtype=wp.vec3)
    for _ in range(10):
        wp.launch(integrate, dim=2, inputs=[q, w, 0.05])
    return q


@program(exact=True)
def collisions_counted_on_a_grid(wp):
    @wp.func
    def cell_of(p: wp.vec2):
        return int(wp.floor(p[0] * 4.0)) * 4 + int(wp.floor(p[1] * 4.0))

    @wp.kernel
    def count(p: wp.array(dtype=wp.vec2), n: wp.array(dtype=int)):
        i = wp.tid()
        wp.atomic_add(n, cell_of(p[i]), 1)

    n = wp.zeros(16, dtype=int)
    wp.launch(count, dim=100, inputs=[wp.array(np.random.default_rng(8).random((100, 2)), dtype=wp.vec2), n])
    return n


def particles_under_gravity(wp):
    @wp.struct
    class World:
        gravity: wp.vec3
        ground: float
        restitution: float

    @wp.kernel
    def step(x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), world: World, dt: float):
        i = wp.tid()
        v1 = v[i] + world.gravity * dt
        x1 = x[i] + v1 * dt
        if x1[1] < world.ground:
            x1[1] = world.ground + (world.ground - x1[1])
            v1[1] = -v1[1] * world.restitution
        x[i] = x1
        v[i] = v1

    world = World()
    world.gravity, world.ground, world.restitution = wp.vec3(0.0, -9.81, 0.0), 0.0, 0.7
    x = wp.array([[0.0, 1.0, 0.0], [1.0, 0.2, 0.0]], dtype=wp.vec3)
    v = wp.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.5]], dtype=wp.vec3)
    for _ in range(60):
        wp.launch(step, dim=2, inputs=[x, v, world, 0.01])
    return x, v


def bisection_of_roots(wp):
    @wp.func
    def f(x: wp.float64, a: wp.float64):
        return x * x * x - a

    @wp.kernel
    def solve(a: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        lo, hi = wp.float64(0.0), wp.float64(10.0)
        for _ in range(60):
            mid = (lo + hi) * wp.float64(0.5)
            if f(mid, a[i]) > wp.float64(0.0):
                hi = mid
            else:
                lo = mid
        y[i] = lo

    y = wp.zeros(3, dtype=wp.float64)
    wp.launch(solve, dim=3, inputs=[wp.array([2.0, 27.0, 500.0], dtype=wp.float64), y])
    return y


@program(exact=True)
def hashes_of_integers(wp):
    @wp.func
    def mix(h: wp.uint32):
        h = h ^ (h >> wp.uint32(16))
        h = h * wp.uint32(0x85EBCA6B)
        h = h ^ (h >> wp.uint32(13))
        return h * wp.uint32(0xC2B2AE35)

    @wp.kernel
    def k(y: wp.array(dtype=wp.uint32)):
        i = wp.tid()
        y[i] = mix(wp.uint32(i) + wp.uint32(1))

    y = wp.zeros(8, dtype=wp.uint32)
    wp.launch(k, dim=8, inputs=[y])
    return y


def colours_of_pixels(wp):
    @wp.func
    def srgb(c: float):
        if c <= 0.0031308:
            return 12.92 * c
        return 1.055 * wp.pow(c, 1.0 / 2.4) - 0.055

    @wp.kernel
    def encode(linear: wp.array2d(dtype=wp.vec3), out: wp.array3d(dtype=wp.uint8)):
        i, j = wp.tid()
        for c in range(3):
            out[i, j, c] = wp.uint8(wp.clamp(srgb(linear[i, j][c]), 0.0, 1.0) * 255.0)

    linear = wp.array(np.linspace(0, 1.1, 36).reshape(3, 4, 3), dtype=wp.vec3)
    out = wp.zeros((3, 4, 3), dtype=wp.uint8)
    wp.launch(encode, dim=(3, 4), inputs=[linear, out])
    return out
