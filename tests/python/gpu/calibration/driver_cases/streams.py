"""The order of streams, events, callbacks of the host, handles that are none."""

from __future__ import annotations

import ctypes

from gpu.support.driver_calls import Driver

from .rig import ANY, Rig, See, case


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
