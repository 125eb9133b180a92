"""What a driver does: the order of streams, codes of errors, captures, graphs, pools, events, modules, faults.

    python tests/python/gpu/calibration/driver_behaviour.py [--driver LIBRARY] [--goldens FOLDER] [CASE...]

Each case makes calls and states with `see` what the driver for tests answers, and behind that what a real driver may
answer instead; `ANY` stands where its documentation leaves everything open. Cases run in new processes: those that
break their context or hand over what is no handle alone, the others together.

Needs Python's own library alone.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from gpu.support.driver_calls import LIBRARY, Driver, DriverError
from support.places import ROOT

GOLDENS = ROOT / "tests/goldens/driver"
ANY = "any"
See = Callable[..., None]

# `inc` adds one to a word, `stop` ends with an error, `far` writes to an address that it is given.
PTX = """.version 6.3
.target sm_75
.address_size 64
.visible .entry inc(.param .u64 inc_p)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [inc_p];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2];
    add.s32 %r2, %r1, 1;
    st.global.u32 [%rd2], %r2;
    ret;
}
.visible .entry stop(.param .u64 stop_p)
{
    trap;
    ret;
}
.visible .entry far(.param .u64 far_p)
{
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [far_p];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], 1;
    ret;
}
"""
ASSERT = """.version 6.3
.target sm_75
.address_size 64
.global .b8 message[4] = {120, 62, 48};
.global .b8 file[3] = {102, 46};
.global .b8 name[2] = {107};
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.visible .entry k(.param .u64 k_p)
{
    .reg .b64 %rd<3>;
    {
    .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    mov.u64 %rd1, message; cvta.global.u64 %rd1, %rd1; st.param.b64 [a], %rd1;
    mov.u64 %rd1, file; cvta.global.u64 %rd1, %rd1; st.param.b64 [b], %rd1;
    st.param.b32 [c], 12;
    mov.u64 %rd1, name; cvta.global.u64 %rd1, %rd1; st.param.b64 [d], %rd1;
    st.param.b64 [e], 1;
    call.uni __assertfail, (a, b, c, d, e);
    }
    ret;
}
"""


@dataclass
class Case:
    """A function that makes calls and sees answers."""

    name: str
    run: Callable[[Driver, See], None]
    alone: bool = False
    may_crash: bool = False
    fresh: bool = True


CASES: dict[str, Case] = {}


def case(**options: bool) -> Callable[[Callable[[Driver, See], None]], None]:
    """`alone`: in its own process. `may_crash`: a real driver may end that. `fresh=False`: it starts the driver."""

    def add(function: Callable[[Driver, See], None]) -> None:
        CASES[function.__name__] = Case(function.__name__, function, **options)

    return add


class Rig:
    """Short forms of what cases do again and again."""

    def __init__(self, driver: Driver) -> None:
        self.d = driver

    def stream(self, non_blocking: bool = True) -> int:
        return self.d.get("cuStreamCreate", int(non_blocking))

    def event(self, flags: int = 0) -> int:
        return self.d.get("cuEventCreate", flags)

    def set(self, address: int, value: int, stream: int) -> None:
        self.d.ok("cuMemsetD32Async", address, value, 1, stream)

    def copy(self, to: int, source: int, stream: int) -> None:
        self.d.ok("cuMemcpyDtoDAsync_v2", to, source, 4, stream)

    def read(self, address: int, stream: int) -> int:
        word = ctypes.c_uint32(0)
        self.d.ok("cuMemcpyDtoHAsync_v2", ctypes.byref(word), address, 4, stream)
        self.d.ok("cuStreamSynchronize", stream)
        return word.value

    def word(self, value: int = 0) -> int:
        address = self.d.alloc(4)
        self.d.ok("cuMemsetD32_v2", address, value, 1)
        self.d.ok("cuCtxSynchronize")
        return address

    def record(self, event: int, stream: int) -> None:
        self.d.ok("cuEventRecord", event, stream)

    def wait(self, stream: int, event: int) -> None:
        self.d.ok("cuStreamWaitEvent", stream, event, 0)

    def pinned(self, words: int) -> Any:
        address = self.d.get("cuMemAllocHost_v2", 4 * words)
        return (ctypes.c_uint32 * words).from_address(address)

    def begin(self, stream: int, mode: int = 0) -> None:
        self.d.ok("cuStreamBeginCapture_v2", stream, mode)

    def end(self, stream: int) -> tuple[int, int]:
        graph = ctypes.c_uint64(0)
        return self.d.call("cuStreamEndCapture", stream, ctypes.byref(graph)), graph.value

    def captured(self, stream: int) -> int:
        code, graph = self.end(stream)
        if code:
            raise DriverError("cuStreamEndCapture", code)
        return graph

    def instantiate(self, graph: int) -> int:
        return self.d.get("cuGraphInstantiateWithFlags", graph, 0)

    def kernel(self, name: str) -> int:
        return self.d.function(self.d.module(PTX), name)

    def other_thread(self, work: Callable[[], None]) -> None:
        def run() -> None:
            self.d.ok("cuCtxSetCurrent", self.d.context)
            work()

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()


# Streams and events.


@case()
def an_event_orders_two_streams(d: Driver, see: See) -> None:
    r = Rig(d)
    a, b, p, e = r.stream(), r.stream(), r.word(), r.event()
    r.set(p, 7, a)
    r.record(e, a)
    r.wait(b, e)
    see("word", r.read(p, b), 7)


@case()
def a_wait_is_for_what_was_recorded_before_it(d: Driver, see: See) -> None:
    r = Rig(d)
    a, b, p, e = r.stream(), r.stream(), r.word(), r.event()
    r.set(p, 1, a)
    r.record(e, a)
    r.wait(b, e)
    r.set(p, 2, a)
    r.record(e, a)
    # The second fill is in no order with the read.
    see("word", r.read(p, b), 1, 2)


@case()
def the_legacy_stream_waits_for_blocking_streams_and_they_for_it(d: Driver, see: See) -> None:
    r = Rig(d)
    a, n, p = r.stream(False), r.stream(), r.word()
    r.set(p, 7, a)
    see("legacy after blocking", r.read(p, 0), 7)
    d.ok("cuMemsetD32_v2", p, 8, 1)
    see("blocking after legacy", r.read(p, a), 8)
    r.set(p, 9, n)
    see("legacy and non-blocking are in no order", r.read(p, 1), 8, 9)
    see("code of a non-blocking stream", d.call("cuStreamSynchronize", n), 0)


@case()
def each_thread_has_a_default_stream_of_its_own(d: Driver, see: See) -> None:
    if not d.has("cuStreamGetId"):
        return
    mine, other = ctypes.c_uint64(0), ctypes.c_uint64(0)
    d.ok("cuStreamGetId", 2, ctypes.byref(mine))
    Rig(d).other_thread(lambda: d.ok("cuStreamGetId", 2, ctypes.byref(other)))
    see("another stream", mine.value != other.value, True)


@case()
def queries(d: Driver, see: See) -> None:
    r = Rig(d)
    a, p, e = r.stream(), r.word(), r.event()
    see("an event that was never recorded", d.call("cuEventQuery", e), 0)
    r.set(p, 1, a)
    # A GPU may be done by now.
    see("a stream with work", d.call("cuStreamQuery", a), 600, 0)
    r.record(e, a)
    see("an event behind work", d.call("cuEventQuery", e), 600, 0)
    d.ok("cuStreamSynchronize", a)
    see("a stream without", d.call("cuStreamQuery", a), 0)
    see("its event", d.call("cuEventQuery", e), 0)


@case()
def pageable_sources_are_read_at_once(d: Driver, see: See) -> None:
    r = Rig(d)
    a, p, q, pinned = r.stream(), r.word(), r.word(), r.pinned(1)
    pageable = ctypes.c_uint32(1)
    pinned[0] = 1
    d.ok("cuMemcpyHtoDAsync_v2", p, ctypes.byref(pageable), 4, a)
    d.ok("cuMemcpyHtoDAsync_v2", q, pinned, 4, a)
    pageable.value = pinned[0] = 2
    see("pageable", r.read(p, a), 1)
    see("pinned", r.read(q, a), 2, 1)


@case()
def copies_to_the_host_have_landed_after_a_wait(d: Driver, see: See) -> None:
    r = Rig(d)
    a, p, host = r.stream(), r.word(), r.pinned(1)
    host[0] = 5
    r.set(p, 7, a)
    d.ok("cuMemcpyDtoHAsync_v2", host, p, 4, a)
    see("before", host[0], 5, 7)
    d.ok("cuStreamSynchronize", a)
    see("after", host[0], 7)


@case()
def the_work_of_a_destroyed_stream_is_done(d: Driver, see: See) -> None:
    r = Rig(d)
    a, b, p, e = r.stream(), r.stream(), r.word(), r.event()
    r.set(p, 7, a)
    r.record(e, a)
    see("destroy", d.call("cuStreamDestroy_v2", a), 0)
    r.wait(b, e)
    see("word", r.read(p, b), 7)


@case(alone=True, may_crash=True)
def what_is_no_handle_is_refused(d: Driver, see: See) -> None:
    r = Rig(d)
    a, e = r.stream(), r.event()
    see("event as stream", d.call("cuStreamSynchronize", e), 400, ANY)
    see("stream as event", d.call("cuEventRecord", a, a), 400, ANY)
    d.ok("cuStreamDestroy_v2", a)
    see("destroyed stream", d.call("cuStreamSynchronize", a), 400, ANY)
    see("number as module", d.code("cuModuleGetFunction", 77, b"inc"), 400, ANY)


@case()
def wrong_arguments_of_streams_and_events(d: Driver, see: See) -> None:
    see("no place for a stream", d.call("cuStreamCreate", None, 0), 1)
    see("unknown flags of a stream", d.code("cuStreamCreate", 2), 1)
    see("an event for other processes that has a time", d.code("cuEventCreate", 4), 1)
    e, f, untimed = (Rig(d).event(flags) for flags in (0, 0, 2))
    see("time of events that were not recorded", d.code("cuEventElapsedTime", e, f), 400)
    Rig(d).record(e, 0)
    Rig(d).record(untimed, 0)
    d.ok("cuCtxSynchronize")
    see("time of an event without", d.code("cuEventElapsedTime", e, untimed), 400)


@case()
def times(d: Driver, see: See) -> None:
    r = Rig(d)
    a, e, f, p = r.stream(), r.event(), r.event(), d.alloc(1 << 20)
    r.record(e, a)
    d.ok("cuMemsetD8Async", p, 0, 1 << 20, a)
    r.record(f, a)
    see("before", d.code("cuEventElapsedTime", e, f), 600, 0)
    d.ok("cuEventSynchronize", f)
    ms = ctypes.c_float(-1)
    d.ok("cuEventElapsedTime", ctypes.byref(ms), e, f)
    see("positive", ms.value > 0, True)


@case(alone=True)
def without_a_context(d: Driver, see: See) -> None:
    a = Rig(d).stream()
    d.ok("cuCtxSetCurrent", 0)
    see("synchronize", d.call("cuStreamSynchronize", a), 201, 0, 400)
    see("allocate", d.code("cuMemAlloc_v2", 4), 201)


HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@case()
def host_functions_run_in_order(d: Driver, see: See) -> None:
    r = Rig(d)
    a, p, host, found = r.stream(), r.word(), r.pinned(1), []
    host[0] = 0
    call = HOST_FUNCTION(lambda _: found.append(host[0]))
    r.set(p, 7, a)
    d.ok("cuMemcpyDtoHAsync_v2", host, p, 4, a)
    d.ok("cuLaunchHostFunc", a, call, 0)
    d.ok("cuStreamSynchronize", a)
    see("what it finds", found, [7])


@case(alone=True)
def a_host_function_may_not_allocate(d: Driver, see: See) -> None:
    found: list[int] = []
    call = HOST_FUNCTION(lambda _: found.append(d.code("cuMemAlloc_v2", 4)))
    d.ok("cuLaunchHostFunc", 0, call, 0)
    d.ok("cuStreamSynchronize", 0)
    see("code", found, [800], ANY)


# Memory.


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


# Captures and graphs.


@case()
def a_captured_fork_and_join(d: Driver, see: See) -> None:
    r = Rig(d)
    a, b, p, q, e, f = r.stream(), r.stream(), r.word(3), r.word(4), r.event(), r.event()
    r.begin(a)
    r.set(p, 1, a)
    r.record(e, a)
    r.wait(b, e)
    r.copy(q, p, b)
    r.record(f, b)
    r.wait(a, f)
    graph = r.captured(a)
    see("nothing ran", r.read(p, a), 3)
    count = ctypes.c_uint64(0)
    d.ok("cuGraphGetNodes", graph, None, ctypes.byref(count))
    see("nodes", count.value, 2)
    nodes = (ctypes.c_uint64 * 2)()
    d.ok("cuGraphGetNodes", graph, nodes, ctypes.byref(count))
    kinds = sorted(kind_of(d, node) for node in nodes)
    see("kinds", kinds, [1, 2])
    run = r.instantiate(graph)
    see("destroy the graph", d.call("cuGraphDestroy", graph), 0)
    d.ok("cuGraphLaunch", run, a)
    see("word", r.read(q, a), 1)
    see("destroy what runs", d.call("cuGraphExecDestroy", run), 0)


def kind_of(d: Driver, node: int) -> int:
    kind = ctypes.c_uint32(99)
    d.ok("cuGraphNodeGetType", node, ctypes.byref(kind))
    return kind.value


@case()
def work_that_is_not_joined(d: Driver, see: See) -> None:
    r = Rig(d)
    a, b, p, e = r.stream(), r.stream(), r.word(3), r.event()
    r.begin(a)
    r.record(e, a)
    r.wait(b, e)
    r.set(p, 1, b)
    see("end", r.end(a), (904, 0))
    see("both streams are as before", r.read(p, b), 3)


@case()
def a_wait_for_a_captured_stream(d: Driver, see: See) -> None:
    r = Rig(d)
    a, status = r.stream(), ctypes.c_uint32(9)
    r.begin(a)
    see("synchronize", d.call("cuStreamSynchronize", a), 900)
    d.ok("cuStreamIsCapturing", a, ctypes.byref(status))
    see("status", status.value, 2)
    see("record", d.call("cuEventRecord", r.event(), a), 901)
    see("end", r.end(a), (901, 0))
    see("end again", r.end(a)[0], 401)


@case()
def calls_that_a_mode_forbids(d: Driver, see: See) -> None:
    r = Rig(d)
    a = r.stream()
    r.begin(a)
    see("allocate", d.code("cuMemAlloc_v2", 4), 900)
    see("end", r.end(a)[0], 901)
    for mode, name, ours in ((0, "global", 900), (1, "of the thread", 0), (2, "relaxed", 0)):
        r.begin(a, mode)
        found: list[int] = []
        r.other_thread(lambda found=found: found.append(d.code("cuMemAlloc_v2", 4)))
        see(f"{name}: another thread allocates", found, [ours])
        see(f"{name}: end", r.end(a)[0], 901 if ours else 0)
    r.begin(a)
    mode = ctypes.c_uint32(2)
    d.ok("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    see("mode before", mode.value, 0)
    see("allocate when relaxed", d.code("cuMemAlloc_v2", 4), 0)
    d.ok("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    see("mode in between", mode.value, 2)
    see("end when relaxed", r.end(a)[0], 0)


@case()
def questions_and_frees_while_somebody_captures(d: Driver, see: See) -> None:
    """What has nothing to do with the captured stream, on the thread that captures and on another one."""
    r = Rig(d)
    a, b, e = r.stream(), r.stream(), r.event()
    r.record(e, b)
    d.ok("cuStreamSynchronize", b)
    addresses, modules = iter([d.alloc(4) for _ in range(6)]), iter([d.module(PTX) for _ in range(6)])
    calls = {
        "query a stream": (lambda: d.call("cuStreamQuery", b), (0, 0, 0)),
        "query an event": (lambda: d.call("cuEventQuery", e), (900, 900, 0)),
        "free memory": (lambda: d.call("cuMemFree_v2", next(addresses)), (900, 900, 0)),
        "unload a module": (lambda: d.call("cuModuleUnload", next(modules)), (0, 0, 0)),
        "record an event": (lambda: d.call("cuEventRecord", e, b), (0, 0, 0)),
        "destroy an event": (lambda: d.call("cuEventDestroy_v2", r.event()), (0, 0, 0)),
    }
    for what, (call, ours) in calls.items():
        for mode, name in enumerate(("global", "of the thread", "relaxed")):
            r.begin(a, mode)
            see(f"{name}: {what}", call(), ours[mode])
            see(f"{name}: end after it", r.end(a)[0], 901 if ours[mode] else 0)
            r.begin(a, mode)
            found: list[int] = []
            r.other_thread(lambda call=call, found=found: found.append(call()))
            expected = ours[mode] if mode == 0 else 0
            see(f"{name}: {what} on another thread", found, [expected])
            see(f"{name}: end after the other thread", r.end(a)[0], 901 if expected else 0)


@case()
def the_legacy_stream_and_captures(d: Driver, see: See) -> None:
    r = Rig(d)
    a, p, e = r.stream(False), r.word(), r.event()
    see("capture of the legacy stream", d.call("cuStreamBeginCapture_v2", 0, 0), 900)
    r.begin(a)
    # A fill that waits is forbidden by the mode, too.
    see("fill in it", d.call("cuMemsetD32_v2", p, 1, 1), 906, 900)
    see("end", r.end(a)[0], 901)
    r.begin(a)
    r.record(e, a)
    see("it waits for a captured event", d.call("cuStreamWaitEvent", 0, e, 0), 906)
    see("end after that", r.end(a)[0], 901)
    r.begin(a)
    see("is it captured", d.call("cuStreamIsCapturing", 0, ctypes.byref(ctypes.c_uint32(0))), 906)
    see("end after the question", r.end(a)[0], 0)


@case()
def captures_are_apart(d: Driver, see: See) -> None:
    r = Rig(d)
    a, b, e, f = r.stream(), r.stream(), r.event(), r.event()
    r.record(f, b)
    r.begin(a)
    see("wait for an event outside", d.call("cuStreamWaitEvent", a, f, 0), 905)
    see("end 1", r.end(a)[0], 901)
    r.begin(a)
    r.begin(b)
    r.record(e, a)
    see("wait for a captured event", d.call("cuEventSynchronize", e), 907)
    see("end 2", [r.end(a)[0], r.end(b)[0]], [901, 0], [901, 901])
    r.begin(a)
    r.begin(b)
    r.record(e, a)
    see("merge", d.call("cuStreamWaitEvent", b, e, 0), 902)
    see("end 3", [r.end(a)[0], r.end(b)[0]], [901, 901])
    r.begin(a)
    r.record(e, a)
    r.wait(b, e)
    see("end in the other stream", r.end(b)[0], 903)
    see("end 4", r.end(a)[0], 901)
    r.begin(a)
    found: list[int] = []
    r.other_thread(lambda: found.append(r.end(a)[0]))
    see("end in another thread", found, [908])
    see("end 5", r.end(a)[0], 0, 901)


@case()
def memory_that_a_graph_allocates(d: Driver, see: See) -> None:
    r = Rig(d)
    a, q = r.stream(), r.word()
    r.begin(a)
    p = d.get("cuMemAllocAsync", 4, a)
    r.set(p, 3, a)
    r.copy(q, p, a)
    d.ok("cuMemFreeAsync", p, a)
    run = r.instantiate(r.captured(a))
    for _ in range(2):
        d.ok("cuGraphLaunch", run, a)
        see("word", r.read(q, a), 3)
    r.begin(a)
    p = d.get("cuMemAllocAsync", 4, a)
    r.set(p, 4, a)
    graph = r.captured(a)
    run = r.instantiate(graph)
    d.ok("cuGraphLaunch", run, a)
    see("memory that stays", r.read(p, a), 4)
    see("launch before it is freed", d.call("cuGraphLaunch", run, a), 1)
    d.ok("cuMemFreeAsync", p, a)
    see("launch after", d.call("cuGraphLaunch", run, a), 0)
    d.ok("cuMemFreeAsync", p, a)
    d.ok("cuStreamSynchronize", a)


@case()
def an_update_takes_parameters_but_no_other_form(d: Driver, see: See) -> None:
    if not d.has("cuGraphExecUpdate_v2"):
        return
    r = Rig(d)
    a, p = r.stream(), r.word()

    def fills(*values: int) -> int:
        r.begin(a)
        for value in values:
            r.set(p, value, a)
        return r.captured(a)

    run, info = r.instantiate(fills(1)), (ctypes.c_uint64 * 8)()
    see("update", d.call("cuGraphExecUpdate_v2", run, fills(2), info), 0)
    d.ok("cuGraphLaunch", run, a)
    see("word", r.read(p, a), 2)
    see("another form", d.call("cuGraphExecUpdate_v2", run, fills(1, 2), info), 910)
    see("why", info[0] & 0xFFFFFFFF, 2, ANY)


@case()
def a_graph_that_is_launched_in_a_capture_is_a_child(d: Driver, see: See) -> None:
    r = Rig(d)
    a, p, q = r.stream(), r.word(), r.word()
    r.begin(a)
    r.set(p, 5, a)
    inner = r.instantiate(r.captured(a))
    r.begin(a)
    code = d.call("cuGraphLaunch", inner, a)
    # Not in every version.
    see("launch in a capture", code, 0, 900)
    if code:
        r.end(a)
        return
    r.copy(q, p, a)
    run = r.instantiate(r.captured(a))
    d.ok("cuGraphExecDestroy", inner)
    d.ok("cuGraphLaunch", run, a)
    see("word", r.read(q, a), 5)


@case()
def circles(d: Driver, see: See) -> None:
    graph = d.get("cuGraphCreate", 0)
    x = ctypes.c_uint64(d.get("cuGraphAddEmptyNode", graph, None, 0))
    y = ctypes.c_uint64(d.get("cuGraphAddEmptyNode", graph, ctypes.byref(x), 1))
    add = d.call("cuGraphAddDependencies", graph, ctypes.byref(y), ctypes.byref(x), 1)
    see("add", add, 0, 1)
    if add == 0:
        see("instantiate", d.code("cuGraphInstantiateWithFlags", graph, 0), 1)


# Modules, launches, occupancy.


@case()
def texts_that_are_refused(d: Driver, see: See) -> None:
    see("a version of the future", d.load(PTX.replace("6.3", "99.0"))[0], 222, 218)
    code, _, log = d.load(PTX.replace("    ret;", "    garbage;", 1))
    see("garbage", code, 218)
    see("the log names the line", "line" in log and "garbage" in log, True)
    see("no PTX", d.load("\x7fELF")[0], 200, 209, 218)
    see("nothing", d.load("")[0], 218, ANY)


@case()
def names_that_are_not_there(d: Driver, see: See) -> None:
    module = d.module(PTX)
    see("function", d.code("cuModuleGetFunction", module, b"none"), 500)
    size = ctypes.c_uint64(0)
    see("variable", d.code("cuModuleGetGlobal_v2", ctypes.byref(size), module, b"none"), 500)
    see("unload", d.call("cuModuleUnload", module), 0)


@case()
def sizes_of_launches(d: Driver, see: See) -> None:
    f, p = Rig(d).kernel("inc"), Rig(d).word()
    see("one", d.launch(f, [p]), 0)
    for name, grid, block, shared in (
        ("no blocks", (0, 1, 1), (1, 1, 1), 0),
        ("no threads", (1, 1, 1), (0, 1, 1), 0),
        ("1025 threads", (1, 1, 1), (1025, 1, 1), 0),
        ("2048 threads", (1, 1, 1), (1024, 2, 1), 0),
        ("65 in z", (1, 1, 1), (1, 1, 65), 0),
        ("65536 blocks in y", (1, 65536, 1), (1, 1, 1), 0),
        ("2^31 blocks", (1 << 31, 1, 1), (1, 1, 1), 0),
        ("more shared memory than was asked for", (1, 1, 1), (1, 1, 1), (48 << 10) + 1),
    ):
        see(name, d.launch(f, [p], grid, block, shared), 1)
    most = d.attribute(97)
    see("shared memory on request", d.call("cuFuncSetAttribute", f, 8, most), 0)
    see("a launch with it", d.launch(f, [p], shared=most), 0)
    see("more than there is", d.call("cuFuncSetAttribute", f, 8, most + 1), 1)
    d.ok("cuCtxSynchronize")


@case(alone=True, may_crash=True)
def a_launch_without_arguments(d: Driver, see: See) -> None:
    f = Rig(d).kernel("inc")
    see("code", d.call("cuLaunchKernel", f, 1, 1, 1, 1, 1, 1, 0, 0, None, None), 1, ANY)


@case()
def what_functions_say_of_themselves(d: Driver, see: See) -> None:
    f = Rig(d).kernel("inc")

    def attribute(which: int) -> int:
        return d.get("cuFuncGetAttribute", which, f, kind=ctypes.c_int)

    see("version of PTX", attribute(5), 63)
    see("most threads", attribute(0), 1024)
    see("registers", 0 < attribute(4) <= 255, True)
    see("local memory", attribute(3), 0)


@case()
def occupancy(d: Driver, see: See) -> None:
    f = Rig(d).kernel("inc")

    def blocks(size: int, shared: int = 0) -> int:
        return d.get("cuOccupancyMaxActiveBlocksPerMultiprocessor", f, size, shared, kind=ctypes.c_int)

    see("some of 256", blocks(256) > 0, True)
    see("no more than threads allow", blocks(256) * 256 <= d.attribute(39), True)
    see("smaller ones are no fewer", blocks(128) >= blocks(256), True)
    see("shared memory takes room", blocks(32, 40 << 10) <= blocks(32), True)
    see("no threads", d.code("cuOccupancyMaxActiveBlocksPerMultiprocessor", f, 0, 0), 1)


@case()
def errors_have_names(d: Driver, see: See) -> None:
    text = ctypes.c_char_p()
    d.ok("cuGetErrorName", 700, ctypes.byref(text))
    see("700", (text.value or b"").decode(), "CUDA_ERROR_ILLEGAL_ADDRESS")
    see("unknown", d.call("cuGetErrorString", 12345, ctypes.byref(text)), 1)


@case()
def functions_by_version(d: Driver, see: See) -> None:
    if not d.has("cuGetProcAddress_v2"):
        return

    def find(name: bytes, version: int) -> tuple[bool, int]:
        status, address = ctypes.c_uint32(9), ctypes.c_uint64(0)
        d.call("cuGetProcAddress_v2", name, ctypes.byref(address), version, 0, ctypes.byref(status))
        return address.value != 0, status.value

    see("known", find(b"cuMemAlloc", 12000), (True, 0))
    see("unknown", find(b"cuNothing", 12000), (False, 1))
    see("of a later version", find(b"cuGraphAddNode", 12000), (False, 2))


@case(alone=True, fresh=False)
def before_initialisation(d: Driver, see: See) -> None:
    see("count", d.code("cuDeviceGetCount"), 3)
    see("allocate", d.code("cuMemAlloc_v2", 4), 3, 201)
    d.start()
    see("one device too many", d.code("cuDeviceGet", d.get("cuDeviceGetCount", kind=ctypes.c_int)), 101)


@case(alone=True)
def in_a_forked_child(d: Driver, see: See) -> None:
    child = os.fork()
    if child == 0:
        codes = [d.call("cuInit", 0), d.code("cuDeviceGetCount"), d.call("cuCtxSynchronize")]
        os._exit(0 if codes == [3, 3, 3] else 1)
    see("nothing works", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, ANY)


# Faults.


def _fault(d: Driver, see: See, code: int, *others: int) -> None:
    found = d.call("cuCtxSynchronize")
    see("synchronize", found, code, *others)
    see("again", d.call("cuCtxSynchronize") == found, True)
    see("allocate", d.code("cuMemAlloc_v2", 4) == found, True)
    see("which device", d.code("cuCtxGetDevice"), 0)


@case(alone=True)
def a_trap(d: Driver, see: See) -> None:
    see("launch", d.launch(Rig(d).kernel("stop"), [0]), 0)
    _fault(d, see, 719, 715)


@case(alone=True)
def an_address_of_nothing(d: Driver, see: See) -> None:
    see("launch", d.launch(Rig(d).kernel("far"), [64]), 0)
    _fault(d, see, 700)


@case(alone=True)
def an_address_that_is_not_aligned(d: Driver, see: See) -> None:
    see("launch", d.launch(Rig(d).kernel("far"), [Rig(d).word() + 1]), 0)
    _fault(d, see, 716)


@case(alone=True)
def a_failed_assertion(d: Driver, see: See) -> None:
    see("launch", d.launch(d.function(d.module(ASSERT), "k"), [0]), 0)
    _fault(d, see, 710)


@case(alone=True)
def a_fault_in_a_graph(d: Driver, see: See) -> None:
    r = Rig(d)
    a, p, f = r.stream(), r.word(), r.kernel("stop")
    r.begin(a)
    r.set(p, 1, a)
    see("launch", d.launch(f, [0], stream=a), 0)
    r.set(p, 2, a)
    run = r.instantiate(r.captured(a))
    d.ok("cuGraphLaunch", run, a)
    see("synchronize", d.call("cuStreamSynchronize", a), 719, 715)


@case(alone=True)
def a_reset_after_a_fault(d: Driver, see: See) -> None:
    d.launch(Rig(d).kernel("stop"), [0])
    see("synchronize", d.call("cuCtxSynchronize"), 719, 715)
    # A process may be beyond help after a fault.
    see("reset", d.call("cuDevicePrimaryCtxReset_v2", 0), 0, ANY)
    see("the context is gone", d.call("cuCtxSynchronize"), 709, ANY)
    see("a new one", d.code("cuDevicePrimaryCtxRetain", 0), 0, ANY)


@case(alone=True)
def a_module_that_is_unloaded_early(d: Driver, see: See) -> None:
    r = Rig(d)
    a, p, module = r.stream(), r.word(), d.module(PTX)
    f = d.function(module, "inc")
    see("launch", d.launch(f, [p], stream=a), 0)
    see("unload", d.call("cuModuleUnload", module), 0)
    # A GPU may be done with it, or wait.
    see("synchronize", d.call("cuStreamSynchronize", a), 719, 0, 700)


@dataclass
class Seen:
    """An answer, with what the driver for tests answers and what a real one may answer instead."""

    case: str
    what: str
    got: Any
    ours: Any
    others: list[Any] = field(default_factory=list)

    def fits(self, is_ours: bool) -> bool:
        return self.got == self.ours or (not is_ours and (ANY in self.others or self.got in self.others))


def plain(value: Any) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(value))


def child(path: str, names: list[str]) -> None:
    """Runs cases here and prints a line for each answer."""
    driver = Driver(path)
    for name in names:
        if driver.is_ours:
            driver.call("ptx_driver_reset")
        if CASES[name].fresh:
            driver.start()

        def see(what: str, got: Any, ours: Any, *others: Any, name: str = name) -> None:
            print(json.dumps([name, what, got, ours, others]), flush=True)

        try:
            CASES[name].run(driver, see)
        except DriverError as error:
            see("ended", str(error), "")


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PTX_DRIVER_")}


def observe(path: str, is_ours: bool, names: list[str]) -> list[Seen]:
    """Runs cases in new processes."""
    together = [name for name in names if not CASES[name].alone]
    found: list[Seen] = []
    for batch in [together, *([name] for name in names if CASES[name].alone)]:
        if not batch:
            continue
        command = [sys.executable, __file__, "--driver", path, "--child", *batch]
        begun: set[str] = set()
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, env=clean_environment(), timeout=120, check=False
            )
            output, status, said = done.stdout, done.returncode, done.stderr
        except subprocess.TimeoutExpired as late:
            output, status, said = (late.stdout or b"").decode(), -99, "it did not end within two minutes"
        for line in output.splitlines():
            name, what, got, ours, others = json.loads(line)
            begun.add(name)
            found.append(Seen(name, what, got, ours, others))
        if status:
            name = batch[max(len(begun) - 1, 0)]
            allowed = [ANY] if CASES[name].may_crash and not is_ours else []
            found.append(Seen(name, "status of the process", f"{status} {said.strip()[-300:]}", 0, allowed))
    return found


def golden(about: str, seen: list[Seen]) -> str:
    text = f"# What {about} answers; driver_behaviour.py writes this.\n"
    last = ""
    for one in seen:
        if one.case != last:
            last = one.case
            text += f"\n{last}\n"
        # An address says nothing to others.
        got = one.got if not isinstance(one.got, list) or max([0, *filter(is_number, one.got)]) < 1 << 32 else "..."
        text += f"    {one.what}: {json.dumps(got)}\n"
    return text


def is_number(value: Any) -> bool:
    return isinstance(value, int)


def complaint(one: Seen) -> str:
    other = f" or {one.others}" if one.others else ""
    return f"{one.case}: {one.what}: {one.got}, expected {one.ours}{other}"


def summary(seen: list[Seen], is_ours: bool) -> str:
    same = sum(one.got == one.ours for one in seen)
    fit = sum(one.fits(is_ours) for one in seen)
    cases = len({one.case for one in seen})
    return (
        f"{len(seen)} answers in {cases} cases: {same} as the driver for tests, {fit - same} otherwise as allowed, "
        f"{len(seen) - fit} different"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", default=LIBRARY, help=f"the library (default: {LIBRARY})")
    parser.add_argument("--goldens", type=Path, help="write the answers into this folder")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("cases", nargs="*", help="cases (default: all)")
    options = parser.parse_args()
    if options.child:
        child(options.driver, options.cases)
        return 0
    driver = Driver(options.driver)
    driver.ok("cuInit", 0)
    seen = observe(options.driver, driver.is_ours, options.cases or list(CASES))
    wrong = [one for one in seen if not one.fits(driver.is_ours)]
    for one in wrong:
        print(complaint(one))
    print(f"{driver.describe()}: {summary(seen, driver.is_ours)}")
    if options.goldens:
        options.goldens.mkdir(parents=True, exist_ok=True)
        path = options.goldens / f"sm_{driver.capability}.{driver.version}.txt"
        path.write_text(golden(driver.describe(), seen))
        print(f"wrote {path}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
