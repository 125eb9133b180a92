"""What the documents say of CUDA outside their blocks, and the tests that hold it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .cuda import NAMES
from .documents import all_blocks, spec_dir


@dataclass(frozen=True)
class Subject:
    """Lines that match `pattern` are held by `tests`: files under `tests/python`, each followed by functions in it."""

    pattern: str
    tests: str

    def functions(self) -> list[tuple[str, str]]:
        """File and function of each test."""
        found = []
        for line in self.tests.strip().splitlines():
            file, *names = line.split()
            found += [(file, name) for name in names]
        return found


SUBJECTS = (
    Subject(
        r"ensure that the device on which the arrays reside",
        "gpu/runtime/test_two_devices.py test_an_array_of_the_other_device_is_refused",
    ),
    Subject(r"CPU and GPU tensors", "gpu/test_on_a_gpu_frameworks.py test_tensors_are_arguments_of_launches"),
    Subject(
        r"cuda(``)? device then it will first be copied",
        "gpu/runtime/test_arrays.py test_numpy_goes_there_and_back test_what_is_read_is_a_copy",
    ),
    Subject(
        r"CuPy|Numba|__cuda_array_interface__",
        """
        gpu/interop/test_exchange.py test_memory_is_shared test_launches_take_producers test_the_interface
        gpu/test_on_a_gpu_frameworks.py test_tensors_are_arguments_of_launches
        gpu/test_on_a_gpu_frameworks.py test_torch_reads_arrays_by_dlpack_and_interface
        gpu/test_documents.py test_block
        """,
    ),
    Subject(r"stream_(from|to)_torch|(PyT|T)orch CUDA stream", "gpu/test_on_a_gpu_frameworks.py test_streams_of_torch"),
    Subject(r"stream_from_paddle|Paddle CUDA stream", "interop/paddle/test_paddle.py test_streams_need_a_gpu"),
    Subject(r"CUDAPlace", "interop/paddle/test_paddle.py test_types_and_devices_without_counterpart"),
    Subject(
        r"stream synchroni[sz]ation|synchroni[sz]e the current|(synchronous|same) CUDA (default )?stream",
        """
        gpu/interop/test_exchange.py test_a_producer_of_dlpack_is_told_our_stream test_consumers_wait_for_us
        gpu/interop/test_exchange.py test_a_consumer_may_ask_not_to_wait
        """,
    ),
    Subject(
        r"Nsight|device-wide synchronization|PyTorch's (caching )?allocator|memory and stream dependencies",
        "gpu/test_on_a_gpu_frameworks.py test_gradients_that_torch_makes_late",
    ),
    # The check of the blocks about `jax_callable` calls it in every mode.
    Subject(
        r"GraphMode|graph_mode|be captured in a CUDA graph", "gpu/test_documents.py test_block test_block_on_a_gpu"
    ),
    Subject(r"Only the CUDA backend", "gpu/test_on_a_gpu_frameworks.py test_jax_kernels_run_on_the_device"),
    Subject(r"CPU nor GPU device", "interop/jax/test_jax.py test_devices"),
    Subject(r"execution context, including the CUDA stream", "gpu/test_documents.py test_block"),
    Subject(
        r"GPUs|multi-GPU|on each GPU",
        "conformance/test_distributed.py test_in_two_processes_with_two_devices_each test_by_mpirun",
    ),
)


def lines() -> list[tuple[str, str]]:
    """The lines outside blocks that name what only GPUs have: where each stands, and its text."""
    folder = spec_dir()
    if folder is None:
        return []
    found = []
    for path in sorted(folder.glob("[0-9][0-9][0-9]_*.txt")):
        document = path.name[:3]
        inside = {
            block.line + offset
            for block in all_blocks().values()
            if block.document == document
            for offset in range(len(block.text.splitlines()))
        }
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if number not in inside and NAMES.search(line):
                found.append((f"{document}:{number}", line.strip()))
    return found


def subjects_of(line: str) -> list[Subject]:
    """What a line is about."""
    return [subject for subject in SUBJECTS if re.search(subject.pattern, line)]
