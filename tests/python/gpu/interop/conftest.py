"""What tests of frameworks on GPUs share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .jax_calls import Device


@pytest.fixture
def theirs() -> Iterator[Device]:
    """A device as XLA has it; the module needs jax."""
    from .jax_calls import Device

    device = Device()
    yield device
    device.close()
