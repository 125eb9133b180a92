"""What a tape says of what it recorded: launches, scopes, the loss, gradients of arguments."""

import warnings

import numpy as np
import pytest
import warp as wp


@wp.kernel
def scale(x: wp.array(dtype=float), y: wp.array(dtype=float), s: float):
    i = wp.tid()
    y[i] = s * x[i] * x[i]


@wp.kernel
def total(y: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.atomic_add(out, 0, y[wp.tid()])


@wp.kernel(enable_backward=False)
def shift(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] + 1.0


@wp.struct
class Inner:
    v: wp.vec3
    w: wp.array(dtype=float)


@wp.struct
class Outer:
    a: wp.array(dtype=float)
    n: int
    inner: Inner


@wp.struct
class Point:
    m: int
    p: float


@wp.kernel
def with_structs(s: Outer, points: wp.array(dtype=Point), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = s.a[i] * s.inner.v[0] * s.inner.w[i] * points[i].p


def grad(values):
    return wp.array(values, dtype=float, requires_grad=True)


def test_launches_are_listed():
    x, y, out = grad([1.0, 2.0]), grad([0.0, 0.0]), grad([0.0])

    def extra():
        pass

    with wp.Tape() as tape:
        wp.launch(scale, dim=(2, 1), inputs=[x], outputs=[y, 3.0])
        y.fill_(1.0)
        tape.record_func(extra, [x])
        wp.launch(total, dim=2, inputs=[y, out])
    first, function, second = tape.launches
    assert function is extra
    kernel, dim, max_blocks, inputs, outputs, device, block_dim, metadata = first
    assert kernel is scale
    assert (dim, max_blocks, block_dim, metadata) == ((2, 1), 0, 1, {})
    assert device == wp.get_device("cpu")
    assert [a is b for a, b in zip(inputs, [x], strict=True)] == [True]
    assert outputs[0] is y
    assert outputs[1] == 3.0
    assert second[0] is total
    assert second[1] == (2,)
    assert second[3][0] is y
    assert second[3][1] is out
    assert second[4] == []
    assert len(tape) == 4


def test_a_recorded_command_keeps_its_inputs_apart():
    x, y = grad([1.0]), grad([0.0])
    command = wp.launch(scale, dim=1, inputs=[x], outputs=[y, 1.0], record_cmd=True)
    with wp.Tape() as tape:
        command.launch()
    assert tape.launches[0][3] == [x]
    assert len(tape.launches[0][4]) == 2


def test_structs_are_put_together_again():
    a, w, y = grad([2.0, 3.0]), grad([1.0, 1.0]), grad([0.0, 0.0])
    points = wp.zeros(2, dtype=Point, requires_grad=True)
    s = Outer(a, 7, Inner(wp.vec3(1.0, 2.0, 3.0), w))
    with wp.Tape() as tape:
        wp.launch(with_structs, dim=2, inputs=[s, points], outputs=[y])
    s.n = 8
    inputs, outputs = tape.launches[0][3:5]
    assert isinstance(inputs[0], Outer)
    assert inputs[0].a is a
    assert inputs[0].inner.w is w
    assert list(inputs[0].inner.v) == [1.0, 2.0, 3.0]
    assert inputs[0].n == 7
    assert inputs[1] is points
    assert outputs == [y]


def test_a_numpy_array_of_structs_is_listed_as_one_array():
    a, w, y = grad([2.0, 3.0]), grad([1.0, 1.0]), grad([0.0, 0.0])
    points = np.zeros(2, dtype=[("m", np.int32), ("p", np.float32)])
    points["p"] = [4.0, 5.0]
    s = Outer(a, 7, Inner(wp.vec3(1.0, 2.0, 3.0), w))
    with wp.Tape() as tape:
        wp.launch(with_structs, dim=2, inputs=[s, points], outputs=[y])
    listed = tape.launches[0][3][1]
    assert listed.dtype is Point
    assert [listed[i].p for i in range(2)] == [4.0, 5.0]


def test_tensors_are_listed_as_arrays():
    torch = pytest.importorskip("torch")
    t, y = torch.ones(2), grad([0.0, 0.0])
    with wp.Tape() as tape:
        wp.launch(scale, dim=2, inputs=[t], outputs=[y, 1.0])
    listed = tape.launches[0][3][0]
    assert isinstance(listed, wp.array)
    assert listed.ptr == t.data_ptr()


def test_scopes():
    x, y = grad([1.0]), grad([0.0])
    tape = wp.Tape()
    with tape:
        tape.record_scope_begin("outer", {"a": 1})
        wp.launch(scale, dim=1, inputs=[x, y, 1.0])
        y.zero_()
        tape.record_scope_begin("empty")
        tape.record_scope_end()
        tape.record_scope_begin("kept")
        tape.record_scope_end(remove_scope_if_empty=False)
        tape.record_scope_begin("inner")
        wp.launch(scale, dim=1, inputs=[x, y, 1.0])
        tape.record_scope_end()
        tape.record_scope_end()
    assert tape.scopes == [
        (0, "outer", {"a": 1}),
        (1, "kept", {}),
        (1, None, None),
        (1, "inner", {}),
        (2, None, None),
        (2, None, None),
    ]
    with pytest.raises(RuntimeError, match="record_scope_begin"):
        tape.record_scope_end()
    tape.reset()
    assert (tape.scopes, tape.launches, tape.loss) == ([], [], None)


def test_loss_of_a_tape():
    x, y = grad([3.0]), grad([0.0])
    with wp.Tape() as tape:
        wp.launch(scale, dim=1, inputs=[x, y, 1.0])
    assert tape.loss is None
    tape.loss = y
    tape.backward()
    assert x.grad.numpy()[0] == 6.0
    tape.zero()
    tape.backward(grads={y: wp.array([2.0], dtype=float)})
    assert x.grad.numpy()[0] == 12.0


def test_adjoints_of_arguments():
    a, w, y = grad([2.0]), grad([1.0]), grad([0.0])
    plain = wp.zeros(1)
    s = Outer(a, 7, Inner(wp.vec3(1.0, 2.0, 3.0), w))
    tape = wp.Tape()
    assert tape.get_adjoint(y) is y.grad
    assert tape.get_adjoint(plain) is None
    assert tape.get_adjoint(3.0) is None
    assert tape.get_adjoint(None) is None
    found = tape.get_adjoint(s)
    assert found.a is a.grad
    assert found.inner.w is w.grad
    assert found.n == 7


def test_record_launch_runs_nothing():
    y, out = grad([1.0, 2.0]), grad([0.0])
    tape = wp.Tape()
    tape.record_launch(total, 2, 0, [y], [out], "cpu", metadata={"why": "test"})
    assert out.numpy()[0] == 0.0
    assert tape.launches[0][7] == {"why": "test"}
    tape.backward(out)
    np.testing.assert_array_equal(y.grad.numpy(), [1.0, 1.0])
    with pytest.raises(TypeError, match="record_launch: kernel is"):
        tape.record_launch(3, 2, 0, [y], [out], "cpu")
    with pytest.raises(TypeError, match="'y'"):
        tape.record_launch(total, 2, 0, [3], [out], "cpu")
    assert len(tape) == 1


def test_one_tape_at_a_time():
    with wp.Tape() as tape:
        with pytest.raises(RuntimeError, match="records on this thread already"), wp.Tape():
            pass
        with pytest.raises(RuntimeError, match="records on this thread already"), tape:
            pass
    with tape:
        pass


def test_no_gradient_goes_through_a_kernel_without_one():
    x, y, out = grad([1.0]), grad([0.0]), grad([0.0])
    with wp.Tape() as tape:
        wp.launch(shift, dim=1, inputs=[x], outputs=[y])
        wp.launch(total, dim=1, inputs=[y], outputs=[out])
    with pytest.warns(UserWarning, match=r"'shift'.*enable_backward=False"):
        tape.backward(out)
    assert (x.grad.numpy()[0], y.grad.numpy()[0]) == (0.0, 1.0)


def test_no_warning_without_gradients():
    x, y = wp.ones(1), wp.ones(1)
    z, out = grad([1.0]), grad([0.0])
    with wp.Tape() as tape:
        wp.launch(shift, dim=1, inputs=[x], outputs=[y])
        wp.launch(total, dim=1, inputs=[z], outputs=[out])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tape.backward(out)


@wp.kernel
def wrong(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.abs(x[i])


def test_gradcheck_tape():
    x, y, out = grad([1.0, 2.0]), grad([0.0, 0.0]), grad([0.0])
    with wp.Tape() as tape:
        wp.launch(scale, dim=2, inputs=[x], outputs=[y, 2.0])
        wp.launch(total, dim=2, inputs=[y], outputs=[out])
    assert wp.autograd.gradcheck_tape(tape, show_summary=False)
    kink = grad([0.00001, 1.0])
    with tape:
        wp.launch(wrong, dim=2, inputs=[kink], outputs=[y])
    with pytest.raises(ValueError, match="wrong"):
        wp.autograd.gradcheck_tape(tape, show_summary=False)
    assert not wp.autograd.gradcheck_tape(tape, show_summary=False, raise_exception=False)
    assert wp.autograd.gradcheck_tape(tape, show_summary=False, blacklist_kernels=["wrong"])
    assert wp.autograd.gradcheck_tape(tape, show_summary=False, whitelist_kernels=["scale"])
    assert wp.autograd.gradcheck_tape(tape, show_summary=False, reverse_launches=True, skip_to_launch_index=1)
