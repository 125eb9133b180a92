"""Functions of kernels: calls, results, functions as arguments, closures."""

from program import gradients, program


def early_returns_of_a_function(wp):
    @wp.func
    def classify(x: float):
        if x < 0.0:
            return -1
        if x < 10.0:
            return 0
        return 1

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = classify(x[i])

    y = wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[wp.array([-4.0, 1.0, 90.0], dtype=float), y])
    return y


def function_with_several_results(wp):
    @wp.func
    def polar(x: float, y: float):
        return wp.sqrt(x * x + y * y), wp.atan2(y, x)

    @wp.kernel
    def k(p: wp.array(dtype=wp.vec2), y: wp.array2d(dtype=float)):
        i = wp.tid()
        r, phi = polar(p[i][0], p[i][1])
        y[i, 0] = r
        y[i, 1] = phi

    p = wp.array([[1.0, 2.0], [-3.0, 0.5]], dtype=wp.vec2, requires_grad=True)
    return gradients(wp, k, 2, [p], [wp.zeros((2, 2), dtype=float, requires_grad=True)])


def function_of_arrays_that_writes(wp):
    @wp.func
    def store(a: wp.array(dtype=float), i: int, v: float):
        a[i] = v * 2.0

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        store(y, i, float(i))

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def functions_call_functions(wp):
    @wp.func
    def square(x: float):
        return x * x

    @wp.func
    def quartic(x: float, scale: float = 2.0):
        return square(square(x)) * scale

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = quartic(x[i]) + quartic(x[i], scale=0.5)

    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 2, [x], [wp.zeros(2, dtype=float, requires_grad=True)])


def function_that_takes_a_function(wp):
    @wp.func
    def double(x: float):
        return 2.0 * x

    @wp.func
    def apply(f: wp.Function, x: float):
        return f(x) + 1.0

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = apply(double, float(i))

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def local_alias_of_a_function(wp):
    @wp.func
    def half(x: float):
        return 0.5 * x

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        f = half
        y[i] = f(float(i))

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def static_choice_of_a_function(wp):
    @wp.func
    def first(x: float):
        return x + 1.0

    @wp.func
    def second(x: float):
        return x * 10.0

    def make(f):
        @wp.kernel(module="unique")
        def k(y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = wp.static(f)(float(i))

        return k

    out = []
    for f in (first, second):
        y = wp.zeros(3, dtype=float)
        wp.launch(make(f), dim=3, inputs=[y])
        out.append(y)
    return out


@program(decided='kernels of `module="unique"`')
def kernels_made_by_a_factory(wp):
    def make(op):
        @wp.kernel(module="unique")
        def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = op(x[i], 2.0)

        return k

    x = wp.array([1.0, 3.0], dtype=float)
    out = []
    for op in (wp.min, wp.max, wp.pow):
        y = wp.zeros_like(x)
        wp.launch(make(op), dim=2, inputs=[x, y])
        out.append(y)
    return out


def closure_values(wp):
    scale = 3.0
    n = 4
    offset = wp.vec2(1.0, -1.0)

    @wp.kernel
    def k(y: wp.array(dtype=wp.vec2)):
        for j in range(n):
            y[j] = offset * scale * float(j)

    y = wp.zeros(4, dtype=wp.vec2)
    wp.launch(k, dim=1, inputs=[y])
    return y
