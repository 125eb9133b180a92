"""Modules: what belongs to them, their options, kernels compiled in advance; what kernels say of themselves."""

from __future__ import annotations

import ast
import ctypes
import gc
import sys
from typing import Any

import numpy as np
import pytest
import warp as wp

SCALE = 1.0


@wp.func
def twice(x: float) -> float:
    return 2.0 * x


@wp.struct
class Pair:
    a: float
    b: float


@wp.kernel
def double(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = twice(x[i]) * s


class Holder:
    @wp.kernel
    def member(x: wp.array(dtype=float)):  # noqa: N805
        x[0] = 1.0


def plain(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * 3.0


def make(n: float, **options):
    @wp.kernel(module="unique", **options)
    def made(x: wp.array(dtype=float)):
        x[0] = wp.static(n)

    return made


def test_what_kernels_say_of_themselves():
    assert double.key == "double"
    assert double.module is wp.get_module(__name__)
    assert double.options == {}
    assert [(a.label, a.type) for a in double.adj.args][1] == ("s", float)
    assert isinstance(double.hash, bytes)
    assert double.hash != Holder.member.hash
    assert Holder.member.key == "Holder__member"

    @wp.kernel
    def inner(x: wp.array(dtype=float)):
        x[0] = 1.0

    assert inner.key == "test_what_kernels_say_of_themselves__locals__inner"
    assert inner.__name__ == "inner"
    assert twice.key == "twice"
    assert twice.module is double.module


def test_what_modules_hold():
    module = wp.get_module(__name__)
    assert isinstance(module, wp.Module)
    assert module.name == __name__
    assert module.kernels["double"] is double
    assert module.functions["twice"] is twice
    assert module.structs["Pair"] is Pair
    assert wp.get_module("nothing.here").kernels == {}
    with pytest.raises(TypeError, match="expected the name of a module, found 3"):
        wp.get_module(3)


def test_modules_keep_nothing_alive():
    def define():
        @wp.kernel(module="short.lived")
        def kernel(x: wp.array(dtype=float)):
            x[0] = 1.0

        return kernel

    kernel = define()
    module = wp.get_module("short.lived")
    assert list(module.kernels.values()) == [kernel]
    del kernel
    gc.collect()
    assert module.kernels == {}


def test_names_and_modules_that_are_given():
    @wp.kernel(name="other", module="a.module", enable_backward=False, launch_bounds=128)
    def kernel(x: wp.array(dtype=float)):
        x[0] = 1.0

    assert kernel.key == "other"
    assert kernel.module is wp.get_module("a.module")
    assert kernel.options == {"enable_backward": False, "launch_bounds": 128}

    @wp.func(name="f", module=kernel.module, inline=True)
    def function(x: float):
        return x

    assert function.key == "f"
    assert kernel.module.functions["f"] is function

    @wp.kernel
    def calls(x: wp.array(dtype=float)):
        x[0] = function(3.0)

    x = wp.zeros(1)
    wp.launch(calls, 1, [x])
    assert x.list() == [3.0]
    with pytest.raises(TypeError, match="module is 3; expected a wp.Module"):
        wp.kernel(plain, module=3)
    with pytest.raises(ValueError, match="launch_bounds and cuda_max_registers exclude each other"):
        wp.kernel(plain, launch_bounds=64, cuda_max_registers=3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'launch_bound'"):
        wp.kernel(plain, launch_bound=64)


def test_kernels_of_functions():
    kernel = wp.Kernel(plain)
    assert (kernel.key, kernel.module.name) == ("plain", __name__)
    other = wp.Kernel(plain, key="other", module="elsewhere", options={"enable_backward": False})
    assert (other.key, other.module.name, other.options) == ("other", "elsewhere", {"enable_backward": False})
    x, y = wp.ones(3, requires_grad=True), wp.zeros(3, requires_grad=True)
    for each in (kernel, other):
        y.zero_()
        wp.launch(each, 3, [x], [y])
        assert y.numpy().tolist() == [3, 3, 3]
    with pytest.raises(RuntimeError, match="enable_backward=False"):
        wp.launch(other, 3, [x], [y], adjoint=True, adj_inputs=[None], adj_outputs=[wp.ones(3)])
    with pytest.raises(TypeError, match="no annotation"):
        wp.Kernel(lambda_like)


def test_a_constructed_kernel_heeds_the_options_of_its_module():
    wp.set_module_options({"enable_backward": False}, "without gradients")
    kernel = wp.Kernel(plain, module="without gradients")
    x, y = wp.ones(3, requires_grad=True), wp.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="enable_backward=False"):
        wp.launch(kernel, 3, [x], [y], adjoint=True, adj_inputs=[None], adj_outputs=[wp.ones(3)])
    own = wp.Kernel(plain, module="without gradients", options={"enable_backward": True})
    wp.launch(own, 3, [x], [y], adjoint=True, adj_inputs=[None], adj_outputs=[wp.ones(3)])
    assert x.grad.list() == [3, 3, 3]


def lambda_like(x):
    x[0] = 1.0


def test_generic_kernels_of_unique_modules_by_what_names_hold(monkeypatch):
    found = []
    for scale in (1.0, 2.0, 1.0):
        monkeypatch.setitem(globals(), "SCALE", scale)

        @wp.kernel(module="unique")
        def scaled(x: wp.array(dtype=Any)):
            i = wp.tid()
            x[i] = x[i] * x.dtype(SCALE)

        x = wp.ones(2, dtype=float)
        wp.launch(scaled, 2, [x])
        found.append((scaled, x.list()[0]))
    assert [value for _, value in found] == [1.0, 2.0, 1.0]
    assert found[0][0] is found[2][0]


def test_unique_kernels_that_name_an_array_are_refused_when_they_compile():
    held = wp.zeros(1, dtype=float)

    @wp.kernel(module="unique")
    def reads(y: wp.array(dtype=float)):
        y[0] = held[0]

    with pytest.raises(wp.WarpCodegenError):
        wp.launch(reads, dim=1, inputs=[wp.zeros(1, dtype=float)])


def test_unique_modules():
    first, same, other = make(1.0), make(1.0), make(2.0)
    assert first is same
    assert first is not other
    assert first.module is not other.module
    assert first.key == other.key == "make__locals__made"
    assert first.module.name.startswith(f"{first.key}_")
    for kernel, want in ((first, 1.0), (other, 2.0)):
        x = wp.zeros(1)
        wp.launch(kernel, 1, [x])
        assert x.numpy()[0] == want
    assert make(3.0, module_options={"max_unroll": 2}).module.options["max_unroll"] == 2
    with pytest.raises(ValueError, match='module_options needs module="unique"'):
        wp.kernel(plain, module_options={"max_unroll": 2})


def test_options():
    options = wp.get_module_options("options.of.nobody")
    assert {"block_dim": 256, "max_unroll": 16, "mode": None, "enable_backward": True}.items() <= options.items()
    wp.set_module_options({"enable_backward": False, "whatever": 1}, module="some.options")
    assert wp.get_module_options(wp.get_module("some.options"))["whatever"] == 1

    @wp.kernel(module="some.options")
    def kernel(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        y[0] = x[0]

    x = wp.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="enable_backward=False"):
        wp.launch(kernel, 1, [x, x], adjoint=True, adj_inputs=[None, None])
    for wrong, error in [({"mode": "fast"}, ValueError), ({"optimization_level": 7}, ValueError), (3, TypeError)]:
        with pytest.raises(error):
            wp.set_module_options(wrong, module="some.options")


def test_modes_of_modules():
    wp.set_module_options({"mode": "debug", "optimization_level": 0}, module="debugged")

    @wp.kernel(module="debugged")
    def divide(x: wp.array(dtype=int)):
        x[0] = 1 / x[0]

    with pytest.raises(ZeroDivisionError):
        wp.launch(divide, 1, [wp.zeros(1, dtype=int)])


def test_kernels_compiled_in_advance():
    @wp.kernel(module="in.advance")
    def one(x: wp.array(dtype=float)):
        x[0] = 1.0

    @wp.kernel(module="in.advance.too")
    def two(x: wp.array(dtype=float)):
        x[0] = 2.0

    wp.load_module("in.advance", recursive=True, max_workers=2)
    wp.force_load(device="cpu", modules=[wp.get_module("in.advance"), "in.advance.too"])
    assert wp.get_module("in.advance").load("cpu") is wp.get_module("in.advance")
    wp.get_module("in.advance").unload()
    wp.get_module("in.advance").mark_modified()
    wp.load_module(sys.modules[__name__])
    for kernel, want in ((one, 1.0), (two, 2.0)):
        x = wp.zeros(1)
        wp.launch(kernel, 1, [x])
        assert x.numpy()[0] == want
    with pytest.raises(RuntimeError, match="no kernel, function or struct was defined in 'not.there'"):
        wp.load_module("not.there")
    with pytest.raises(ValueError, match="max_workers is -1"):
        wp.load_module("in.advance", max_workers=-1)
    with pytest.raises(TypeError, match="module is 3"):
        wp.force_load(modules=[3])


def test_one_bad_kernel_keeps_no_other_from_being_compiled(capsys):
    @wp.kernel(module="half.bad")
    def bad(x: wp.array(dtype=float)):
        x[0] = missing  # noqa: F821

    @wp.kernel(module="half.bad")
    def good(x: wp.array(dtype=float)):
        x[0] = 1.0

    with pytest.raises(NameError, match="missing"):
        wp.load_module("half.bad")
    before = wp.config.verbose
    wp.config.verbose = True
    try:
        wp.launch(good, 1, [wp.zeros(1)])
    finally:
        wp.config.verbose = before
    assert "'good'" not in capsys.readouterr().out


def test_the_cache_can_be_cleared(tmp_path, capsys):
    wp.config.kernel_cache_dir = str(tmp_path)
    try:

        @wp.kernel
        def kept(x: wp.array(dtype=float)):
            x[0] = 4.25

        wp.launch(kept, 1, [wp.zeros(1)])
        (tmp_path / "note.txt").write_text("mine")
        assert list(tmp_path.glob("??/*.wk"))
        wp.clear_kernel_cache()
        assert not list(tmp_path.glob("??/*.wk"))
        assert (tmp_path / "note.txt").exists()
        wp.config.cache_kernels = False

        @wp.kernel
        def not_kept(x: wp.array(dtype=float)):
            x[0] = 5.25

        wp.launch(not_kept, 1, [wp.zeros(1)])
        assert not list(tmp_path.glob("??/*.wk"))
    finally:
        wp.config.kernel_cache_dir = None
        wp.config.cache_kernels = True
    wp.clear_lto_cache()
    key = wp.get_cpu_kernel_cache_key()
    assert len(key) == 16
    assert key == wp.get_cpu_kernel_cache_key()
    for refused in (wp.compile_aot_module, wp.load_aot_module):
        with pytest.raises(NotImplementedError, match="cache folder"):
            refused(__name__, device="cpu")


def test_tiled_launches():
    @wp.kernel
    def count(y: wp.array2d(dtype=int)):
        i, j = wp.tid()
        y[i, j] += 1

    y = wp.zeros((3, 2), dtype=int)
    wp.launch_tiled(count, dim=3, inputs=[y], block_dim=32)
    wp.launch_tiled(count, dim=[2], inputs=[y], block_dim=32)
    assert y.numpy().tolist() == [[2, 0], [2, 0], [1, 0]]
    for error in (TypeError, RuntimeError):
        with pytest.raises(error, match="block_dim is missing"):
            wp.launch_tiled(count, dim=3, inputs=[y])
        with pytest.raises(error, match="dim is given by name"):
            wp.launch_tiled(count, 3, [y], block_dim=4)
    with pytest.raises(ValueError, match="block_dim is 0"):
        wp.launch_tiled(count, dim=3, inputs=[y], block_dim=0)
    with pytest.raises(ValueError, match="dim has 4 dimensions"):
        wp.launch_tiled(count, dim=(1, 1, 1, 1), inputs=[y], block_dim=4)
    wp.launch(count, (3, 1), [y], block_dim=None)


def test_recorded_launches_take_ctypes():
    x, y = wp.ones(3), wp.zeros(3)
    command = wp.launch(double, 3, [x, 1.0, y], record_cmd=True)
    command.set_param_at_index_from_ctype(1, ctypes.c_float(2.0))
    command.launch()
    assert y.numpy().tolist() == [4, 4, 4]
    command.set_param_by_name_from_ctype("s", ctypes.c_float(3.0))
    command.launch()
    assert y.numpy().tolist() == [6, 6, 6]
    command.set_params_from_ctypes([x, ctypes.c_float(0.5), y])
    command.launch()
    assert y.numpy().tolist() == [1, 1, 1]
    command.set_param_by_name("s", 4.0, adjoint=False)
    with pytest.raises(ValueError, match="is no adjoint"):
        command.set_param_at_index(0, x, adjoint=True)


# Settings.


def test_launches_are_printed(capsys):
    x, y = wp.ones(3), wp.zeros(3)
    wp.config.print_launches = True
    try:
        wp.launch(double, 3, [x, 2.0], [y])
        wp.launch(double, (3, 1), [np.ones(3, np.float32), 2.0, y])
    finally:
        wp.config.print_launches = False
    wp.launch(double, 3, [x, 2.0, y])
    assert capsys.readouterr().out.splitlines() == [
        "kernel: double dim: 3 inputs: [array(shape=(3,), dtype=float32), 2.0] "
        "outputs: [array(shape=(3,), dtype=float32)] device: cpu",
        "kernel: double dim: (3, 1) inputs: [ndarray(shape=(3,), dtype=float32), 2.0, "
        "array(shape=(3,), dtype=float32)] outputs: [] device: cpu",
    ]


def test_numbers_that_are_none_are_reported(capsys):
    wp.config.verify_fp = True
    try:
        wp.launch(double, 3, [wp.array([1.0, float("inf"), 2.0], dtype=float), 1.0], [wp.zeros(3)])
        wp.launch(double, 3, [wp.ones(3), 1.0], [wp.zeros(3)])
    finally:
        wp.config.verify_fp = False
    assert capsys.readouterr().err.splitlines() == [
        "Warp UserWarning: verify_fp: after kernel 'double', argument 'x' is not finite at index 1",
        "Warp UserWarning: verify_fp: after kernel 'double', argument 'y' is not finite at index 1",
    ]


def test_settings_of_other_programs():
    assert wp.config.version == wp.__version__
    with pytest.raises(TypeError, match="version"):
        wp.config.version = "2"
    for name, value in [("max_unroll", 4), ("verify_cuda", True), ("ptx_target_arch", 75), ("lineinfo", True)]:
        before = getattr(wp.config, name)
        setattr(wp.config, name, value)
        assert getattr(wp.config, name) == value
        setattr(wp.config, name, before)
    for name, value in [("optimization_level", 4), ("load_module_max_workers", -1), ("print_launches", 1)]:
        with pytest.raises(TypeError, match=name):
            setattr(wp.config, name, value)
    with pytest.warns(UserWarning, match="no setting 'max_unrol'.* is it 'max_unroll' that is meant"):
        wp.config.max_unrol = 4
    del wp.config.max_unrol


def test_diagnostics(capsys):
    found = wp.print_diagnostics()
    out = capsys.readouterr().out
    assert found["warp_python"] == wp.__version__
    assert found["devices"] == [{"alias": "cpu", "name": wp.get_device("cpu").name}]
    assert found["threads"] >= 1
    assert found["llvm"][0].isdigit()
    assert wp.__version__ in out
    assert found["cpu_name"] in out


class _Doubled(ast.NodeTransformer):
    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(node.value * 2), node) if isinstance(node.value, float) else node


def test_functions_that_are_constructed():
    def half(x: float):
        return x * 0.5

    f = wp.Function(half, "half", "", module=wp.get_module("elsewhere"))
    g = wp.Function(func=half, key="whole", namespace="", code_transformers=[_Doubled()])
    h = wp.Function(half, "text", source="def half(x: float):\n    return x + 100.0\n")
    assert (f.key, g.key, f.func, f(6.0)) == ("half", "whole", half, 3.0)
    assert wp.get_module("elsewhere").functions["half"] is f

    def fill(y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = f(float(i)) + g(float(i)) * 10.0 + h(float(i)) + 1.0

    plain, doubled = wp.zeros(3), wp.zeros(3)
    wp.launch(wp.Kernel(fill), 3, outputs=[plain])
    wp.launch(wp.Kernel(fill, code_transformers=[_Doubled()]), 3, outputs=[doubled])
    assert plain.list() == [101.0, 112.5, 124.0]
    assert doubled.list() == [102.0, 123.5, 145.0]
    with pytest.raises(TypeError, match="no_such"):
        wp.Function(half, "half", "", no_such=1)
