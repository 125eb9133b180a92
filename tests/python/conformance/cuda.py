"""The second target: blocks as they are written, on a GPU.

Every block that runs on the CPU runs there too, on a machine whose default device is a GPU, but for those of
`OUT_OF_REACH`: the driver for tests cannot run them. `gpu/test_documents.py` runs the others on it, and all of them
on a real GPU where their framework sees it.
`test_coverage.py` holds that no block that names CUDA is left out.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import checks_jax
from .documents import Block, all_blocks
from .plan import RUNS, Run
from .running import Ran

#: What only GPUs have: devices and libraries, streams, events and graphs of CUDA, its memory and tools.
NAMES = re.compile(
    r"cuda|cupy|gpu|nvtx|nsight|stream|mempool|\bpeer|\bipc|\bevents?\b|\bcaptured?\b|graph_?mode|pinned|allocator",
    re.IGNORECASE,
)


def names_cuda(block: Block) -> bool:
    """Whether a block names what only GPUs have."""
    return NAMES.search(block.text) is not None


@dataclass(frozen=True)
class OutOfReach:
    """Blocks that the driver for tests cannot run: why, and the frameworks that must see the GPU for them.

    `says` matches what the first framework raises where it does not see the GPU; empty for what is not tried.
    """

    why: str
    frameworks: tuple[str, ...]
    rows: str
    says: str = ""

    @property
    def ids(self) -> list[str]:
        return self.rows.split()


TORCH = "torch's own kernels are machine code, and the driver for tests runs PTX"
TORCH_SAYS = "NVIDIA driver on your system|not compiled with CUDA|CUDA error"
JAX = "jax as the tests have it knows no GPU"
JAX_SAYS = "Unknown backend cuda"
PADDLE = "paddle as the tests have it knows no GPU"

OUT_OF_REACH = (
    OutOfReach(
        f"the block, or one before it, makes tensors of torch on the GPU: {TORCH}",
        ("torch",),
        """000:43 000:295 000:307 000:320 000:335 001:43 001:409 001:421 001:438 001:457
        003:22 003:335 003:342 003:353 003:366""",
        TORCH_SAYS,
    ),
    OutOfReach(
        f"the case study of gradients that torch allocates late, on the GPU: {TORCH}",
        ("torch",),
        "001:507 001:635 001:683 001:736 001:785 001:836",
        TORCH_SAYS,
    ),
    OutOfReach(
        f"the block names no device, and torch is given the default one, a GPU: {TORCH}",
        ("torch",),
        "000:166 000:204 001:164 001:204 001:298 003:162 003:190 003:258 004:88",
        TORCH_SAYS,
    ),
    OutOfReach(
        f"jax is given an array on the default device, a GPU: {JAX}",
        ("jax", "torch"),
        "000:710 000:720",
        JAX_SAYS,
    ),
    OutOfReach(
        f"jax, torch and paddle are given an array on the default device, a GPU: {JAX}",
        ("jax", "torch", "paddle"),
        "001:1735 001:1746 003:985 003:991",
        JAX_SAYS,
    ),
    OutOfReach(
        f"the block names no device, and paddle is given the default one, a GPU: {PADDLE}",
        ("paddle",),
        "001:1838 003:1116",
        "Unsupported backend",
    ),
    OutOfReach(
        f"a block before it chooses the GPU with torch: {TORCH}; {PADDLE}",
        ("torch", "paddle"),
        "001:1880 001:1892 001:1908 001:1927 003:1146 003:1153 003:1163 003:1176",
        TORCH_SAYS,
    ),
    OutOfReach(
        "programs of several processes with a GPU each, and their start: `test_distributed.py` runs them on the CPU",
        ("jax",),
        """000:473 000:482 000:576 000:586 001:1605 001:1614 001:1713 002:639 002:646 002:738
        003:897 003:901 003:975""",
    ),
)


def out_of_reach() -> dict[str, OutOfReach]:
    """The blocks that the driver for tests cannot run, by id."""
    return {block_id: row for row in OUT_OF_REACH for block_id in row.ids}


def within_reach() -> list[Run]:
    """The rows of the plan that it can."""
    absent = out_of_reach()
    return [row for row in RUNS if row.id not in absent]


def uses_the_gpu(row: Run) -> bool:
    """Whether a row names CUDA, itself or in the blocks that run before it."""
    return any(names_cuda(all_blocks()[block_id]) for block_id in (*row.needs, row.id))


def callbacks_on_a_gpu(ran: Ran) -> None:
    """The function of the block, called as XLA calls it on a GPU: with its buffers and its stream.

    The block itself called it on the CPU, where jax is. Only that stream is in order with what is written here.
    """
    from gpu.interop.exchange import Interface, Producer, memory
    from gpu.support import driver as drivers

    class Buffer(Interface):
        @property
        def shape(self) -> tuple[int, ...]:
            return self.producer.shape

    given = np.arange(10, dtype=np.float32)
    addresses = [memory(bytes(given.nbytes)) for _ in range(4)]
    a, b, c, d = (Buffer(Producer(at, shape)) for at, shape in zip(addresses, [(10,), (5, 2)] * 2, strict=True))
    driver = drivers.get()
    stream = driver.stream()
    for at in addresses[:2]:
        driver.fill(at, 0x40400000, 10, stream)  # 3.0
    gpu = types.SimpleNamespace(platform="gpu", local_hardware_id=0)
    ran.names.update(get_jax_device=lambda: gpu, jax=types.SimpleNamespace(local_devices=lambda: [gpu]))
    ran["warp_func"]([a, b], [c, d], {"scale": 2.0}, types.SimpleNamespace(stream=stream))
    for at in addresses[2:]:
        assert np.frombuffer(driver.read(at, given.nbytes, stream), np.float32).tolist() == [6.0] * 10
    ran["wp"].synchronize()
    driver.end_stream(stream)
    for at in addresses:
        driver.free(at)


#: What is checked on a GPU besides what is checked on the CPU.
FURTHER: dict[Callable[[Ran], Any], Callable[[Ran], None]] = {checks_jax.callbacks: callbacks_on_a_gpu}
