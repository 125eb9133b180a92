"""What must not happen around jitted kernels: a wrong kernel, a crash. For the lock see `test_jax_gil.py`."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy

from warp._jax.lowering import TARGET, call_name  # noqa: E402
from warp._warp import _jax_register  # noqa: E402
from warp.jax_experimental import jax_kernel  # noqa: E402


@wp.kernel
def add_one(x: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    out[i] = x[i] + 1.0


def run(program: str, folder: object = None, **environment: str) -> str:
    """Runs a program from a file, since kernels are compiled from their source, and gives what it printed."""
    path = os.path.join(str(folder), f"program_{time.monotonic_ns()}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(program))
    done = subprocess.run(
        [sys.executable, path],
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


PERSISTENT = """
    import sys
    import jax, jax.numpy as jnp, warp as wp
    from warp.jax_experimental import jax_kernel
    jax.config.update("jax_compilation_cache_dir", {cache!r})
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    hits = []
    jax.monitoring.register_event_listener(lambda name, **_: hits.append(name))
    {kernels}
    for f, want in {calls}:
        got = jax.jit(jax_kernel(f))(jnp.arange(4.0))[0]
        assert got.tolist() == [want(float(i)) for i in range(4)], (f, got)
    print(sum(name.endswith("cache_hits") for name in hits))
