"""Names: builtins without `wp.`, functions of other modules, annotations, `__name__`, overloads by name."""

from typing import Any

from program import gradients, module, program, raised


def builtins_imported_by_name(wp):
    text = """
import warp as wp
from warp import array, kernel, launch, vec3, zeros

@kernel
def k(y: array(dtype=float)):
    i = wp.tid()
    y[i] = vec3(float(i), 1.0, 0.0)[1] + wp.sin(float(i))

def run():
    y = zeros(4, dtype=float)
    launch(k, dim=4, inputs=[y])
    return y.numpy()
"""
    return module("names_by_name", text).run()


def everything_imported(wp):
    text = """
from warp import *
import warp as wp

@func
def g(x: float):
    return max(x, 1.0) * min(x, 2.0)

@kernel
def k(y: array(dtype=float), n: array(dtype=int32)):
    i = wp.tid()
    y[i] = g(float(i)) + wp.dot(vec2(1.0, 2.0), vec2(3.0, 4.0))
    expect_eq(n.shape[0], 1)
    wp.atomic_add(n, 0, 1)

def run():
    y, n = zeros(4, dtype=float), zeros(1, dtype=int32)
    launch(k, dim=4, inputs=[y, n])
    return y.numpy(), n.numpy()
"""
    return module("names_by_star", text).run()


def the_package_under_another_name(wp):
    text = """
import warp
import warp as w

@warp.kernel
def k(y: w.array(dtype=w.vec3), n: warp.array(dtype=warp.int32)):
    i = w.tid()
    y[i] = warp.vec3(w.float32(i)) * 2.0
    n[i] = warp.int32(3)

def run():
    y, n = w.zeros(2, dtype=w.vec3), w.zeros(2, dtype=int)
    w.launch(k, dim=2, inputs=[y, n])
    return y.numpy(), n.numpy()
"""
    return module("names_by_alias", text).run()


def functions_of_another_module(wp):
    text = """
import warp as wp

SCALE = wp.constant(3.0)
COUNT = 4

@wp.func
def cube(x: float):
    return x * x * x

@wp.func
def scaled(x: float):
    return cube(x) * SCALE
"""
    other = module("names_of_functions", text)

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = other.scaled(x[i]) + other.cube(2.0) + other.SCALE + float(other.COUNT)

    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 2, [x], [wp.zeros(2, dtype=float, requires_grad=True)])


def structs_of_another_module(wp):
    text = """
import warp as wp

@wp.struct
class Ball:
    x: wp.vec3
    r: float

@wp.func
def volume(b: Ball):
    return 4.0 / 3.0 * wp.pi * b.r * b.r * b.r
"""
    other = module("names_of_structs", text)

    @wp.kernel
    def k(b: other.Ball, y: wp.array(dtype=float)):
        c = other.Ball()
        c.r = b.r * 2.0
        y[0] = other.volume(b)
        y[1] = other.volume(c)

    b = other.Ball()
    b.r = 0.5
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=1, inputs=[b, y])
    return y


def functions_as_attributes_of_a_class(wp):
    class Kit:
        @wp.func
        def double(x: float):  # noqa: N805
            return x * 2.0

        WIDTH = wp.constant(5)

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = Kit.double(float(i)) + float(Kit.WIDTH)

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def quoted_annotations(wp):
    @wp.func
    def twice(x: "float") -> "float":
        return 2.0 * x

    @wp.kernel
    def k(y: "wp.array(dtype=float)", n: "int"):
        i = wp.tid()
        y[i] = twice(float(n + i))

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y, 5])
    return y


def annotations_by_subscript(wp):
    @wp.kernel
    def k(x: wp.array[float], m: wp.array2d[wp.vec2], y: wp.array[wp.float32]):
        i = wp.tid()
        y[i] = x[i] + m[i, 0][1]

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.ones(2, dtype=float), wp.ones((2, 2), dtype=wp.vec2), y])
    return y


def optional_annotations(wp):
    def scaled(x: wp.array[float], w: wp.array[float] | None = None, n: wp.array2d[wp.vec3] | None = None) -> int:
        return (w is not None) + 2 * (n is not None)

    return scaled(wp.zeros(2, dtype=float)), scaled(wp.zeros(2, dtype=float), wp.zeros(2, dtype=float))


