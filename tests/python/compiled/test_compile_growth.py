"""Compile time and memory grow with the size of a program, not faster: overloads, functions, structs, kernels."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SOAK = bool(os.environ.get("WARP_SOAK"))

PROGRAM = """
import linecache, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (10 << 30, 10 << 30))
import warp as wp

wp.config.tiered_compilation = False
FUNC, KERNEL, ARRAY = "@wp.func\\n", "@wp.kernel\\n", "a: wp.array(dtype=float)"


def body(lines):
    inner = "".join(f"    {s}\\n" for s in lines)
    return KERNEL + f"def k({ARRAY}):\\n    x = a[wp.tid()]\\n" + inner + "    a[wp.tid()] = x\\n"


def overloads(n):
    for i in range(n):
        names[f"T{i}"] = wp.types.vector(length=2 + i, dtype=wp.float32)
    made = "".join(FUNC + f"def f(x: T{i}):\\n    return x\\n" for i in range(n))
    return made + FUNC + "def f(x: float):\\n    return x\\n" + body(["x = f(x)"] * 20)


def calls(n):
    made = "".join(FUNC + f"def f{i}(x: float):\\n    return x * {i}.5\\n" for i in range(n))
    return made + body([f"x = f{i}(x)" for i in range(n)])


def rules(n):
    made = "".join(
        FUNC + f"def f{i}(x: float):\\n    return x * {i}.5\\n"
        f"@wp.func_grad(f{i})\\ndef g{i}(x: float, adj: float):\\n    wp.adjoint[x] += adj\\n"
        for i in range(n)
    )
    return made + body([f"x = f{i}(x)" for i in range(n)])


def structs(n):
    made = "@wp.struct\\nclass S0:\\n    x: float\\n"
    made += "".join(f"@wp.struct\\nclass S{i}:\\n    s: S{i - 1}\\n    x: float\\n" for i in range(1, n))
    return made + body([f"s = S{n - 1}()", "x = s" + ".s" * (n - 1) + ".x"])


def nested(n):
    made = FUNC + "def f0(x: float):\\n    return x * 1.5\\n"
    made += "".join(FUNC + f"def f{i}(x: float):\\n    return f{i - 1}(x) + 1.0\\n" for i in range(1, n))
    return made + body([f"x = f{n - 1}(x)"])


def nested_branches(n):
    made = FUNC + "def f0(x: float):\\n    return x * 1.5\\n"
    made += "".join(
        FUNC + f"def f{i}(x: float):\\n    y = x\\n    if x > {-i}.0:\\n        y = f{i - 1}(x) + 1.0\\n    return y\\n"
        for i in range(1, n)
    )
    return made + body([f"x = f{n - 1}(x)"])


def fields(n):
    made = "@wp.struct\\nclass S:\\n" + "".join(f"    f{i}: float\\n" for i in range(n))
    return made + body(["s = S()", *(f"s.f{i} = x * {i}.0" for i in range(n)), *(f"x += s.f{i}" for i in range(n))])


def branches(n):
    return body([f"x = wp.where(x > {i}.0, x * 0.5, x + 1.0)" for i in range(n)])


def kernels(n):
    return "".join(KERNEL + f"def k{i}({ARRAY}):\\n    a[wp.tid()] *= {i}.0\\n" for i in range(n))


def closures(n):
    made = f"def make(c):\\n    @wp.kernel\\n    def k({ARRAY}):\\n        a[wp.tid()] += c\\n    return k\\n"
    return made + f"for i in range({n}):\\n    globals()[f'k{{i}}'] = make(float(i))\\n"


what, n = sys.argv[1], int(sys.argv[2])
names = {"wp": wp}
start = time.process_time()
text = globals()[what](n)
linecache.cache["<grown>"] = (len(text), None, text.splitlines(True), "<grown>")
exec(compile(text, "<grown>", "exec"), names)
for name, kernel in list(names.items()):
    if isinstance(kernel, wp.Kernel):
        wp.launch(kernel, 4, [wp.ones(4)])
with open("/proc/self/status") as status:
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
print(time.process_time() - start, peak)
"""


def measured(what, n, tmp_path):
    """CPU seconds and KiB."""
    environment = {**os.environ, "WARP_CACHE_PATH": str(tmp_path / f"{what}{n}")}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, what, str(n)], capture_output=True, text=True, env=environment, check=False
    )
    assert run.returncode == 0, run.stderr
    seconds, size = run.stdout.split()
    return float(seconds), int(size)


SIZES = {
    "nested": 200,
    "nested_branches": 100,
    "fields": 500,
    "overloads": 300,
    "calls": 200,
    "rules": 200,
    "structs": 60,
    "branches": 300,
    "kernels": 40,
    "closures": 40,
}
LARGE = {
    "nested": 400,
    "nested_branches": 200,
    "fields": 1000,
    "overloads": 1000,
    "calls": 500,
    "rules": 1000,
    "structs": 200,
    "branches": 1000,
    "kernels": 1000,
    "closures": 1000,
}


@pytest.mark.parametrize("what", SIZES)
def test_programs_of_a_size_compile_in_little_memory(what, tmp_path):
    _, size = measured(what, SIZES[what], tmp_path)
    assert size < 500 << 10


@pytest.mark.skipif(not SOAK, reason="left to a soak")
@pytest.mark.parametrize("what", LARGE)
def test_time_and_memory_grow_with_the_size(what, tmp_path):
    n = LARGE[what]
    none, _ = measured(what, 1, tmp_path)
    tenth, large = (measured(what, size, tmp_path) for size in (n // 10, n))
    assert large[1] < 500 << 10
    # Twice linear, since a tenth may take next to nothing.
    assert large[0] - none < 20 * (tenth[0] - none) + 1.0, (none, tenth, large)


SMALL_STACK = """
import threading
import warp as wp

@wp.kernel
def k(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) + 1.0

@wp.kernel
def again(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) + 1.0

found = []

def run(kernel):
    try:
        a = wp.zeros(3)
        wp.launch(kernel, 3, [a])
        found.append(a.list())
    except RuntimeError as e:
        found.append(str(e))

threading.stack_size(SIZE)
for kernel in (k, again):
    thread = threading.Thread(target=run, args=[kernel])
    thread.start()
    thread.join()
    if kernel is k:
        run(again)
print(found)
"""


@pytest.mark.parametrize("size", [32 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20, 16 << 20])
def test_a_thread_with_little_stack_compiles_or_says_so(size, tmp_path):
    environment = {**os.environ, "WARP_CACHE_PATH": str(tmp_path)}
    program = tmp_path / "small_stack.py"
    program.write_text(SMALL_STACK.replace("SIZE", str(size)))
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    first, second, third = eval(run.stdout)
    ones = [1.0, 1.0, 1.0]
    assert (second, third) == (ones, ones)
    assert first == ones if size >= 512 << 10 else first == ones or "too deeply for the stack" in first
