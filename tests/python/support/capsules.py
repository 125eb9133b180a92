"""DLPack by hand: managed tensors, capsules and exchange tables made with ctypes, right ones and wrong ones."""

from __future__ import annotations

import ctypes as ct
from typing import Any, ClassVar

import numpy as np


class Device(ct.Structure):
    _fields_ = (("kind", ct.c_int32), ("id", ct.c_int32))


class DataType(ct.Structure):
    _fields_ = (("code", ct.c_uint8), ("bits", ct.c_uint8), ("lanes", ct.c_uint16))


class Tensor(ct.Structure):
    _fields_ = (
        ("data", ct.c_void_p),
        ("device", Device),
        ("ndim", ct.c_int32),
        ("dtype", DataType),
        ("shape", ct.POINTER(ct.c_int64)),
        ("strides", ct.POINTER(ct.c_int64)),
        ("byte_offset", ct.c_uint64),
    )


class Legacy(ct.Structure):
    _fields_ = (("tensor", Tensor), ("context", ct.c_void_p), ("deleter", ct.c_void_p))


class Versioned(ct.Structure):
    _fields_ = (
        ("major", ct.c_uint32),
        ("minor", ct.c_uint32),
        ("context", ct.c_void_p),
        ("deleter", ct.c_void_p),
        ("flags", ct.c_uint64),
        ("tensor", Tensor),
    )


MANAGED = ct.CFUNCTYPE(ct.c_int, ct.py_object, ct.POINTER(ct.POINTER(Versioned)))
OBJECT = ct.CFUNCTYPE(ct.c_int, ct.POINTER(Versioned), ct.POINTER(ct.c_void_p))
VIEW = ct.CFUNCTYPE(ct.c_int, ct.py_object, ct.POINTER(Tensor))
SET_ERROR = ct.CFUNCTYPE(None, ct.c_void_p, ct.c_char_p, ct.c_char_p)
ALLOCATE = ct.CFUNCTYPE(ct.c_int, ct.POINTER(Tensor), ct.POINTER(ct.POINTER(Versioned)), ct.c_void_p, SET_ERROR)
STREAM = ct.CFUNCTYPE(ct.c_int, ct.c_int32, ct.c_int32, ct.POINTER(ct.c_void_p))


class Table(ct.Structure):
    pass


Table._fields_ = (
    ("major", ct.c_uint32),
    ("minor", ct.c_uint32),
    ("previous", ct.POINTER(Table)),
    ("allocate", ct.c_void_p),
    ("managed_from_object", ct.c_void_p),
    ("object_from_managed", ct.c_void_p),
    ("view_from_object", ct.c_void_p),
    ("current_stream", ct.c_void_p),
)

_new = ct.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ct.py_object, (ct.c_void_p, ct.c_char_p, ct.c_void_p)
_pointer = ct.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ct.c_void_p, (ct.py_object, ct.c_char_p)
_set_name = ct.pythonapi.PyCapsule_SetName
_set_name.restype, _set_name.argtypes = ct.c_int, (ct.py_object, ct.c_char_p)

NAMES = {Legacy: b"dltensor", Versioned: b"dltensor_versioned"}
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
FLAG_READ_ONLY, FLAG_IS_COPIED = 1, 2