"""
KERNEL = """
    @wp.kernel
    def {name}(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = {value}
"""


def test_programs_that_jax_keeps_mean_the_same_kernel_elsewhere(tmp_path):
    """The second process defines the kernels in another order, one under the name of the other."""

    def program(kernels, calls):
        text = textwrap.dedent(PERSISTENT).format(
            cache=str(tmp_path / "programs"),
            kernels="\n".join(textwrap.dedent(KERNEL).format(name=n, value=v) for n, v in kernels),
            calls=calls,
        )
        return int(run(text, tmp_path))

    first = program([("f", "x[i] + 1.0"), ("g", "x[i] * 2.0")], "[(f, lambda x: x + 1), (g, lambda x: x * 2)]")
    assert first == 0
    again = program([("f", "x[i] + 1.0"), ("g", "x[i] * 2.0")], "[(g, lambda x: x * 2), (f, lambda x: x + 1)]")
    assert again >= 2  # the programs were really loaded
    program(
        [("h", "x[i] - 3.0"), ("g", "x[i] + 1.0"), ("f", "x[i] * 2.0")],
        "[(g, lambda x: x + 1), (f, lambda x: x * 2), (h, lambda x: x - 3)]",
    )


GOOD = (1, 1, 0, 2, 0, 0, 3, 0, 0)  # one launch dimension, that of 'x'; reads argument 0, writes result 0


def ffi_call(key: str, plan: object = GOOD, x: object = None, **more: object) -> object:
    x = jnp.arange(4.0) if x is None else x
    call = jax.ffi.ffi_call(TARGET, jax.ShapeDtypeStruct(x.shape, x.dtype))
    numbers = np.array(plan, np.int32)
    attributes = {"plan": numbers, "values": np.zeros(1, np.uint8), "call": call_name(key, numbers), **more}
    return call(x, key=key, kernel="add_one", **attributes)


def test_a_call_that_means_nothing_is_an_error_of_jax():
    key = _jax_register(add_one, [wp.get_device("cpu")])
    assert ffi_call(key).tolist() == [1, 2, 3, 4]
    with pytest.raises(Exception, match=r"(?s)kernel 'add_one' with key 0+ is not known to this process"):
        ffi_call("0" * 32)
    with pytest.raises(Exception, match="is not known to this process"):
        ffi_call("short")
    fills = (2, 0, 0, 3, 0, 0)
    for plan in ((0,), (-1,), (9,), (1, 1, 9, *fills), (1, 9, 0, *fills), (1, 0, -1, *fills)):
        with pytest.raises(Exception, match="does not fit"):
            ffi_call(key, plan)
    for fill in ((2, 7, 0), (2, -1, 0), (0, 0, 0), (1, 0, 0), (4, 0, 5), (5, 8, 0), (99, 0, 0)):
        with pytest.raises(Exception, match="does not fit"):
            ffi_call(key, (1, 1, 0, *fill, 3, 0, 0))
    with pytest.raises(Exception, match=r"'x' is an array of float32 in 1 dimensions, found one of int32"):
        ffi_call(key, x=jnp.arange(4))
    with pytest.raises(Exception, match=r"'x' is an array of float32 in 1 dimensions.*shape \[2, 2\]"):
        ffi_call(key, x=jnp.ones((2, 2)))
    with pytest.raises(Exception, match="attribute 'other' has no meaning"):
        ffi_call(key, other=1)


def test_an_index_out_of_range_is_an_error_of_jax(tmp_path):
    run(
        """
        import jax, jax.numpy as jnp, warp as wp
        wp.config.mode = "debug"
        from warp.jax_experimental import jax_kernel

        @wp.kernel
        def reach(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = x[i + 1]

        try:
            jax.jit(jax_kernel(reach))(jnp.ones(4))[0].block_until_ready()
        except Exception as e:
            text = str(e)
            assert "kernel 'reach': index 4 is out of range for a dimension of size 4" in text, text
            assert "out[i] = x[i + 1]" in text, text
        else:
            raise AssertionError("no error")
        assert jax_kernel(reach)(jnp.ones(4), launch_dims=3, output_dims=3)[0].tolist() == [1, 1, 1]
        """,
        tmp_path,
    )


def test_many_threads():
    f = jax.jit(jax_kernel(add_one))
    failures = []

    def work(k: int) -> None:
        try:
            x = jnp.full(1000, float(k))
            for _ in range(50):
                if f(x)[0].tolist() != [k + 1.0] * 1000:
                    failures.append(k)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_exit_with_programs_alive(tmp_path):
    for _ in range(3):
        run(
            """
            import jax, jax.numpy as jnp, warp as wp
            from warp.jax_experimental import jax_kernel

            @wp.kernel
            def slow(x: wp.array(dtype=float), out: wp.array(dtype=float)):
                i = wp.tid()
                v = x[i]
                for _ in range(1000):
                    v = wp.sin(v) + 1.0
                out[i] = v

            f = jax.jit(jax_kernel(slow))
            a = wp.from_jax(jnp.ones(10))
            b = wp.to_jax(wp.ones(10))
            kept = [f(jnp.ones(10_000)) for _ in range(20)]
            """,
            tmp_path,
        )


def test_many_threads_meet_kernels_and_calls_for_the_first_time():
    """Each thread has a kernel and ways to call it that no one has seen, all at once."""
    failures: list[object] = []
    start = threading.Barrier(16)

    def made(k: int) -> object:
        @wp.kernel
        def shift(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = x[i] + wp.static(float(k % 4))

        return shift

    kernels = [made(k) for k in range(16)]

    def work(k: int) -> None:
        try:
            start.wait()
            f = jax_kernel(kernels[k])
            for n in range(1, 5):
                (out,) = jax.jit(lambda x, n=n: f(x, launch_dims=n, output_dims=6))(jnp.arange(6.0))
                if out.tolist() != [i + k % 4 if i < n else 0 for i in range(6)]:
                    failures.append((k, n, out))
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_a_kernel_that_is_gone_and_a_program_that_another_process_wrote(tmp_path):
    """An exported program runs where the kernel is known, and is a clear error where it is not."""
    head = """
        from pathlib import Path
        import jax, jax.numpy as jnp, warp as wp
        from jax import export
        from warp.jax_experimental import jax_kernel
        file = Path(__file__).with_name("exported")
    """
    kernel = """
        @wp.kernel
        def triple(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = x[i] * 3.0
        f = jax_kernel(triple)
    """
    pytest.importorskip("flatbuffers", reason="jax.export writes with flatbuffers")
    run(
        textwrap.dedent(head)
        + textwrap.dedent(kernel)
        + textwrap.dedent("""
            import gc
            program = export.export(jax.jit(f), disabled_checks=[export.DisabledSafetyCheck.custom_call("warp_kernel")])
            file.write_bytes(program(jax.ShapeDtypeStruct((4,), jnp.float32)).serialize())
            g = jax.jit(f)
            g(jnp.ones(4))
            del f, triple
            gc.collect()
            assert g(jnp.ones(4))[0].tolist() == [3] * 4
        """),
        tmp_path,
    )
    read = """
        program = export.deserialize(bytearray(file.read_bytes()))
        {before}
        try:
            print(program.call(jnp.ones(4))[0].tolist())
        except Exception as error:
            assert "kernel 'triple' with key" in str(error) and "not known to this process" in str(error), error
            print("refused")
    """
    for before, want in (("jax_kernel", "refused"), ("triple", "[3.0, 3.0, 3.0, 3.0]")):
        text = textwrap.dedent(head) + (textwrap.dedent(kernel) if before == "triple" else "")
        text += textwrap.dedent(read).format(before=before)
        assert run(text, tmp_path).strip() == want
