"""The host's side of launches, captures, solvers and settings."""

import numpy as np
from program import raised


def _scale(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * s

    return scale


def launches_by_hand(wp):
    x, y = wp.array([1.0, 2.0, 3.0], dtype=float), wp.zeros(3, dtype=float)
    made = wp.Launch(_scale(wp), wp.get_device("cpu"))
    made.set_dim(3)
    made.set_params([x, 2.5, y])
    made.launch()
    first = y.numpy().copy()
    made.set_param_by_name("s", 3.0)
    made.set_dim(2)
    made.launch()
    return first, y, made.adjoint


def recorded_adjoints(wp):
    x, y = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True), wp.zeros(3, dtype=float, requires_grad=True)
    y.grad.fill_(1.0)
    other = wp.zeros(3, dtype=float)
    made = wp.launch(
        _scale(wp), dim=3, inputs=[x, 2.0, y], adj_inputs=[x.grad, 0.0, y.grad], record_cmd=True, adjoint=True
    )
    made.launch()
    first = x.grad.numpy().copy()
    made.set_param_at_index(0, other, adjoint=True)
    made.set_param_at_index(1, 5.0)
    y.grad.fill_(1.0)
    made.launch()
    return first, x.grad, other


def parameters_that_there_are_not(wp):
    x, y = wp.zeros(3, dtype=float), wp.zeros(3, dtype=float)
    made = wp.launch(_scale(wp), dim=3, inputs=[x, 2.0, y], record_cmd=True)
    return raised(lambda: made.set_param_at_index(7, 1.0))


def numbers_as_ctypes(wp):
    x, y = wp.array([1.0, 2.0, 3.0], dtype=float), wp.zeros(3, dtype=float)
    made = wp.launch(_scale(wp), dim=3, inputs=[x, 2.0, y], record_cmd=True)
    made.set_param_by_name_from_ctype("s", 5.0)
    made.launch()
    return y


def algorithms_in_captures(wp):
    x = wp.array([3.0, 1.0, 2.0, 0.0, 0.0, 0.0], dtype=float)
    order = wp.array([0, 1, 2, 0, 0, 0], dtype=int)
    total, sums = wp.zeros(1, dtype=float), wp.zeros(6, dtype=float)
    with wp.ScopedCapture(device="cpu") as capture:
        wp.utils.array_sum(x, out=total)
        wp.utils.array_scan(x, sums, inclusive=False)
        wp.utils.radix_sort_pairs(x, order, 3)
    before = [v.numpy().copy() for v in (total, sums, x)]
    wp.capture_launch(capture.graph)
    return before[0], before[2], total, sums, x.numpy()[:3], order.numpy()[:3]


def _blocks():
    rng = np.random.default_rng(0)
    a = np.zeros((8, 8))
    for start, end in ((0, 3), (3, 8)):
        q = rng.normal(size=(end - start, end - start))
        a[start:end, start:end] = q @ q.T + (end - start) * np.eye(end - start)
    return a, np.r_[np.ones(3), 1000.0 * np.ones(5)]


def _solved(wp, name, **options):
    a, b = _blocks()
    system = wp.optim.linear.aslinearoperator(
        wp.array(a, dtype=wp.float64), batch_offsets=wp.array([0, 3, 8], dtype=int)
    )
    x = wp.zeros(8, dtype=wp.float64)
    solve = getattr(wp.optim.linear, name)
    result = solve(system, wp.array(b, dtype=wp.float64), x, tol=1e-3, atol=0.0, **options)
    return result[0], result[2], np.round(x.numpy(), 6)


def systems_in_batches(wp):
    import warp.optim.linear  # noqa: F401

    return [_solved(wp, name, check_every=1, maxiter=4) for name in ("cg", "cr")]


def solvers_that_are_kept(wp):
    import warp.optim.linear as linear

    a, b = (wp.array(v, dtype=wp.float64) for v in _blocks())
    x = wp.zeros(8, dtype=wp.float64)
    solver = linear.cg(a, b, x, tol=1e-12, run=False, maxiter=50)
    nothing = x.numpy().copy()
    solver()
    again = wp.zeros(8, dtype=wp.float64)
    solver(x=again)
    return nothing, np.round(x.numpy(), 8), np.round(again.numpy(), 8), raised(lambda: solver(b=wp.zeros(3)))


def residuals_without_the_host(wp):
    import warp.optim.linear as linear

    a, b = (wp.array(v, dtype=wp.float64) for v in _blocks())
    results = linear.cg(a, b, wp.zeros(8, dtype=wp.float64), check_every=0, maxiter=3, tol=1e-3, atol=0.0)
    return [type(results).__name__, *(v.shape for v in results), results[0], np.round(results[2].numpy(), 6)]


def one_number_for_all_components(wp):
    return [list(kind(2.0)) for kind in (wp.transform, wp.quat, wp.spatial_vector, wp.vec3, wp.mat22)]


def reports_of_memory(wp):
    texts = []
    with wp.ScopedMemoryTracker("outer", report_func=texts.append):
        a = wp.zeros(1000, dtype=float)
    told = "3.91 KB" in texts[0]
    del a
    return told, raised(wp.print_memory_report), raised(wp.ScopedMemoryTracker().report, sort="name")


def build_options(wp):
    options = wp.ModuleBuildOptions(extra_build_dependencies=None)
    merged = options.merged(wp.ModuleBuildOptions())
    return type(merged).__name__, raised(lambda: wp.ModuleBuildOptions(extra=1))


def defaults_of_modules(wp):
    options = wp.get_module_options()
    names = ("max_unroll", "enable_backward", "fast_math", "fuse_fp", "lineinfo", "mode", "block_dim", "strip_hash")
    return {name: options[name] for name in names}
