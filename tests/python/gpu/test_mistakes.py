"""Mistakes that are planted, and found: what the tests of this folder would see if the package made them.

Each runs in a process of its own, on a driver that does work late.
"""

from __future__ import annotations

import signal

import pytest

from gpu.support.processes import run, succeeds

pytestmark = pytest.mark.usefixtures("double")

TWO_STREAMS = """
first, second = wp.Stream(), wp.Stream()
x, y = wp.zeros(64, dtype=float), wp.zeros(64, dtype=float)
wp.synchronize()
wp.launch(number, dim=64, inputs=[x], stream=first)
{wait}
wp.launch(add, dim=64, inputs=[x, y], stream=second)
wp.synchronize_stream(second)
expected = [float(i) for i in range(64)]
with wp.ScopedStream(second, sync_enter=False):
    found = y.list()
wp.synchronize()
assert found == expected, found
"""


def test_a_missing_event_between_two_streams():
    succeeds(TWO_STREAMS.format(wait="second.wait_stream(first)"))
    done = run(TWO_STREAMS.format(wait=""))
    assert "AssertionError: [0.0, 0.0" in done.stderr
    # In the order of the calls nobody would see it.
    succeeds(TWO_STREAMS.format(wait=""), ORDER="eager")


def test_the_host_reads_memory_of_the_gpu():
    done = run(
        """
        x = wp.zeros(3, dtype=float)
        wp.synchronize()
        print(ctypes.cast(x.ptr, ctypes.POINTER(ctypes.c_float))[0])
        """
    )
    assert done.returncode == -signal.SIGSEGV


def test_memory_is_given_back_before_its_stream_is_done():
    code = """
    driver.enter()
    x = wp.array(ptr=driver.allocate(256), dtype=float, shape=64, device="cuda:0")
    stream = wp.Stream()
    stream.wait_stream(wp.get_stream())
    wp.launch(number, dim=64, inputs=[x], stream=stream)
    {wait}
    driver("cuMemFreeAsync", ctypes.c_uint64(x.ptr), ctypes.c_void_p({on}))
    wp.synchronize()
    """
    succeeds(code.format(wait="", on="stream.cuda_stream"))
    done = run(
        code.format(wait="other = wp.Stream()", on="other.cuda_stream").replace(
            "wp.synchronize()", "wp.synchronize_stream(other); wp.synchronize()"
        ),
        ORDER="lazy",
    )
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stderr


def test_what_is_given_back_is_given_back_too_late_or_never():
    code = """
    before = driver.counts().allocations
    x = wp.zeros(64, dtype=float)
    {keep}
    del x
    wp.synchronize()
    assert driver.counts().allocations == before
    """
    succeeds(code.format(keep=""))
    assert run(code.format(keep="kept = x")).returncode == 1


UNCHECKED = """
@wp.kernel(module_options={{"check_bounds": False}}, module="unique")
def beyond(x: wp.array(dtype=float), by: int):
    i = wp.tid()
    x[i + by] = 1.0

driver.enter()
x = wp.array(ptr=driver.allocate(4 * 64), dtype=float, shape=64, device="cuda:0")
x.zero_()
wp.launch(beyond, dim=64, inputs=[x, {by}])
wp.synchronize()
"""


def test_an_index_one_past_the_end_without_checks():
    succeeds(UNCHECKED.format(by=0))
    done = run(UNCHECKED.format(by=1))
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stderr
    # The driver names the thread and the line of its PTX.
    assert "thread (63, 0, 0)" in done.stderr
    assert "st.global" in done.stderr


def test_a_sum_without_atomics():
    code = """
    @wp.kernel
    def plain(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[0] = out[0] + x[i]

    x, out = wp.ones(64, dtype=float), wp.zeros(1, dtype=float)
    wp.launch({kernel}, dim=64, inputs=[x, out])
    assert out.list() == [64.0]
    """
    succeeds(code.format(kernel="total"), RACES=1, SWITCH=3)
    done = run(code.format(kernel="plain"), RACES=1, SWITCH=3)
    assert done.returncode == 1
    assert "race" in done.stderr.lower()


COPY = """
.version 6.3
.target sm_75
.address_size 64
.visible .entry gather(.param .u64 to, .param .u64 from, .param .u64 stride)
{
    .reg .b64 %a<8>;
    .reg .b32 %t<2>;
    .reg .f32 %f<2>;
    ld.param.u64 %a1, [to];
    ld.param.u64 %a2, [from];
    ld.param.u64 %a3, [stride];
    mov.u32 %t1, %tid.x;
    cvt.u64.u32 %a4, %t1;
    mul.lo.s64 %a5, %a4, %a3;
    add.s64 %a2, %a2, %a5;
    shl.b64 %a6, %a4, 2;
    add.s64 %a1, %a1, %a6;
    ld.global.f32 %f1, [%a2];
    st.global.f32 [%a1], %f1;
    ret;
}
"""


def test_a_wrong_stride_in_bytes():
    code = f"""
    driver.enter()
    gather = driver.function({COPY!r}, "gather")
    values = np.arange(16, dtype=np.float32)
    x = wp.array(values, device="cuda:0")[::2]
    y = wp.zeros(8, dtype=float)
    def launch(stride):
        driver.launch(gather, 8, [ctypes.c_uint64(y.ptr), ctypes.c_uint64(x.ptr), ctypes.c_uint64(stride)])
        return y.list()
    assert launch(x.strides[0]) == x.list() == values[::2].tolist()
    """
    succeeds(code)
    done = run(code + "\n    print(launch(4) == x.list())")
    assert done.stdout == "False\n"
    # Words that are not aligned, and what lies behind the memory.
    for stride in (2, 12):
        done = run(code + f"\n    launch({stride})")
        assert "CUDA_ERROR_MISALIGNED_ADDRESS" in done.stderr or "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stderr


def test_an_error_that_is_lost():
    # Who catches a fault and goes on has lost nothing but it; who never waits has lost it.
    code = """
    x = wp.zeros(3, dtype=float)
    wp.launch(beyond, dim=3, inputs=[x, 5])
    {wait}
    """
    assert run(code.format(wait="")).returncode == 0
    for wait in (
        "wp.synchronize()",
        "wp.synchronize_stream()",
        "wp.synchronize_event(wp.record_event())",
        "x.numpy()",
        "x.list()",
        "x[0]",
        "print(x)",
        "np.asarray(x)",
        "x.to('cpu')",
        "wp.utils.array_sum(x)",
    ):
        done = run(code.format(wait=wait))
        assert done.returncode == 1, wait
        assert "IndexError: " in done.stderr, wait
        assert "kernel 'beyond': index" in done.stderr, wait


def test_poison_of_memory_that_nobody_wrote():
    out = succeeds("print(len(set(wp.empty(1000, dtype=int).list()) - {0}) > 0)")
    assert out == "True\n"
