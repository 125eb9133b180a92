"""Faults of kernels, and what works after one."""

from __future__ import annotations

from gpu.support.driver_calls import Driver

from .rig import ANY, ASSERT, PTX, Rig, See, case


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
