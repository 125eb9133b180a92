"""Where things lie, for tests that read files of the repository or start programs that import tests."""

from __future__ import annotations

import os
from pathlib import Path

# The folder from which tests import each other: `support.places`, `gpu.support.driver`. pytest.ini names it, too.
TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parents[1]


def search_path() -> str:
    """PYTHONPATH of a program that imports what tests import."""
    return os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
