"""Tapes and memory that others may write: torch, paddle and objects of the user."""

from __future__ import annotations

import time

import numpy as np
import pytest
import warp as wp

from .overwriting import VALUES, array, ones, product, sine

torch = pytest.importorskip("torch")


SHARES = {
    "numpy": lambda x: x.numpy(),
    "a part": lambda x: x[1:].numpy(),
    "asarray": lambda x: np.asarray(x),
    "interface": lambda x: np.asarray(Interface(x.__array_interface__)),
    "dlpack": lambda x: np.from_dlpack(x),
    "to_torch": lambda x: wp.to_torch(x, requires_grad=False).numpy(),
    "torch's view": lambda x: torch.from_dlpack(x).numpy(),
}


class Interface:
    def __init__(self, interface):
        self.__array_interface__ = interface


@pytest.mark.parametrize("share", SHARES.values(), ids=SHARES.keys())
def test_what_others_write_is_refused(share):
    """Memory that somebody else was given after the recording is compared with what it held then."""
    for size in (3, 1000):
        start = np.linspace(-1.0, 2.0, size)
        x, y = array(start), array(np.zeros(size))
        with wp.Tape() as tape:
            wp.launch(sine, dim=size, inputs=[x, y])
        shared = share(x)
        tape.backward(grads={y: ones(y)})
        np.testing.assert_allclose(x.grad.numpy(), np.cos(start))
        for at in {-1, -2, 0}:
            x, y = array(start), array(np.zeros(size))
            with wp.Tape() as tape:
                wp.launch(sine, dim=size, inputs=[x, y])
                wp.launch(sine, dim=size, inputs=[x, y])
            shared = share(x)
            shared[at] += 1e-9
            with pytest.raises(RuntimeError, match=r"'sine' needs what 'x' held.*tape.zero\(\)"):
                tape.backward(grads={y: ones(y)})
            # It is not too late for others: they see what is there now.
            with wp.Tape() as other:
                wp.launch(sine, dim=size, inputs=[x, y])
            other.backward(grads={y: ones(y)})
            np.testing.assert_allclose(x.grad.numpy(), np.cos(x.numpy()))


def test_what_others_write_before_warp_does_is_refused():
    x, y = array(VALUES), array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        x.numpy()[0] = 1.0
        x.fill_(2.0)
    with pytest.raises(RuntimeError, match="needs what 'x' held"):
        tape.backward(grads={y: ones(y)})


@pytest.mark.parametrize("given", ["tensor", "descriptor", "array", "to_torch"])
def test_torch_changes_a_tensor(given):
    y = array(np.zeros(3))
    t = torch.tensor(VALUES, requires_grad=True)
    if given == "to_torch":
        x = array(VALUES)
        t = wp.to_torch(x)
    else:
        make = {
            "tensor": lambda: t,
            "descriptor": lambda: wp.from_torch(t, return_ctype=True),
            "array": lambda: wp.from_torch(t),
        }
        x = make[given]()
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
    with torch.no_grad():
        t.fill_(0.5)
    with pytest.raises(RuntimeError, match=r"'sine' needs what 'x' held.*tape.zero\(\)"):
        tape.backward(grads={y: ones(y)})
    tape.zero()
    tape.backward(grads={y: ones(y)})
    # And after a pass torch may do as it likes.
    with torch.no_grad():
        t.fill_(0.25)
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(t.grad.numpy(), np.full(3, np.cos(0.5) + np.cos(0.25)))
    # What Warp has kept before torch changed it is right.
    tape.reset()
    with tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        wp.from_torch(t.detach()).fill_(2.0)
    with torch.no_grad():
        t.fill_(1.0)
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(t.grad.numpy(), np.full(3, np.cos(0.25)))


