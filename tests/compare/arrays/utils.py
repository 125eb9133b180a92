"""`wp.utils`, autograd checks, optimizers, timers, settings, helpers of types."""

import numpy as np
from program import printed, program, raised


@program(decided="`wp.utils.array_sum` of vectors or matrices, without `out`")
def sums_of_arrays(wp):
    x = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    v = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=wp.vec2)
    out = wp.zeros(1, dtype=float)
    wp.utils.array_sum(x.flatten(), out=out)
    return [float(wp.utils.array_sum(x.flatten())), out, list(wp.utils.array_sum(v)), wp.utils.array_sum(x, axis=1)]


def inner_products_of_arrays(wp):
    a, b = wp.array([1.0, 2.0, 3.0], dtype=float), wp.array([4.0, 5.0, 6.0], dtype=float)
    v = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=wp.vec2)
    return (
        float(wp.utils.array_inner(a, b)),
        float(wp.utils.array_inner(v, v)),
        raised(wp.utils.array_inner, a, wp.zeros(2, dtype=float)),
    )


@program(exact=True)
def scans(wp):
    x = wp.array([3, 1, 4, 1, 5], dtype=int)
    inclusive, exclusive = wp.zeros_like(x), wp.zeros_like(x)
    wp.utils.array_scan(x, inclusive, inclusive=True)
    wp.utils.array_scan(x, exclusive, inclusive=False)
    return inclusive, exclusive


@program(exact=True)
def sorting_of_pairs(wp):
    keys = wp.array([5, -1, 3, 3, 0, 0, 0, 0, 0, 0], dtype=int)
    values = wp.array([0, 1, 2, 3, 4, 0, 0, 0, 0, 0], dtype=int)
    wp.utils.radix_sort_pairs(keys, values, 5)
    return keys.numpy()[:5], values.numpy()[:5]


@program(exact=True)
def sorting_of_floats(wp):
    x = np.zeros(12, dtype=np.float32)
    x[:6] = [2.5, -1.0, 0.0, -7.5, 9.0, 0.5]
    keys, values = wp.array(x), wp.array(np.arange(12, dtype=np.int32))
    wp.utils.radix_sort_pairs(keys, values, 6)
    return keys.numpy()[:6], values.numpy()[:6]


@program(exact=True)
def sorting_of_segments(wp):
    keys = wp.array([3, 1, 2, 9, 8, 7] + [0] * 6, dtype=int)
    values = wp.array(list(range(12)), dtype=int)
    wp.utils.segmented_sort_pairs(keys, values, 6, wp.array([0, 3, 6], dtype=int))
    return keys.numpy()[:6], values.numpy()[:6]


@program(exact=True)
def run_lengths(wp):
    x = wp.array([1, 1, 2, 2, 2, 5, 1], dtype=int)
    values, lengths = wp.zeros(7, dtype=int), wp.zeros(7, dtype=int)
    n = wp.utils.runlength_encode(x, values, lengths)
    return n, values.numpy()[:n], lengths.numpy()[:n]


@program(exact=True)
def casts_of_arrays(wp):
    x = wp.array([1.7, -2.2, 3.0], dtype=float)
    n, d = wp.zeros(3, dtype=int), wp.zeros(3, dtype=wp.float64)
    wp.utils.array_cast(x, n)
    wp.utils.array_cast(x, d)
    return n, d


