"""Memory: sizes, pools, pointers, pinned and shared memory."""

from __future__ import annotations

import ctypes

from gpu.support.driver_calls import Driver

from .rig import ANY, Rig, See, case


@case()
def sizes_of_memory(d: Driver, see: See) -> None:
    see("nothing", d.code("cuMemAlloc_v2", 0), 1)
    see("too much", d.code("cuMemAlloc_v2", 1 << 50), 2)
    see("too much in order", d.code("cuMemAllocAsync", 1 << 46, 0), 2)
    free, total = ctypes.c_uint64(0), ctypes.c_uint64(0)
    d.ok("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    see("some is free", 0 < free.value <= total.value, True)


@case(alone=True)
def memory_that_was_freed(d: Driver, see: See) -> None:
    p = d.alloc(4)
    d.free(p)
    see("free again", d.call("cuMemFree_v2", p), 1)
    see("fill", d.call("cuMemsetD8_v2", p, 0, 1), 1, 0, 700)


@case()
def a_free_waits_for_work(d: Driver, see: See) -> None:
    r = Rig(d)
    a, p, q = r.stream(False), r.word(), r.word()
    r.set(p, 7, a)
    r.copy(q, p, a)
    d.free(p)
    see("word", r.read(q, a), 7)


@case()
def memory_in_the_order_of_a_stream(d: Driver, see: See) -> None:
    r = Rig(d)
    a, q = r.stream(), r.word()
    p = d.get("cuMemAllocAsync", 4, a)
    r.set(p, 7, a)
    r.copy(q, p, a)
    see("free", d.call("cuMemFreeAsync", p, a), 0)
    see("word", r.read(q, a), 7)
    see("free again", d.call("cuMemFreeAsync", p, a), 1, ANY)


@case()
def pools_keep_what_their_threshold_says(d: Driver, see: See) -> None:
    def attribute(which: int) -> int:
        value = ctypes.c_uint64(0)
        d.ok("cuMemPoolGetAttribute", pool, which, ctypes.byref(value))
        return value.value

    def threshold(value: int) -> None:
        d.ok("cuMemPoolSetAttribute", pool, 4, ctypes.byref(ctypes.c_uint64(value)))

    pool = d.get("cuDeviceGetDefaultMemPool", 0)
    p = d.get("cuMemAllocAsync", 1000, 0)
    see("used", attribute(7) >= 1000, True)
    see("reserved", attribute(5) >= 1000, True)
    d.ok("cuMemFreeAsync", p, 0)
    d.ok("cuStreamSynchronize", 0)
    see("used after the free", attribute(7), 0)
    threshold(2**64 - 1)
    p = d.get("cuMemAllocAsync", 1000, 0)
    d.ok("cuMemFreeAsync", p, 0)
    d.ok("cuStreamSynchronize", 0)
    see("kept", attribute(5) >= 1000, True)
    d.ok("cuMemPoolTrimTo", pool, 0)
    see("trimmed", attribute(5), 0, ANY)
    threshold(0)
    see("the default pool stays", d.call("cuMemPoolDestroy", pool), 1)


@case()
def pointers_tell_what_they_are(d: Driver, see: See) -> None:
    def ask(which: int, address: int) -> tuple[int, int]:
        value = ctypes.c_uint64(0)
        return d.call("cuPointerGetAttribute", ctypes.byref(value), which, address), value.value

    p, host = d.alloc(64), Rig(d).pinned(4)
    see("device memory", ask(2, p), (0, 2))
    see("pinned memory", ask(2, ctypes.addressof(host)), (0, 1))
    unknown = ctypes.c_uint32(0)
    see("memory that the driver does not know", ask(2, ctypes.addressof(unknown)), (1, 0))
    see("where it starts", ask(11, p + 10), (0, p))
    see("its size", ask(12, p + 10), (0, 64), ANY)
    see("its context", ask(1, p)[1] == d.context, True)
    see("its device", ask(9, p), (0, 0))


@case()
def registered_memory_is_pinned(d: Driver, see: See) -> None:
    r = Rig(d)
    a, room = r.stream(), ctypes.create_string_buffer(3 * 4096)
    at = (ctypes.addressof(room) + 4095) // 4096 * 4096
    see("register", d.call("cuMemHostRegister_v2", at, 4096, 0), 0)
    see("again", d.call("cuMemHostRegister_v2", at, 4096, 0), 712)
    p = r.word(9)
    d.ok("cuMemcpyDtoHAsync_v2", at, p, 4, a)
    d.ok("cuStreamSynchronize", a)
    see("what is copied there", ctypes.c_uint32.from_address(at).value, 9)
    see("unregister", d.call("cuMemHostUnregister", at), 0)
    see("again unregister", d.call("cuMemHostUnregister", at), 713)


@case()
def handles_for_other_processes(d: Driver, see: See) -> None:
    # Containers may keep processes from each other.
    see("of memory", d.code("cuIpcGetMemHandle", d.alloc(64)), 0, 801, 1, 999)
    see("of memory of a pool", d.code("cuIpcGetMemHandle", d.get("cuMemAllocAsync", 64, 0)), 1, 801, 999)
    see("of an event that is not made for it", d.code("cuIpcGetEventHandle", Rig(d).event()), 1, 400, 801, 999)
