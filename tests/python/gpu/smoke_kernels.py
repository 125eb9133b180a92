"""The kernels of `smoke.py`: each part of the language once."""

from __future__ import annotations

import warp as wp


@wp.kernel
def saxpy(x: wp.array(dtype=float), y: wp.array(dtype=float), a: float):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


@wp.kernel
def vectors(p: wp.array(dtype=wp.vec3), q: wp.array(dtype=wp.quat), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v = wp.quat_rotate(wp.normalize(q[i]), p[i])
    out[i] = wp.cross(v, p[i]) + wp.dot(v, p[i]) * wp.normalize(v)


@wp.kernel
def matrices(a: wp.array(dtype=wp.mat44), b: wp.array(dtype=wp.mat44), out: wp.array(dtype=wp.mat44)):
    i = wp.tid()
    m = a[i] * wp.transpose(b[i]) + wp.identity(n=4, dtype=float) * 9.0
    out[i] = wp.inverse(m) * wp.determinant(m)


@wp.kernel
def decompose(a: wp.array(dtype=wp.mat33), out: wp.array2d(dtype=wp.mat33)):
    i = wp.tid()
    m = a[i]
    u, s, v = wp.svd3(m)
    q, r = wp.qr3(m)
    symmetric = m * wp.transpose(m)
    vectors_of, values = wp.eig3(symmetric)
    # Products, since signs and orders of columns are free.
    out[i, 0] = u * wp.diag(s) * wp.transpose(v)
    out[i, 1] = q * r
    out[i, 2] = vectors_of * wp.diag(values) * wp.transpose(vectors_of)


@wp.kernel
def atomics_int(x: wp.array(dtype=int), out: wp.array(dtype=int)):
    i = wp.tid()
    wp.atomic_add(out, 0, x[i])
    wp.atomic_sub(out, 1, x[i])
    wp.atomic_min(out, 2, x[i])
    wp.atomic_max(out, 3, x[i])
    wp.atomic_and(out, 4, x[i] | 3)
    wp.atomic_or(out, 5, x[i])
    wp.atomic_xor(out, 6, x[i])
    wp.atomic_add(out, 8 + i % 8, 1)


@wp.kernel
def atomics_float(x: wp.array(dtype=float), out: wp.array(dtype=float), d: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(out, 0, x[i])
    wp.atomic_min(out, 1, x[i])
    wp.atomic_max(out, 2, x[i])
    wp.atomic_add(out, 3 + i % 5, x[i])
    wp.atomic_add(d, 0, wp.float64(x[i]))
    wp.atomic_max(d, 1, wp.float64(x[i]))


@wp.kernel
def atomic_exchange(owner: wp.array(dtype=int), wins: wp.array(dtype=int)):
    i = wp.tid()
    if wp.atomic_cas(owner, i % 4, -1, i) == -1:
        wp.atomic_add(wins, i % 4, 1)
    wp.atomic_exch(wins, 4, 7)


@wp.kernel
def iterate(x: wp.array(dtype=float), rounds: int, out: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    n = int(0)
    while n < rounds + i % 3:
        v = wp.sin(v) * v + 0.3
        if v > 0.9:
            v = v - 0.5
        n += 1
    out[i] = v


@wp.kernel
def gather(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, i % 3, x[at[i]] * x[i])


@wp.kernel
def spring(p: wp.array(dtype=wp.vec3), rest: float, out: wp.array(dtype=float)):
    i = wp.tid()
    d = p[i + 1] - p[i]
    stretch = wp.length(d) - rest
    wp.atomic_add(out, 0, 0.5 * stretch * stretch)


@wp.func
def safe_sqrt(x: float):
    return wp.sqrt(x)


@wp.func_grad(safe_sqrt)
def adj_safe_sqrt(x: float, adj_result: float):
    if x > 0.0:
        wp.adjoint[x] += 3.0 * adj_result / wp.sqrt(x)


@wp.kernel
def roots(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = safe_sqrt(x[i])


@wp.kernel
def local_arrays(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    stack = wp.zeros(shape=8, dtype=float)
    for k in range(8):
        stack[(k * 3 + i) % 8] = x[i] * float(k)
    total = float(0.0)
    for k in range(8):
        total = total * 0.5 + stack[k]
    out[i] = total


@wp.struct
class Material:
    density: float
    colour: wp.vec3
    turn: wp.mat33
    table: wp.array(dtype=float)


@wp.kernel
def of_struct(m: Material, at: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    out[i] = m.turn * at[i] * m.density + m.colour * m.table[i % 4]


@wp.struct
class Particle:
    position: wp.vec3
    speed: wp.vec3
    mass: wp.float64
    kind: int


@wp.kernel
def of_structs(particles: wp.array(dtype=Particle), dt: float, counts: wp.array(dtype=int)):
    i = wp.tid()
    p = particles[i]
    p.position = p.position + p.speed * dt
    p.mass = p.mass * wp.float64(1.5)
    particles[i] = p
    wp.atomic_add(counts, p.kind, 1)


@wp.kernel
def random(seed: int, floats: wp.array(dtype=float), ints: wp.array(dtype=int), at: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    floats[i] = wp.randf(state) + wp.randn(state)
    ints[i] = wp.randi(state, -50, 50)
    at[i] = wp.sample_unit_sphere(state)


@wp.kernel
def noises(seed: int, x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    p = x[i]
    out[i] = wp.noise(wp.uint32(seed), p) + wp.pnoise(wp.uint32(seed), wp.vec2(p[0], p[1]), 4, 4)


@wp.kernel
def says(x: wp.array(dtype=float)):
    i = wp.tid()
    if i == 3:
        print(x[i])
        wp.printf("thread %d has %.2f\n", i, x[i])


@wp.kernel
def beyond(x: wp.array(dtype=float), by: int):
    i = wp.tid()
    x[i + by] = 1.0


mat88 = wp.types.matrix(shape=(8, 8), dtype=wp.float64)


@wp.struct
class Large:
    a: mat88
    b: mat88
    c: mat88


@wp.kernel
def large_parameters(p: Large, q: Large, out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    out[i] = p.a[i, 0] + p.b[0, i] * q.c[i, i] - q.a[7, i]


@wp.struct
class Larger:
    a: mat88
    b: mat88
    c: mat88
    d: mat88
    e: mat88


@wp.kernel
def larger_parameters(p: Larger, q: Larger, out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    out[i] = p.a[i, 0] + p.d[0, i] * q.e[i, i] - q.a[7, i]


@wp.kernel
def table2(out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i, j] = float(i) * 100.0 + float(j)


@wp.kernel
def table3(x: wp.array3d(dtype=float), out: wp.array3d(dtype=float)):
    i, j, k = wp.tid()
    n = x.shape[2]
    out[i, j, k] = x[i, j, k] + x[i, j, (k + 1) % n] - float(i * 100 + j * 10 + k)


@wp.kernel
def halves(x: wp.array(dtype=wp.float16), y: wp.array(dtype=wp.bfloat16), out: wp.array(dtype=float)):
    i = wp.tid()
    h = x[i] * x[i] + wp.float16(0.5)
    b = y[i] * y[i] + wp.bfloat16(0.5)
    x[i] = h
    y[i] = b
    out[i] = float(h) + float(b)


@wp.kernel
def doubles(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    out[i] = wp.exp(-v) * wp.sin(v) + wp.pow(v, wp.float64(1.7)) + wp.log(v) / wp.sqrt(v) + wp.atan2(v, wp.float64(2.0))


@wp.kernel
def longs(x: wp.array(dtype=wp.int64), out: wp.array(dtype=wp.int64), u: wp.array(dtype=wp.uint64)):
    i = wp.tid()
    v = x[i]
    out[i] = v * wp.int64(1000003) // wp.int64(7) + v % wp.int64(13) + (v >> wp.int64(3)) ^ (v << wp.int64(5))
    u[i] = wp.uint64(v) * wp.uint64(0x9E3779B97F4A7C15) >> wp.uint64(11)


@wp.kernel
def functions(x: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    i = wp.tid()
    v = x[i]
    out[i, 0] = wp.sin(v) + wp.cos(v) + wp.tan(v * 0.5)
    out[i, 1] = wp.exp(v) + wp.log(v) + wp.pow(v, 1.3)
    out[i, 2] = wp.sqrt(v) + wp.tanh(v) + wp.erf(v)
    out[i, 3] = wp.floor(v * 5.0) + wp.round(v * 3.0) + wp.clamp(v, 0.2, 0.8)
