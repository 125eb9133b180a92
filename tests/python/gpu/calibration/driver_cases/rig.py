"""Cases: functions that make calls and see answers, and what they do again and again."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpu.support.driver_calls import Driver, DriverError

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


# Those of all subjects.
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
