"""Structs: results, loops, local arrays, arrays of them, hashing, what is empty."""

import numpy as np
from program import raised


def structs_without_fields(wp):
    @wp.struct
    class Nothing:
        pass

    @wp.kernel
    def k(n: Nothing, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = float(i)

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[Nothing(), y])
    return y


def empty_structs_in_structs(wp):
    @wp.struct
    class Nothing:
        pass

    @wp.struct
    class Outer:
        n: Nothing
        x: float

    @wp.kernel
    def k(o: Outer, y: wp.array(dtype=float)):
        y[0] = o.x

    o = Outer()
    o.x = 2.5
    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[o, y])
    return y


def results_that_are_structs(wp):
    @wp.struct
    class Contact:
        p: wp.vec3
        d: float
        hit: bool

    @wp.func
    def closest(x: wp.vec3, r: float) -> Contact:
        c = Contact()
        l = wp.length(x)
        c.p = x / l * r
        c.d = l - r
        c.hit = c.d < 0.0
        return c

    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=float), h: wp.array(dtype=bool)):
        i = wp.tid()
        c = closest(x[i], 1.0)
        y[i] = c.d + c.p[0]
        h[i] = c.hit

    x = wp.array([[2.0, 0.0, 0.0], [0.1, 0.2, 0.2]], dtype=wp.vec3, requires_grad=True)
    y, h = wp.zeros(2, dtype=float, requires_grad=True), wp.zeros(2, dtype=bool)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=2, inputs=[x], outputs=[y, h])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return y, h, x.grad


def results_with_array_fields(wp):
    @wp.struct
    class View:
        a: wp.array(dtype=float)
        n: int

    @wp.func
    def make(a: wp.array(dtype=float), n: int):
        v = View()
        v.a = a
        v.n = n
        return v

    @wp.kernel
    def k(a: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        v = make(a, 2)
        y[i] = v.a[i] * float(v.n)

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array([1.0, 2.0, 3.0], dtype=float), y])
    return y


def array_fields_assigned_in_a_kernel(wp):
    @wp.struct
    class Pair:
        a: wp.array(dtype=float)
        b: wp.array(dtype=float)

    @wp.kernel
    def k(p: Pair, y: wp.array(dtype=float)):
        i = wp.tid()
        q = p
        if i > 0:
            q.a = p.b
        y[i] = q.a[i]

    p = Pair()
    p.a, p.b = wp.array([1.0, 2.0], dtype=float), wp.array([10.0, 20.0], dtype=float)
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[p, y])
    return y


def local_arrays_of_structs(wp):
    @wp.struct
    class Item:
        key: int
        w: float

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        items = wp.zeros(shape=3, dtype=Item)
        for j in range(3):
            items[j].key = j + i
            items[j].w = float(j) * 0.5
        y[i] = float(items[2].key) + items[1].w

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[y])
    return y


def structs_in_lists_become_arrays(wp):
    @wp.struct
    class S:
        a: float
        n: wp.vec2i

    items = [S() for _ in range(3)]
    for i, s in enumerate(items):
        s.a, s.n = i * 0.5, wp.vec2i(i, -i)
    a = wp.array(items, dtype=S)
    return a, a.shape, a.strides[0] == np.dtype(S.numpy_dtype()).itemsize


def elements_of_struct_arrays_on_the_host(wp):
    @wp.struct
    class S:
        a: float
        b: int

    a = wp.zeros((2, 2), dtype=S)
    row = a[1]
    return a.numpy()["a"].shape, row.shape, a.list()[0].a


def instances_in_gradients_of_a_tape(wp):
    @wp.struct
    class Model:
        w: wp.array(dtype=float)

    @wp.kernel
    def k(m: Model, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = m.w[i] * m.w[i]

    m = Model()
    m.w = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=2, inputs=[m], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return tape.gradients[m].w, m in tape.gradients


def arrays_of_structs_with_arrays_are_assigned(wp):
    @wp.struct
    class Row:
        x: wp.array(dtype=float)
        n: int

    def row(values):
        r = Row()
        r.x, r.n = wp.array(values, dtype=float), len(values)
        return r

    @wp.kernel
    def k(rows: wp.array(dtype=Row), y: wp.array(dtype=float)):
        i = wp.tid()
        s = float(0.0)
        for j in range(rows[i].n):
            s += rows[i].x[j]
        y[i] = s

    held = [row([1.0, 2.0]), row([5.0])]
    rows = wp.array(held, dtype=Row)
    others = [row([7.0]), row([1.0, 1.0, 1.0])]
    rows.assign(others)
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[rows, y])
    return y


def structs_in_many_threads(wp):
    @wp.struct
    class Ray:
        o: wp.vec3
        d: wp.vec3
        t: float

    @wp.func
    def at(r: Ray):
        return r.o + r.d * r.t

    @wp.kernel
    def k(r: wp.array(dtype=Ray), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        s = r[i]
        s.t = s.t + 1.0
        y[i] = at(s)

    data = np.zeros(100, np.dtype(Ray.numpy_dtype()))
    data["o"], data["d"] = np.arange(300).reshape(100, 3), 0.5
    data["t"] = np.arange(100)
    y = wp.zeros(100, dtype=wp.vec3)
    wp.launch(k, dim=100, inputs=[wp.array(data, dtype=Ray), y])
    return y


def gradients_of_nested_structs(wp):
    @wp.struct
    class Inner:
        w: wp.array(dtype=float)
        s: float

    @wp.struct
    class Outer:
        inner: Inner
        b: wp.array(dtype=wp.vec2)

    @wp.kernel
    def k(o: Outer, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = o.inner.w[i] * o.inner.w[i] * o.inner.s + wp.dot(o.b[i], o.b[i])

    o = Outer()
    o.inner.w = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    o.inner.s = 3.0
    o.b = wp.array([[1.0, 0.5], [2.0, -1.0]], dtype=wp.vec2, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=2, inputs=[o], outputs=[y])
    tape.backward(grads={y: wp.array([1.0, 2.0], dtype=float)})
    return y, o.inner.w.grad, o.b.grad


def inheritance_is_refused(wp):
    @wp.struct
    class Base:
        a: float

    def derive():
        class Child(Base):
            b: float

        wp.struct(Child)

    return raised(derive) != "nothing"


def structs_in_conditions(wp):
    @wp.struct
    class S:
        a: float
        b: wp.vec2

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        s = S(1.0, wp.vec2(2.0, 3.0))
        if x[i] > 0.0:
            s = S(x[i], wp.vec2(x[i], 0.0))
        t = wp.where(x[i] > 1.0, s.a, s.b[1])
        y[i] = t + s.a

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array([-1.0, 0.5, 2.0], dtype=float), y])
    return y


def structs_carried_by_loops(wp):
    @wp.struct
    class State:
        x: float
        v: float

    @wp.func
    def step(s: State, dt: float):
        r = State()
        r.v = s.v - s.x * dt
        r.x = s.x + r.v * dt
        return r

    @wp.kernel
    def k(n: int, y: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        s = State(float(i) + 1.0, 0.0)
        for _ in range(n):
            s = step(s, 0.125)
        y[i] = wp.vec2(s.x, s.v)

    y = wp.zeros(40, dtype=wp.vec2)
    wp.launch(k, dim=40, inputs=[20, y])
    return y


def keywords_of_constructors(wp):
    @wp.struct
    class Ray:
        o: wp.vec3
        t: float

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        r = Ray(t=2.0, o=wp.vec3(1.0, 2.0, 3.0))
        y[0] = r.t * r.o[2]

    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y
