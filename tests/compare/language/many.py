"""Much of something: overloads, arrays, parameters, threads, nesting."""

import numpy as np
from program import gradients, module, program


def _kernel(parameters, body, before=""):
    """The text of a module with one kernel."""
    return f"import warp as wp\n\n{before}@wp.kernel\ndef k({parameters}):\n    i = wp.tid()\n{body}"


def two_dozen_overloads(wp):
    types = [f"wp.types.vector(length={n}, dtype=wp.float32)" for n in range(2, 26)]
    text = "import warp as wp\n" + "".join(
        f"""
@wp.func
def total(v: {t}):
    s = float(0.0)
    for j in range({n}):
        s += v[j]
    return s * {n}.0
"""
        for n, t in enumerate(types, 2)
    )
    text += f"""
@wp.kernel
def k(a: wp.array(dtype={types[3]}), b: wp.array(dtype={types[-1]}), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = total(a[i]) + total(b[i])
"""
    k = module("many_overloads", text).k
    a = wp.ones(2, dtype=wp.types.vector(length=5, dtype=wp.float32))
    b = wp.ones(2, dtype=wp.types.vector(length=25, dtype=wp.float32))
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[a, b, y])
    return y


def atomic_sums_to_nine_arrays(wp):
    names = [f"a{n}" for n in range(9)]
    parameters = ", ".join(f"{n}: wp.array(dtype=float)" for n in names)
    body = "".join(f"    wp.atomic_add({n}, i % 5, {j}.5)\n" for j, n in enumerate(names))
    text = _kernel(parameters, body)
    arrays = [wp.zeros(5, dtype=float) for _ in names]
    wp.launch(module("many_sums", text).k, dim=100, inputs=arrays)
    return arrays


def gradients_of_ten_gathered_arrays(wp):
    names = [f"a{n}" for n in range(10)]
    parameters = ", ".join(f"{n}: wp.array(dtype=float)" for n in [*names, "y"])
    value = " + ".join(f"{n}[i % {j + 1}] * {n}[i % {j + 1}]" for j, n in enumerate(names))
    text = _kernel(parameters, f"    y[i] = {value}\n")
    arrays = [wp.array(np.arange(10.0) + j, dtype=float, requires_grad=True) for j in range(10)]
    y = wp.zeros(30, dtype=float, requires_grad=True)
    return gradients(wp, module("many_gathers", text).k, 30, arrays, [y])


def forty_parameters(wp):
    parameters = ", ".join(f"p{n}: {'float' if n % 2 else 'int'}" for n in range(40))
    value = " + ".join(f"p{n}" if n % 2 else f"float(p{n})" for n in range(40))
    text = _kernel(f"{parameters}, y: wp.array(dtype=float)", f"    y[i] = {value}\n")
    y = wp.zeros(2, dtype=float)
    values = [n * 0.5 if n % 2 else n for n in range(40)]
    wp.launch(module("many_parameters", text).k, dim=2, inputs=[*values, y])
    return y


def fields_by_the_dozen(wp):
    fields = "".join(f"    f{n}: {'wp.vec3' if n % 3 == 0 else 'float'}\n" for n in range(30))
    value = " + ".join(f"s.f{n}[1]" if n % 3 == 0 else f"s.f{n}" for n in range(30))
    before = f"@wp.struct\nclass S:\n{fields}\n"
    text = _kernel("s: S, y: wp.array(dtype=float)", f"    y[i] = {value}\n", before)
    made = module("many_fields", text)
    s = made.S()
    for n in range(30):
        setattr(s, f"f{n}", wp.vec3(float(n), 2.0 * n, 0.0) if n % 3 == 0 else float(n))
    y = wp.zeros(1, dtype=float)
    wp.launch(made.k, dim=1, inputs=[s, y])
    return y


def functions_that_nest_deeply(wp):
    functions = "@wp.func\ndef f0(x: float):\n    return x + 1.0\n\n" + "".join(
        f"@wp.func\ndef f{n}(x: float):\n    return 0.5 * f{n - 1}(x) + {n}.0\n\n" for n in range(1, 30)
    )
    text = _kernel("x: wp.array(dtype=float), y: wp.array(dtype=float)", "    y[i] = f29(x[i])\n", functions)
    x = wp.array([1.0, 1.0e6], dtype=float, requires_grad=True)
    return gradients(wp, module("many_functions", text).k, 2, [x], [wp.zeros(2, dtype=float, requires_grad=True)])


def branches_in_a_long_chain(wp):
    text = _kernel("x: wp.array(dtype=int), y: wp.array(dtype=float)", "")
    text += "    if x[i] == 0:\n        y[i] = 0.5\n" + "".join(
        f"    elif x[i] == {n}:\n        y[i] = {n * n}.0\n" for n in range(1, 40)
    )
    text += "    else:\n        y[i] = -1.0\n"
    x, y = wp.array(np.arange(-2, 45), dtype=int), wp.zeros(47, dtype=float)
    wp.launch(module("many_branches", text).k, dim=47, inputs=[x, y])
    return y


