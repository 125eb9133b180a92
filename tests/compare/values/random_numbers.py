"""Random numbers, samples and noise: the same numbers from the same seeds."""

import numpy as np
from program import program


@program(exact=True)
def states_and_raw_draws(wp):
    @wp.kernel
    def k(seed: int, s: wp.array(dtype=wp.uint32), a: wp.array(dtype=int), b: wp.array(dtype=wp.uint32)):
        i = wp.tid()
        state = wp.rand_init(seed, i)
        s[i] = state
        a[i] = wp.randi(state)
        b[i] = wp.randu(state)

    s, a, b = wp.zeros(8, dtype=wp.uint32), wp.zeros(8, dtype=int), wp.zeros(8, dtype=wp.uint32)
    wp.launch(k, dim=8, inputs=[42, s, a, b])
    return s, a, b


@program(exact=True)
def floats_in_ranges(wp):
    @wp.kernel
    def k(y: wp.array2d(dtype=float), n: wp.array2d(dtype=int)):
        i = wp.tid()
        state = wp.rand_init(7, i)
        y[i, 0] = wp.randf(state)
        y[i, 1] = wp.randf(state)
        n[i, 0] = wp.randi(state, -5, 9)
        n[i, 1] = int(wp.randu(state, wp.uint32(3), wp.uint32(100)))

    y, n = wp.zeros((8, 2), dtype=float), wp.zeros((8, 2), dtype=int)
    wp.launch(k, dim=8, inputs=[y, n])
    return y, n


def normal_numbers(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float), z: wp.array(dtype=float)):
        i = wp.tid()
        state = wp.rand_init(123 + i)
        y[i] = wp.randn(state)
        z[i] = wp.randf(state, -2.0, 5.0)

    y, z = wp.zeros(16, dtype=float), wp.zeros(16, dtype=float)
    wp.launch(k, dim=16, inputs=[y, z])
    return y, z


def draws_of_a_loop(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        state = wp.rand_init(5, i)
        s = float(0.0)
        for _ in range(10):
            s += wp.randf(state)
        y[i] = s

    y = wp.zeros(4, dtype=float)
    wp.launch(k, dim=4, inputs=[y])
    return y


def samples_of_the_plane(wp):
    @wp.kernel
    def k(y: wp.array2d(dtype=wp.vec2)):
        i = wp.tid()
        state = wp.rand_init(11, i)
        y[i, 0] = wp.sample_triangle(state)
        y[i, 1] = wp.sample_unit_ring(state)
        y[i, 2] = wp.sample_unit_disk(state)
        y[i, 3] = wp.sample_unit_square(state)

    y = wp.zeros((4, 4), dtype=wp.vec2)
    wp.launch(k, dim=4, inputs=[y])
    return y


def samples_of_space(wp):
    @wp.kernel
    def k(y: wp.array2d(dtype=wp.vec3)):
        i = wp.tid()
        state = wp.rand_init(12, i)
        y[i, 0] = wp.sample_unit_sphere_surface(state)
        y[i, 1] = wp.sample_unit_sphere(state)
        y[i, 2] = wp.sample_unit_hemisphere_surface(state)
        y[i, 3] = wp.sample_unit_hemisphere(state)
        y[i, 4] = wp.sample_unit_cube(state)

    y = wp.zeros((4, 5), dtype=wp.vec3)
    wp.launch(k, dim=4, inputs=[y])
    return y


@program(exact=True)
def samples_of_a_distribution(wp):
    @wp.kernel
    def k(cdf: wp.array(dtype=float), n: wp.array(dtype=int), p: wp.array(dtype=wp.uint32)):
        i = wp.tid()
        state = wp.rand_init(13, i)
        n[i] = wp.sample_cdf(state, cdf)
        p[i] = wp.poisson(state, 4.5)

    n, p = wp.zeros(16, dtype=int), wp.zeros(16, dtype=wp.uint32)
    wp.launch(k, dim=16, inputs=[wp.array([0.1, 0.4, 0.8, 1.0], dtype=float), n, p])
    return n, p


def noise_of_every_dimension(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec4), y: wp.array2d(dtype=float)):
        i = wp.tid()
        state = wp.rand_init(99)
        v = x[i]
        y[i, 0] = wp.noise(state, v[0])
        y[i, 1] = wp.noise(state, wp.vec2(v[0], v[1]))
        y[i, 2] = wp.noise(state, wp.vec3(v[0], v[1], v[2]))
        y[i, 3] = wp.noise(state, v)

    x = wp.array(np.random.default_rng(0).uniform(-5, 5, (6, 4)), dtype=wp.vec4)
    y = wp.zeros((6, 4), dtype=float)
    wp.launch(k, dim=6, inputs=[x, y])
    return y


def gradient_of_noise(wp):
    from program import gradients

    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.noise(wp.rand_init(3), x[i])

    x = wp.array(np.random.default_rng(0).uniform(-5, 5, (4, 3)), dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 4, [x], [wp.zeros(4, dtype=float, requires_grad=True)])


def periodic_noise(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec2), y: wp.array2d(dtype=float)):
        i = wp.tid()
        state = wp.rand_init(1)
        y[i, 0] = wp.pnoise(state, x[i], 4, 3)
        y[i, 1] = wp.pnoise(state, x[i] + wp.vec2(4.0, 3.0), 4, 3)
        y[i, 2] = wp.pnoise(state, x[i][0], 5)

    x = wp.array(np.random.default_rng(1).uniform(0, 5, (6, 2)), dtype=wp.vec2)
    y = wp.zeros((6, 3), dtype=float)
    wp.launch(k, dim=6, inputs=[x, y])
    return y


@program(tolerance=2e-5)
def curl_noise_with_octaves(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3), y: wp.array2d(dtype=wp.vec3)):
        i = wp.tid()
        state = wp.rand_init(8)
        y[i, 0] = wp.curlnoise(state, x[i])
        y[i, 1] = wp.curlnoise(state, x[i], wp.uint32(3), 2.0, 0.5)

    x = wp.array(np.random.default_rng(2).uniform(-3, 3, (4, 3)), dtype=wp.vec3)
    y = wp.zeros((4, 2), dtype=wp.vec3)
    wp.launch(k, dim=4, inputs=[x, y])
    return y


@program(exact=True)
def state_on_the_host(wp):
    return int(wp.rand_init(42)), int(wp.rand_init(42, 7))


def estimate_of_pi(wp):
    @wp.kernel
    def k(hits: wp.array(dtype=int)):
        i = wp.tid()
        state = wp.rand_init(2024, i)
        x = wp.randf(state)
        y = wp.randf(state)
        if x * x + y * y < 1.0:
            wp.atomic_add(hits, 0, 1)

    hits = wp.zeros(1, dtype=int)
    wp.launch(k, dim=10000, inputs=[hits])
    return hits
