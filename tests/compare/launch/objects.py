"""Objects of the host: kernels, functions, launches, modules, devices, streams, events, timers."""

import numpy as np
from program import printed, program, raised


def _scale(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
        """Scales."""
        i = wp.tid()
        y[i] = x[i] * s

    return scale


def what_a_kernel_says_of_itself(wp):
    k = _scale(wp)
    return k.key.endswith("scale"), k.func.__doc__, k.is_generic, [a.label for a in k.adj.args], k.module.name != ""


def functions_called_on_the_host(wp):
    @wp.func
    def f(x: float, n: int = 2):
        return x * float(n) + 1.0

    return f(1.5), f(1.5, 4), f(x=0.5), raised(f), f.key.endswith("f")


def functions_of_vectors_called_on_the_host(wp):
    @wp.func
    def reflect(v: wp.vec3, n: wp.vec3):
        return v - 2.0 * wp.dot(v, n) * n

    return reflect(wp.vec3(1.0, -1.0, 0.5), wp.vec3(0.0, 1.0, 0.0))


def overloaded_functions_on_the_host(wp):
    @wp.func
    def f(x: float):
        return x * 2.0

    @wp.func
    def f(x: wp.vec2):  # noqa: F811
        return x[0] * 10.0

    return f(1.5), f(wp.vec2(1.0, 2.0))


def launches_with_outputs_alone(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = float(i)

    y = wp.zeros(3, dtype=float)
    wp.launch(kernel=k, dim=[3], outputs=[y])
    return y


def launches_of_tuples(wp):
    k = _scale(wp)
    y = wp.zeros(3, dtype=float)
    wp.launch(k, 3, (wp.ones(3, dtype=float), 2.0), (y,))
    return y


def launches_with_a_limit_of_blocks(wp):
    k = _scale(wp)
    y = wp.zeros(300, dtype=float)
    wp.launch(k, 300, [wp.ones(300, dtype=float), 2.0, y], max_blocks=1, block_dim=64)
    return float(y.numpy().sum())


def recorded_launches_in_a_row(wp):
    k = _scale(wp)
    x, y = wp.array([1.0, 2.0], dtype=float), wp.zeros(2, dtype=float)
    first = wp.launch(k, 2, [x, 2.0, y], record_cmd=True)
    second = wp.launch(k, 2, [y, 10.0, x], record_cmd=True)
    before = y.numpy().copy()
    for _ in range(2):
        first.launch()
        second.launch()
    return before, x, y


@program(decided="`wp.Launch`: an argument that is not set")
def recorded_launches_take_new_arguments(wp):
    k = _scale(wp)
    x, y = wp.array([1.0, 2.0], dtype=float), wp.zeros(2, dtype=float)
    launch = wp.launch(k, 2, [x, 2.0, y], record_cmd=True)
    launch.set_param_by_name("s", 7.0)
    launch.set_param_at_index(2, x)
    launch.launch()
    return x, y, raised(launch.set_param_by_name, "missing", 1.0), raised(launch.set_param_at_index, 9, 1.0)


def recorded_launches_of_other_sizes(wp):
    k = _scale(wp)
    x, y = wp.ones(4, dtype=float), wp.zeros(4, dtype=float)
    launch = wp.launch(k, 4, [x, 2.0, y], record_cmd=True)
    launch.set_dim(2)
    launch.launch()
    return y, launch.device == wp.get_device("cpu"), launch.kernel is k


def modules_by_name(wp):
    k = _scale(wp)
    m = wp.get_module(k.module.name)
    return m is k.module, m.name == k.module.name, any(f is k for f in m.kernels.values())


def options_of_this_module(wp):
    before = wp.get_module_options()["enable_backward"]
    wp.set_module_options({"enable_backward": False})
    after = wp.get_module_options()["enable_backward"]
    wp.set_module_options({"enable_backward": True})
    return before, after, raised(wp.set_module_options, {"no_such_option": 1}) != "nothing"


def devices_in_force(wp):
    before = wp.get_device()
    with wp.ScopedDevice("cpu") as d:
        inside = wp.get_device()
    return str(before), inside == d, str(wp.get_preferred_device()), [str(d) for d in wp.get_devices()][:1]


def devices_compared(wp):
    d = wp.get_device("cpu")
    return d == wp.get_device("cpu"), d == "cpu", d != "cuda:0", d.is_cpu


def what_a_device_can(wp):
    d = wp.get_device("cpu")
    return d.is_cuda, d.is_mempool_supported, d.is_uva, wp.is_cpu_available(), wp.is_device_available(d)


def arrays_on_a_device(wp):
    a = wp.zeros(2, dtype=float, device="cpu")
    b = a.to("cpu")
    c = wp.clone(a, device="cpu")
    return b is a, c is a, a.device == wp.get_device("cpu"), a.to("cpu", requires_grad=True).requires_grad


@program(decided="streams and events on the CPU")
def streams_on_the_host(wp):
    s = wp.Stream("cpu")
    e = wp.Event("cpu")
    s.record_event(e)
    s.wait_event(e)
    return e.device.is_cpu


def synchronisation_on_the_host(wp):
    wp.synchronize()
    wp.synchronize_device("cpu")
    return wp.get_device("cpu").is_capturing


def timers_print(wp):
    def run():
        with wp.ScopedTimer("work", print=True):
            pass

    text = printed(wp, run)
    return text.startswith("work took"), text.endswith("ms")


def timers_keep_times(wp):
    times = {}
    with wp.ScopedTimer("work", dict=times, print=False):
        pass
    with wp.ScopedTimer("work", dict=times, print=False) as t:
        pass
    return list(times), len(times["work"]), t.elapsed >= 0.0


def timers_that_nest(wp):
    def run():
        with wp.ScopedTimer("outer"), wp.ScopedTimer("inner"):
            pass

    lines = printed(wp, run).splitlines()
    return [line.strip().split(" took")[0] for line in lines], [len(line) - len(line.lstrip()) for line in lines]


def timers_that_are_off(wp):
    def run():
        with wp.ScopedTimer("quiet", active=False):
            pass

    return printed(wp, run)


def colours_of_timers(wp):
    with wp.ScopedTimer("x", color="rapids", print=False, synchronize=True) as t:
        pass
    return t.name if hasattr(t, "name") else ""


def memory_pools_of_the_host(wp):
    return wp.is_mempool_supported("cpu"), wp.is_mempool_enabled("cpu"), raised(wp.set_mempool_enabled, "cpu", True)


def peers_of_the_host(wp):
    return wp.is_peer_access_supported("cpu", "cpu"), wp.is_peer_access_enabled("cpu", "cpu")


def versions_and_paths(wp):
    return isinstance(wp.__version__, str), isinstance(wp.config.version, str), wp.config.mode


def types_by_name(wp):
    return [
        wp.types.type_size_in_bytes(wp.vec3),
        wp.types.type_size_in_bytes(wp.mat44d),
        wp.types.type_size_in_bytes(wp.float16),
        wp.types.type_is_int(wp.int8),
        wp.types.type_is_float(wp.vec3),
        wp.dtype_from_numpy(np.float64),
        np.dtype(wp.dtype_to_numpy(wp.uint16)).name,
    ]


def dtypes_of_numpy(wp):
    names = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")
    return (
        [wp.dtype_from_numpy(np.dtype(n)) for n in names],
        wp.dtype_from_numpy(np.bool_),
        raised(wp.dtype_from_numpy, np.complex64),
    )


def kernels_with_names_of_their_own(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = 1.0

    y = wp.zeros(1, dtype=float)
    wp.launch(k, 1, [y])
    return y


def kernels_defined_again(wp):
    out = []
    for n in range(3):

        @wp.kernel
        def k(y: wp.array(dtype=float)):
            y[0] = wp.static(float(n))  # noqa: B023

        y = wp.zeros(1, dtype=float)
        wp.launch(k, 1, [y])
        out.append(y)
    return out


def launches_from_threads(wp):
    from threading import Thread

    k = _scale(wp)
    x = wp.array(np.arange(50.0), dtype=float)
    out = [wp.zeros(50, dtype=float) for _ in range(4)]
    wp.launch(k, 50, [x, 1.0, out[0]])

    def run(n):
        for _ in range(10):
            wp.launch(k, 50, [x, float(n), out[n]])

    threads = [Thread(target=run, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return out
