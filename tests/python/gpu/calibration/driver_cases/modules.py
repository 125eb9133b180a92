"""Modules, launches, occupancy, names of errors, and the start of the driver."""

from __future__ import annotations

import ctypes
import os

from gpu.support.driver_calls import Driver

from .rig import ANY, PTX, Rig, See, case


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
