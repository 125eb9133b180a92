"""Kernels as torch operators in several processes: exported programs that another one loads, distributed training."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest
import warp as wp

from support.places import TESTS

from .torch_kernels import expected_wave, randn, rowsum, same, torch, torch_kernel, wave


def start(text, *args):
    """A process that runs `text` with the folder of the tests on its path."""
    text = f"import sys; sys.path.insert(0, {str(TESTS)!r})\n" + text
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", text, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def finish(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0, out.decode()


LOAD = """
import torch
from interop.torch import torch_kernels
folder = sys.argv[1]
torch_kernels.torch_kernel(torch_kernels.wave)
x, want = torch.load(folder + "/values")
torch.testing.assert_close(torch.export.load(folder + "/program.pt2").module()(x), want)
"""


def test_an_exported_program_is_loaded_elsewhere(tmp_path):
    f = torch_kernel(wave)

    class Module(torch.nn.Module):
        def forward(self, x):
            return f(2.0 * x, 3.0)

    x = randn(5)
    program = torch.export.export(Module(), (x,), dynamic_shapes=({0: torch.export.Dim("n")},))
    torch.export.save(program, tmp_path / "program.pt2")
    torch.save((randn(8), expected_wave(2.0 * randn(8), 3.0)), tmp_path / "values")
    finish(start(LOAD, tmp_path))


def test_copies_and_pickles():
    f = torch_kernel(rowsum, in_out_argnames=["sums"], vmap_method="sequential")
    assert copy.deepcopy(torch.nn.ModuleDict({"a": Holder(f)}))["a"].f is f
    again = pickle.loads(pickle.dumps(f))
    assert again.op is f.op
    m, sums = randn(2, 3), randn(2)
    same(again(m, sums), f(m, sums))

    @wp.kernel
    def inside(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i]

    local = torch_kernel(inside)
    again = pickle.loads(pickle.dumps(local))
    assert again.kernel is inside
    x = m[0].float()
    same(again(x), local(x))


class Holder(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f


TRAIN = """
import torch, torch.distributed
from interop.torch import torch_kernels
rank, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=count)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1).double()
        self.wave = torch_kernels.torch_kernel(torch_kernels.wave)

    def forward(self, x):
        return self.wave(self.layer(x)[:, 0], 2.0)


torch.manual_seed(0)
network = torch.nn.parallel.DistributedDataParallel(Network())
x = torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(8, 3)[rank::count]
(network(x) ** 2).mean().backward()
torch.save([p.grad for p in network.parameters()], f"{folder}/{rank}")
torch.distributed.destroy_process_group()
"""


def test_distributed_training(tmp_path, monkeypatch):
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("this torch has no gloo")
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    processes = [start(TRAIN, rank, 2, tmp_path) for rank in range(2)]
    for process in processes:
        finish(process)
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 1).double()
    x = torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(8, 3)
    (expected_wave(layer(x)[:, 0], 2.0) ** 2).mean().backward()
    for rank in range(2):
        same(torch.load(tmp_path / str(rank)), [p.grad for p in layer.parameters()])
