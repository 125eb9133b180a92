"""Captures on the CPU: launches that run when the graph does, conditions and loops in them."""

from program import raised


def _kernels(wp):
    @wp.kernel
    def add(x: wp.array(dtype=float), s: float):
        i = wp.tid()
        x[i] = x[i] + s

    @wp.kernel
    def count_down(n: wp.array(dtype=int)):
        n[0] = n[0] - 1

    return add, count_down


def launches_fills_and_copies(wp):
    add, _ = _kernels(wp)
    x, y = wp.zeros(3, dtype=float), wp.zeros(3, dtype=float)
    wp.capture_begin(device="cpu")
    wp.launch(add, dim=3, inputs=[x, 1.0])
    wp.copy(y, x)
    wp.launch(add, dim=3, inputs=[y, 10.0])
    graph = wp.capture_end(device="cpu")
    wp.capture_launch(graph)
    wp.capture_launch(graph)
    return x, y


def fills_in_a_capture(wp):
    add, _ = _kernels(wp)
    x = wp.ones(2, dtype=float)
    with wp.ScopedCapture(device="cpu") as capture:
        x.zero_()
        wp.launch(add, dim=2, inputs=[x, 2.0])
        wp.launch(add, dim=1, inputs=[x, 1.0])
    wp.capture_launch(capture.graph)
    wp.capture_launch(capture.graph)
    return x


def a_tape_in_a_capture(wp):
    @wp.kernel
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    @wp.kernel
    def step(x: wp.array(dtype=float), g: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = x[i] - 0.1 * g[i]

    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y, seed = wp.zeros(2, dtype=float, requires_grad=True), wp.ones(2, dtype=float)
    with wp.ScopedCapture(device="cpu") as capture:
        tape = wp.Tape()
        with tape:
            wp.launch(square, dim=2, inputs=[x], outputs=[y])
        tape.backward(grads={y: seed})
        wp.launch(step, dim=2, inputs=[x, x.grad])
        tape.zero()
    for _ in range(5):
        wp.capture_launch(capture.graph)
    return x, x.grad


def loops_in_a_capture(wp):
    add, count_down = _kernels(wp)
    x, n = wp.zeros(1, dtype=float), wp.array([4], dtype=int)

    def body():
        wp.launch(add, dim=1, inputs=[x, 1.5])
        wp.launch(count_down, dim=1, inputs=[n])

    with wp.ScopedCapture(device="cpu") as capture:
        wp.capture_while(n, body)
    before = x.numpy().copy()
    wp.capture_launch(capture.graph)
    once = x.numpy().copy()
    n.fill_(2)
    wp.capture_launch(capture.graph)
    return before, once, x, n


def branches_in_a_capture(wp):
    add, _ = _kernels(wp)
    x, flag = wp.zeros(1, dtype=float), wp.array([1], dtype=int)

    def up(by):
        wp.launch(add, dim=1, inputs=[x, by])

    with wp.ScopedCapture(device="cpu") as capture:
        wp.capture_if(flag, on_true=lambda: up(1.0), on_false=lambda: up(100.0))
    wp.capture_launch(capture.graph)
    first = x.numpy().copy()
    flag.zero_()
    wp.capture_launch(capture.graph)
    return first, x


def misuse_of_captures(wp):
    def twice():
        wp.capture_begin(device="cpu")
        try:
            wp.capture_begin(device="cpu")
        finally:
            wp.capture_end(device="cpu")

    return raised(twice), raised(wp.capture_end, device="cpu")


def recorded_launches_in_a_capture(wp):
    add, _ = _kernels(wp)
    x = wp.zeros(2, dtype=float)
    launch = wp.launch(add, dim=2, inputs=[x, 3.0], record_cmd=True)
    with wp.ScopedCapture(device="cpu") as capture:
        launch.launch()
    launch.set_param_by_name("s", 50.0)
    wp.capture_launch(capture.graph)
    return x
