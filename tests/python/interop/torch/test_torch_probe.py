"""The probe of torch: what the first tensor of a process costs, and what it may be in the midst of."""

import subprocess
import sys

import pytest

from support.places import TESTS

from .torch_way import is_direct


def run(text):
    program = f"import sys; sys.path.insert(0, {str(TESTS)!r})\n{text}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_the_first_tensor_imports_no_compiler():
    text = """
import sys, torch
import warp as wp

t = torch.zeros(3)
before = set(sys.modules)
wp.from_torch(t)
new = sorted(set(sys.modules) - before)
assert len(new) < 20, new
assert not any(name.startswith(("torch._dynamo", "torch._inductor", "sympy")) for name in new), new
"""
    run(text)


MODES = {
    "inference": "torch.inference_mode()",
    "fake": "FakeTensorMode()",
    "no_grad": "torch.no_grad()",
    "default_device": "torch.device('meta')",
}


@pytest.mark.skipif(not is_direct(), reason="storages of this torch are not held by their count")
@pytest.mark.parametrize("mode", MODES)
def test_the_first_tensor_may_come_in_any_mode(mode):
    text = f"""
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
import warp as wp
from interop.torch.torch_way import is_direct

t = torch.zeros(3)
with {MODES[mode]}:
    a = wp.from_torch(t)
assert a.shape == (3,)
print(is_direct())
"""
    assert run(text) == "True"


@pytest.mark.skipif(not is_direct(), reason="storages of this torch are not held by their count")
def test_the_probe_is_tried_again():
    text = """
import torch
import warp as wp
from interop.torch.torch_way import is_direct

def f(x):
    # The samples are wrapped as everything is in here.
    wp.from_torch(t)
    return x.sum()

t = torch.zeros(3)
torch.func.grad(f)(torch.ones(3))
wp.from_torch(torch.zeros(2, dtype=torch.float64))
print(is_direct())
"""
    assert run(text) == "True"


def test_processes_may_end_while_a_thread_probes():
    text = """
import sys, threading, torch
import warp as wp

sys.setswitchinterval(1e-6)
begun = threading.Event()

def convert():
    t = torch.zeros(3)
    begun.set()
    wp.from_torch(t)

threading.Thread(target=convert, daemon=True).start()
begun.wait()
"""
    for _ in range(6):
        run(text)