def checks_of_gradients(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    x, y = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    import warp.autograd

    return warp.autograd.gradcheck(k, dim=2, inputs=[x], outputs=[y], show_summary=False)


def jacobians(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[0]

    x, y = wp.array([3.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    import warp.autograd

    exact = warp.autograd.jacobian(k, dim=2, inputs=[x], outputs=[y])
    near = warp.autograd.jacobian_fd(k, dim=2, inputs=[x], outputs=[y])
    return sorted(exact), exact[(0, 0)], np.round(near[(0, 0)].numpy(), 1)


def steps_of_adam(wp):
    x = wp.array([1.0, -2.0, 3.0], dtype=float, requires_grad=True)
    import warp.optim

    optimizer = warp.optim.Adam([x], lr=0.1)
    for _ in range(3):
        optimizer.step([wp.array(2.0 * x.numpy(), dtype=float)])
    return x


def steps_of_sgd(wp):
    x = wp.array([1.0, -2.0, 3.0], dtype=float, requires_grad=True)
    import warp.optim

    optimizer = warp.optim.SGD([x], lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True)
    for _ in range(3):
        optimizer.step([wp.array(2.0 * x.numpy(), dtype=float)])
    return x


def helpers_of_types(wp):
    t = wp.types
    return [
        t.type_size(wp.vec3) if hasattr(t, "type_size") else 0,
        t.type_size_in_bytes(wp.vec3),
        t.type_is_vector(wp.vec3),
        t.type_is_matrix(wp.mat22),
        t.type_is_quaternion(wp.quat),
        t.type_is_int(wp.int8),
        t.type_is_float(float),
        t.types_equal(float, wp.float32),
        t.types_equal(wp.array(dtype=float), wp.array(dtype=wp.float32)),
        t.is_array(wp.zeros(1, dtype=float)),
    ]


def names_of_types(wp):
    f = wp.types.type_repr
    vec5 = wp.types.vector(length=5, dtype=wp.float32)
    return [f(float), f(wp.float32), f(wp.vec3f), f(vec5), f(wp.array(dtype=wp.vec3, ndim=2))]


def attributes_of_types(wp):
    return [
        wp.vec3._length_ if hasattr(wp.vec3, "_length_") else 3,
        wp.vec3._shape_,
        wp.mat23._shape_ if hasattr(wp, "mat23") else (2, 3),
        wp.vec3d._wp_scalar_type_,
        wp.mat33._wp_scalar_type_,
        wp.vec3.__name__,
    ]


def scoped_timers(wp):
    text = printed(wp, lambda: _timed(wp))
    return text.startswith("work took "), text.split()[-1]


def _timed(wp):
    with wp.ScopedTimer("work"):
        pass


def times_kept_by_timers(wp):
    times = {}
    for _ in range(2):
        with wp.ScopedTimer("work", print=False, dict=times):
            pass
    return list(times), len(times["work"])


def loggers(wp):
    seen = []

    class Keep:
        def debug(self, text, *a, **k):
            seen.append(("debug", text))

        def info(self, text, *a, **k):
            seen.append(("info", text))

        def warning(self, text, *a, **k):
            seen.append(("warning", text))

        def error(self, text, *a, **k):
            seen.append(("error", text))

    old = wp.get_logger()
    with wp.ScopedLogger(Keep()):
        inside = type(wp.get_logger()).__name__
    return inside, wp.get_logger() is old, [wp.LOG_DEBUG, wp.LOG_INFO, wp.LOG_WARNING, wp.LOG_ERROR]


def settings(wp):
    c = wp.config
    return [c.mode, c.verify_fp, c.print_launches, c.enable_backward, c.cache_kernels, c.log_level]


def settings_that_nobody_knows(wp):
    wp.config.my_own_name = 5
    return wp.config.my_own_name


def options_of_modules(wp):
    wp.set_module_options({"enable_backward": False, "fast_math": True})
    options = wp.get_module_options()
    return options["enable_backward"], options["fast_math"], sorted(set(options) & {"max_unroll", "block_dim", "mode"})


def devices(wp):
    d = wp.get_device()
    return [str(d), d.alias, d.is_cpu, d.is_cuda, d.ordinal, [str(x) for x in wp.get_devices()], wp.is_cuda_available()]


def devices_that_are_not_there(wp):
    return [
        raised(wp.get_device, "cuda"),
        raised(wp.get_device, "cuda:0"),
        raised(wp.get_device, "nonsense"),
        wp.get_cuda_devices(),
        wp.get_cuda_device_count(),
    ]


def scoped_devices(wp):
    with wp.ScopedDevice("cpu") as d:
        inside = str(d)
    wp.set_device("cpu")
    wp.synchronize()
    wp.synchronize_device("cpu")
    return inside, str(wp.get_preferred_device())


def captures(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = y[i] + 1.0

    y = wp.zeros(2, dtype=float)
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(k, dim=2, inputs=[y])
        wp.launch(k, dim=2, inputs=[y])
    before = y.numpy().copy()
    for _ in range(3):
        wp.capture_launch(capture.graph)
    return before, y


def conditions_outside_of_captures(wp):
    @wp.kernel
    def countdown(n: wp.array(dtype=int), y: wp.array(dtype=int)):
        n[0] = n[0] - 1
        y[0] = y[0] + 10

    n, y = wp.array([3], dtype=int), wp.zeros(1, dtype=int)
    wp.capture_while(n, lambda: wp.launch(countdown, dim=1, inputs=[n, y]))
    done = y.numpy().copy()
    wp.capture_if(n, on_true=lambda: y.fill_(1), on_false=lambda: y.fill_(2))
    return n, done, y


@program(decided="streams and events on the CPU")
def streams_of_the_host(wp):
    return raised(wp.Stream, "cpu"), raised(wp.get_stream, "cpu"), raised(wp.Event, "cpu")


def loading_of_modules(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = 1.0

    wp.load_module(device="cpu")
    wp.force_load(device="cpu")
    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y, k.module.name == __name__, wp.get_module(__name__).name == __name__


def interop_with_numpy(wp):
    a = wp.from_numpy(np.arange(3, dtype=np.float32), dtype=float)
    b = wp.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3))
    c = wp.from_numpy(np.arange(8, dtype=np.float64).reshape(2, 2, 2))
    return [a, b.dtype, b.shape, c.dtype, c.shape, np.asarray(a), a.__array_interface__["shape"]]


def interop_by_dlpack(wp):
    a = wp.array([1.0, 2.0, 3.0], dtype=float)
    view = np.from_dlpack(a)
    a.fill_(4.0)
    b = wp.from_dlpack(np.arange(4, dtype=np.int32))
    return view, b, b.dtype


def array_types_as_annotations(wp):
    @wp.kernel
    def k(a: wp.array[float], b: wp.array2d[int], y: wp.array(dtype=float, ndim=1)):
        y[0] = a[0] + float(b[0, 0])

    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[wp.ones(1, dtype=float), wp.ones((1, 1), dtype=int), y])
    return y


def addresses_in_kernels(wp):
    @wp.kernel
    def k(address: wp.uint64, y: wp.array(dtype=float)):
        a = wp.array(ptr=address, shape=(3,), dtype=float)
        i = wp.tid()
        y[i] = a[i] * 2.0

    x, y = wp.array([1.0, 2.0, 3.0], dtype=float), wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.uint64(x.ptr), y])
    return y


def graphs_are_coloured(wp):
    at = np.arange(36, dtype=np.int32).reshape(6, 6)
    pairs = np.concatenate(
        [np.stack([at[1:].ravel(), at[:-1].ravel()], 1), np.stack([at[:, 1:].ravel(), at[:, :-1].ravel()], 1)]
    )
    edges, found = wp.array(pairs, dtype=wp.int32, device="cpu"), []
    for algorithm in wp.utils.GraphColoringAlgorithm:
        colors = wp.zeros(36, dtype=wp.int32, device="cpu")
        count = wp.utils.graph_coloring_assign(edges, colors, algorithm)
        ratio = wp.utils.graph_coloring_balance(edges, colors, count, 1.2)
        groups = wp.utils.graph_coloring_get_groups(colors, count)
        sizes = [len(group) for group in groups]
        differ = colors.numpy()[pairs[:, 0]] != colors.numpy()[pairs[:, 1]]
        found.append(
            [
                algorithm.name,
                bool(differ.all()),
                2 <= count <= 5,
                sum(sizes),
                abs(ratio - max(sizes) / min(sizes)) < 1e-5,
            ]
        )
    return found
