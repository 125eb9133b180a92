"""Launches: arguments, dimensions, recorded launches, defaults, errors."""

import numpy as np
from program import raised


def numpy_arrays_are_arguments(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] + 1.0

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[np.array([1, 2, 3], dtype=np.float32)], outputs=[y])
    return y


def values_in_every_form(wp):
    @wp.kernel
    def k(
        a: float, n: int, v: wp.vec3, m: wp.mat22, b: bool, u: wp.uint8, d: wp.float64, y: wp.array(dtype=wp.float64)
    ):
        y[0] = wp.float64(a) + wp.float64(n)
        y[1] = wp.float64(v[1] + m[1, 0])
        y[2] = d + wp.float64(u)
        if b:
            y[3] = wp.float64(1.0)

    out = []
    for args in (
        [1.5, 2, wp.vec3(1.0, 2.0, 3.0), wp.mat22(1.0, 2.0, 3.0, 4.0), True, 7, 0.1],
        [np.float32(1.5), np.int64(2), (1.0, 2.0, 3.0), [[1.0, 2.0], [3.0, 4.0]], False, np.uint8(7), np.float64(0.1)],
        [wp.float32(1.5), wp.int32(2), np.array([1.0, 2.0, 3.0]), np.eye(2), True, wp.uint8(7), wp.float64(0.1)],
    ):
        y = wp.zeros(4, dtype=wp.float64)
        wp.launch(k, dim=1, inputs=[*args, y])
        out.append(y)
    return out


def dimensions_in_every_form(wp):
    @wp.kernel
    def k(y: wp.array(dtype=int)):
        wp.atomic_add(y, 0, 1)

    y = wp.zeros(1, dtype=int)
    for dim in (4, (2, 3), [2, 2, 2], np.int32(5), 0, (3, 0)):
        wp.launch(k, dim=dim, inputs=[y])
    return y


def fewer_indices_than_dimensions(wp):
    @wp.kernel
    def k(y: wp.array(dtype=int)):
        i, j = wp.tid()
        wp.atomic_add(y, i, j)

    y = wp.zeros(2, dtype=int)
    wp.launch(k, dim=(2, 3), inputs=[y])
    return y


def recorded_launches(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * s

    x, y = wp.array([1.0, 2.0], dtype=float), wp.zeros(2, dtype=float)
    command = wp.launch(k, dim=2, inputs=[x, 2.0, y], record_cmd=True)
    before = y.numpy().copy()
    command.launch()
    once = y.numpy().copy()
    command.set_param_by_name("s", 10.0)
    command.launch()
    twice = y.numpy().copy()
    command.set_param_at_index(0, wp.array([5.0, 6.0], dtype=float))
    command.set_dim(1)
    command.launch()
    return before, once, twice, y


def wrong_arguments(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), n: int):
        x[0] = float(n)

    x = wp.zeros(1, dtype=float)
    return [
        raised(wp.launch, k, dim=1, inputs=[x]),
        raised(wp.launch, k, dim=1, inputs=[x, 1, 2]),
        raised(wp.launch, k, dim=1, inputs=[wp.zeros(1, dtype=int), 1]),
        raised(wp.launch, k, dim=1, inputs=[wp.zeros((1, 1), dtype=float), 1]),
        raised(wp.launch, k, dim=1, inputs=[1.0, 1]),
        raised(wp.launch, None, dim=1, inputs=[]),
        raised(k, x, 1),
    ]


def kernels_that_do_not_compile(wp):
    @wp.kernel(module="unique")
    def mixed(x: wp.array(dtype=float), n: int):
        x[0] = x[0] + n

    @wp.kernel(module="unique")
    def undefined(x: wp.array(dtype=float)):
        x[0] = missing  # noqa: F821

    @wp.kernel(module="unique")
    def attribute(x: wp.array(dtype=float)):
        x[0] = wp.no_such_function(1.0)

    @wp.kernel(module="unique")
    def indices(x: wp.array(dtype=float)):
        x[0, 0] = 1.0

    x = wp.zeros(1, dtype=float)
    return [
        raised(wp.launch, mixed, dim=1, inputs=[x, 1]),
        raised(wp.launch, undefined, dim=1, inputs=[x]),
        raised(wp.launch, attribute, dim=1, inputs=[x]),
        raised(wp.launch, indices, dim=1, inputs=[x]),
    ]


def outputs_and_inputs_are_one_list(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float), z: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] + 1.0
        z[i] = x[i] - 1.0

    x, y, z = (wp.zeros(2, dtype=float) for _ in range(3))
    wp.launch(k, 2, [x], [y, z])
    wp.launch(k, dim=2, inputs=(y,), outputs=(x, z))
    return x, y, z


def adjoint_launches(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    x, y = wp.array([1.0, 2.0, 3.0], dtype=float), wp.zeros(3, dtype=float)
    gx, gy = wp.zeros(3, dtype=float), wp.array([1.0, 10.0, 100.0], dtype=float)
    wp.launch(k, dim=3, inputs=[x], outputs=[y], adj_inputs=[gx], adj_outputs=[gy], adjoint=True)
    return gx


def tiled_launches(wp):
    @wp.kernel
    def k(y: wp.array(dtype=int)):
        i = wp.tid()
        wp.atomic_add(y, 0, 1 + i - i)

    y = wp.zeros(1, dtype=int)
    wp.launch_tiled(k, dim=[3], inputs=[y], block_dim=32)
    return y


def names_and_attributes_of_kernels(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=float), s: float):
        x[0] = x[0] * s

    return scale.key.split("__")[-1], scale.func.__name__, [a.label for a in scale.adj.args], scale.is_generic


def device_arguments(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[wp.tid()] = 1.0

    y = wp.zeros(2, dtype=float, device="cpu")
    wp.launch(k, dim=2, inputs=[y], device="cpu")
    return y, str(y.device), y.device.is_cpu, y.device == wp.get_device("cpu")


def classes_of_kernels(wp):
    class Solver:
        @wp.kernel
        def step(x: wp.array(dtype=float)):  # noqa: N805
            i = wp.tid()
            x[i] = x[i] + 1.0

        def run(self, x):
            wp.launch(Solver.step, dim=2, inputs=[x])
            wp.launch(self.step, dim=2, inputs=[x])

    x = wp.zeros(2, dtype=float)
    Solver().run(x)
    return x
