"""Options for C++ code, options of kernels and modules that nothing here asks for, and settings that are none."""

from __future__ import annotations

import types
import warnings
from pathlib import Path

import numpy as np
import pytest
import warp as wp


def test_build_options_are_kept():
    options = wp.ModuleBuildOptions(
        extra_cuda_include_dirs=[Path("/a")], extra_cuda_preamble="x", extra_build_dependencies=["/b"]
    )
    assert options.extra_cuda_include_dirs == ["/a"]
    assert (options.extra_cuda_preamble, options.extra_cpu_preamble) == ("x", "")
    assert repr(wp.ModuleBuildOptions()) == "ModuleBuildOptions()"
    other = wp.ModuleBuildOptions(extra_cuda_include_dirs=["/c", "/a"], extra_cuda_preamble="y")
    both = options.merged(other)
    assert both.extra_cuda_include_dirs == ["/a", "/c"]
    assert both.extra_cuda_preamble == "x\ny"
    assert both.extra_build_dependencies == ["/b"]
    assert options.extra_cuda_include_dirs == ["/a"]
    assert options.merged() == options
    wp.set_module_options({"extra_build_options": both}, module="test_build_options_kept")
    assert wp.get_module_options("test_build_options_kept")["extra_build_options"] is both


def test_build_options_for_the_cpu_are_refused():
    for name, value in [("extra_cpu_include_dirs", ["/a"]), ("extra_cpu_preamble", "int x;")]:
        with pytest.raises(NotImplementedError, match=f"{name} is for C\\+\\+, which kernels are not made of"):
            wp.ModuleBuildOptions(**{name: value})
    assert wp.ModuleBuildOptions(extra_cpu_include_dirs=[], extra_cpu_preamble="") == wp.ModuleBuildOptions()
    with pytest.raises(TypeError, match="extra_cuda_include_dirs is '/a'; expected a list of paths"):
        wp.ModuleBuildOptions(extra_cuda_include_dirs="/a")
    with pytest.raises(TypeError, match="extra_cuda_preamble is 3; expected a str"):
        wp.ModuleBuildOptions(extra_cuda_preamble=3)
    with pytest.raises(TypeError, match="expected ModuleBuildOptions, found 3"):
        wp.ModuleBuildOptions().merged(3)


def test_options_of_kernels():
    @wp.kernel(
        name="all_of_them",
        enable_backward=False,
        launch_bounds=256,
        enable_cuda_smem_spilling=True,
        cluster_dim=2,
        entry_point_abi="c",
        grid_stride=True,
    )
    def k(x: wp.array(dtype=float)):
        x[0] = 1.0

    assert k.options == {
        "launch_bounds": 256,
        "enable_cuda_smem_spilling": True,
        "cluster_dim": 2,
        "entry_point_abi": "c",
        "grid_stride": True,
        "enable_backward": False,
    }
    x = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[x])
    assert x.list() == [1.0]
    with pytest.raises(ValueError, match="exclude each other"):
        wp.kernel(launch_bounds=256, cuda_max_registers=32)
    with pytest.raises(TypeError, match="unexpected keyword argument 'grid_strides'"):
        wp.kernel(grid_strides=True)


def test_options_of_modules():
    options = wp.get_module_options("test_build_options_defaults")
    assert options["deterministic"] == wp.DeterministicMode.NOT_GUARANTEED
    for name in ("enable_mathdx_gemm", "enable_mathdx_fft", "enable_mathdx_solver", "extra_build_options"):
        assert options[name] is None
    assert options["deterministic_max_records"] == 0
    wp.set_module_options({"deterministic": False}, module="test_build_options_defaults")
    with pytest.raises(ValueError, match=r"option 'deterministic' is a bool or a wp\.DeterministicMode, not 'always'"):
        wp.set_module_options({"deterministic": "always"})


def added_in_order(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    before = wp.atomic_add(out, 0, x[i])
    out[1 + i] = before


@pytest.mark.parametrize("mode", [True, *wp.DeterministicMode])
def test_determinism_of_a_kernel(mode):
    """What each thread finds tells the order in which they ran."""
    kernel = wp.kernel(added_in_order, module="unique", module_options={"deterministic": mode})
    rng = np.random.default_rng(1)
    x = rng.random(100_000, dtype=np.float32)
    out = wp.zeros(100_001)
    wp.launch(kernel, dim=len(x), inputs=[wp.array(x), out])
    if mode != wp.DeterministicMode.NOT_GUARANTEED:
        sums = np.add.accumulate(np.concatenate([[np.float32(0)], x]), dtype=np.float32)
        np.testing.assert_array_equal(out.numpy()[1:], sums[:-1])


def test_enumerations_of_settings():
    assert wp.config.DeterministicMode is wp.DeterministicMode
    assert [mode.name for mode in wp.config.LaunchArrayAccessMode] == ["RELAXED", "CHECKED", "STRICT"]
    assert wp.config.launch_array_access_mode == wp.config.LaunchArrayAccessMode.RELAXED
    wp.config.launch_array_access_mode = wp.config.LaunchArrayAccessMode.STRICT
    wp.config.launch_array_access_mode = 0


def test_modules_without_a_name():
    module = types.ModuleType("nameless")
    assert wp.get_module_options(module)["block_dim"] == 256
    del module.__name__
    with pytest.raises(TypeError, match="set_module_options: the Python module <module .*> has no name; give one"):
        wp.set_module_options({}, module)


def test_settings_that_are_none_are_kept():
    with pytest.warns(
        UserWarning, match="no setting 'verify_autograd_array_acess'.* is it 'verify_autograd_array_access'"
    ):
        wp.config.verify_autograd_array_acess = True
    with pytest.warns(
        UserWarning, match="wp.config has no setting 'my_own_name', so that nothing asks for it$"
    ) as seen:
        wp.config.my_own_name = 5
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wp.config.my_own_name = 6
    assert wp.config.my_own_name == 6
    del wp.config.my_own_name, wp.config.verify_autograd_array_acess
    assert not hasattr(wp.config, "my_own_name")
    with pytest.raises(AttributeError, match="verbose cannot be deleted"):
        del wp.config.verbose
    with pytest.raises(AttributeError):
        wp.config.yet_another_name
