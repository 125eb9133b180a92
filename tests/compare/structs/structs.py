"""Structs: on the host, in kernels, in arrays, with gradients."""

import numpy as np
from program import raised


def struct_as_a_parameter(wp):
    @wp.struct
    class Params:
        gain: float
        count: int
        offset: wp.vec3

    @wp.kernel
    def k(p: Params, y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = p.offset * p.gain + wp.vec3(float(p.count * i))

    p = Params()
    p.gain = 2.5
    p.count = 3
    p.offset = wp.vec3(1.0, 2.0, 3.0)
    y = wp.zeros(2, dtype=wp.vec3)
    wp.launch(k, dim=2, inputs=[p, y])
    return y, p.gain, p.count


def struct_of_arrays(wp):
    @wp.struct
    class Mesh:
        x: wp.array(dtype=float)
        n: wp.array(dtype=int)

    @wp.kernel
    def k(m: Mesh, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = m.x[m.n[i]] * 2.0
        m.x[i] = -1.0

    m = Mesh()
    m.x = wp.array([1.0, 2.0, 3.0], dtype=float)
    m.n = wp.array([2, 1, 0], dtype=int)
    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[m, y])
    return y, m.x


def gradient_through_a_struct_of_arrays(wp):
    @wp.struct
    class Mesh:
        x: wp.array(dtype=float)
        scale: float

    @wp.kernel
    def k(m: Mesh, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = m.x[i] * m.x[i] * m.scale

    m = Mesh()
    m.x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    m.scale = 2.0
    y = wp.zeros(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=3, inputs=[m], outputs=[y])
    tape.backward(grads={y: wp.ones(3, dtype=float)})
    return y, m.x.grad


def nested_structs(wp):
    @wp.struct
    class Inner:
        a: float
        b: wp.vec2

    @wp.struct
    class Outer:
        inner: Inner
        c: int

    @wp.kernel
    def k(o: Outer, y: wp.array(dtype=float)):
        y[0] = o.inner.a + o.inner.b[1] * float(o.c)

    o = Outer()
    o.inner.a = 1.5
    o.inner.b = wp.vec2(2.0, 3.0)
    o.c = 4
    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[o, y])
    return y


def arrays_of_structs(wp):
    @wp.struct
    class Particle:
        x: wp.vec3
        mass: float

    @wp.kernel
    def k(p: wp.array(dtype=Particle), y: wp.array(dtype=float)):
        i = wp.tid()
        q = p[i]
        y[i] = wp.length(q.x) * q.mass
        p[i].mass = float(i)

    items = []
    for j in range(3):
        item = Particle()
        item.x = wp.vec3(float(j), 4.0, 0.0)
        item.mass = 2.0
        items.append(item)
    p = wp.array(items, dtype=Particle)
    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[p, y])
    return y, p


def structs_made_in_kernels(wp):
    @wp.struct
    class Hit:
        t: float
        id: int

    @wp.func
    def trace(x: float):
        h = Hit()
        h.t = x * 2.0
        if x > 1.0:
            h.id = 7
        return h

    @wp.kernel
    def k(x: wp.array(dtype=float), hits: wp.array(dtype=Hit), y: wp.array(dtype=float)):
        i = wp.tid()
        h = trace(x[i])
        hits[i] = h
        y[i] = h.t + float(h.id)

    hits, y = wp.zeros(2, dtype=Hit), wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([0.5, 2.0], dtype=float), hits, y])
    return hits, y


def constructor_with_values(wp):
    @wp.struct
    class Ray:
        origin: wp.vec3
        length: float

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        r = Ray(wp.vec3(1.0, 2.0, 3.0), 5.0)
        y[0] = r.length + r.origin[1]

    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def structured_numpy_arrays(wp):
    @wp.struct
    class Item:
        id: int
        w: float
        v: wp.vec2

    a = wp.zeros(2, dtype=Item)
    data = np.zeros(2, dtype=np.dtype(Item.numpy_dtype()))
    data["id"] = [3, 4]
    data["v"] = [[1.0, 2.0], [3.0, 4.0]]
    a.assign(data)
    return a, np.dtype(Item.numpy_dtype()).names, np.dtype(Item.numpy_dtype()).itemsize


