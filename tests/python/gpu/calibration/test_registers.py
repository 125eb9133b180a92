"""How many registers the kernels of the benchmark take, by NVIDIA's assembler: no GPU is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu.calibration import registers

GOLDEN = Path(__file__).with_name("registers.txt")


def test_registers_are_those_that_are_noted():
    missing = registers.what_is_missing()
    if missing:
        pytest.skip(missing)
    assert registers.table() == GOLDEN.read_text(), "the header of `registers.py` says how to write them anew"


def test_spills_are_read():
    text = b""".version 6.3
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) .maxntid 1024, 1, 1 .minnctapersm 1 {
.reg .b64 %rd<3>; .reg .b32 %r<200>;
ld.param.u64 %rd1, [p];
BODY ret; }
"""
    if missing := registers.what_is_missing():
        pytest.skip(missing)
    body = "".join(f"ld.global.volatile.u32 %r{k}, [%rd1+{4 * k}];\n" for k in range(150))
    body += "".join(f"st.global.volatile.u32 [%rd1+{4 * k}], %r{149 - k};\n" for k in range(150))
    # A thread of 1,024 in a block has 64 registers.
    taken, stack, stores, loads = map(int, registers.used(text.replace(b"BODY", body.encode()), 75).split(", "))
    assert taken == 64
    assert min(stack, stores, loads) > 0
