"""The table of instructions, as far as NVIDIA's assembler knows it: no GPU is needed."""

from __future__ import annotations

import pytest

from gpu.calibration import assembler, calibrate

ROWS = calibrate.read()
pytestmark = pytest.mark.skipif(
    assembler.tools() is None, reason="NVIDIA's assembler, which Triton has, is not installed"
)


@pytest.mark.parametrize("capability", sorted({row.capability for row in ROWS}))
def test_each_row_assembles_for_the_gpu_that_it_names(capability, tmp_path):
    ptxas, _ = assembler.tools()
    for rows in calibrate.groups([row for row in ROWS if row.capability == capability]):
        complaint = assembler.assemble(ptxas, calibrate.text_of(rows), capability, tmp_path / "rows.cubin")
        assert complaint == "", f"{rows[0].section}: {complaint}"


@pytest.mark.parametrize("row", [row for row in ROWS if row.capability > 75], ids=lambda row: f"line {row.line}")
def test_earlier_gpus_lack_rows_that_name_a_later_one(row, tmp_path):
    ptxas, _ = assembler.tools()
    earlier = {80: 75, 90: 89}[row.capability]
    assert assembler.assemble(ptxas, calibrate.text_of([row]), earlier, tmp_path / "row.cubin") != ""


def test_results_that_the_assembler_computes(tmp_path):
    found = assembler.computed([row for row in ROWS if row.kind == "rows"], tmp_path)
    print(f"{len(found)} of {len(ROWS)} rows")
    assert len(found) > 200
    wrong = [f"{row.key} = {value:x}" for row, value in found if not calibrate.fits(row, [value])]
    assert wrong == []


def test_a_wrong_result_is_found(tmp_path):
    row = next(row for row in ROWS if row.kind == "rows")
    ((_, value),) = assembler.computed([row], tmp_path)
    assert value == row.result[0]
    row.result[0] ^= 1
    try:
        assert not calibrate.fits(row, [value])
    finally:
        row.result[0] ^= 1
