"""What the calls of `random_use` are written with: kernels, structs, and objects that misbehave while they are read.

A worker imports this under any package that is called `warp`; torch, jax and Paddle are there where they are installed.
"""

import contextlib
import gc
import io
import linecache
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import warp as wp

from wrong_use.objects import asks as asks

# Names of protocols that raised KeyboardInterrupt, since `forget()`.
INTERRUPTED: list[str] = []


@wp.struct
class Pair:
    x: float
    v: wp.vec3


@wp.struct
class Holder:
    a: wp.array(dtype=float)
    p: Pair
    k: int


@wp.func
def double(x: float):
    return x * 2.0


@wp.func
def half(x: float):
    return x * 0.5


@wp.func
def larger(x: float, y: float):
    return wp.max(x, y)


@wp.kernel
def nothing():
    pass


@wp.kernel
def scale(x: wp.array(dtype=float), s: float):
    i = wp.tid()
    x[i] = x[i] * s


@wp.kernel
def add(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i] * b[i] + a[i]


@wp.kernel
def total(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i])


@wp.kernel
def table(a: wp.array2d(dtype=float), k: int):
    i, j = wp.tid()
    a[i, j] = float(k)


@wp.kernel
def mixed(v: wp.array(dtype=wp.vec3), m: wp.mat22, w: wp.vec3, h: wp.float16, n: wp.uint8, d: wp.float64, flag: bool):
    i = wp.tid()
    if flag:
        v[i] = w * float(h) + wp.vec3(float(d), float(n), m[0, 1])


@wp.kernel
def structs(p: wp.array(dtype=Pair), q: Pair, h: Holder):
    i = wp.tid()
    p[i] = q
    h.a[i] = q.x


@wp.kernel
def generic(x: wp.array(dtype=Any), s: Any):
    i = wp.tid()
    x[i] = x[i] * s


