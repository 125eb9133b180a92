"""What tests of the language share."""

import pytest
import warp as wp


@pytest.fixture
def debug():
    wp.config.mode = "debug"
    yield
    wp.config.mode = "release"
