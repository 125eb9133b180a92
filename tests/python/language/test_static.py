"""`wp.static` in loops that are written out, and what it gives."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import warp as wp


@wp.func
def double(x: float):
    return 2.0 * x


@wp.func
def triple(x: float):
    return 3.0 * x


FUNCTIONS = (double, triple, wp.sqrt)
TABLE = [float(n * n) for n in range(16)]


def test_a_function_for_each_round():
    @wp.kernel
    def apply(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        for f in range(wp.static(len(FUNCTIONS))):
            y[f] += wp.static(FUNCTIONS[f])(x[i])

    x = wp.array([4.0], dtype=float, requires_grad=True)
    y = wp.zeros(3, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(apply, dim=1, inputs=[x], outputs=[y])
    assert y.numpy().tolist() == [8.0, 12.0, 2.0]
    tape.backward(grads={y: wp.ones(3)})
    assert x.grad.numpy().tolist() == [5.25]


def test_nested_loops_and_steps():
    @wp.kernel
    def fill(out: wp.array2d[float]):
        for i in range(0, 16, 5):
            for j in range(1, -1, -1):
                out[i // 5, j] = wp.static(TABLE[i] + 1000.0 * j)

    out = wp.zeros((4, 2))
    wp.launch(fill, dim=1, inputs=[out])
    assert out.numpy().tolist() == [[0.0, 1000.0], [25.0, 1025.0], [100.0, 1100.0], [225.0, 1225.0]]


def test_sixteen_rounds_with_a_long_body():
    @wp.kernel
    def fill(out: wp.array(dtype=float)):
        for i in range(16):
            if i % 2 == 0:
                out[i] = wp.static(TABLE[i])
            else:
                out[i] = -wp.static(TABLE[i])

    out = wp.zeros(16)
    wp.launch(fill, dim=1, inputs=[out])
    assert out.numpy().tolist() == [x * (-1.0) ** n for n, x in enumerate(TABLE)]


def test_functions_have_loops_of_their_own():
    @wp.func
    def total(x: float):
        s = x
        for i in range(3):
            s += wp.static(TABLE[i])
        return s

    @wp.kernel
    def k(out: wp.array(dtype=float)):
        for i in range(2):
            out[i] = total(wp.static(float(i)))

    out = wp.zeros(2)
    wp.launch(k, dim=1, inputs=[out])
    assert out.numpy().tolist() == [5.0, 6.0]


def test_a_variable_that_was_changed_is_not_seen():
    @wp.kernel
    def k(n: int, out: wp.array(dtype=float)):
        for i in range(3):
            i = n
            out[i] = wp.static(TABLE[i])

    with pytest.raises(ValueError, match="cannot be evaluated"):
        wp.launch(k, dim=1, inputs=[1, wp.zeros(3)])


@pytest.mark.parametrize("rounds", ["n", "17"])
def test_loops_that_stay_loops(rounds):
    if rounds == "n":

        @wp.kernel
        def k(n: int, out: wp.array(dtype=float)):
            for i in range(n):
                out[i] = wp.static(TABLE[i])
    else:

        @wp.kernel
        def k(n: int, out: wp.array(dtype=float)):
            for i in range(17):
                out[i] = wp.static(TABLE[i])

    with pytest.raises(ValueError, match=r"static\(TABLE\[i\]\)(.|\n)*loops of up to 16 iterations .*max_unroll"):
        wp.launch(k, dim=1, inputs=[1, wp.zeros(17)])


def seventeen(out: wp.array(dtype=float)):
    for i in range(17):
        out[i] = wp.static(float(i) * 2.0)


def test_more_rounds_for_who_asks(monkeypatch):
    out = wp.zeros(17)
    wp.launch(wp.kernel(seventeen, module_options={"max_unroll": 17}, module="unique"), dim=1, outputs=[out])
    assert out.list() == [2.0 * i for i in range(17)]
    monkeypatch.setattr(wp.config, "max_unroll", 20)
    again = wp.zeros(17)
    wp.launch(wp.kernel(seventeen), dim=1, outputs=[again])
    assert again.list() == out.list()


def test_fewer_iterations_if_asked():
    kernel = wp.kernel(seventeen, module_options={"max_unroll": 4}, module="unique")
    with pytest.raises(ValueError, match="loops of up to 4 iterations"):
        wp.launch(kernel, dim=1, outputs=[wp.zeros(17)])


vec19 = wp.types.vector(length=19, dtype=wp.float32)
SHIFTS = wp.constant(vec19(*(float(n % 3 - 1) for n in range(19))))


def nineteen(x: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i = wp.tid()
    come = vec19()
    total = float(0.0)
    for q in range(19):
        come[q] = x[q, (i - int(SHIFTS[q]) + x.shape[1]) % x.shape[1]]
        total += come[q]
    for q in range(19):
        out[q, i] = come[q] * total


def test_loops_over_components_are_written_out_beyond_max_unroll():
    """Where the variable selects components, each round would look at all of them."""
    x = np.random.default_rng(3).random((19, 40), dtype=np.float32)
    come = np.stack([np.roll(x[q], q % 3 - 1) for q in range(19)])
    written_out = wp.kernel(nineteen, module="unique")
    fewer = wp.kernel(nineteen, module="unique", module_options={"max_unroll": 8})
    for kernel in (written_out, fewer):
        out = wp.zeros((19, 40), dtype=float)
        wp.launch(kernel, dim=40, inputs=[x], outputs=[out])
        np.testing.assert_allclose(out.numpy(), come * come.sum(axis=0), rtol=1e-5)
    assert [" for " in kernel.inspect("ir") for kernel in (written_out, fewer)] == [False, True]


@pytest.mark.parametrize("rounds", [-1, 1.5, True, 5000, "many"])
def test_rounds_are_a_small_number(rounds):
    with pytest.raises(TypeError, match="max_unroll.*an int from 0 to 4096"):
        wp.config.max_unroll = rounds
    with pytest.raises(ValueError, match="max_unroll.*an int from 0 to 4096"):
        wp.set_module_options({"max_unroll": rounds}, module="nobody's")


MANY = [float(3 * n) for n in range(100)]


def test_static_ranges_are_written_out_whatever_their_length():
    @wp.kernel
    def k(x: float, out: wp.array(dtype=float)):
        for i in range(wp.static(len(MANY))):
            out[i] = wp.static(MANY[i])
        for f in range(2, wp.static(20), 6):
            out[f] = wp.static(FUNCTIONS[f % 3])(x)

    out = wp.zeros(100)
    wp.launch(k, dim=1, inputs=[4.0, out])
    expected = MANY.copy()
    for f in range(2, 20, 6):
        expected[f] = 2.0
    assert out.list() == expected


i = 7


def test_a_global_of_the_name_of_a_loop_variable():
    @wp.kernel
    def k(n: int, out: wp.array(dtype=float)):
        for i in range(n):
            out[i] = float(wp.static(i))

    @wp.kernel
    def own_names(n: int, out: wp.array(dtype=float)):
        for i in range(n):
            out[i] = float(wp.static(sum(i for i in range(4))) + wp.static((lambda i: i + 1)(2)))

    @wp.kernel
    def outside(out: wp.array(dtype=float)):
        out[0] = float(wp.static(i))

    out = wp.zeros(3)
    with pytest.raises(ValueError, match="`i` is the variable of a loop that is not written out"):
        wp.launch(k, dim=1, inputs=[3, out])
    wp.launch(own_names, dim=1, inputs=[3, out])
    assert out.list() == [9.0] * 3
    wp.launch(outside, dim=1, inputs=[out])
    assert out.list() == [7.0, 9.0, 9.0]


vec7 = wp.types.vector(length=7, dtype=float)


def test_variables_that_hold_constants():
    @wp.kernel
    def k(n: int, out: wp.array(dtype=float)):
        face = wp.static(1 == 1)
        scale, count = 2.0, 3
        if wp.static(face and count > 2):
            out[0] = wp.static(scale * 2.0)
        for _j in range(wp.static(len(vec7))):
            out[1] += 1.0
        count = n
        out[2] = float(count)

    out = wp.zeros(3)
    wp.launch(k, dim=1, inputs=[5, out])
    assert out.list() == [4.0, 7.0, 5.0]

    @wp.kernel
    def unknown(n: int, out: wp.array(dtype=float)):
        count = n
        out[0] = float(wp.static(count + 1))

    with pytest.raises(ValueError, match="name 'count' is not defined"):
        wp.launch(unknown, dim=1, inputs=[5, out])


def test_lengths_of_values_and_of_elements():
    @wp.kernel
    def k(q: wp.quat, m: wp.array2d(dtype=wp.types.matrix(shape=(3, 2), dtype=float)), out: wp.array(dtype=float)):
        v = vec7(1.0)
        for j in range(wp.static(len(v))):
            out[0] += v[j]
        for j in range(wp.static(len(m.dtype) + 1)):
            out[1] += float(j)
        out[2] = float(wp.static(len(q) * 10 + len(MANY)))

    out = wp.zeros(3)
    mats = wp.zeros((1, 1), dtype=wp.types.matrix(shape=(3, 2), dtype=float))
    wp.launch(k, dim=1, inputs=[wp.quat(), mats, out])
    assert out.list() == [7.0, 6.0, 140.0]

    @wp.kernel
    def of_an_array(a: wp.array(dtype=float), out: wp.array(dtype=float)):
        out[0] = float(wp.static(len(a)))

    with pytest.raises(ValueError, match="name 'a' is not defined"):
        wp.launch(of_an_array, dim=1, inputs=[out, out])


def test_a_loop_over_an_empty_list_of_functions_has_no_rounds():
    functions, kinds = [], []

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 1.0
        for j in range(wp.static(len(functions))):
            if wp.static(kinds[j][0]) == i:
                y[i] = wp.static(functions[j])(y[i])

    y = wp.zeros(2)
    wp.launch(k, 2, outputs=[y])
    assert y.list() == [1.0, 1.0]


def first_of(kernel):
    out = wp.zeros(1, dtype=float)
    wp.launch(kernel, dim=1, inputs=[out])
    return out.numpy()[0]


def test_what_names_hold_at_the_definition_counts():
    made, functions = [], []
    setting = {"scale": 0.0}
    for i, of_number in enumerate([wp.sin, wp.cos]):
        setting["scale"] = float(i + 1)

        @wp.func
        def shifted(x: float):
            return x + wp.static(10.0 * setting["scale"])

        @wp.kernel
        def kernel(out: wp.array[float]):
            out[0] = wp.static(of_number)(0.5) + wp.static(  # noqa: B023
                100.0  # over several lines
                * i  # noqa: B023
            )

        @wp.kernel
        def calls(out: wp.array[float]):
            out[0] = shifted(1.0)

        made.append(kernel)
        functions.append(first_of(calls))
    np.testing.assert_allclose([first_of(kernel) for kernel in made], [np.sin(0.5), 100 + np.cos(0.5)], rtol=1e-6)
    assert functions == [11.0, 21.0]


def test_a_name_of_later_is_looked_up_later():
    @wp.kernel
    def kernel(out: wp.array[float]):
        out[0] = wp.static(later)

    with pytest.raises(Exception, match="later"):
        first_of(kernel)
    later = 4.0
    assert first_of(kernel) == 4.0


def test_variables_of_the_kernel_come_before_names_of_the_module():
    @wp.kernel
    def kernel(out: wp.array[float]):
        for i in range(3):
            out[0] += wp.static(float(i))
        i = 5
        out[0] += wp.static(10.0 * i)

    i = 1000
    assert first_of(kernel) == 53.0
    assert i == 1000


def test_a_kernel_of_a_module_of_its_own_is_another_one_with_other_values():
    numbers = iter(range(10))

    def make():
        @wp.kernel(module="unique")
        def kernel(x: Any, out: wp.array[float]):
            out[0] = wp.static(float(next(numbers)))

        return kernel

    one, two = make(), make()
    assert one is not two
    out = wp.zeros(1, dtype=float)
    found = []
    for kernel in (one, two):
        wp.launch(kernel, dim=1, inputs=[1, out])
        found.append(out.numpy()[0])
    assert found == [0.0, 1.0]


def test_pickles_keep_the_values():
    code = """
import pickle, sys
import warp as wp
made = []
for i in range(2):
    @wp.kernel
    def kernel(out: wp.array[float]):
        out[0] = wp.static(10.0 * i)
    made.append(kernel)
sys.stdout.write(pickle.dumps(made).hex())
"""
    sent = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert [first_of(kernel) for kernel in pickle.loads(bytes.fromhex(sent))] == [0.0, 10.0]
