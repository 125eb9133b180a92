"""Gradients of arrays that structs in arrays hold."""

import pytest
import warp as wp

from .holders import Group, Item, Part, item, numbers


@wp.struct
class Holder:
    values: wp.array(dtype=float)


def test_gradients_go_to_the_arrays_inside():
    @wp.kernel
    def k(items: wp.array(dtype=Item), out: wp.array(dtype=float)):
        i = wp.tid()
        x = items[i]
        s = float(0.0)
        for j in range(x.part.values.shape[0]):
            s += x.part.values[j] * x.part.values[j] * x.scale
        out[i] = s + x.points[0, 0][1] * 3.0

    a, b = item([1.0, 2.0], 2.0, grad=True), item([3.0], 1.0)
    items = wp.array([a, b], dtype=Item)
    out = wp.zeros(2, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 2, inputs=[items], outputs=[out])
    assert out.list() == [13.0, 12.0]
    tape.backward(grads={out: numbers(1.0, 10.0)})
    assert a.part.values.grad.list() == [4.0, 8.0]
    assert a.points.grad.numpy()[0, 0].tolist() == [0.0, 3.0, 0.0]
    assert b.part.values.grad is None


def test_gradients_of_what_is_written_inside():
    @wp.kernel
    def write(x: wp.array(dtype=float), items: wp.array(dtype=Part)):
        i = wp.tid()
        items[i].values[0] = x[i] * x[i]
        wp.atomic_add(items[i].values, 1, x[i] * 5.0)

    @wp.kernel
    def read(items: wp.array(dtype=Part), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = items[i].values[0] * 3.0 + items[i].values[1]

    x = numbers(2.0, 3.0, grad=True)
    parts = [Part(values=wp.zeros(2, dtype=float, requires_grad=True)) for _ in range(2)]
    items = wp.array(parts, dtype=Part)
    out = wp.zeros(2, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(write, 2, inputs=[x, items])
        wp.launch(read, 2, inputs=[items], outputs=[out])
    for _ in range(2):
        tape.backward(grads={out: numbers(1.0, 1.0)})
        assert x.grad.list() == [12.0 + 5.0, 18.0 + 5.0]
        tape.zero()


def test_a_gradient_that_comes_later_is_found():
    @wp.kernel
    def k(items: wp.array(dtype=Part), out: wp.array(dtype=float)):
        out[0] = items[0].values[0] * items[0].values[0]

    s = Part(values=numbers(3.0))
    items = wp.array([s], dtype=Part)
    out = wp.zeros(1, dtype=float, requires_grad=True)
    s.values.requires_grad = True
    with wp.Tape() as tape:
        wp.launch(k, 1, inputs=[items], outputs=[out])
    s.values.grad = wp.zeros(1, dtype=float)
    tape.backward(out)
    assert s.values.grad.list() == [6.0]


def test_what_is_overwritten_is_refused():
    @wp.kernel
    def square(items: wp.array(dtype=Part), out: wp.array(dtype=float)):
        out[0] = items[0].values[0] * items[0].values[0]

    @wp.kernel
    def overwrite(items: wp.array(dtype=Part)):
        items[0].values[0] = 100.0

    @wp.kernel
    def both(items: wp.array(dtype=Part)):
        items[0].values[0] = items[0].values[0] * items[0].values[0]

    s = Part(values=numbers(3.0, grad=True))
    items = wp.array([s], dtype=Part)
    out = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, 1, inputs=[items], outputs=[out])
        wp.launch(overwrite, 1, inputs=[items])
    with pytest.raises(RuntimeError, match="was overwritten since"):
        tape.backward(out)
    with wp.Tape() as tape:
        wp.launch(both, 1, inputs=[items])
        wp.launch(square, 1, inputs=[items], outputs=[out])
    with pytest.raises(RuntimeError, match="which the kernel changes"):
        tape.backward(out)


def test_other_writes_are_kept_for_other_launches():
    @wp.kernel
    def square(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        out[0] = x[0] * x[0]

    @wp.kernel
    def overwrite(items: wp.array(dtype=Part)):
        items[0].values[0] = 100.0

    x = numbers(3.0, grad=True)
    items = wp.array([Part(values=x)], dtype=Part)
    out = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, 1, inputs=[x], outputs=[out])
        wp.launch(overwrite, 1, inputs=[items])
    tape.backward(out)
    assert out.list() == [9.0]


def test_recorded_launches_keep_what_they_overwrite():
    @wp.kernel
    def square(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        out[0] = x[0] * x[0]

    @wp.kernel
    def overwrite(items: wp.array(dtype=Part), group: Group):
        items[0].values[0] = 100.0
        group.parts[0].values[0] = 100.0

    x, y = numbers(3.0, grad=True), numbers(4.0, grad=True)
    items = wp.array([Part(values=x)], dtype=Part)
    group = Group(parts=wp.array([Part(values=y)], dtype=Part))
    command = wp.launch(overwrite, 1, inputs=[items, group], record_cmd=True)
    outs = [wp.zeros(1, dtype=float, requires_grad=True) for _ in range(2)]
    with wp.Tape() as tape:
        wp.launch(square, 1, inputs=[x], outputs=[outs[0]])
        wp.launch(square, 1, inputs=[y], outputs=[outs[1]])
    command.launch()
    tape.backward(grads={out: numbers(1.0) for out in outs})
    assert (x.grad.list(), y.grad.list()) == ([6.0], [8.0])
    assert (x.list(), y.list()) == ([100.0], [100.0])


def test_an_array_of_arrays_can_require_gradients():
    items = wp.zeros(2, dtype=Holder, requires_grad=True)
    items[0] = Holder(values=numbers(2.0, grad=True))
    out = wp.zeros(1, dtype=float, requires_grad=True)

    @wp.kernel
    def k(items: wp.array(dtype=Holder), out: wp.array(dtype=float)):
        out[0] = items[0].values[0] * 3.0

    with wp.Tape() as tape:
        wp.launch(k, 1, inputs=[items], outputs=[out])
    tape.backward(out)
    assert items[0].values.grad.list() == [3.0]
    wp.launch(k, 1, inputs=[items], outputs=[out], adjoint=True, adj_inputs=[None], adj_outputs=[numbers(1.0)])
    assert items[0].values.grad.list() == [6.0]


def test_one_array_reached_in_two_ways_has_no_gradient():
    @wp.kernel
    def k(x: wp.array(dtype=float), items: wp.array(dtype=Part)):
        items[0].values[0] = x[0] * x[0]

    x = numbers(2.0, grad=True)
    with pytest.raises(RuntimeError, match="lead to the same memory"), wp.Tape():
        wp.launch(k, 1, inputs=[x, wp.array([Part(values=x)], dtype=Part)])