@wp.kernel
def picked(x: wp.indexedarray(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i]


def plain(x):
    return x


def written(x: wp.array(dtype=float)):
    x[0] = 1.0


def broken(x: wp.array(dtype=float)):
    x[0] = nowhere  # noqa: F821


def array_in_array_out(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.copy(out, a)


class Fields:
    x: float
    v: wp.vec3


class NoTypes:
    x: "nowhere"  # noqa: F821
    y: object


class OddError(Exception):
    """An error that a protocol raises."""


def _raise_interrupt(name: str, it: Any) -> Any:
    INTERRUPTED.append(name)
    raise KeyboardInterrupt(name)


def _raise_error(name: str, it: Any) -> Any:
    raise OddError(name)


def _recurse(name: str, it: Any) -> Any:
    return _recurse(name, it)


HOWS: dict[str, Callable[[str, Any], Any]] = {
    "interrupt": _raise_interrupt,
    "error": _raise_error,
    "recursion": _recurse,
    "itself": lambda name, it: it,
    "none": lambda name, it: None,
    "negative": lambda name, it: -1,
    "huge": lambda name, it: 2**70,
    "text": lambda name, it: "x",
    "nan": lambda name, it: float("nan"),
    "empty": lambda name, it: (),
    "collect": lambda name, it: gc.collect() * 0 + 1,
    "launch": lambda name, it: wp.launch(scale, dim=4, inputs=[wp.ones(4), 2.0]) or 1,
    "capture": lambda name, it: wp.capture_begin() or 1,
    "memory": lambda name, it: (_ for _ in ()).throw(MemoryError(name)),
    "exit": lambda name, it: (_ for _ in ()).throw(GeneratorExit(name)),
}
# Protocols that are attributes rather than methods.
ATTRIBUTES = ("__class__", "__array_interface__", "__array_struct__", "__cuda_array_interface__", "__dict__", "shape")


def bad(how: str, *names: str, base: type = object, value: Any = None) -> Any:
    """An object whose methods `names` do what `how` says."""

    def act(name: str) -> Any:
        if name in ATTRIBUTES:
            return property(lambda self: HOWS[how](name, self))
        return lambda self, *args, **named: HOWS[how](name, self)

    made = type("Odd", (base,), {name: act(name) for name in names})
    return made() if value is None else made(value)


_texts = 0


def _defined(text: str, annotations: tuple[Any, ...]) -> Any:
    """The function `made` of a text, in which the annotations are called `a0`, `a1`."""
    global _texts
    _texts += 1
    file = f"<use {_texts}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"wp": wp, "__name__": __name__} | {f"a{i}": a for i, a in enumerate(annotations)}
    exec(compile(text, file, "exec"), scope)
    return scope["made"]


def kernel_with(*annotations: Any, body: str = "pass") -> Any:
    parameters = ", ".join(f"p{i}: a{i}" for i in range(len(annotations)))
    return wp.kernel(_defined(f"def made({parameters}):\n    {body}\n", annotations))


def func_with(*annotations: Any, body: str = "return 1.0") -> Any:
    parameters = ", ".join(f"p{i}: a{i}" for i in range(len(annotations)))
    return wp.func(_defined(f"def made({parameters}):\n    {body}\n", annotations))


def kernel_that_knows(value: Any) -> Any:
    """A kernel that uses a value of any kind by its name."""
    return wp.kernel(_defined("def made(x: wp.array(dtype=float)):\n    x[0] = float(a0)\n", (value,)))


def struct_with(**annotations: Any) -> Any:
    return wp.struct(type("Made", (), {"__annotations__": annotations}))


def bad_class(how: str, *names: str) -> Any:
    """A class whose metaclass has the methods `names`."""
    acts = {name: (lambda cls, *args, name=name, **named: HOWS[how](name, cls)) for name in names}
    return type("OddMeta", (type,), acts)("OddClass", (), {})


def interface(**changes: Any) -> Any:
    """An object with NumPy's interface, changed. Its memory is larger than what the texts of `random_use` ask for."""
    memory = np.zeros(8192)
    facts = {"shape": (3,), "typestr": "<f8", "data": (memory.ctypes.data, False), "version": 3} | changes
    return type("Described", (), {"__array_interface__": facts, "memory": memory})()


def cuda_interface(**changes: Any) -> Any:
    facts = {"shape": (3,), "typestr": "<f4", "data": (0, False), "version": 3} | changes
    return type("Described", (), {"__cuda_array_interface__": facts})()


def lent(source: Any, device: Any = (1, 0), **what: Any) -> Any:
    """An object whose `__dlpack__` is that of another, or gives something else."""

    def capsule(self: Any, **named: Any) -> Any:
        return what["capsule"] if "capsule" in what else source.__dlpack__()

    return type("Lent", (), {"__dlpack__": capsule, "__dlpack_device__": lambda self: device})()


class Spoiler:
    """A number that empties the container in which it is."""

    def __init__(self, container: Any) -> None:
        self.container = container

    def _spoil(self, *args: Any) -> int:
        self.container.clear()
        gc.collect()
        return 1

    __index__ = __int__ = __len__ = __hash__ = _spoil
    __eq__ = _spoil

    def __float__(self) -> float:
        return float(self._spoil())


def spoiled(*items: Any, at: int = 0) -> list[Any]:
    """A list that is emptied when one of its elements is read."""
    made = list(items)
    made.insert(at, Spoiler(made))
    return made


def spoiled_dict(**items: Any) -> dict[Any, Any]:
    made: dict[Any, Any] = dict(items)
    made["spoiler"] = Spoiler(made)
    return made


class Growing(list):
    """A list that grows whenever its length is asked for, or an element."""

    def __len__(self) -> int:
        self.append(1)
        return super().__len__()

    def __getitem__(self, at: Any) -> Any:
        self.append(1)
        return super().__getitem__(at)


def freeing(tensor: Any) -> Any:
    """A number that frees the memory of a tensor when it is read."""

    def free(self: Any) -> int:
        tensor.untyped_storage().resize_(0)
        return 1

    return type("Freeing", (), {"__index__": free, "__float__": lambda self: float(free(self))})()


def writing(target: Any, name: str, value: Any) -> Any:
    """A number that assigns an attribute of another object when it is read."""

    def write(self: Any) -> int:
        with contextlib.suppress(Exception):
            setattr(target, name, value)
        return 1

    return type("Writing", (), {"__index__": write, "__float__": lambda self: float(write(self))})()


def deep(levels: int = 3000, kind: type = list) -> Any:
    made: Any = kind()
    for _ in range(levels):
        made = kind([made])
    return made


def endless_list() -> list[Any]:
    made: list[Any] = [1]
    made.append(made)
    return made


def generator() -> Iterator[int]:
    yield from (1, 2, 3)


def closed_file() -> Any:
    file = io.StringIO()
    file.close()
    return file


def misaligned() -> np.ndarray:
    return np.zeros(33, np.uint8)[1:].view(np.float32)


def read_only() -> np.ndarray:
    a = np.zeros(4, np.float32)
    a.flags.writeable = False
    return a


def jitted(call: Callable[[Any], Any]) -> Any:
    import jax

    return jax.jit(lambda t: (call(t), t)[1])(np.zeros(4, np.float32))


def jax_mapped(call: Callable[[Any], Any]) -> Any:
    import jax

    return jax.vmap(lambda t: (call(t), t)[1])(np.zeros((2, 4), np.float32))


def jax_differentiated(call: Callable[[Any], Any]) -> Any:
    import jax

    return jax.grad(lambda t: (call(t), t.sum())[1])(np.zeros(4, np.float32))


def mapped(call: Callable[[Any], Any]) -> Any:
    import torch

    return torch.vmap(lambda t: (call(t), t)[1])(torch.zeros(2, 4))


def differentiated(call: Callable[[Any], Any]) -> Any:
    import torch

    return torch.func.grad(lambda t: (call(t), t.sum())[1])(torch.zeros(4))


def faked(call: Callable[[Any], Any]) -> Any:
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return call(torch.zeros(4))


def deleted() -> Any:
    import jax.numpy as jnp

    made = jnp.zeros(4)
    made.delete()
    return made


def in_thread(call: Callable[[], Any]) -> None:
    """Runs a call in another thread, and raises what it raises."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 (it is raised below)
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def recorded(needs_loss: bool = True) -> Any:
    """A tape with a launch, of arrays that it holds."""
    x, loss = wp.ones(4, requires_grad=True), wp.zeros(1, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(total, dim=4, inputs=[x, loss])
    if needs_loss:
        tape.loss = loss
    return tape


def command() -> Any:
    return wp.launch(scale, dim=4, inputs=[wp.ones(4), 2.0], record_cmd=True)


def graph() -> Any:
    with wp.ScopedCapture() as capture:
        wp.launch(scale, dim=4, inputs=[wp.ones(4), 2.0])
    return capture.graph


def pair() -> Any:
    made = Pair()
    made.x = 1.5
    return made


def holder() -> Any:
    made = Holder()
    made.a = wp.zeros(4)
    made.p = pair()
    return made


def matrix() -> Any:
    return wp.array(np.eye(4, dtype=np.float32) * 2)


def look(value: Any) -> Any:
    """Reads what a call has made or left behind."""
    repr(value)
    if isinstance(value, wp.array):
        return value.shape, value.strides, value.size, value.grad, value.numpy(), value.list()
    return str(value)


def nothing_to_do(*args: Any, **named: Any) -> None:
    """A callback that takes anything."""


def leaves() -> Any:
    return [wp.ones(4, requires_grad=True), wp.ones(4, requires_grad=True)]


def forget() -> None:
    INTERRUPTED.clear()


def names(frameworks: bool) -> dict[str, Any]:
    """The names that texts know, with those of the frameworks that are installed."""
    found = {name: value for name, value in globals().items() if not name.startswith("_")}
    for framework in ("torch", "jax", "paddle") if frameworks else ():
        try:
            found[framework] = __import__(framework)
        except ImportError:
            continue
        if framework == "jax":
            found["jnp"] = __import__("jax.numpy").numpy
    if "torch" in found:
        # Its first use imports a compiler, which takes seconds.
        faked(len)
    return found | {"types": types}