def loops_within_loops(wp):
    @wp.kernel
    def k(n: int, y: wp.array(dtype=int)):
        i = wp.tid()
        s = int(0)
        for a in range(n):
            for b in range(a + 1):
                for c in range(b + 1):
                    for d in range(c + 1):
                        if (a + b + c + d + i) % 3 == 0:
                            s += a * b - c * d
        y[i] = s

    y = wp.zeros(20, dtype=int)
    wp.launch(k, dim=20, inputs=[6, y])
    return y


@program(exact=True)
def threads_by_the_million(wp):
    @wp.kernel
    def k(y: wp.array(dtype=wp.int64)):
        i = wp.tid()
        wp.atomic_add(y, i % 3, wp.int64(i))

    y = wp.zeros(3, dtype=wp.int64)
    wp.launch(k, dim=1000003, inputs=[y])
    return y


def grids_of_four_dimensions(wp):
    @wp.kernel
    def k(a: wp.array4d(dtype=float), y: wp.array4d(dtype=float)):
        i, j, l, m = wp.tid()
        y[i, j, l, m] = a[i, j, l, m] * float(i + 1) - float(j * l + m)

    shape = (3, 4, 5, 6)
    a = wp.array(np.arange(360.0).reshape(shape), dtype=float, requires_grad=True)
    return gradients(wp, k, shape, [a], [wp.zeros(shape, dtype=float, requires_grad=True)])


def launches_in_a_long_row(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] + wp.sin(x[i]) * 0.1

    first = x = wp.array([0.5, 1.0], dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for _ in range(60):
            y = wp.zeros(2, dtype=float, requires_grad=True)
            wp.launch(k, dim=2, inputs=[x], outputs=[y])
            x = y
    tape.backward(grads={x: wp.ones(2, dtype=float)})
    return x, first.grad


def wide_vectors(wp):
    vec40 = wp.types.vector(length=40, dtype=wp.float32)

    @wp.kernel
    def k(a: wp.array(dtype=vec40), y: wp.array(dtype=float)):
        i = wp.tid()
        v = a[i] * 2.0 + vec40(1.0)
        y[i] = wp.dot(v, a[i]) + v[39]

    a = wp.array(np.arange(120.0) * 0.1, dtype=vec40, requires_grad=True)
    return gradients(wp, k, 3, [a], [wp.zeros(3, dtype=float, requires_grad=True)])


def products_of_large_matrices(wp):
    mat88 = wp.types.matrix(shape=(8, 8), dtype=wp.float64)

    @wp.kernel
    def k(a: wp.array(dtype=mat88), b: wp.array(dtype=mat88), y: wp.array(dtype=mat88)):
        i = wp.tid()
        y[i] = a[i] * wp.transpose(b[i]) + a[i]

    rng = np.random.default_rng(0)
    a, b = (wp.array(rng.normal(size=(2, 8, 8)), dtype=mat88, requires_grad=True) for _ in range(2))
    return gradients(wp, k, 2, [a, b], [wp.zeros(2, dtype=mat88, requires_grad=True)])


def names_that_look_alike(wp):
    @wp.kernel
    def k(shared: wp.array(dtype=float), mine0: wp.array(dtype=float), loop: float, entry: float):
        i = wp.tid()
        shared0 = shared[i] * loop
        end = entry + 1.0
        ret = shared0 + end
        var_1 = ret * 2.0
        adj_1 = var_1 - 1.0
        mine0[i] = adj_1
        wp.atomic_add(shared, i % 2, 1.0)

    shared, mine = wp.array([1.0, 2.0, 3.0], dtype=float), wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[shared, mine, 2.0, 0.5])
    return shared.numpy()[2], mine.numpy()[2]


def modules_of_many_kernels(wp):
    text = "import warp as wp\n" + "".join(
        f"\n@wp.kernel\ndef k{n}(y: wp.array(dtype=float)):\n    i = wp.tid()\n    y[i] = y[i] * 0.5 + {n}.0\n"
        for n in range(40)
    )
    made = module("many_kernels", text)
    y = wp.zeros(3, dtype=float)
    for n in range(40):
        wp.launch(getattr(made, f"k{n}"), dim=3, inputs=[y])
    return y


@program(decided="`wp.map` of functions of one name and text")
def globals_that_differ(wp):
    text = """
import warp as wp

scale = 1.0

@wp.func
def f(v: float):
    return v * scale
"""
    x = wp.array([1.0, 2.0], dtype=float)
    first = wp.map(module("many_globals_1", text).f, x)
    return first, wp.map(module("many_globals_2", text.replace("1.0", "3.0")).f, x)


@program(exact=True)
def results_that_are_used_at_once(wp):
    @wp.kernel
    def ticket(n: wp.array(dtype=int), taken: wp.array(dtype=int)):
        i = wp.tid()
        taken[wp.atomic_add(n, 0, 1)] = i

    n, taken = wp.zeros(1, dtype=int), wp.full(500, -1, dtype=int)
    wp.launch(ticket, dim=500, inputs=[n, taken])
    return n, np.sort(taken.numpy())
