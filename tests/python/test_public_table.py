"""The table of public names: it is what the namespace has, and what the stub shows."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest
import warp as wp
from warp._public import MODULES, NAMES

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
try:
    import public_stub
finally:
    sys.path.pop(0)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_what_its_module_has(name):
    module, framework = NAMES[name]
    if framework is not None and framework not in wp._warp.FRAMEWORKS:
        pytest.skip(f"a build without {framework}")
    expected = getattr(import_module(module), name)
    found = vars(wp)[name]
    assert (found._found() if isinstance(found, wp._lazy.LazyName) else found) is expected
    assert vars(wp)[name] is expected
    assert name in wp.__all__


def test_every_module_is_there():
    for name, framework in MODULES.items():
        if framework is None or framework in wp._warp.FRAMEWORKS:
            assert getattr(wp, name).__name__ == f"warp.{name}"


def test_the_stub_is_of_the_table():
    assert public_stub.STUB.read_text(encoding="utf-8") == public_stub.text(), "python scripts/public_stub.py"
