"""What must not happen around `jax_callable`: lost exceptions, dangling memory, another process's function."""

from __future__ import annotations

import gc
import textwrap
import threading
import weakref

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy

from warp.jax_experimental import GraphMode, jax_callable  # noqa: E402

from .test_jitted import run  # noqa: E402

MODES = pytest.mark.parametrize("mode", list(GraphMode), ids=lambda m: m.name)


@wp.kernel
def scale(a: wp.array[float], s: float, out: wp.array[float]):
    i = wp.tid()
    out[i] = a[i] * s


@wp.kernel
def increase(a: wp.array[float], by: float):
    i = wp.tid()
    a[i] = a[i] + by


A = np.arange(6, dtype=np.float32)


def double(a: wp.array[float], out: wp.array[float]):
    wp.launch(scale, dim=a.shape, inputs=[a, 2.0], outputs=[out])


def cumulative(a: wp.array[float], out: wp.array[float]):
    out.assign(np.cumsum(a.numpy(), dtype=np.float32))


class Odd(BaseException):
    """Not even an Exception."""


@MODES
@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt("no"), SystemExit("no"), Odd("no")], ids=repr)
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_exceptions_surface_as_they_are(mode, error, wrap):
    wrong = [True]

    def func(a: wp.array[float], out: wp.array[float]):
        if wrong:
            raise error
        double(a, out)

    f = wrap(jax_callable(func, graph_mode=mode))
    for _ in range(2):
        with pytest.raises(type(error)) as caught:
            f(A)[0].block_until_ready()
        assert caught.value is error
    wrong.clear()
    assert f(A)[0].tolist() == (2 * A).tolist()


def test_exceptions_after_contents_were_read():
    """The first run ends the trace, the next ones raise."""

    def func(a: wp.array[float], out: wp.array[float]):
        if a.numpy()[0] > 0:
            raise LookupError("found")
        double(a, out)

    f = jax.jit(lambda a: jax_callable(func)(a + 0.0)[0] * 1.0)
    assert f(A).tolist() == (2 * A).tolist()
    with pytest.raises(LookupError, match="found"):
        f(A + 1).block_until_ready()
    assert f(A).tolist() == (2 * A).tolist()
    # Errors that others raise in jax stay what they are.
    with pytest.raises(jax.errors.JaxRuntimeError):
        raise jax.errors.JaxRuntimeError("INTERNAL: [warp exception 7]")


@MODES
def test_what_does_not_fit_is_refused_by_name(mode):
    f = jax_callable(double, graph_mode=mode)
    with pytest.raises(TypeError, match="'a' holds int32, expected float32"):
        f(jnp.arange(3))
    with pytest.raises(ValueError, match=r"'a' has shape \(2, 2\), expected 1 dimensions"):
        f(jnp.ones((2, 2)))
    with pytest.raises(TypeError, match="'a' is str, expected a jax array"):
        f("x")
    with pytest.raises(TypeError, match="function 'double' takes 1 inputs"):
        f(A, A)
    with pytest.raises(TypeError, match="no input 'b'"):
        f(b=A)
    with pytest.raises(ValueError, match="jax_callable: vmap_method is 'all'"):
        f(A, vmap_method="all")

    def value(a: wp.array[float], n: int, out: wp.array[float]):
        double(a, out)

    with pytest.raises(TypeError, match="function 'value'.*'n'.*int32"):
        jax_callable(value, graph_mode=mode)(A, 1.5)
    with pytest.raises(ValueError, match="function 'value': argument 'n'.*does not fit int32"):
        jax_callable(value, graph_mode=mode)(A, 2**40)


@MODES
def test_inputs_cannot_be_written(mode):
    def func(a: wp.array[float], out: wp.array[float]):
        wp.launch(increase, dim=a.shape, inputs=[a, 1.0])

    def func2(a: wp.array[float], out: wp.array[float]):
        a.fill_(0.0)

    given = jnp.asarray(A)
    for f in (func, func2):
        with pytest.raises(ValueError, match="read-only"):
            jax_callable(f, graph_mode=mode)(given)
    assert given.tolist() == A.tolist()


