"""What kernels and objects print, and kernels and functions that are made without a decorator."""

import numpy as np
from program import module, printed, program


def numbers_of_every_type(wp):
    @wp.kernel
    def k():
        print(wp.int8(-3))
        print(wp.uint8(200))
        print(wp.int64(1) << wp.int64(40))
        print(wp.uint64(7))
        print(wp.float64(0.25))
        print(1.5)
        print(True)

    return printed(wp, lambda: wp.launch(k, dim=1))


def texts_and_several_values(wp):
    @wp.kernel
    def k(n: int):
        print("begin")
        print(n)
        print("")
        print("end")

    return printed(wp, lambda: wp.launch(k, dim=1, inputs=[4]))


def formatted_numbers(wp):
    @wp.kernel
    def k(n: int, x: float):
        wp.printf("%d %5d|%-5d|%05d\n", n, n, n, n)
        wp.printf("%f %.3f %8.2f %e %g\n", x, x, x, x, x)
        wp.printf("%x %X %o %u %%\n", n, n, n, n)

    return printed(wp, lambda: wp.launch(k, dim=1, inputs=[42, 3.14159]))


def formatted_long_numbers(wp):
    @wp.kernel
    def k(a: wp.int64, b: wp.uint64, c: wp.float64):
        wp.printf("%lld %llu %.10f\n", a, b, c)

    return printed(wp, lambda: wp.launch(k, dim=1, inputs=[-(2**40), 2**63, 0.1]))


def formats_without_values(wp):
    @wp.kernel
    def k():
        wp.printf("hello\n")
        wp.printf("no end, ")
        wp.printf("after it: 100%%\n")

    return printed(wp, lambda: wp.launch(k, dim=1))


def threads_that_print_in_turn(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float)):
        i = wp.tid()
        if x[i] > 1.0:
            wp.printf("%d: %.1f\n", i, x[i])

    x = wp.array([0.5, 1.5, 2.5, 0.0], dtype=float)
    return sorted(printed(wp, lambda: wp.launch(k, dim=4, inputs=[x])).split("\n"))


@program(decided="`print` of a vector")
def matrices_and_quaternions(wp):
    @wp.kernel
    def k():
        print(wp.mat22(1.0, 2.0, 3.0, 4.5))
        print(wp.quat(0.0, 0.0, 0.6, 0.8))
        print(wp.vec2i(1, -2))

    return printed(wp, lambda: wp.launch(k, dim=1))


@program(decided="`print` of a vector")
def transforms_printed(wp):
    @wp.kernel
    def k():
        print(wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_identity()))

    return printed(wp, lambda: wp.launch(k, dim=1))


def arrays_printed(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float)):
        print(a.shape[0])
        print(a[1])

    return printed(wp, lambda: wp.launch(k, dim=1, inputs=[wp.array([1.0, 2.5], dtype=float)]))


def whole_arrays_printed(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float)):
        print(a)

    text = printed(wp, lambda: wp.launch(k, dim=1, inputs=[wp.array([1.0, 2.5], dtype=float)]))
    return len(text) > 0


def structs_printed(wp):
    @wp.struct
    class S:
        a: float
        n: int

    @wp.kernel
    def k(s: S):
        print(s.a)
        print(s.n)

    s = S()
    s.a, s.n = 0.5, 3
    return printed(wp, lambda: wp.launch(k, dim=1, inputs=[s]))


def prints_in_functions_and_loops(wp):
    @wp.func
    def say(n: int):
        print(n)
        return n + 1

    @wp.kernel
    def k():
        s = int(0)
        while s < 3:
            s = say(s)
        for j in range(2):
            wp.printf("j=%d\n", j)

    return printed(wp, lambda: wp.launch(k, dim=1))


