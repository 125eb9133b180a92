"""What a user's code raises that is no `Exception` (KeyboardInterrupt, SystemExit) passes through unchanged, wherever
that is: each call of such code, one after the other, raises, and what comes out must be that very object."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp


class Odd(BaseException):
    """What only a bare `except:` catches."""


class Countdown:
    """Lets some calls pass and then raises, in whatever counts by it."""

    def __init__(self):
        self.left = 0
        self.error = None
        self.armed = False

    def count(self):
        if not self.armed:
            return
        self.left -= 1
        if self.left < 0:
            self.armed = False
            self.error = Odd()
            raise self.error


COUNTDOWN = Countdown()


class Watched:
    """Every attribute of it that is looked up, and every operator, counts."""

    def __getattribute__(self, name):
        COUNTDOWN.count()
        return object.__getattribute__(self, name)

    def __repr__(self):
        COUNTDOWN.count()
        return "<watched>"

    __str__ = __repr__

    def __eq__(self, other):
        COUNTDOWN.count()
        return self is other

    def __hash__(self):
        COUNTDOWN.count()
        return 1


class Whole(Watched):
    def __index__(self):
        COUNTDOWN.count()
        return 1


class Real(Watched):
    def __float__(self):
        COUNTDOWN.count()
        return 1.5


class Items(Watched):
    def __len__(self):
        COUNTDOWN.count()
        return 3

    def __getitem__(self, at):
        COUNTDOWN.count()
        if not 0 <= at < 3:
            raise IndexError(at)
        return 1.0

    def __iter__(self):
        COUNTDOWN.count()
        return iter([1.0, 2.0, 3.0])


class Interface(Watched):
    def __init__(self):
        self.held = np.ones(3, np.float32)

    @property
    def __array_interface__(self):
        return self.held.__array_interface__


class CudaInterface(Watched):
    @property
    def __cuda_array_interface__(self):
        return {"shape": (3,), "typestr": "<f4", "data": (0, False), "version": 3, "strides": None, "stream": Whole()}


class Lends(Watched):
    def __init__(self):
        self.held = np.ones(3, np.float32)

    def __dlpack__(self, **how):
        COUNTDOWN.count()
        return self.held.__dlpack__(**how)

    def __dlpack_device__(self):
        COUNTDOWN.count()
        return 1, 0


class Array(Watched):
    def __array__(self, dtype=None, copy=None):
        COUNTDOWN.count()
        return np.ones(3, np.float32)


class Described(Watched):
    dtype = "float32"
    shape = (3,)


KINDS = [Watched, Whole, Real, Items, Interface, CudaInterface, Lends, Array, Described]


@wp.struct
class Pair:
    x: float
    n: int
    v: wp.vec3
    a: wp.array(dtype=float)


@wp.kernel
def takes_float(x: wp.array(dtype=float), v: float):
    x[0] = v


@wp.kernel
def takes_int(x: wp.array(dtype=float), v: int):
    x[0] = float(v)


@wp.kernel
def takes_bool(x: wp.array(dtype=float), v: bool):
    x[0] = float(v)


@wp.kernel
def takes_vector(x: wp.array(dtype=float), v: wp.vec3):
    x[0] = v[0]


@wp.kernel
def takes_array(x: wp.array(dtype=float), v: wp.array(dtype=float)):
    x[0] = v[0]


@wp.kernel
def takes_vectors(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3)):
    x[0] = v[0][0]


@wp.kernel
def takes_struct(x: wp.array(dtype=float), v: Pair):
    x[0] = v.x


X = wp.zeros(4, dtype=float, requires_grad=True)
TWO = wp.zeros((2, 3), dtype=float)
VECTORS = wp.zeros(3, dtype=wp.vec3)


def launch(kernel):
    def call(value):
        wp.launch(kernel, dim=1, inputs=[X, value])

    return call


def record(value):
    command = wp.launch(takes_float, dim=1, inputs=[X, 1.0], record_cmd=True)
    command.set_param_at_index(1, value)
    command.set_param_by_name("v", value)
    command.set_dim(value)


def backward(value):
    with wp.Tape() as tape:
        wp.launch(takes_float, dim=1, inputs=[X, 1.0])
    tape.backward(grads={X: value})


def field(name):
    def call(value):
        pair = Pair()
        setattr(pair, name, value)
        wp.launch(takes_struct, dim=1, inputs=[X, pair])

    return call


def setitem(array, key):
    def call(value):
        array[key] = value

    return call


def setitem_at(value):
    X[value] = 1.0


class Method:
    """A method of an array, called with the value."""

    def __init__(self, array, name, *before, **after):
        self.array, self.name, self.before, self.after = array, name, before, after

    def __call__(self, value):
        getattr(self.array, self.name)(*self.before, value, **self.after)


def adjoint(value):
    wp.launch(takes_array, dim=1, inputs=[X, X], adj_inputs=[value, None], adjoint=True)


def compiled(value):
    @wp.kernel
    def captures(x: wp.array(dtype=float)):
        x[0] = float(value)

    @wp.kernel
    def calls(x: wp.array(dtype=float)):
        x[0] = value(1.0)

    @wp.kernel
    def attribute(x: wp.array(dtype=float)):
        x[0] = value.held

    @wp.kernel
    def static(x: wp.array(dtype=float)):
        x[0] = float(wp.static(value))

    for kernel in (captures, calls, attribute, static):
        try:
            wp.launch(kernel, dim=1, inputs=[X])
        except Exception:  # noqa: BLE001
            pass


def looked_up_again(value):
    holder = {"it": 1.0}

    class Holder:
        @property
        def number(self):
            COUNTDOWN.count()
            return holder["it"]

    held = Holder()

    @wp.kernel
    def attribute(x: wp.array(dtype=float)):
        x[0] = held.number

    for number in (1.0, 2.0, 2.0):
        holder["it"] = number
        wp.launch(attribute, dim=1, inputs=[X])

        @wp.func
        def something():
            return 1.0


def annotated(value):
    try:

        @wp.kernel
        def kernel(x: wp.array(dtype=float), v: value):
            x[0] = 1.0

        wp.launch(kernel, dim=1, inputs=[X, 1.0])
    except Exception:  # noqa: BLE001
        pass

    try:

        @wp.func
        def func(v: value):
            return 1.0

        @wp.struct
        class Odd:
            v: value

    except Exception:  # noqa: BLE001
        pass


ENTRIES = {
    "wp.array": lambda v: wp.array(v),
    "wp.array of floats": lambda v: wp.array(v, dtype=float),
    "wp.array of vectors": lambda v: wp.array(v, dtype=wp.vec3),
    "wp.array shared": lambda v: wp.array(v, dtype=float, copy=False),
    "wp.array of a list": lambda v: wp.array([1.0, v], dtype=float),
    "wp.array of a list of any": lambda v: wp.array([1.0, v]),
    "wp.array of lists": lambda v: wp.array([[1.0, v], [v, 1.0]], dtype=float),
    "wp.array dtype": lambda v: wp.array([1.0], dtype=v),
    "wp.array shape": lambda v: wp.array(shape=v, dtype=float),
    "wp.array shape of": lambda v: wp.array(shape=(2, v), dtype=float),
    "wp.array device": lambda v: wp.array([1.0], device=v),
    "wp.array pointer": lambda v: wp.array(ptr=X.ptr, shape=v, strides=(v,), dtype=float),
    "wp.array annotation": lambda v: wp.array(dtype=v),
    "wp.zeros": lambda v: wp.zeros(v, dtype=float),
    "wp.zeros of": lambda v: wp.zeros((1, v), dtype=float),
    "wp.zeros dtype": lambda v: wp.zeros(1, dtype=v),
    "wp.full": lambda v: wp.full(2, v, dtype=float),
    "wp.full of vectors": lambda v: wp.full(2, v, dtype=wp.vec3),
    "wp.full of any": lambda v: wp.full(2, v),
    "wp.zeros_like": lambda v: wp.zeros_like(v),
    "wp.clone": lambda v: wp.clone(v),
    "wp.copy": lambda v: wp.copy(X, v),
    "wp.copy count": lambda v: wp.copy(X, wp.ones(4, dtype=float), 0, 0, v),
    "wp.from_numpy": lambda v: wp.from_numpy(v),
    "wp.from_dlpack": lambda v: wp.from_dlpack(v),
    "wp.from_torch": lambda v: wp.from_torch(v),
    "wp.from_jax": lambda v: wp.from_jax(v),
    "wp.from_paddle": lambda v: wp.from_paddle(v),
    "wp.to_torch": lambda v: wp.to_torch(v),
    "wp.to_jax": lambda v: wp.to_jax(v),
    "wp.device_from_torch": lambda v: wp.device_from_torch(v),
    "wp.device_from_jax": lambda v: wp.device_from_jax(v),
    "wp.device_from_paddle": lambda v: wp.device_from_paddle(v),
    "wp.dtype_from_numpy": lambda v: wp.dtype_from_numpy(v),
    "wp.dtype_from_torch": lambda v: wp.dtype_from_torch(v),
    "wp.dtype_from_jax": lambda v: wp.dtype_from_jax(v),
    "wp.dtype_from_paddle": lambda v: wp.dtype_from_paddle(v),
    "wp.dtype_to_numpy": lambda v: wp.dtype_to_numpy(v),
    "wp.dtype_to_torch": lambda v: wp.dtype_to_torch(v),
    "wp.get_device": lambda v: wp.get_device(v),
    "wp.vec3": lambda v: wp.vec3(v),
    "wp.vec3 of": lambda v: wp.vec3(1.0, v, 2.0),
    "wp.mat22": lambda v: wp.mat22(v),
    "wp.quat": lambda v: wp.quat(1.0, v, 0.0, 0.0),
    "wp.transform": lambda v: wp.transform(v, wp.quat_identity()),
    "wp.int32": lambda v: wp.int32(v),
    "wp.float32": lambda v: wp.float32(v),
    "wp.bool": lambda v: wp.bool(v),
    "wp.sin": lambda v: wp.sin(v),
    "wp.dot": lambda v: wp.dot(wp.vec3(1.0, 2.0, 3.0), v),
    "vector item": lambda v: wp.vec3(1.0, 2.0, 3.0)[v],
    "vector times": lambda v: wp.vec3(1.0, 2.0, 3.0) * v,
    "vector equals": lambda v: wp.vec3(1.0, 2.0, 3.0) == v,
    "launch float": launch(takes_float),
    "launch int": launch(takes_int),
    "launch bool": launch(takes_bool),
    "launch vector": launch(takes_vector),
    "launch array": launch(takes_array),
    "launch vectors": launch(takes_vectors),
    "launch struct": launch(takes_struct),
    "launch dim": lambda v: wp.launch(takes_float, dim=v, inputs=[X, 1.0]),
    "launch dims": lambda v: wp.launch(takes_float, dim=(1, v), inputs=[X, 1.0]),
    "launch inputs": lambda v: wp.launch(takes_float, dim=1, inputs=v),
    "launch device": lambda v: wp.launch(takes_float, dim=1, inputs=[X, 1.0], device=v),
    "launch stream": lambda v: wp.launch(takes_float, dim=1, inputs=[X, 1.0], stream=v),
    "launch kernel": lambda v: wp.launch(v, dim=1, inputs=[X, 1.0]),
    "launch adjoint": adjoint,
    "command": record,
    "backward": backward,
    "backward loss": lambda v: wp.Tape().backward(v),
    "struct float": field("x"),
    "struct int": field("n"),
    "struct vector": field("v"),
    "struct array": field("a"),
    "index": lambda v: X[v],
    "index two": lambda v: TWO[0, v],
    "slice": lambda v: X[v:],
    "assign item": setitem(X, 0),
    "assign slice": setitem(X, slice(0, 3)),
    "assign vector": setitem(VECTORS, 0),
    "assign at": setitem_at,
    "fill_": Method(X, "fill_"),
    "fill_ vectors": Method(VECTORS, "fill_"),
    "assign": Method(X, "assign"),
    "item": Method(X, "item"),
    "reshape": Method(X, "reshape"),
    "view": Method(X, "view"),
    "transpose": Method(TWO, "transpose"),
    "equals": lambda v: X == v,
    "gradient": lambda v: setattr(wp.zeros(3, dtype=float, requires_grad=True), "grad", v),
    "requires_grad": lambda v: setattr(wp.zeros(3, dtype=float), "requires_grad", v),
    "config": lambda v: setattr(wp.config, "verbose", v),
    "compiled": compiled,
    "looked up again": looked_up_again,
    "annotated": annotated,
}


# NumPy and PyO3 read these, and drop what the length of a sequence raises.
DROPPED = {
    (name, Items) for name in ("wp.array of a list", "wp.array of a list of any", "wp.array of lists", "transpose")
}


@pytest.fixture(autouse=True)
def settings():
    verbose = wp.config.verbose
    yield
    COUNTDOWN.armed = False
    wp.config.verbose = verbose


@pytest.mark.parametrize("entry", ENTRIES)
def test_no_exception_passes(entry, capsys):
    lost = []
    for kind in KINDS:
        calls = 0
        while True:
            value = kind()
            COUNTDOWN.left, COUNTDOWN.error, COUNTDOWN.armed = calls, None, True
            try:
                ENTRIES[entry](value)
                got = "nothing"
            except BaseException as error:  # noqa: BLE001
                got = error
            COUNTDOWN.armed = False
            if COUNTDOWN.error is None or (entry, kind) in DROPPED:
                break
            if got is not COUNTDOWN.error:
                lost.append((kind.__name__, calls, repr(got)[:200]))
            # Nothing comes later.
            with pytest.raises(TypeError):
                wp.zeros("no shape")
            calls += 1
            assert calls < 300
    assert not lost


def test_a_caught_interrupt_of_an_expression_does_not_end_the_process(script):
    program = """
import warp as wp

@wp.kernel
def k(y: wp.array(dtype=float)):
    y[0] = wp.static(stop())  # evaluated when it is compiled: there is no such name yet

def stop():
    raise KeyboardInterrupt

def static():
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = wp.static(stop())

def struct():
    @wp.struct
    class S:
        x: "stop()"

def kernel():
    @wp.kernel
    def f(x: "stop()"):
        pass

for f in (lambda: wp.launch(k, 1, [wp.zeros(1)]), static, struct, kernel):
    try:
        f()
    except KeyboardInterrupt:
        print("caught")
"""
    assert script(program).run() == "caught\n" * 4