def any_by_subscript(wp):
    @wp.kernel
    def k(x: wp.array[Any], m: wp.array2d[Any], y: wp.array3d[Any]):
        i, j, l = wp.tid()
        y[i, j, l] = x[i] * m[j, l]

    out = []
    for t in (wp.float32, wp.int64):
        x, m = wp.array([2, 3], dtype=t), wp.array([[1, 2], [3, 4]], dtype=t)
        y = wp.zeros((2, 2, 2), dtype=t)
        wp.launch(k, dim=(2, 2, 2), inputs=[x, m, y])
        out.append(y)
    return out


def result_annotations(wp):
    Nothing = None

    @wp.func
    def store(y: wp.array(dtype=float), i: int, v: float) -> None:
        y[i] = v

    @wp.func
    def pair(x: float) -> tuple[float, int]:
        return x * 2.0, int(x)

    @wp.kernel
    def k(y: wp.array(dtype=float)) -> Nothing:
        i = wp.tid()
        a, b = pair(float(i) + 0.5)
        store(y, i, a + float(b))

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def names_of_definitions(wp):
    @wp.func
    def f(x: float):
        """Half of x."""
        return x * 0.5

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = f(1.0)

    return f.__name__, f.__doc__, f.key, k.key, k.__name__ if hasattr(k, "__name__") else k.func.__name__


def names_of_functions_are_written(wp):
    def make(n):
        @wp.func
        def f(x: float):
            return x + float(n)

        f.__name__ = f"add_{n}"
        return f

    f, g = make(1), make(2)

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = f(1.0)
        y[1] = g(1.0)

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return f.__name__, g.__name__, y


def names_of_types_on_the_host(wp):
    types = (wp.float32, wp.int8, wp.bool, wp.vec3, wp.vec2d, wp.mat33, wp.quat, wp.transform, wp.uint64)
    return [t.__name__ for t in types]


def kernels_from_a_factory_of_names(wp):
    def make(name, n):
        def body(y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = float(i * n)

        body.__name__ = name
        body.__qualname__ = name
        return wp.kernel(body, module="unique")

    out = []
    for n in (2, 5):
        y = wp.zeros(3, dtype=float)
        k = make(f"times_{n}", n)
        wp.launch(k, dim=3, inputs=[y])
        out.append([k.key, y])
    return out


def overloads_of_closures(wp):
    def make(c):
        @wp.kernel(module="unique")
        def k(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
            i = wp.tid()
            y[i] = x[i] * x.dtype(c)

        return k

    out = []
    for c in (2, 3):
        k = wp.overload(make(c), [wp.array(dtype=float), wp.array(dtype=float)])
        y = wp.zeros(2, dtype=float)
        wp.launch(k, dim=2, inputs=[wp.array([1.0, 5.0], dtype=float), y])
        out.append(y)
    return out


def overloads_by_names_of_parameters(wp):
    @wp.kernel
    def k(x: wp.array(dtype=Any), s: Any, y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = x[i] * s

    special = wp.overload(k, {"x": wp.array(dtype=wp.float64), "s": wp.float64, "y": wp.array(dtype=wp.float64)})
    y = wp.zeros(2, dtype=wp.float64)
    wp.launch(special, dim=2, inputs=[wp.array([1.0, 5.0], dtype=wp.float64), 0.1, y])
    return y, len(k.overloads)


@program(exact=True)
def annotations_that_compare(wp):
    a, b, c = wp.array2d(dtype=Any), wp.array2d(dtype=Any), wp.array(dtype=float)
    same = wp.types.types_equal
    return same(a, b), same(a, c), hash(a) == hash(b), same(c, wp.array(dtype=wp.float32)), same(c, wp.array(dtype=int))


def python_builtins_in_kernels(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = min(x[i], 2.0) + max(x[i], 0.0) + abs(x[i]) + float(round(x[i])) + pow(x[i], 2.0)

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array([-1.5, 0.25, 3.75], dtype=float), y])
    return y


def builtins_that_a_name_shadows(wp):
    @wp.func
    def length(x: float):
        return x + 100.0

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = length(1.0)
        y[1] = wp.length(wp.vec2(3.0, 4.0))
        tid = wp.tid()
        y[2] = float(tid)
        sin = 2.0
        y[3] = sin * wp.sin(0.5)

    y = wp.zeros(4, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def undefined_names(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = missing_name  # noqa: F821

    return raised(wp.launch, k, 1, [wp.zeros(1, dtype=float)])