def gradient_of_arrays_of_structs(wp):
    @wp.struct
    class P:
        a: float
        b: float

    @wp.kernel
    def k(p: wp.array(dtype=P), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = p[i].a * p[i].b

    p = wp.zeros(2, dtype=P, requires_grad=True)
    p.assign(np.array([(1.0, 2.0), (3.0, 4.0)], dtype=np.dtype(P.numpy_dtype())))
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=2, inputs=[p], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return y, p.grad


def struct_parameters_of_functions(wp):
    @wp.struct
    class Material:
        k: float
        c: float

    @wp.func
    def force(m: Material, x: float, v: float):
        return -m.k * x - m.c * v

    @wp.kernel
    def step(m: Material, x: wp.array(dtype=float), v: wp.array(dtype=float), dt: float):
        i = wp.tid()
        v[i] = v[i] + force(m, x[i], v[i]) * dt
        x[i] = x[i] + v[i] * dt

    m = Material()
    m.k, m.c = 10.0, 0.5
    x, v = wp.array([1.0, -0.5], dtype=float), wp.zeros(2, dtype=float)
    for _ in range(10):
        wp.launch(step, dim=2, inputs=[m, x, v, 0.01])
    return x, v


def assignment_of_fields_converts(wp):
    @wp.struct
    class S:
        a: wp.float64
        v: wp.vec3
        n: wp.uint8

    s = S()
    s.a = 1
    s.v = (1.0, 2.0, 3.0)
    s.n = 200
    return float(s.a), list(s.v), int(s.n)


def unknown_fields(wp):
    @wp.struct
    class S:
        a: float

    s = S()
    return raised(lambda: s.missing), raised(setattr, s, "v", 1.0)


def matrices_and_quaternions_in_structs(wp):
    @wp.struct
    class Body:
        q: wp.quat
        inertia: wp.mat33
        t: wp.transform

    @wp.kernel
    def k(b: Body, y: wp.array(dtype=wp.vec3)):
        y[0] = wp.quat_rotate(b.q, b.inertia * wp.vec3(1.0, 2.0, 3.0))
        y[1] = wp.transform_point(b.t, wp.vec3(1.0, 0.0, 0.0))

    b = Body()
    b.q = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5)
    b.inertia = wp.mat33(1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0)
    b.t = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_identity())
    y = wp.zeros(2, dtype=wp.vec3)
    wp.launch(k, dim=1, inputs=[b, y])
    return y


def arrays_of_structs_that_hold_arrays(wp):
    @wp.struct
    class Row:
        n: int
        x: wp.array(dtype=float)

    @wp.kernel
    def k(rows: wp.array(dtype=Row), y: wp.array(dtype=float)):
        i = wp.tid()
        s = float(0.0)
        for j in range(rows[i].n):
            s += rows[i].x[j]
        y[i] = s

    kept = [wp.array(np.arange(j + 1.0), dtype=float) for j in range(3)]
    items = []
    for x in kept:
        row = Row()
        row.n, row.x = len(x), x
        items.append(row)
    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array(items, dtype=Row), y])
    return y


def elements_of_arrays_of_structs_with_arrays(wp):
    @wp.struct
    class Inner:
        x: wp.array(dtype=float)
        n: int

    @wp.struct
    class Outer:
        inner: Inner
        m: wp.array2d(dtype=wp.vec3)
        scale: float

    @wp.func
    def first(x: wp.array(dtype=float)):
        return x[0]

    @wp.kernel
    def k(a: wp.array(dtype=Outer), y: wp.array(dtype=float)):
        i = wp.tid()
        o = a[i]
        y[i] = o.inner.x[1] + a[i].m[0, 1][2] * o.scale + float(a[i].m.shape[1]) + first(a[i].inner.x)
        a[i].inner.x[0] = 7.0
        wp.atomic_add(a[i].inner.x, 1, 1.0)
        a[i].inner.n = o.m.shape[0]

    kept, items = [], []
    for j in range(2):
        o = Outer()
        o.inner.x = wp.array(np.arange(j + 2.0), dtype=float)
        o.m = wp.ones((2, j + 2), dtype=wp.vec3)
        o.scale = 3.0
        kept += [o.inner.x, o.m]
        items.append(o)
    a = wp.array(items, dtype=Outer)
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[a, y])
    return y, kept[0], kept[2], a.numpy()["inner"]["n"], a.numpy()["m"]["shape"]


def gradients_of_arrays_in_arrays_of_structs(wp):
    @wp.struct
    class Row:
        x: wp.array(dtype=float)

    @wp.kernel
    def k(rows: wp.array(dtype=Row), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = rows[i].x[0] * rows[i].x[1] + wp.sin(rows[i].x[1])

    kept = [wp.array([j + 1.0, 0.5], dtype=float, requires_grad=True) for j in range(2)]
    items = []
    for x in kept:
        row = Row()
        row.x = x
        items.append(row)
    rows = wp.array(items, dtype=Row)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, dim=2, inputs=[rows], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return y, kept[0].grad, kept[1].grad


def arrays_at_addresses(wp):
    @wp.kernel
    def k(p: wp.uint64, y: wp.array(dtype=float)):
        m = wp.array(ptr=p, shape=(2, 2), dtype=float)
        y[0] = m[1, 0] + float(m.shape[0])
        m[0, 1] = 9.0

    a = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float)
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=1, inputs=[a.ptr, y])
    return a, y
