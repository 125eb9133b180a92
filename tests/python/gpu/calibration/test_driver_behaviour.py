"""What a driver does, call by call: the one for tests in the ordinary suite, a real one where there is a GPU."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu.calibration import driver_behaviour
from gpu.calibration.driver_behaviour import ANY, Seen
from gpu.support import driver_calls


def test_the_driver_for_tests_behaves_as_is_said():
    library = driver_calls.driver_for_tests()
    if library is None:
        pytest.skip("the driver for tests is not built: cargo build -p ptx-driver")
    seen = driver_behaviour.observe(library, True, list(driver_behaviour.CASES))
    print(driver_behaviour.summary(seen, True))
    assert {one.case for one in seen} == set(driver_behaviour.CASES)
    assert [driver_behaviour.complaint(one) for one in seen if not one.fits(True)] == []


@pytest.mark.gpu
def test_a_real_driver_behaves_as_is_allowed():
    """Writes a golden of this driver: WARP_GOLDENS names the folder, `tests/goldens` by default."""
    library = driver_calls.real_driver()
    if library is None:
        pytest.skip("there is no NVIDIA GPU")
    seen = driver_behaviour.observe(library, False, list(driver_behaviour.CASES))
    driver = driver_calls.Driver(library)
    named = os.environ.get("WARP_GOLDENS")
    folder = Path(named) / "driver" if named else driver_behaviour.GOLDENS
    folder.mkdir(parents=True, exist_ok=True)
    text = driver_behaviour.golden(driver.describe(), seen)
    (folder / f"sm_{driver.capability}.{driver.version}.txt").write_text(text)
    print(driver_behaviour.summary(seen, False))
    assert [driver_behaviour.complaint(one) for one in seen if not one.fits(False)] == []


@pytest.mark.parametrize(
    ("seen", "of_ours", "of_others"),
    [
        (Seen("", "", 0, 0), True, True),
        (Seen("", "", 1, 0), False, False),
        (Seen("", "", 1, 0, [1]), False, True),
        (Seen("", "", 7, 0, [ANY]), False, True),
    ],
)
def test_what_is_allowed(seen, of_ours, of_others):
    assert (seen.fits(True), seen.fits(False)) == (of_ours, of_others)
