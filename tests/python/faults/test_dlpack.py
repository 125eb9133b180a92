"""DLPack where it hurts: mutated descriptors, deleters without Python's lock, and processes that end."""

from __future__ import annotations

import ctypes as ct
import gc
import os
import random
import sys
import time
import weakref

import numpy as np
import pytest
import torch
import warp as wp

from support.capsules import Legacy, Made, Producer, Versioned, run_natively, take

THREADS = 8


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


MEMORY = np.arange(4096, dtype=np.float32)
EDGES = [0, 1, -1, 2, 7, 2**31 - 1, 2**31, 2**32, 2**53, 2**61, 2**62, 2**63 - 1, -(2**31), -(2**62), -(2**63)]


def mutate(made, rng):
    """Change up to three fields, each to something that is wrong, odd or just another right value."""
    tensor, head = made.tensor, made.managed
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        match rng.randrange(13):
            case 0:
                tensor.data = None
            case 1:
                tensor.ndim = rng.choice([-1, 0, 1, 2, 3, 5, 6, 7, 8, 2**31 - 1, -(2**31)])
            case 2:
                made.shape[rng.randrange(3)] = rng.choice(EDGES)
            case 3:
                made.strides[rng.randrange(3)] = rng.choice(EDGES)
            case 4:
                tensor.strides = None
            case 5:
                tensor.shape = None
            case 6:
                tensor.dtype.lanes = rng.choice([0, 2, 4, 65535])
            case 7:
                tensor.dtype.code = rng.randrange(256)
            case 8:
                tensor.dtype.bits = rng.choice([0, 1, 4, 8, 16, 32, 64, 128, 255])
            case 9:
                tensor.byte_offset = rng.choice([0, 1, 2, 4, 8, 64, 2**31, 2**63, 2**64 - 4, 2**64 - 1])
            case 10:
                tensor.device.kind = rng.choice([0, 1, 2, 3, 10, 13, -1])
            case 11 if made.kind is Versioned:
                head.major, head.minor = rng.choice([(0, 5), (1, 0), (1, 99), (2, 0), (2**32 - 1, 1)])
            case _ if made.kind is Versioned:
                head.flags = rng.choice([0, 1, 2, 4, 2**63, 2**64 - 1])


def start(rng):
    """A right descriptor, in the middle of the memory, with room for six dimensions in its numbers."""
    shape = [rng.randrange(4) for _ in range(3)]
    order = rng.choice([(15, 5, 1), (1, 4, 16), (-9, 3, 1), (0, 0, 1)])
    whole = np.lib.stride_tricks.as_strided(MEMORY[2048:], shape, [4 * s for s in order])
    made = Made(whole, rng.choice([Legacy, Versioned]))
    numbers = (ct.c_int64 * 8)(*made.shape, *[1] * 5), (ct.c_int64 * 8)(*made.strides, *[1] * 5)
    made.shape, made.strides = numbers
    made.tensor.shape, made.tensor.strides = (ct.cast(n, ct.POINTER(ct.c_int64)) for n in numbers)
    return made