class Made:
    """A managed tensor on a NumPy array's memory that counts how often it is deleted.

    Its fields may be changed before `capsule()` hands it over. It keeps everything alive that C code points to, and
    `handed` keeps it until a consumer has deleted it: a test need not hold what it hands over.
    """

    handed: ClassVar[list[Made]] = []

    @classmethod
    def let_go(cls) -> None:
        """Forgets those that were deleted. Their deleter cannot: it would return into code that it has freed."""
        cls.handed[:] = [made for made in cls.handed if not made.deleted]

    def __init__(self, array: np.ndarray, kind: type[Any] = Versioned):
        self.array = array
        self.deleted = 0
        self.kind = kind
        self.managed = kind()
        self.tensor = self.managed.tensor
        self.shape = (ct.c_int64 * max(array.ndim, 1))(*array.shape)
        self.strides = (ct.c_int64 * max(array.ndim, 1))(*(s // array.itemsize for s in array.strides))
        self.tensor.data = array.ctypes.data
        self.tensor.device = Device(1, 0)
        self.tensor.ndim = array.ndim
        self.tensor.dtype = DataType(CODES[array.dtype.kind], array.dtype.itemsize * 8, 1)
        self.tensor.shape = ct.cast(self.shape, ct.POINTER(ct.c_int64))
        self.tensor.strides = ct.cast(self.strides, ct.POINTER(ct.c_int64))
        self._delete = ct.CFUNCTYPE(None, ct.c_void_p)(self._deleted)
        self.managed.deleter = ct.cast(self._delete, ct.c_void_p)
        if kind is Versioned:
            self.managed.major, self.managed.minor = 1, 3

    def _deleted(self, at: int) -> None:
        assert at == ct.addressof(self.managed)
        self.deleted += 1

    def capsule(self, name: bytes | None = None) -> Any:
        """A capsule, which does not delete the tensor itself: only a consumer does."""
        self.name = NAMES[self.kind] if name is None else name
        Made.let_go()
        Made.handed.append(self)
        return _new(ct.addressof(self.managed), self.name, None)


class Producer:
    """An object with nothing but `__dlpack__` and `__dlpack_device__`, that answers with `made`."""

    def __init__(self, made: Made, device: tuple[Any, ...] = (1, 0)):
        self.made = made
        self.device = device
        self.asked: list[dict[str, Any]] = []

    def __dlpack__(self, **options: Any) -> Any:
        self.asked.append(options)
        return self.made.capsule()

    def __dlpack_device__(self) -> tuple[Any, ...]:
        return self.device


def pointer_of(capsule: Any, kind: type[Any]) -> Any:
    """The managed tensor in a capsule that was not consumed."""
    return ct.cast(_pointer(capsule, NAMES[kind]), ct.POINTER(kind))


def take(capsule: Any, kind: type[Any]) -> Any:
    """As a consumer does: the managed tensor is the caller's to delete."""
    managed = pointer_of(capsule, kind)
    _set_name(capsule, USED[kind])
    return managed


# Capsules keep the address of their name, so the names live as long as the module.
USED = {Legacy: b"used_dltensor", Versioned: b"used_dltensor_versioned"}


def delete(managed: Any) -> None:
    """Calls the deleter of a managed tensor, without Python's lock."""
    ct.CFUNCTYPE(None, ct.c_void_p)(managed.contents.deleter)(ct.cast(managed, ct.c_void_p))


def table_of(cls: type[Any]) -> Any:
    """The exchange table of a class."""
    return ct.cast(_pointer(cls.__dlpack_c_exchange_api__, b"dlpack_exchange_api"), ct.POINTER(Table)).contents


def table_capsule(table: Table) -> Any:
    """What a class keeps its exchange table in; the table must outlive it."""
    return _new(ct.addressof(table), b"dlpack_exchange_api", None)


def values(tensor: Tensor) -> np.ndarray:
    """A copy of what a tensor on the CPU holds, read element by element."""
    kind = {code: letter for letter, code in CODES.items()}[tensor.dtype.code]
    dtype = np.dtype(f"{kind}{tensor.dtype.bits // 8}") if kind != "b" else np.dtype(bool)
    shape = tensor.shape[: tensor.ndim]
    strides = tensor.strides[: tensor.ndim]
    out = np.empty(shape, dtype)
    for index in np.ndindex(*shape):
        offset = sum(i * s for i, s in zip(index, strides, strict=True)) * dtype.itemsize
        out[index] = np.frombuffer(ct.string_at(tensor.data + tensor.byte_offset + offset, dtype.itemsize), dtype)[0]
    return out


LIBC = ct.PyDLL(None)  # a call keeps Python's lock, unlike one through CDLL


def run_natively(function, managed):
    """Calls `function(m)` for each on a native thread of its own, and holds Python's lock until all have returned."""
    tids = (ct.c_ulong * len(managed))()
    LIBC.pthread_create.argtypes = (ct.c_void_p, ct.c_void_p, ct.c_void_p, ct.c_void_p)
    LIBC.pthread_join.argtypes = (ct.c_ulong, ct.c_void_p)
    for i, m in enumerate(managed):
        at = ct.addressof(tids) + i * ct.sizeof(ct.c_ulong)
        assert LIBC.pthread_create(at, None, function, ct.cast(m, ct.c_void_p)) == 0
    for tid in tids:
        assert LIBC.pthread_join(tid, None) == 0


def call(function: int, kind: Any, *args: Any) -> int:
    """Calls a table's function as C code that holds Python's lock does; raises what it raises."""
    result: int = ct.PYFUNCTYPE(ct.c_int, *kind._argtypes_)(function)(*args)
    return result
