"""Kernels with more parameters than every PTX takes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import warp as wp

from gpu.calibration.assembler import tools

GPU = "cuda:0"
#: PTX within an entry of the cache.
TEXT = re.compile(rb"\.version[\t\n\r -~]*")


def model(tmp_path: Path, count: int, field: str, term: str, name: str):
    """A module with a kernel that adds up the fields of two structs."""
    fields = "\n".join(f"    a{k}: {field}" for k in range(count))
    terms = " + ".join(f"m.a{k}{term} + n.a{k}{term}" for k in range(count))
    text = f"""\
import warp as wp

@wp.struct
class Model:
{fields}

@wp.kernel
def total(m: Model, n: Model, o: wp.array(dtype=wp.float64)):
    i = wp.tid()
    o[i] = {terms}
"""
    (tmp_path / f"{name}.py").write_text(text)
    sys.path.insert(0, str(tmp_path))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(tmp_path))


@pytest.mark.parametrize("count", [30, 50, 400])
def test_structs_of_numbers(tmp_path, count):
    made = model(tmp_path, count, "wp.float64", "", f"numbers_{count}")
    m, n = made.Model(), made.Model()
    for k in range(count):
        setattr(m, f"a{k}", float(k))
        setattr(n, f"a{k}", 0.5)
    o = wp.zeros(3, dtype=wp.float64, device=GPU)
    wp.launch(made.total, 3, [m, n, o], device=GPU)
    assert o.list() == [sum(range(count)) + 0.5 * count] * 3


@pytest.mark.parametrize("count", [20, 40])
def test_structs_of_arrays(tmp_path, count):
    made = model(tmp_path, count, "wp.array4d(dtype=wp.float64)", "[i, 0, 0, 0]", f"arrays_{count}")
    m, n = made.Model(), made.Model()
    for k in range(count):
        setattr(m, f"a{k}", wp.full((2, 1, 1, 1), float(k), dtype=wp.float64, device=GPU))
        setattr(n, f"a{k}", wp.full((2, 1, 1, 1), 0.5, dtype=wp.float64, device=GPU))
    o = wp.zeros(2, dtype=wp.float64, device=GPU)
    wp.launch(made.total, 2, [m, n, o], device=GPU)
    assert o.list() == [sum(range(count)) + 0.5 * count] * 2


def test_the_adjoint_of_many_arrays(tmp_path):
    count = 60
    names = [f"a{k}" for k in range(count)]
    text = (
        "import warp as wp\n\n@wp.kernel\ndef total({}, o: wp.array(dtype=float)):\n    i = wp.tid()\n    o[i] = {}\n"
    )
    parameters = ", ".join(f"{n}: wp.array(dtype=float)" for n in names)
    terms = " + ".join(f"{k}.0 * {n}[i]" for k, n in enumerate(names))
    (tmp_path / "many_arrays.py").write_text(text.format(parameters, terms))
    sys.path.insert(0, str(tmp_path))
    import many_arrays

    arrays = [wp.ones(2, dtype=float, device=GPU, requires_grad=True) for _ in names]
    o = wp.zeros(2, dtype=float, device=GPU, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(many_arrays.total, 2, [*arrays, o], device=GPU)
    tape.backward(grads={o: wp.ones_like(o)})
    assert [a.grad.list() for a in arrays] == [[float(k)] * 2 for k in range(count)]


def test_more_than_any_gpu_takes(tmp_path):
    made = model(tmp_path, 300, "wp.mat33d", "[0, 0]", "too_many")
    o = wp.zeros(3, dtype=wp.float64, device=GPU)
    with pytest.raises(wp.LaunchError, match=r"kernel 'total' takes 43\d{3} bytes of parameters on GPUs.*32764"):
        wp.launch(made.total, 3, [made.Model(), made.Model(), o], device=GPU)
    # The CPU has no such limit.
    o = wp.zeros(1, dtype=wp.float64, device="cpu")
    wp.launch(made.total, 1, [made.Model(), made.Model(), o], device="cpu")
    assert o.list() == [0.0]


@pytest.mark.skipif(tools() is None, reason="there is no assembler of NVIDIA's")
def test_what_the_assembler_says(tmp_path):
    model(tmp_path, 300, "wp.float64", "", "assembled")
    script = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import assembled, warp as wp
o = wp.zeros(1, dtype=wp.float64, device="{GPU}")
wp.launch(assembled.total, 1, [assembled.Model(), assembled.Model(), o], device="{GPU}")
wp.synchronize()
"""
    cache = tmp_path / "cache"
    environment = {**os.environ, "WARP_CACHE_PATH": str(cache)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=120)
    texts = [text for entry in cache.rglob("*.wk") if (text := TEXT.search(entry.read_bytes()))]
    assert len(texts) == 1
    ptx = tmp_path / "k.ptx"
    ptx.write_bytes(texts[0][0])
    command = [tools()[0], "-arch=sm_90", "-o", os.devnull, ptx]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