def test_functions_that_cannot_be_callables():
    def bare(a, out: wp.array[float]):
        pass

    def text(a: wp.array[flot], out: wp.array[float]):  # noqa: F821
        pass

    def odd(a: str, out: wp.array[float]):
        pass

    def value(a: wp.array[float], out: float):
        pass

    def many(*a: wp.array[float]):
        pass

    @wp.struct
    class Pair:
        x: float

    def struct(a: wp.array[float], pair: Pair, out: wp.array[float]):
        pass

    def structs(a: wp.array[Pair], out: wp.array[float]):
        pass

    for f, match in (
        (struct, "parameter 'pair' is a struct"),
        (structs, "parameter 'a' is a struct or an array of them"),
        (bare, "parameter 'a' has no annotation"),
        (text, "'a'.*cannot be evaluated"),
        (odd, "parameter 'a'.*annotation is <class 'str'>"),
        (value, "output 'out' is not an array"),
        (many, r"takes \*args"),
        (scale, "func is Kernel, expected a Python function"),
        (3, "func is int"),
    ):
        with pytest.raises(TypeError, match=match):
            jax_callable(f)
    for options, match in (
        ({"num_outputs": 0}, "num_outputs is 0, expected at least 1"),
        ({"num_outputs": 9}, "cannot be 9 outputs"),
        ({"in_out_argnames": ["b"]}, "no parameter 'b'"),
        ({"graph_mode": 7}, "graph_mode is 7"),
        ({"vmap_method": "all"}, "vmap_method is 'all'"),
    ):
        with pytest.raises(ValueError, match=match):
            jax_callable(double, **options)
    with pytest.raises(TypeError, match="in_out_argnames is a str"):
        jax_callable(double, in_out_argnames="a")
    with pytest.warns(DeprecationWarning, match="graph_mode"):
        assert jax_callable(double, graph_compatible=False).graph_mode == GraphMode.NONE


def test_calls_that_mean_nothing_here():
    jax_callable(cumulative, graph_mode=GraphMode.NONE)(A)
    like = jax.ShapeDtypeStruct((6,), np.float32)
    for target, given, match in (
        ("warp_host_call", [jnp.asarray(A)], "the Python function of this program is not one of this process"),
        ("warp_captured", [], "reads an array that is not one of this process"),
    ):
        for number in (1, -1, 2**62):
            with pytest.raises(Exception, match=match):
                jax.ffi.ffi_call(target, like)(*given, number=np.int64(number)).block_until_ready()
    with pytest.raises(Exception, match="without a number"):
        jax.ffi.ffi_call("warp_captured", like)(other="x").block_until_ready()
    # Exceptions of jax's own are made as ever.
    assert type(jax.errors.JaxRuntimeError("text")) is jax.errors.JaxRuntimeError
    with pytest.raises(TypeError):
        jax.errors.JaxRuntimeError(ValueError("inner"))


def test_arrays_may_be_kept():
    """They are the function's own: nothing dangles after the call."""
    kept = []

    def func(a: wp.array[float], out: wp.array[float]):
        double(a, out)
        kept.append((a, out, out.numpy()))

    f = jax.jit(jax_callable(func, graph_mode=GraphMode.NONE))
    for k in range(20):
        f(A + k)[0].block_until_ready()
    for k, (a, out, seen) in enumerate(kept):
        assert a.list() == (A + k).tolist()
        assert out.list() == seen.tolist() == (2 * (A + k)).tolist()


@MODES
def test_functions_that_are_freed_while_a_program_lives(mode):
    def make(factor):
        @wp.kernel
        def kernel(a: wp.array[float], out: wp.array[float]):
            i = wp.tid()
            out[i] = a[i] * wp.static(factor)

        def func(a: wp.array[float], out: wp.array[float]):
            wp.launch(kernel, dim=a.shape, inputs=[a], outputs=[out])

        return jax.jit(jax_callable(func, graph_mode=mode)).lower(A).compile(), weakref.ref(func)

    made = [make(float(k)) for k in range(3)]
    gc.collect()
    for k, (program, _) in enumerate(made):
        assert program(A)[0].tolist() == (k * A).tolist()
    if mode == GraphMode.NONE:
        assert all(func() is not None for _, func in made)
    held = [func for _, func in made]
    del made, program
    jax.clear_caches()
    gc.collect()
    assert sum(func() is not None for func in held) == 0


def test_arrays_that_programs_read_live_as_long_as_these():
    kept = []

    def make(k):
        table = np.full(6, float(k), np.float32)

        def func(a: wp.array[float], out: wp.array[float]):
            wp.launch(scale, dim=a.shape, inputs=[table, 2.0], outputs=[out])

        kept.append(weakref.ref(table))
        return jax.jit(jax_callable(func)).lower(A).compile()

    made = [make(k) for k in range(3)]
    gc.collect()
    for k, program in enumerate(made):
        assert program(A)[0].tolist() == [2.0 * k] * 6
    del made, program
    jax.clear_caches()
    gc.collect()
    assert all(table() is None for table in kept)


