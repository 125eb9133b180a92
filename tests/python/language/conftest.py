"""What tests of statements share: kernels that run over one array of results."""

import pytest
import warp as wp


@pytest.fixture
def debug():
    wp.config.mode = "debug"
    yield
    wp.config.mode = "release"
