"""What torch saved for a gradient and a launch writes: torch counts changes of a tensor, and launches count with it."""

from __future__ import annotations

import pytest
import warp as wp

torch = pytest.importorskip("torch")


@wp.kernel
def scale(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = a[i] * 100.0


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


class Own(torch.Tensor):
    pass


def launched(t):
    wp.launch(scale, 3, [t], device="cpu")


def described(t):
    wp.launch(scale, 3, [wp.from_torch(t, return_ctype=True)], device="cpu")


def recorded(t):
    wp.launch(scale, 3, [t], device="cpu", record_cmd=True).launch()


def as_output(t):
    wp.launch(square, 3, [wp.ones(3, device="cpu")], [t], device="cpu")


@pytest.mark.parametrize("write", [launched, described, recorded, as_output])
@pytest.mark.parametrize("of", [torch.Tensor.detach, lambda z: z.detach()[:], lambda z: z.detach().as_subclass(Own)])
def test_torch_notices_that_what_it_saved_was_written(write, of):
    x = torch.ones(3, requires_grad=True)
    z = x * 1.0
    loss = (z * z).sum()
    before = z._version
    write(of(z))
    assert z._version == before + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_what_a_launch_reads_stays_as_it_was():
    x = torch.ones(3, requires_grad=True)
    z = x * 1.0
    loss = (z * z).sum()
    y = torch.zeros(3)
    for count in range(1, 4):
        wp.launch(square, 3, [z.detach()], [y], device="cpu")
        assert (z._version, y._version) == (0, count)
    loss.backward()
    assert x.grad.tolist() == [2.0] * 3


def test_parameters_and_tensors_without_a_version():
    p = torch.nn.Parameter(torch.ones(3))
    wp.launch(scale, 3, [p.data], device="cpu")
    assert p.tolist() == [100.0] * 3
    with torch.inference_mode():
        t = torch.ones(3)
    wp.launch(scale, 3, [t], device="cpu")
    assert t.tolist() == [100.0] * 3


@pytest.mark.parametrize("view", [False, True])
def test_a_tape_knows_its_own_launches_from_changes_by_torch(view):
    def run(change):
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y, z = torch.zeros(3, requires_grad=True), torch.zeros(6, requires_grad=True)
        part = z.detach()[3:].requires_grad_() if view else z.detach()[:3].requires_grad_()
        tape = wp.Tape()
        with tape:
            wp.launch(square, 3, [x], [y], device="cpu")
            wp.launch(square, 3, [y], [part], device="cpu")
            # The tape still needs `y` as it was.
            wp.launch(square, 3, [x], [y], device="cpu")
            wp.launch(scale, 3, [y], device="cpu")
            change(x, y)
        tape.backward(grads={wp.from_torch(part): wp.ones(3, device="cpu")})
        return x.grad.tolist()

    # y is x squared where it is read, and what was written behind it has no gradient.
    assert run(lambda x, y: None) == [4.0, 32.0, 108.0]
    with pytest.raises(RuntimeError, match="changed"):
        run(lambda x, y: x.detach().mul_(2.0))


def test_launches_are_counted_while_a_tape_watches_other_memory():
    """Thousands of launches, on tensors that come and go, and what the tape keeps is there."""
    kept = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    out = torch.zeros(3, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, 3, [kept], [out], device="cpu")
    other = kept.detach()
    for _ in range(1000):
        t = torch.ones(3)
        wp.launch(scale, 3, [t], device="cpu")
        assert t._version == 1
    assert other._version == 0
    tape.backward(grads={wp.from_torch(out): wp.ones(3, device="cpu")})
    assert kept.grad.tolist() == [2.0, 4.0, 6.0]
