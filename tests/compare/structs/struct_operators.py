"""Structs: operators by overloaded functions, functions and constants of the class, captured instances."""

from program import gradients, module


def operators_by_overloaded_functions(wp):
    text = """
import warp as wp

@wp.struct
class Dual:
    v: float
    d: float

@wp.func
def mul(a: Dual, b: Dual):
    return Dual(a.v * b.v, a.v * b.d + a.d * b.v)

@wp.func
def add(a: Dual, b: Dual):
    return Dual(a.v + b.v, a.d + b.d)

@wp.kernel
def k(x: wp.array(dtype=float), y: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    a = Dual(x[i], 1.0)
    b = a * a + a
    y[i] = wp.vec2(b.v, b.d)
"""
    y = wp.zeros(2, dtype=wp.vec2)
    kernel = module("members_dual", text).k
    wp.launch(kernel, dim=2, inputs=[wp.array([2.0, 3.0], dtype=float), y])
    return y


def operators_of_structs_and_numbers(wp):
    text = """
import warp as wp

@wp.struct
class Colour:
    r: float
    g: float

@wp.func
def mul(s: float, c: Colour):
    return Colour(s * c.r, s * c.g)

@wp.func
def mul(c: Colour, s: float):
    return Colour(s * c.r, s * c.g)

@wp.func
def div(c: Colour, s: float):
    return Colour(c.r / s, c.g / s)

@wp.kernel
def k(y: wp.array(dtype=wp.vec2)):
    c = Colour(1.0, 2.0)
    a = 2.0 * c
    b = a * 3.0 / 4.0
    y[0] = wp.vec2(a.r, a.g)
    y[1] = wp.vec2(b.r, b.g)
"""
    y = wp.zeros(2, dtype=wp.vec2)
    wp.launch(module("members_colour", text).k, dim=1, inputs=[y])
    return y


def operators_that_assign(wp):
    text = """
import warp as wp

@wp.struct
class Sum:
    n: int
    s: float

@wp.func
def add(a: Sum, b: Sum):
    return Sum(a.n + b.n, a.s + b.s)

@wp.kernel
def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    total = Sum(0, 0.0)
    for i in range(x.shape[0]):
        total += Sum(1, x[i])
    y[0] = total.s / float(total.n)
"""
    y = wp.zeros(1, dtype=float)
    wp.launch(module("members_sum", text).k, dim=1, inputs=[wp.array([1.0, 2.0, 6.0], dtype=float), y])
    return y


def gradients_of_struct_operators(wp):
    text = """
import warp as wp

@wp.struct
class Complex:
    re: float
    im: float

@wp.func
def mul(a: Complex, b: Complex):
    return Complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)

@wp.func
def sub(a: Complex, b: Complex):
    return Complex(a.re - b.re, a.im - b.im)

@wp.kernel
def k(x: wp.array(dtype=wp.vec2), y: wp.array(dtype=float)):
    i = wp.tid()
    z = Complex(x[i][0], x[i][1])
    w = z * z - z
    y[i] = w.re * w.re + w.im
"""
    x = wp.array([[1.0, 2.0], [0.5, -1.5]], dtype=wp.vec2, requires_grad=True)
    kernel = module("members_complex", text).k
    return gradients(wp, kernel, 2, [x], [wp.zeros(2, dtype=float, requires_grad=True)])


def functions_of_the_class(wp):
    text = """
import warp as wp

@wp.struct
class Box:
    lo: wp.vec3
    hi: wp.vec3

@wp.func
def size(b: Box):
    return b.hi - b.lo

Box.size = size

@wp.kernel
def k(b: Box, y: wp.array(dtype=wp.vec3)):
    y[0] = Box.size(b)
    y[1] = type(b).size(b)
"""
    made = module("members_box", text)
    b = made.Box()
    b.hi = wp.vec3(1.0, 2.0, 3.0)
    y = wp.zeros(2, dtype=wp.vec3)
    wp.launch(made.k, dim=1, inputs=[b, y])
    return y


def constants_of_the_class(wp):
    @wp.struct
    class Grid:
        h: float

        N = wp.constant(4)

    @wp.kernel
    def k(g: Grid, y: wp.array(dtype=float)):
        for i in range(Grid.N):
            y[i] = g.h * float(i)

    g = Grid()
    g.h = 0.5
    y = wp.zeros(4, dtype=float)
    wp.launch(k, dim=1, inputs=[g, y])
    return y


def constants_by_an_instance(wp):
    @wp.struct
    class Grid:
        h: float

        N = wp.constant(3)

    @wp.kernel
    def k(g: Grid, y: wp.array(dtype=float)):
        y[0] = g.h * float(g.N)

    g = Grid()
    g.h = 0.5
    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[g, y])
    return y


def methods_on_the_host(wp):
    @wp.struct
    class Params:
        scale: float

        def doubled(self):
            return self.scale * 2.0

    p = Params()
    p.scale = 1.5
    return p.doubled()


def captured_instances(wp):
    @wp.struct
    class Params:
        scale: float
        n: int

    p = Params()
    p.scale, p.n = 2.5, 3

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.static(p.scale) * float(wp.static(p.n) + i)

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[y])
    return y


def captured_instances_as_values(wp):
    @wp.struct
    class Params:
        scale: float
        v: wp.vec2

    p = Params()
    p.scale, p.v = 2.5, wp.vec2(1.0, 2.0)

    @wp.func
    def apply(q: Params, x: float):
        return q.scale * x + q.v[1]

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = apply(wp.static(p), float(i))

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[y])
    return y


def captured_instances_nested(wp):
    @wp.struct
    class Inner:
        scale: float

    @wp.struct
    class Outer:
        inner: Inner
        n: int

    o = Outer()
    o.inner.scale, o.n = 4.0, 2

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.static(o.inner.scale) + float(wp.static(o.n) * i)

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def maps_to_structs(wp):
    text = """
import warp as wp

@wp.struct
class Pair:
    a: float
    b: float

@wp.func
def make(x: float):
    p = Pair()
    p.a = x
    p.b = x * x
    return p

@wp.func
def product(p: Pair):
    return p.a * p.b
"""
    made = module("members_pair", text)
    pairs = wp.map(made.make, wp.array([1.0, 2.0, 3.0], dtype=float))
    return pairs, wp.map(made.product, pairs)