@program(decided="`print` and `printf` in a backward pass")
def prints_in_a_backward_pass(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.printf("x %.1f\n", x[i])
        y[i] = x[i] * x[i]

    x, y = wp.array([2.0], dtype=float, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)

    def run():
        tape = wp.Tape()
        with tape:
            wp.launch(k, dim=1, inputs=[x], outputs=[y])
        tape.backward(grads={y: wp.ones(1, dtype=float)})

    return printed(wp, run), x.grad


@program(decided="`print` and `printf` in a backward pass")
def prints_of_values_in_a_backward_pass(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        v = x[i] * 3.0
        print(v)
        y[i] = v

    x, y = wp.array([2.0], dtype=float, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=1, inputs=[x], outputs=[y])
    return printed(wp, lambda: tape.backward(grads={y: wp.ones(1, dtype=float)}))


def texts_of_vectors(wp):
    values = (wp.vec3(1.0, 2.5, -3.0), wp.vec2i(1, 2), wp.quat(0.0, 0.0, 0.0, 1.0), wp.vec4ub(1, 2, 3, 255))
    return [str(v) for v in values], repr(wp.vec3(1.0, 2.5, -3.0)), repr(wp.vec2i(1, 2))


def texts_of_vectors_of_other_widths(wp):
    return [repr(wp.vec3d(1.0, 2.0, 3.0)), repr(wp.vec2l(1, 2)), repr(wp.vec2h(1.0, 2.0)), repr(wp.quatd())]


def texts_of_scalars(wp):
    values = (wp.float64(1.5), wp.int8(-3), wp.uint64(2**63), wp.float16(0.5), wp.bool(True))
    return [str(v) for v in values[:4]], repr(wp.int64(3)), repr(wp.float64(0.5))


def texts_of_arrays_by_type(wp):
    return [
        repr(wp.zeros(2, dtype=t)) for t in (wp.int8, wp.float64, wp.vec2d, wp.mat22, wp.quat, wp.vec3i, wp.float16)
    ]


def texts_of_arrays_of_arrays(wp):
    a = wp.array(np.arange(6, dtype=np.int32).reshape(2, 3))
    return str(a), str(a[0]), f"{a[1]}", str(wp.array([[1.5, 2.5]], dtype=wp.vec2)), str(wp.zeros(0, dtype=float))


def texts_of_annotations(wp):
    return [str(wp.array3d[float]), repr(wp.array2d[wp.vec3])]


def texts_of_types(wp):
    return [wp.types.type_repr(t) for t in (wp.float32, wp.vec3, wp.mat33d, wp.quat, wp.array(dtype=float), wp.int8)]


def texts_of_devices(wp):
    d = wp.get_device("cpu")
    return str(d), d.alias, d.is_cpu, d.is_cuda, d == "cpu"


def functions_made_directly(wp):
    def half(x: float):
        return x * 0.5

    f = wp.Function(half, "half", "", module=wp.get_module(__name__))

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = f(float(i))

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y, f.key


def kernels_made_directly(wp):
    def fill(y: wp.array(dtype=float), v: float):
        i = wp.tid()
        y[i] = v * float(i)

    k = wp.Kernel(fill, key="fill_scaled")
    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y, 2.0])
    return y, k.key, k.func is fill


def functions_made_by_keywords(wp):
    def third(x: float):
        return x / 3.0

    f = wp.Function(func=third, key="third", namespace="", module=wp.get_module("printing_third"))
    return f(6.0), f.key


def kernels_made_by_keywords(wp):
    def fill(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = float(i) + 0.25

    k = wp.Kernel(func=fill, key="fill_quarter", module=wp.get_module("printing_quarter"))
    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y, k.key, k.module.name


def functions_made_of_lambdas(wp):
    f, module_of = wp.utils.create_warp_function(
        lambda x, y: (
            x * y
            + 1.0
        )
    )  # fmt: skip

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = f(float(i), 2.0)

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def kernels_by_call_of_the_decorator(wp):
    text = """
import warp as wp

def body(y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = float(i) + 0.5

a = wp.kernel(body)
b = wp.kernel(enable_backward=False)(body)
"""
    made = module("printing_calls", text)
    out = []
    for k in (made.a, made.b):
        y = wp.zeros(2, dtype=float)
        wp.launch(k, dim=2, inputs=[y])
        out.append(y)
    return out


def kernels_of_generated_text(wp):
    text = "import warp as wp\n" + "".join(
        f"""
@wp.kernel
def add_{n}(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + {n}.0
"""
        for n in range(3)
    )
    made = module("printing_generated", text)
    x = wp.zeros(2, dtype=float)
    for n in range(3):
        wp.launch(getattr(made, f"add_{n}"), dim=2, inputs=[x])
    return x


def parameters_of_a_recorded_launch(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * s

    x, y = wp.array([1.0, 2.0], dtype=float), wp.zeros(2, dtype=float)
    launch = wp.launch(k, dim=2, inputs=[x, 2.0, y], record_cmd=True)
    launch.launch()
    first = y.numpy().copy()
    launch.set_param_at_index(1, 5.0)
    launch.set_param_by_name("x", wp.array([10.0, 20.0], dtype=float))
    launch.launch()
    second = y.numpy().copy()
    launch.set_params([wp.array([3.0], dtype=float), 1.0, y])
    launch.set_dim(1)
    launch.launch()
    return first, second, y


def names_printed_by_launches(wp):
    @wp.kernel
    def visible(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = 1.0

    wp.config.print_launches = True
    try:
        text = printed(wp, lambda: wp.launch(visible, dim=2, inputs=[wp.zeros(2, dtype=float)]))
    finally:
        wp.config.print_launches = False
    return "visible" in text