def wanted(made):
    """The values that the descriptor means, if they all lie in the memory and are floats."""
    tensor = made.tensor
    first = tensor.data + tensor.byte_offset - MEMORY.ctypes.data
    shape = tensor.shape[: tensor.ndim]
    strides = tensor.strides[: tensor.ndim] if tensor.strides else None
    if strides is None:
        strides = [int(np.prod(shape[d + 1 :], dtype=object)) for d in range(tensor.ndim)]
    ends = [(n - 1) * s * 4 for n, s in zip(shape, strides, strict=True)]
    low, high = first + sum(min(e, 0) for e in ends), first + sum(max(e, 0) for e in ends) + 4
    dtype = tensor.dtype
    if low < 0 or high > MEMORY.nbytes or (dtype.code, dtype.bits) != (2, 32) or np.prod(shape, dtype=object) > 10_000:
        return None
    at = np.full(shape, first // 4)
    for d, (n, s) in enumerate(zip(shape, strides, strict=True)):
        steps = [-1 if k == d else 1 for k in range(len(shape))]
        # Of one element the stride means nothing, and may be too big for NumPy.
        at += np.arange(n).reshape(steps) * (s if n > 1 else 0)
    return MEMORY[at]


def test_mutated_descriptors(rounds):
    """Each ends in an error or in the right values, and is deleted once."""
    rng = random.Random(3)
    outcomes = {"read": 0, "elsewhere": 0, "refused": 0}
    for i in range(rounds(4_000, 50_000)):
        made = start(rng)
        mutate(made, rng)
        name = rng.choice([None] * 20 + [b"dltensor", b"dltensor_versioned", b"used_dltensor", b"", b"tensor"])
        odd = name is not None and name != (b"dltensor" if made.kind is Legacy else b"dltensor_versioned")
        if odd and name in (b"dltensor", b"dltensor_versioned"):
            continue  # a lie about which structure it is, which nobody can notice
        source = made.capsule(name) if odd or i % 2 else Producer(made)
        try:
            a = wp.from_dlpack(source)
        except (ValueError, TypeError, BufferError):
            outcomes["refused"] += 1
        else:
            assert not odd
            assert a.read_only == (made.kind is Versioned and made.managed.flags & 1 == 1)
            right = None if a.size == 0 else wanted(made)
            if a.size == 0 or right is not None:
                outcomes["read"] += 1
                assert right is None or np.array_equal(a.numpy().reshape(right.shape), right)
            else:
                outcomes["elsewhere"] += 1
            with pytest.raises(ValueError, match="consumed already"):
                wp.from_dlpack(source) if not isinstance(source, Producer) else wp.from_dlpack(used(made))
            del a
        assert made.deleted == (0 if odd else refused_early(made, source))
    assert min(outcomes.values()) > 20, outcomes


def used(made):
    """A capsule that was consumed before."""
    return made.capsule(b"used_dltensor")


def refused_early(made, source):
    """How often a tensor is deleted: not at all where the producer's device says that it need not be asked."""
    return 1 if not isinstance(source, Producer) or source.asked else 0


# Deleters on threads that Python knows nothing of, while another thread holds Python's lock.


@pytest.mark.parametrize("kind", [Legacy, Versioned], ids=["legacy", "versioned"])
def test_deleters_on_native_threads_while_the_lock_is_held(kind, rounds):
    """A deleter that waited for the lock would never return: the join below holds it."""
    version = None if kind is Legacy else (1, 0)
    other = np.zeros(3, np.float32)
    for round_ in range(rounds(6, 500)):
        sources = [np.arange(5, dtype=np.float32) for _ in range(THREADS // 2)]
        tensors = [torch.arange(5.0) for _ in range(THREADS // 2)]
        gone = [weakref.ref(s) for s in sources]
        counts = [sys.getrefcount(t.untyped_storage()) for t in tensors]
        arrays = [wp.array(s, copy=False) for s in sources]
        arrays += [wp.from_dlpack(torch.utils.dlpack.to_dlpack(t)) for t in tensors]
        managed = [take(a.__dlpack__(max_version=version), kind) for a in arrays]
        del arrays, sources
        gc.collect()
        assert all(ref() is not None for ref in gone)
        run_natively(managed[0].contents.deleter, managed)
        # What they left behind runs when Python looks; at the latest with the next release here.
        if round_ % 2:
            deadline = time.monotonic() + 5
            while any(ref() is not None for ref in gone) and time.monotonic() < deadline:
                time.sleep(0.001)
        else:
            wp.array(other, copy=False)
        assert sum(ref() is not None for ref in gone) == 0
        assert [sys.getrefcount(t.untyped_storage()) for t in tensors] == counts


SECOND_INTERPRETER = """
import ctypes as ct
import threading
import warp as wp
from support.capsules import Versioned, run_natively, take

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

kept = interpreters.create()
buffer = (ct.c_float * 4)()
threads = []


def delete(ptr, size):
    threads.append(threading.get_ident())


for _ in range(8):
    arrays = [wp.array(ptr=ct.addressof(buffer), dtype=float, shape=4, deleter=delete) for _ in range(8)]
    managed = [take(a.__dlpack__(max_version=(1, 0)), Versioned) for a in arrays]
    del arrays
    run_natively(managed[0].contents.deleter, managed)
wp.array(ptr=ct.addressof(buffer), dtype=float, shape=4, deleter=delete)
assert threads == [threading.get_ident()] * 65, threads
print("done")
"""


def test_native_threads_beside_a_second_interpreter(script):
    """With a second interpreter Python no longer knows which thread holds its lock; we must."""
    assert script(SECOND_INTERPRETER).run(PYTHONPATH=os.pathsep.join(sys.path)) == "done\n"


# Processes that end while others still have our memory, and we theirs.

EXIT = """
import gc, sys, threading
import numpy as np
import warp as wp

name = sys.argv[1]
a = [wp.array(np.arange(4, dtype=np.float32)) for _ in range(6)]
shared = wp.array(np.ones(4, np.float32), copy=False)


class Cycle:
    pass


def exports(x):
    if name == "numpy":
        return [np.from_dlpack(x), x.numpy(), np.asarray(x)]
    if name == "torch":
        import torch
        return [torch.from_dlpack(x), wp.to_torch(x), torch.utils.dlpack.from_dlpack(wp.to_dlpack(x))]
    if name == "jax":
        import jax
        return [jax.dlpack.from_dlpack(x), jax.numpy.asarray(x.numpy())]
    import paddle
    return [paddle.utils.dlpack.from_dlpack(x), paddle.utils.dlpack.from_dlpack(wp.to_dlpack(x))]


kept = [exports(x) for x in (*a, shared)]
back = [wp.from_dlpack(one) for group in kept for one in group if hasattr(one, "__dlpack__")]
capsules = [wp.to_dlpack(a[0]), a[1].__dlpack__(max_version=(1, 0)), back[0].__dlpack__(max_version=(1, 0))]
# Some go with the module, some with the interpreter, some with a cycle, some never.
cycle = Cycle()
cycle.self, cycle.kept = cycle, exports(a[2])
import builtins
builtins.kept_for_ever = exports(a[3])
thread = threading.Thread(target=lambda e=exports(a[4]): threading.Event().wait(), daemon=True)
thread.start()
del a, shared
gc.collect()
assert all(np.asarray(one).sum() in (4, 6) for group in kept for one in group)
print("leaving")
"""


@pytest.mark.parametrize("name", ["numpy", "torch", "jax", "paddle"])
def test_live_exports_at_exit(script, rounds, name):
    pytest.importorskip(name)
    program = script(EXIT)
    for _ in range(rounds(1, 100)):
        assert program.run(name).splitlines()[-1] == "leaving"
