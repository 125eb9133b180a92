"""What all tests share."""

from __future__ import annotations

import os

# Most tests are of optimised code, and some of how long that takes to compile; test_tiered.py has those of what runs
# before. Asked when warp is imported, here and by the programs that tests start.
os.environ.setdefault("WARP_TIERED_COMPILATION", "0")

import gc

import pytest
from hypothesis import settings

# No test measures time: other programs may share the machine.
settings.register_profile("warp", deadline=None)
settings.load_profile("warp")


# Tests of what is compiled and kept, of how launches wait for each other and of how they are interrupted. Where
# launches are checked (`WARP_CHECK_CODE`) there is more code, and one launch at a time.
UNCHECKED = ("faults/", "test_cache_folder.py", "test_concurrent_launches.py", "test_tiered.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("WARP_CHECK_CODE"):
        skip = pytest.mark.skip(reason="launches are checked")
        for item in items:
            if any(name in item.nodeid for name in UNCHECKED):
                item.add_marker(skip)


@pytest.fixture(scope="module", autouse=True)
def only_what_tests_make_is_collected():
    """Hides what there is before the tests of a file from the garbage collector.

    Those are hundreds of thousands of objects, of the frameworks and of pytest, through which each `gc.collect()` would
    go. What these tests make is collected as ever."""
    gc.collect()
    gc.freeze()
