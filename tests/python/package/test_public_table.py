"""The table of public names: it is what the namespace has, and what the stub shows."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
import warp as wp
from warp._public import MODULES, NAMES

from support.places import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
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


WITHOUT = """
import importlib.util, sys

# The extension as a build with few frameworks has it. `scripts/check_features.py --run` makes such builds.
spec = importlib.util.spec_from_file_location("warp._warp", sys.argv[1])
extension = importlib.util.module_from_spec(spec)
spec.loader.exec_module(extension)
missing = [name for name in ("torch", "paddle", "jax") if name not in sys.argv[2:]]
for name in list(vars(extension)):
    if name.endswith(tuple(f"_{framework}" for framework in missing)):
        delattr(extension, name)
extension.FRAMEWORKS = [name for name in extension.FRAMEWORKS if name not in missing]
sys.modules["warp._warp"] = extension

import warp as wp
from warp._public import MODULES, NAMES

rows = {**{name: framework for name, (_, framework) in NAMES.items()}, **MODULES}
print(*(name for name, framework in rows.items() if hasattr(wp, name) == (framework in missing)))
"""


@pytest.mark.parametrize("framework", ["torch", "paddle", "jax"])
def test_a_build_with_one_framework_has_its_names_alone(framework):
    if framework not in wp._warp.FRAMEWORKS:
        pytest.skip(f"a build without {framework}")
    command = [sys.executable, "-c", WITHOUT, wp._warp.__file__, framework]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr, done.returncode) == ([], "", 0)


def test_the_stub_is_of_the_table():
    assert public_stub.STUB.read_text(encoding="utf-8") == public_stub.text(), "python scripts/public_stub.py"
