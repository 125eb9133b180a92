"""Two GPUs: which work is whose, and what moves between them."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from gpu.support.kernels import beyond, double, number

GPU = "cuda:0"


def test_devices(second):
    assert [str(d) for d in wp.get_devices()][:3] == ["cpu", GPU, second]
    assert wp.get_cuda_device_count() >= 2
    a, b = wp.get_device(GPU), wp.get_device(second)
    assert (a.ordinal, b.ordinal) == (0, 1)
    assert a != b
    assert a.uuid != b.uuid
    assert wp.get_cuda_device(1) is b
    with wp.ScopedDevice(second):
        assert wp.get_device("cuda") is b
        assert wp.zeros(1).device is b


@pytest.mark.parametrize("from_cut", [np.s_[:], np.s_[::2], np.s_[:, ::-1]], ids=str)
@pytest.mark.parametrize("to_cut", [np.s_[:], np.s_[1::2], np.s_[:, ::-1]], ids=str)
def test_copies_between_devices(second, from_cut, to_cut):
    rows = 4 if from_cut == np.s_[::2] else 8
    given = np.arange(24.0).reshape(8, 3)
    a = wp.array(given, dtype=wp.float64, device=GPU)[from_cut]
    whole = wp.full((2 * rows if to_cut == np.s_[1::2] else rows, 3), -1.0, dtype=wp.float64, device=second)
    wp.copy(whole[to_cut], a)
    expected = np.full(whole.shape, -1.0)
    expected[to_cut] = given[from_cut]
    np.testing.assert_array_equal(whole.numpy(), expected)


def test_to_and_clone(second):
    a = wp.array(np.arange(6, dtype=np.float32), device=GPU)
    b = a.to(second)
    assert b.device == second
    c = wp.clone(b[::2], device=GPU)
    assert c.device == GPU
    assert c.list() == [0.0, 2.0, 4.0]
    wp.launch(double, dim=6, inputs=[b], device=second)
    assert a.list() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert b.list() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


def test_what_is_sent_may_be_overwritten_afterwards(second):
    a = wp.full(100, 1.0, dtype=float, device=GPU)
    for n in range(5):
        b = a.to(second)
        a.fill_(float(n))
        del b
    c = a.to(second)
    a.fill_(-1.0)
    assert c.list() == [4.0] * 100


def test_one_kernel_runs_on_both(second):
    arrays = [wp.zeros(5, dtype=float, device=d) for d in (GPU, second, "cpu")]
    for a in arrays:
        wp.launch(number, dim=5, inputs=[a], device=a.device)
    assert [a.list() for a in arrays] == [[0.0, 1.0, 2.0, 3.0, 4.0]] * 3


def test_an_array_of_the_other_device_is_refused(second):
    a, b = wp.ones(3, dtype=float, device=GPU), wp.ones(3, dtype=float, device=second)
    message = (
        r"kernel 'double': argument 'x': a Warp array of float32 with shape \[3\] is on the device \"cuda:1\", the"
    )
    with pytest.raises(ValueError, match=message):
        wp.launch(double, dim=3, inputs=[b], device=GPU)
    with pytest.raises(ValueError, match='on the device "cuda:0", the launch runs on "cuda:1"'):
        wp.launch(double, dim=3, inputs=[a], device=second)
    assert a.list() == b.list() == [1.0] * 3


def test_a_fault_is_that_of_its_device(second):
    b = wp.zeros(3, dtype=float, device=second)
    wp.launch(beyond, dim=1, inputs=[b, 7], device=second)
    wp.synchronize_device(GPU)
    with pytest.raises(IndexError, match="index 7"):
        wp.synchronize_device(second)


def test_gradients_on_the_second_device(second):
    with wp.ScopedDevice(second):
        x = wp.full(3, 2.0, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(double, dim=3, inputs=[x])
        tape.backward(grads={x: wp.ones(3, dtype=float)})
        assert x.grad.device == second
        assert x.grad.list() == [2.0] * 3


@pytest.mark.parametrize("pooled", [True, False])
def test_a_launch_on_an_array_of_the_other_device(second, pooled):
    with wp.ScopedMempool(GPU, pooled):
        a = wp.array(np.arange(6.0), dtype=float, device=GPU)
    with pytest.raises(ValueError, match='is on the device "cuda:0", the launch runs on "cuda:1"'):
        wp.launch(double, dim=6, inputs=[a], device=second)
    allow = wp.ScopedMempoolAccess if pooled else wp.ScopedPeerAccess
    with allow(GPU, second, True):
        assert wp.can_access(second, a)
        wp.synchronize()
        wp.launch(double, dim=6, inputs=[a], device=second)
        wp.synchronize()
    assert a.list() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    with pytest.raises(ValueError, match="is on the device"):
        wp.launch(double, dim=6, inputs=[a], device=second)


def test_an_array_that_goes_while_the_other_device_uses_it(second):
    with wp.ScopedMempoolAccess(GPU, second, True):
        wp.synchronize()
        for n in range(20):
            a = wp.full(1000, float(n), dtype=float, device=GPU)
            b = wp.zeros(1000, dtype=float, device=second)
            wp.synchronize_device(GPU)
            wp.launch(sum_of, dim=1000, inputs=[a, b], device=second)
            del a
            again = wp.full(1000, -1.0, dtype=float, device=GPU)
            assert b.numpy()[999] == n
            del again


@wp.kernel
def sum_of(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    b[i] = b[i] + a[i]
