"""Captures of streams and the graphs that they make."""

from __future__ import annotations

import ctypes

from gpu.support.driver_calls import Driver

from .rig import ANY, PTX, Rig, See, case


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
