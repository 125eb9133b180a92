"""Works with a build that has only the named frameworks; what is not installed here is left out, by name.

python scripts/single_framework.py [numpy] [torch] [paddle] [jax]
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import warp as wp
from warp import _warp


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):  # noqa: ANN201
    i = wp.tid()
    y[i] = 2.0 * x[i]


def installed(name: str) -> Any:
    """The module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed: left out")
        return None


def expect(error: type[Exception], says: str, call: Callable[[], Any]) -> None:
    """Fails unless the call raises this error with these words."""
    try:
        call()
    except error as found:
        if says in str(found):
            return
        raise
    raise AssertionError(f"no {error.__name__} that says {says!r}")


def check_alone() -> None:
    """What needs no framework."""
    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    y = wp.zeros(3, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(double, dim=3, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(3)})
    assert (y.list(), x.grad.list()) == ([2, 4, 6], [2, 2, 2])


def check_absent(name: str) -> None:
    """The names of a framework that the build does not have say so."""
    for missing in (name, f"from_{name}", f"to_{name}"):
        assert missing not in wp.__all__
        expect(AttributeError, f"without '{name}'", lambda: getattr(wp, missing))  # noqa: B023  (called at once)


def check_torch(torch: Any) -> None:
    x, y = torch.ones(3, requires_grad=True), torch.zeros(3)
    wp.launch(double, dim=3, inputs=[x], outputs=[y])
    assert y.tolist() == [2, 2, 2]
    out = wp.zeros(3, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(double, dim=3, inputs=[wp.from_torch(x)], outputs=[out])
    tape.backward(grads={out: wp.ones(3)})
    assert (x.grad.tolist(), wp.to_torch(out).tolist()) == ([2, 2, 2], [2, 2, 2])


def check_paddle(paddle: Any) -> None:
    x, y = paddle.ones([3]), paddle.zeros([3])
    wp.launch(double, dim=3, inputs=[x], outputs=[y])
    assert y.tolist() == wp.to_paddle(wp.from_paddle(y)).tolist() == [2, 2, 2]


def check_jax(jax: Any) -> None:
    x, y = jax.numpy.arange(3, dtype="float32"), wp.zeros(3)
    wp.launch(double, dim=3, inputs=[x], outputs=[y])
    assert y.list() == wp.to_jax(y).tolist() == [0, 2, 4]
    assert wp.from_jax(x).read_only


def check_numpy(np: Any) -> None:
    """Through the C API where that was built in, else through the protocols: the same either way."""
    x, y = np.arange(3, dtype=np.float32), np.zeros(6, np.float32)[::2]
    wp.launch(double, dim=3, inputs=[x], outputs=[y])
    assert y.tolist() == [0, 2, 4]
    shared = wp.array(x, copy=False)
    assert shared.ptr == shared.numpy().ctypes.data == x.ctypes.data
    assert wp.from_numpy(x, dtype=wp.vec3).shape == (1,)
    assert wp.dtype_to_numpy(wp.dtype_from_numpy(np.int8)) == np.int8
    x.flags.writeable = False
    expect(ValueError, "read-only", lambda: wp.launch(double, dim=3, inputs=[y], outputs=[x]))


def main(features: list[str]) -> None:
    """Raises where something is wrong."""
    assert sorted(_warp.FRAMEWORKS) == sorted(features), f"the build has {_warp.FRAMEWORKS}"
    check_alone()
    for name, check in (("torch", check_torch), ("paddle", check_paddle), ("jax", check_jax)):
        if name not in features:
            check_absent(name)
        elif module := installed(name):
            check(module)
    if numpy := installed("numpy"):
        check_numpy(numpy)
    print(f"a build with {', '.join(features) or 'no framework'} works")


if __name__ == "__main__":
    main(sys.argv[1:])
