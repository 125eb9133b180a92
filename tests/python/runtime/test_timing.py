"""Times of CUDA devices: none without one; results print as a table and its sums."""

from __future__ import annotations

import pytest
import warp as wp


def test_kinds():
    kinds = [wp.TIMING_KERNEL, wp.TIMING_KERNEL_BUILTIN, wp.TIMING_MEMCPY, wp.TIMING_MEMSET, wp.TIMING_GRAPH]
    assert kinds == [1, 2, 4, 8, 16]
    assert wp.TIMING_ALL == 0xFFFFFFFF


@pytest.mark.skipif(wp.is_cuda_available(), reason="there is something to time")
def test_without_a_cuda_device_nothing_is_timed(capsys):
    wp.timing_begin(cuda_filter=wp.TIMING_KERNEL | wp.TIMING_MEMCPY, synchronize=False)
    wp.zeros(3, dtype=float).fill_(1.0)
    assert wp.timing_end() == []
    assert wp.timing_end(synchronize=False) == []
    wp.timing_print([], indent="  ")
    assert capsys.readouterr().out == "  No activity\n"


def test_results_print_with_their_sums(capsys):
    device = wp.get_device("cpu")
    results = [
        wp.TimingResult(device, "memset", wp.TIMING_MEMSET, 0.25),
        wp.TimingResult(device, "kernel step", wp.TIMING_KERNEL, 0.5),
        wp.TimingResult(device, "kernel step", wp.TIMING_KERNEL, 1.5),
    ]
    assert repr(results[0]) == "TimingResult('cpu', 'memset', filter=8, elapsed=0.25)"
    wp.timing_print(results, indent="> ")
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line] == [
        "> Milliseconds  Device  Activity",
        "> ------------  ------  -----------",
        ">     0.250000  cpu     memset",
        ">     0.500000  cpu     kernel step",
        ">     1.500000  cpu     kernel step",
        "> Milliseconds  Count  Activity",
        "> ------------  -----  -----------",
        ">     2.000000  2      kernel step",
        ">     0.250000  1      memset",
        "> Milliseconds  Count  Device",
        "> ------------  -----  ------",
        ">     2.250000  3      cpu",
    ]


def test_a_filter_is_an_int():
    with pytest.raises(TypeError, match="cuda_filter is 'all', expected a sum of wp.TIMING_KERNEL"):
        wp.timing_begin(cuda_filter="all")
