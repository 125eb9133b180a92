"""Everything that is changed in a block before it runs, and why: nothing else is, but for the modules of `stand_ins`.

The documents show excerpts, name a GPU and use sizes for one. A test needs whole programs, and runs them on two
targets: the CPU, and a GPU, for which no device is replaced. `SUBSTITUTIONS` rewrites text, `DEFINED` gives a value to
names that a document uses and never sets, `WRAPPED` names the blocks that show only the methods of a class.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import warp as wp

#: What blocks are run on.
CPU, CUDA = "cpu", "cuda"


@dataclass(frozen=True)
class Substitution:
    """One rewriting. `blocks` limits it to blocks; empty means every block it matches. `targets` have it."""

    pattern: str
    replacement: str
    why: str
    blocks: tuple[str, ...] = ()
    targets: tuple[str, ...] = (CPU, CUDA)

    def applies_to(self, block_id: str, target: str = CPU) -> bool:
        return target in self.targets and (not self.blocks or block_id in self.blocks)

    def apply(self, text: str) -> str:
        return re.sub(self.pattern, self.replacement, text, flags=re.MULTILINE)


CASE_STUDY = "001:507"  # the class and the training loop that the solutions change
TAPE_SOLUTION = "001:785"  # the solution that differentiates the forward kernel with a tape

PADDLE_EXCERPTS = ("001:1880", "001:1892", "001:1908", "001:1927", "003:1146", "003:1153", "003:1163", "003:1176")

SUBSTITUTIONS = (
    Substitution(
        r"^> .*\n?",
        "",
        "what the program prints, shown inside it; the check compares it with what was printed",
    ),
    Substitution(
        r"(['\"])cuda(:0)?\1",
        r"\1cpu\1",
        "the block names a GPU; the same code runs on the CPU",
        targets=(CPU,),
    ),
    Substitution(
        r"torch\.cuda\.synchronize\(\)",
        "wp.synchronize()",
        "torch refuses to synchronise a GPU where there is none",
        targets=(CPU,),
    ),
    Substitution(
        r"N = 300_000_000",
        "N = 30_000",
        "five buffers of 1.2 GB; the size changes nothing but the time",
        (CASE_STUDY,),
    ),
    Substitution(
        r"jax\.dlpack\.to_dlpack\(jax_array\)",
        "jax_array",
        "jax has no to_dlpack any more: it is asked through the array",
    ),
    Substitution(
        r"jax\.dlpack\.from_dlpack\(wp\.to_dlpack\(warp_array\)\)",
        "jax.dlpack.from_dlpack(warp_array)",
        "jax takes no bare capsules any more",
    ),
    Substitution(
        r"\A",
        "import paddle\n",
        "the block is an excerpt that uses the module without importing it",
        PADDLE_EXCERPTS,
    ),
    Substitution(
        r"= vecmat_kernel\(",
        "= jax_vecmat(",
        "the document calls the kernel where it means the function made of it",
    ),
    Substitution(
        r"\ballgather\((\w+)\)",
        r"allgather(\1, tiled=True)",
        "jax gathers an array of several processes only in this form",
    ),
)

# The tape solution differentiates a kernel that the case study declares forward-only, and starts
# the gradients, to which the tape adds, from memory that nobody set.
TAPE_SUBSTITUTIONS = (
    Substitution(
        r"@wp\.kernel\(enable_backward=False\)",
        "@wp.kernel",
        "a forward-only kernel has no gradient for the tape to compute",
        (CASE_STUDY,),
    ),
    Substitution(
        r"torch\.empty_like\(([ab])\)$",
        r"torch.zeros_like(\1)",
        "the tape adds to the gradient, so it must start from zero",
        (TAPE_SOLUTION,),
    ),
)

# Names that the documents use without setting them, or before they set them.
DEFINED = {
    "np": np,
    "wp": wp,
    "n": 1000,
    "TRIALS": 2,
}

# These blocks are the two methods of the case study's class, without its first line.
WRAPPED = dict.fromkeys(
    ("001:635", "001:683", "001:736", TAPE_SOLUTION), "class WarpFunction(torch.autograd.Function):\n"
)


def prepare(block_id: str, text: str, extra: tuple[Substitution, ...] = (), target: str = CPU) -> str:
    """The text of a block as it is run."""
    for substitution in (*SUBSTITUTIONS, *extra):
        if substitution.applies_to(block_id, target):
            text = substitution.apply(text)
    if block_id in WRAPPED:
        text = WRAPPED[block_id] + re.sub(r"^(?=.)", "    ", text, flags=re.MULTILINE)
    return text
