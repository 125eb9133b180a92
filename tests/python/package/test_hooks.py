"""What the extension uses of the package: each hook leads somewhere, and is imported at its first use."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
import warp as wp
from warp import _warp
from warp._hooks import HOOKS


@pytest.mark.parametrize("place", HOOKS.values(), ids=HOOKS)
def test_every_hook_is_there(place):
    module, _, name = place.partition(":")
    assert hasattr(import_module(module), name or "__name__")


def test_both_sides_have_the_same_hooks():
    with pytest.raises(SystemError, match=r"does not register the hook 'namespace'"):
        _warp._register_hooks({})
    with pytest.raises(SystemError, match=r"registers 'planted', which is no hook"):
        _warp._register_hooks({**HOOKS, "planted": "warp"})
    assert wp.zeros(2).memory_kind == wp.MemoryKind.HOST


def run(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


def test_a_hook_is_imported_when_it_is_used():
    program = """
import sys
import warp as wp
from warp._hooks import HOOKS

module = HOOKS["memory_kind"].partition(":")[0]
print(module in sys.modules)
wp.zeros(2).memory_kind
print(module in sys.modules)
"""
    assert run(program)[:2] == ["False", "True"]


def test_a_hook_without_its_registration_is_a_bug():
    program = """
import sys, types
sys.modules["warp._hooks"] = types.ModuleType("warp._hooks")
import warp as wp
try:
    wp.zeros(2).memory_kind
except SystemError as error:
    print(error)
"""
    assert "hook 'memory_kind' is used before warp/_hooks.py registered it" in run(program)[0]