def test_memory_that_torch_has_replaced_is_not_copied():
    """Its old address may belong to somebody else, or to nobody."""
    t = torch.zeros(1 << 22, dtype=torch.float64)
    x, y = wp.from_torch(t), wp.zeros(1 << 22, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
    address = x.ptr
    t.untyped_storage().resize_(0)  # It goes back to the system.
    with pytest.raises(RuntimeError, match="given other memory"):
        x.fill_(1.0)
    there = wp.array(ptr=address, shape=0, dtype=wp.float64)
    there.fill_(1.0)
    assert tape.kept_bytes == 0
    with pytest.raises(RuntimeError, match="given other memory"):
        tape.backward(grads={y: ones(y)})


def test_a_command_whose_tensor_was_given_other_memory():
    """The command goes on with the memory that it has; nobody knows whose gradient that would be."""
    t, y = torch.tensor(VALUES, requires_grad=True), array(np.zeros(3))
    launch = wp.launch(sine, dim=3, inputs=[t, y], record_cmd=True)
    t.data = torch.zeros(3, dtype=torch.float64)
    launch.launch()
    np.testing.assert_array_equal(y.numpy(), np.sin(VALUES))
    with wp.Tape() as tape:
        with pytest.raises(RuntimeError, match=r"'sine'.*'x' was given other memory.*set the argument again"):
            launch.launch()
        launch.set_param_by_name("x", t)
        launch.launch()
    tape.backward(grads={y: ones(y)})
    np.testing.assert_array_equal(t.grad.numpy(), np.ones(3))


def test_many_tensors_on_one_memory():
    """Each launch has its own; a change through any of them is seen, and time does not grow."""
    t, y = torch.tensor(VALUES, requires_grad=True), array(np.zeros(3))
    x, count, times = wp.from_torch(t), 3000, []
    with wp.Tape() as tape:
        held = [t.data for _ in range(count)]
        for at in range(count):
            start = time.perf_counter()
            wp.launch(sine, dim=3, inputs=[held[at], y])
            times.append(time.perf_counter() - start)
        wp.launch(sine, dim=3, inputs=[x, y])
    assert np.median(times[-500:]) < 5 * np.median(times[20:520])
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(t.grad.numpy(), np.cos(VALUES))
    for at in (0, count // 2, count - 1):
        with wp.Tape() as tape:
            for one in held:
                wp.launch(sine, dim=3, inputs=[one, y])
        held[at].add_(1.0)
        with pytest.raises(RuntimeError, match="needs what 'x' held"):
            tape.backward(grads={y: ones(y)})
        # Nobody else is harmed.
        with wp.Tape() as other:
            wp.launch(sine, dim=3, inputs=[x, y])
        t.grad = None
        other.backward(grads={y: ones(y)})
        np.testing.assert_allclose(t.grad.numpy(), np.cos(t.detach().numpy()))


class Odd(torch.Tensor):
    """Its functions run Python code, also when it is asked for its count."""

    launches = False

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if cls.launches and "_version" in str(function):
            cls.launches = False
            wp.launch(sine, dim=3, inputs=[wp.from_torch(args[0].as_subclass(torch.Tensor).detach()), array(VALUES)])
            cls.launches = True
        return super().__torch_function__(function, types, args, kwargs or {})


def test_tensors_whose_class_is_the_users():
    t, y = torch.tensor(VALUES).as_subclass(Odd), array(np.zeros(3))
    x = array(VALUES)
    with wp.Tape() as tape:
        wp.launch(product, dim=3, inputs=[t, x, y])
        Odd.launches = True
        wp.launch(product, dim=3, inputs=[t, x, y])
        wp.launch(product, dim=3, inputs=[t, x, y])
        wp.from_torch(t.as_subclass(torch.Tensor)).fill_(2.0)
    Odd.launches = False
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(x.grad.numpy(), VALUES)


def test_operators_between_launches():
    """torch's operators launch too: neither they nor the tape disturb what the other keeps."""
    from warp.torch import torch_kernel

    operator = torch_kernel(sine)
    t = torch.tensor(VALUES, requires_grad=True)
    y = array(np.zeros(3))
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[t, y])
        out = operator(t)
        wp.launch(sine, dim=3, inputs=[y, y])
        out.sum().backward()
        y.fill_(0.5)
    assert torch.equal(t.grad, torch.cos(t.detach()))
    assert tape.kept_bytes == 24
    x = wp.from_torch(t)
    with wp.Tape() as tape:
        wp.launch(sine, dim=3, inputs=[x, y])
        out = operator(t)
        wp.launch(sine, dim=3, inputs=[y, y])
    t.grad = None
    out.sum().backward()
    tape.backward(grads={y: ones(y)})
    np.testing.assert_allclose(t.grad.numpy(), np.cos(VALUES) * (1 + np.cos(np.sin(VALUES))))
