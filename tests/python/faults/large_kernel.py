"""The text of a program that has `large`, a kernel of many statements: seconds of LLVM."""

from __future__ import annotations

TEXT = '''
import importlib.util
import pathlib
import tempfile

import warp as wp

text = """import warp as wp


@wp.kernel
def large(x: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
"""
for k in range(STATEMENTS):
    text += f"    v = wp.sin(v * {k + 1}.0) + v * wp.cos(v) / (v + {k}.5)\\n"
text += "    x[i] = v\\n"
path = pathlib.Path(tempfile.mkdtemp()) / "large_kernel.py"
path.write_text(text)
spec = importlib.util.spec_from_file_location("large_kernel", path)
large_kernel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(large_kernel)
large = large_kernel.large


def compile():
    wp.launch(large, dim=1, inputs=[wp.zeros(1, dtype=float)])


'''


def large_kernel(statements: int) -> str:
    return TEXT.replace("STATEMENTS", str(statements))