@MODES
def test_many_threads(mode):
    f = jax.jit(jax_callable(double if mode else cumulative, graph_mode=mode))
    failures = []

    def work(k: int) -> None:
        try:
            x = jnp.full(100, float(k))
            want = [2.0 * k] * 100 if mode else np.cumsum(np.asarray(x)).tolist()
            failures.extend(k for _ in range(20) if f(x)[0].tolist() != want)
            fresh = jax_callable(double)  # traces on many threads do not see each other
            failures.extend(k for n in range(1, 4) if fresh(jnp.full(n, float(k)))[0].tolist() != [2.0 * k] * n)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_what_other_threads_do_while_a_function_is_traced():
    """Their launches run; arrays that stand for values mean nothing to them."""
    out, wrong = wp.zeros(6, dtype=float), []

    def elsewhere(a):
        wp.launch(scale, dim=6, inputs=[A, 3.0], outputs=[out])
        for use in (a.numpy, lambda: wp.launch(scale, dim=6, inputs=[a, 1.0], outputs=[out])):
            try:
                use()
            except BaseException as error:  # noqa: BLE001
                wrong.append(type(error).__name__)

    def func(a: wp.array[float], made: wp.array[float]):
        thread = threading.Thread(target=elsewhere, args=(a,))
        thread.start()
        thread.join()
        double(a, made)

    assert jax_callable(func)(A)[0].tolist() == (2 * A).tolist()
    assert wrong == ["Untraceable", "Untraceable"]  # while it was traced; not when it was called
    assert out.list() == A.tolist()


PERSISTENT = """
    import jax, jax.numpy as jnp, numpy as np, warp as wp
    from warp.jax_experimental import GraphMode, jax_callable
    jax.config.update("jax_compilation_cache_dir", {cache!r})
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    hits = []
    jax.monitoring.register_event_listener(lambda name, **_: hits.append(name))

    @wp.kernel
    def {first}(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = x[i] {one}

    @wp.kernel
    def {second}(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = x[i] {two}

    def launches(a: wp.array(dtype=float), out: wp.array(dtype=float)):
        work = wp.zeros_like(a)
        wp.launch({first}, dim=a.shape, inputs=[a], outputs=[work])
        wp.launch({second}, dim=a.shape, inputs=[work], outputs=[out])

    def reads(a: wp.array(dtype=float), out: wp.array(dtype=float)):
        out.assign((a.numpy() {one}).astype(np.float32))

    table = wp.full(4, {number}, dtype=float)

    def outside(a: wp.array(dtype=float), out: wp.array(dtype=float)):
        wp.launch({first}, dim=a.shape, inputs=[table], outputs=[out])

    x = jnp.asarray(np.arange(4, dtype=np.float32))
    calls = [
        (launches, [(v {one}) {two} for v in range(4)]),
        (reads, [v {one} for v in range(4)]),
        (outside, [{number} {one}] * 4),
    ]
    for func, want in calls[::{order}]:
        got = jax.jit(jax_callable(func))(x)[0].tolist()
        assert got == want, (func, got, want)
    print(sum(name.endswith("cache_hits") for name in hits))
"""


def test_programs_that_jax_keeps_mean_the_same_elsewhere(tmp_path):
    def program(first, one, second, two, order):
        text = textwrap.dedent(PERSISTENT).format(
            cache=str(tmp_path / "programs"),
            first=first,
            one=one,
            second=second,
            two=two,
            order=order,
            number=5.0 if order > 0 else 6.0,
        )
        return int(run(text, tmp_path))

    assert program("f", "+ 1.0", "g", "* 2.0", 1) == 0
    # What is traced is loaded. What calls Python or reads an array from outside is not: these are of one process.
    kept = [path.name for path in (tmp_path / "programs").iterdir() if path.name.endswith("-cache")]
    assert program("f", "+ 1.0", "g", "* 2.0", -1) == len(kept)
    assert any("launches" in name for name in kept)
    assert not any("reads" in name or "outside" in name for name in kept)
    program("g", "* 2.0", "f", "+ 1.0", 1)
    program("f", "- 3.0", "g", "+ 1.0", -1)


def test_exit_with_programs_alive(tmp_path):
    """Also in the middle of a call."""
    run(
        """
        import threading, time
        import jax, jax.numpy as jnp, warp as wp
        from warp.jax_experimental import GraphMode, jax_callable

        @wp.kernel
        def copy(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = x[i]

        inside = threading.Event()

        def func(a: wp.array(dtype=float), out: wp.array(dtype=float)):
            wp.launch(copy, dim=a.shape, inputs=[a], outputs=[out])
            if threading.current_thread().daemon:
                inside.set()
                time.sleep(60)

        programs = [jax.jit(jax_callable(func, graph_mode=m)) for m in GraphMode]
        kept = [f(jnp.ones(10_000)) for f in programs for _ in range(3)]
        threading.Thread(target=programs[0], args=(jnp.ones(10_000),), daemon=True).start()
        assert inside.wait(60)
        """,
        tmp_path,
    )
