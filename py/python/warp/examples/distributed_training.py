"""Two processes train one network with a kernel in it: torch's DistributedDataParallel over gloo.

python -m warp.examples.distributed_training [--steps N]
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import torch
import torch.distributed
import torch.multiprocessing
import warp as wp
from torch.nn.parallel import DistributedDataParallel

from . import _shared
from .autograd_function import SoftClip

PROCESSES = 2
STEPS = 20


@wp.kernel
def add_rank(values: wp.array[float], rank: float) -> None:
    i = wp.tid()
    values[i] = values[i] + rank


class Network(torch.nn.Module):
    """Two linear layers with the kernel between them."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(1, 16).double()
        self.last = torch.nn.Linear(16, 1).double()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden: torch.Tensor = SoftClip.apply(self.first(x))
        result: torch.Tensor = self.last(hidden)
        return result


def train(
    model: torch.nn.Module, inputs: torch.Tensor, targets: torch.Tensor, steps: int = STEPS
) -> dict[str, torch.Tensor]:
    """The gradient of the first step, and the parameters after the last, by name."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    found: dict[str, torch.Tensor] = {}
    for step in range(steps):
        optimizer.zero_grad()
        torch.mean((model(inputs) - targets) ** 2).backward()
        if step == 0:
            for name, parameter in model.named_parameters():
                assert parameter.grad is not None
                found[f"gradient of {name.removeprefix('module.')}"] = parameter.grad.clone()
        optimizer.step()
    for name, parameter in model.named_parameters():
        found[name.removeprefix("module.")] = parameter.detach().clone()
    return found


def data() -> tuple[torch.Tensor, torch.Tensor]:
    """The whole batch."""
    inputs = torch.linspace(-3, 3, 64, dtype=torch.float64)[:, None]
    return inputs, torch.sin(inputs)


def work(rank: int, folder: str, steps: int, device: str) -> None:
    """What each process does; its results go to a file."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # both are on this machine
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=PROCESSES
    )
    try:
        with _shared.with_torch(device):
            torch.manual_seed(0)
            inputs, targets = data()
            # A group that a DistributedDataParallel was given lives as long as the process, and gloo's threads with
            # it. One that lets go of its last tensor while Python ends aborts the process. So the collective below
            # has a group to itself, the default one, whose threads `destroy_process_group` ends.
            group = torch.distributed.new_group()
            network = DistributedDataParallel(Network(), process_group=group)
            found = train(network, inputs[rank::PROCESSES], targets[rank::PROCESSES], steps)

            # A collective on memory of an array: kernels before it and after it see the same elements.
            values = wp.zeros(4)
            wp.launch(add_rank, dim=4, inputs=[values, float(rank + 1)])
            torch.distributed.all_reduce(wp.to_torch(values))
            wp.launch(add_rank, dim=4, inputs=[values, 10.0])
            found["sum over processes"] = torch.tensor(values.list())
            torch.save(found, Path(folder, f"{rank}.pt"))
    finally:
        torch.distributed.destroy_process_group()


def main(steps: int = STEPS) -> bool:
    """Returns whether both processes found what one process alone finds."""
    torch.manual_seed(0)
    alone = train(Network(), *data(), steps)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(work, args=(folder, steps, str(wp.get_device())), nprocs=PROCESSES)
        found = [torch.load(Path(folder, f"{rank}.pt")) for rank in range(PROCESSES)]
    right = True
    for rank, results in enumerate(found):
        sums = results.pop("sum over processes").tolist()
        worst = max(float((results[name] - value).abs().max()) for name, value in alone.items())
        print(f"process {rank}: gradients and parameters differ by {worst:.1e}, the array holds {sums}")
        right &= worst < 1e-12 and sums == [13.0] * 4 and results.keys() == alone.keys()
    return right


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, draws=False, steps=STEPS)
    with _shared.with_torch(options.device):
        main(options.steps)


if __name__ == "__main__":
    program()
