"""Fields of structs on the host: what they take, what they keep, what is read back."""

import numpy as np
from program import raised


def fields_that_were_not_set(wp):
    @wp.struct
    class Options:
        w: wp.array(dtype=float)
        scale: float

    @wp.kernel
    def k(o: Options, y: wp.array(dtype=float)):
        i = wp.tid()
        if o.w:
            y[i] = o.w[i]
        else:
            y[i] = o.scale + float(o.w.shape[0])

    o = Options()
    o.scale = 3.0
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[o, y])
    return y


def fields_keep_their_type(wp):
    @wp.struct
    class S:
        a: wp.float64
        b: wp.uint8
        v: wp.vec2
        on: bool
        n: wp.int64

    s = S()
    first = [type(x).__name__ for x in (s.a, s.b, s.on, s.n)]
    s.a, s.b, s.on, s.n = 1.5, 7, True, 2**40
    s.v = wp.vec2(1.0, 2.0)
    return first, s.a, s.b, s.on, s.n, s.v


def fields_take_values_of_other_scalars(wp):
    @wp.struct
    class S:
        v: wp.vec3
        d: wp.vec3d
        n: wp.vec3i
        q: wp.quat
        m: wp.mat22
        h: wp.vec2h

    s, t = S(), S()
    s.v, s.d, s.n = wp.vec3d(0.1, 2.0, 3.0), wp.vec3(0.1, 2.0, 3.0), wp.vec3l(1, 2, 3)
    s.q, s.m, s.h = wp.quatd(0.0, 0.0, 0.6, 0.8), wp.mat22d(1.0, 2.0, 3.0, 4.0), wp.vec2(0.1, 0.2)
    t.v, t.q, t.m = wp.vec3i(1, 2, 3), wp.vec4(0.0, 0.0, 0.0, 1.0), wp.vec4(1.0, 2.0, 3.0, 4.0)
    refused = raised(setattr, s, "n", wp.vec3(1.5, 2.0, 3.0)), raised(setattr, s, "v", wp.vec4())
    return s.v, s.d, s.n, s.q, s.m, s.h, t.v, t.q, t.m, refused


def fields_take_sequences(wp):
    @wp.struct
    class S:
        v: wp.vec3
        m: wp.mat22
        q: wp.quat

    s = S()
    s.v = [1, 2, 3]
    s.m = [[1.0, 2.0], [3.0, 4.0]]
    s.q = (0.0, 0.0, 0.0, 1.0)
    first = [list(s.v), str(s.m), list(s.q)]
    s.v, s.m = np.ones(3), np.eye(2)
    return first, s.v, s.m, raised(setattr, s, "v", [1, 2])


def copies_of_instances(wp):
    @wp.struct
    class S:
        a: float
        v: wp.vec2

    @wp.struct
    class T:
        s: S

    s, t = S(), T()
    s.a = 1.0
    t.s = s
    s.a = 2.0
    t.s.v = wp.vec2(5.0, 6.0)
    return t.s.a, s.a, list(t.s.v), list(s.v)


def fields_read_back_after_a_launch(wp):
    @wp.struct
    class S:
        a: float
        v: wp.vec3
        m: wp.mat22

    @wp.kernel
    def k(s: wp.array(dtype=S)):
        i = wp.tid()
        s[i].a = float(i) * 1.5
        s[i].v[1] = 4.0
        s[i].m[1, 0] = -2.0

    s = wp.zeros(2, dtype=S)
    wp.launch(k, dim=2, inputs=[s])
    one = s.list()[1]
    return s, one.a, one.v, one.m


def structs_of_every_width(wp):
    @wp.struct
    class Mixed:
        a: wp.int8
        b: wp.float64
        c: wp.uint16
        d: wp.vec3h
        e: bool
        f: wp.int64
        g: wp.vec2ub

    @wp.kernel
    def k(s: wp.array(dtype=Mixed), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        x = s[i]
        y[i] = wp.float64(x.a) + x.b + wp.float64(x.c) + wp.float64(x.d[1]) + wp.float64(x.f) + wp.float64(x.g[1])
        s[i].e = not x.e

    data = np.zeros(3, np.dtype(Mixed.numpy_dtype()))
    for n, name in enumerate(("a", "b", "c", "f")):
        data[name] = np.arange(3) + n
    data["d"], data["g"] = 0.5, 7
    s, y = wp.array(data, dtype=Mixed), wp.zeros(3, dtype=wp.float64)
    wp.launch(k, dim=3, inputs=[s, y])
    return s, y, np.dtype(Mixed.numpy_dtype()).itemsize


def values_given_to_the_host_constructor(wp):
    @wp.struct
    class S:
        a: float
        n: int

    s = S()
    s.a = np.float32(2.5)
    s.n = np.int64(3)
    return float(s.a), int(s.n), raised(setattr, s, "n", "x")
