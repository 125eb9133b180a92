"""`wp.autograd`: Jacobians with values known by analysis, and checks that find planted mistakes."""

from __future__ import annotations

import inspect
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp
from warp.autograd import FunctionMetadata, gradcheck, gradcheck_tape, jacobian, jacobian_fd, jacobian_plot


@wp.kernel
def mixed(
    a: wp.array(dtype=float),
    v: wp.array(dtype=wp.vec2),
    s: float,
    out: wp.array(dtype=wp.vec2),
    wave: wp.array(dtype=float),
):
    i = wp.tid()
    out[i] = v[i] * a[i] * s
    wave[i] = wp.sin(a[i])


@wp.kernel
def to_matrix(a: wp.array2d(dtype=wp.float64), out: wp.array2d(dtype=wp.mat22d)):
    i, j = wp.tid()
    out[i, j] = wp.mat22d(a[i, j], wp.float64(1.0), wp.float64(2.0) * a[i, j], a[i, j] * a[i, j])


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def accumulate(x: wp.array(dtype=float), total: wp.array(dtype=float)):
    """Adds to what the output holds and overwrites its input."""
    i = wp.tid()
    wp.atomic_add(total, 0, x[i] * x[i])
    x[i] = 0.0


@wp.kernel
def scale_by(n: wp.array(dtype=int), x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = float(n[i]) * x[i]


@wp.kernel(enable_backward=False)
def without_gradient(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y[wp.tid()] = x[wp.tid()]


@wp.kernel
def product(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i] * y[i]


def floats(*values, grad=True):
    return wp.array(values, dtype=float, requires_grad=grad)


def mixed_arguments(grad=True):
    a = floats(1.0, 2.0, 3.0, grad=grad)
    v = wp.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=wp.vec2, requires_grad=grad)
    return [a, v, 2.0], [wp.zeros(3, dtype=wp.vec2, requires_grad=True), wp.zeros(3, dtype=float, requires_grad=True)]


def mixed_function(a, v):
    out, wave = wp.zeros(3, dtype=wp.vec2, requires_grad=True), wp.zeros(3, dtype=float, requires_grad=True)
    wp.launch(mixed, dim=3, inputs=[a, v, 2.0], outputs=[out, wave])
    return out, wave


def wrong_square(x):
    """Half of the derivative is lost: one of the factors is copied where no tape sees it."""
    y, copy = wp.zeros_like(x), wp.zeros_like(x)
    copy.assign(x.numpy())
    wp.launch(product, dim=x.size, inputs=[x, copy], outputs=[y])
    return y


def right_square(x):
    y = wp.zeros_like(x)
    wp.launch(square, dim=x.size, inputs=[x], outputs=[y])
    return y


def mixed_jacobians():
    a = np.array([1.0, 2.0, 3.0])
    v = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    by_a, by_v = np.zeros((6, 3)), np.zeros((6, 3, 2))
    for i in range(3):
        for c in range(2):
            by_a[2 * i + c, i] = 2 * v[i, c]
            by_v[2 * i + c, i, c] = 2 * a[i]
    return {(0, 0): by_a, (0, 1): np.diag(np.cos(a)), (1, 0): by_v, (1, 1): np.zeros((3, 3, 2))}


def assert_same(found, want, **tolerance):
    assert found.keys() == want.keys()
    for pair, matrix in want.items():
        np.testing.assert_allclose(found[pair].numpy(), matrix, err_msg=str(pair), **tolerance)


@pytest.mark.parametrize(("way", "tolerance"), [(jacobian, 1e-6), (jacobian_fd, 1e-2)])
def test_jacobians_of_a_kernel(way, tolerance):
    inputs, outputs = mixed_arguments()
    found = way(mixed, 3, inputs, outputs)
    assert_same(found, mixed_jacobians(), rtol=tolerance, atol=tolerance)
    assert found[0, 0].dtype is wp.float32
    assert found[1, 0].dtype is wp.vec2
    assert inputs[0].list() == [1.0, 2.0, 3.0]
    assert outputs[1].list() == [0.0] * 3
    assert inputs[0].grad.list() == [0.0] * 3


@pytest.mark.parametrize(("way", "tolerance"), [(jacobian, 1e-6), (jacobian_fd, 1e-2)])
def test_jacobians_of_a_function(way, tolerance):
    inputs, _ = mixed_arguments()
    found = way(mixed_function, inputs=inputs[:2])
    assert_same(found, mixed_jacobians(), rtol=tolerance, atol=tolerance)
    one = way(right_square, inputs=[floats(3.0)])
    assert_same(one, {(0, 0): [[6.0]]}, rtol=tolerance)


def test_matrices_in_double_precision():
    a = wp.array(np.arange(1.0, 7.0).reshape(2, 3), dtype=wp.float64, requires_grad=True)
    out = wp.zeros((2, 3), dtype=wp.mat22d, requires_grad=True)
    want = np.zeros((24, 6))
    for i in range(6):
        want[4 * i : 4 * i + 4, i] = [1, 0, 2, 2 * (i + 1)]
    assert_same(jacobian(to_matrix, (2, 3), [a], [out]), {(0, 0): want}, rtol=1e-14)
    assert_same(jacobian_fd(to_matrix, (2, 3), [a], [out], eps=1e-5), {(0, 0): want}, rtol=1e-9)


def test_only_some_rows_and_columns():
    inputs, outputs = mixed_arguments()
    want = mixed_jacobians()
    for pair, matrix in jacobian(mixed, 3, inputs, outputs, max_outputs_per_var=2).items():
        np.testing.assert_allclose(matrix.numpy()[:2], want[pair][:2], rtol=1e-6)
        assert np.isnan(matrix.numpy()[2:]).all()
    for pair, matrix in jacobian_fd(mixed, 3, inputs, outputs, max_inputs_per_var=2).items():
        numbers = matrix.numpy().reshape(len(matrix), -1)
        np.testing.assert_allclose(numbers[:, :2], want[pair].reshape(numbers.shape)[:, :2], rtol=1e-3, atol=1e-3)
        assert np.isnan(numbers[:, 2:]).all()
    assert gradcheck(mixed, 3, inputs, outputs, max_inputs_per_var=1, max_outputs_per_var=1, show_summary=False)


@pytest.mark.parametrize("way", [jacobian, jacobian_fd])
def test_masks(way):
    inputs, outputs = mixed_arguments()
    assert set(way(mixed, 3, inputs, outputs, [("a", "out"), (1, 1)])) == {(0, 0), (1, 1)}
    assert set(way(mixed_function, None, inputs[:2], None, [("v", "output_1")])) == {(1, 1)}
    with pytest.raises(ValueError, match=r"there is no input 'b'; there are a, v, s"):
        way(mixed, 3, inputs, outputs, [("b", "out")])
    with pytest.raises(ValueError, match="there is no output 2; there are 2"):
        way(mixed, 3, inputs, outputs, [(0, 2)])


@pytest.mark.parametrize("way", [jacobian, jacobian_fd])
def test_only_what_requires_a_gradient_counts(way):
    inputs, outputs = mixed_arguments(grad=False)
    assert way(mixed, 3, inputs, outputs) == {}
    n, x, y = wp.array([2, 3], dtype=int), floats(1.0, 1.0), floats(0.0, 0.0)
    assert_same(way(scale_by, 2, [n, x], [y]), {(1, 0): np.diag([2.0, 3.0])}, rtol=1e-3)


@pytest.mark.parametrize("way", [jacobian, jacobian_fd])
def test_kernels_that_add_and_overwrite(way):
    x, total = floats(1.0, 2.0, 3.0), wp.full(1, 10.0, dtype=float, requires_grad=True)
    assert_same(way(accumulate, 3, [x], [total]), {(0, 0): [[2.0, 4.0, 6.0]]}, rtol=2e-2)
    assert x.list() == [1.0, 2.0, 3.0]
    assert total.list() == [10.0]


@pytest.mark.parametrize("way", [jacobian, jacobian_fd])
def test_functions_that_overwrite_their_inputs(way):
    def take(x):
        total = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(accumulate, dim=x.size, inputs=[x, total])
        return total

    x = floats(1.0, 2.0, 3.0)
    x.grad.fill_(7.0)
    assert_same(way(take, inputs=[x]), {(0, 0): [[2.0, 4.0, 6.0]]}, rtol=2e-2)
    assert x.list() == [1.0, 2.0, 3.0]
    assert x.grad.list() == [7.0] * 3
    jacobian(take, inputs=[x], restore_inputs=False)
    assert x.list() == [0.0] * 3


def test_one_array_for_two_parameters_is_two_to_a_kernel():
    x, out = floats(3.0), floats(0.0)
    assert_same(jacobian(product, 1, [x, x], [out]), {(0, 0): [[3.0]], (1, 0): [[3.0]]})


@pytest.mark.parametrize("dtype", [wp.float16, wp.bfloat16])
def test_steps_are_not_lost_in_small_types(dtype):
    @wp.kernel
    def twice(x: wp.array(dtype=dtype), y: wp.array(dtype=float)):
        y[wp.tid()] = 2.0 * float(x[wp.tid()])

    x, y = wp.array([0.0, 1.0, 100.0], dtype=dtype, requires_grad=True), floats(0.0, 0.0, 0.0)
    assert_same(jacobian_fd(twice, 3, [x], [y]), {(0, 0): 2 * np.eye(3)}, rtol=1e-6)


def test_right_gradients_pass(capsys):
    inputs, outputs = mixed_arguments()
    assert gradcheck(mixed, 3, inputs, outputs) is True
    printed = capsys.readouterr().out
    assert "Gradients of mixed" in printed
    assert printed.count("passed") == 4
    assert gradcheck(mixed_function, inputs=inputs[:2], show_summary=False) is True
    assert capsys.readouterr().out == ""


def test_a_wrong_gradient_is_found(capsys):
    x = floats(1.0, 2.0, 3.0)
    with pytest.raises(ValueError, match="gradient check of 'wrong_square' failed: output 'output_0' with respect to"):
        gradcheck(wrong_square, inputs=[x])
    assert "FAILED" in capsys.readouterr().out
    assert gradcheck(wrong_square, inputs=[x], raise_exception=False) is False
    # It is right where nothing is asked of it, and within a tolerance that forgives anything.
    assert gradcheck(wrong_square, inputs=[x], rtol=1.0, show_summary=False)


def test_a_gradient_that_is_not_a_number_fails():
    @wp.kernel
    def root(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        y[wp.tid()] = wp.sqrt(x[wp.tid()] - 1.0)

    assert not gradcheck(root, 2, [floats(2.0, 0.5)], [floats(0.0, 0.0)], raise_exception=False, show_summary=False)


def test_a_summary_is_not_printed_where_all_is_quiet(capsys, monkeypatch):
    monkeypatch.setattr(wp.config, "quiet", True)
    assert gradcheck(square, 1, [floats(1.0)], [floats(0.0)])
    assert capsys.readouterr().out == ""


def test_a_check_without_anything_to_check_is_refused():
    with pytest.raises(ValueError, match="there is nothing to check"):
        gradcheck(square, 1, [floats(1.0, grad=False)], [floats(0.0)])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda f: f(3, inputs=[]), TypeError, "expected a kernel or a function, found int"),
        (lambda f: f(square), ValueError, "kernel 'square': inputs are missing"),
        (lambda f: f(right_square), ValueError, "function 'right_square': inputs are missing"),
        (lambda f: f(square, 1, [floats(1.0)]), ValueError, "outputs are missing"),
        (lambda f: f(square, None, [floats(1.0)], [floats(1.0)]), TypeError, "dim is missing"),
        (lambda f: f(square, 1, [floats(1.0)] * 2, [floats(1.0)]), TypeError, "2 parameters; 2 inputs and 1 outputs"),
        (lambda f: f(lambda x: 3, inputs=[floats(1.0)]), TypeError, "returned int, expected an array or several"),
    ],
)
@pytest.mark.parametrize("way", [jacobian, jacobian_fd, gradcheck])
def test_wrong_arguments(way, call, error, message):
    with pytest.raises(error, match=message):
        call(way)


def test_kernels_without_a_gradient():
    with pytest.raises(RuntimeError, match="kernel 'without_gradient' has no gradient"):
        jacobian(without_gradient, 1, [floats(1.0)], [floats(0.0)])
    assert_same(jacobian_fd(without_gradient, 1, [floats(1.0)], [floats(0.0)]), {(0, 0): [[1.0]]}, rtol=1e-3)


@pytest.mark.parametrize("eps", [0.0, -1.0, float("nan")])
def test_a_step_must_go_somewhere(eps):
    with pytest.raises(ValueError, match="expected a number above 0"):
        jacobian_fd(square, 1, [floats(1.0)], [floats(0.0)], eps=eps)


def launches_of(*calls):
    """What a tape lists: kernel, dimensions, most blocks, inputs, outputs, device, threads of a block, metadata."""
    return SimpleNamespace(
        launches=[[kernel, (2,), 0, list(inputs), list(outputs), None, 256, {}] for kernel, inputs, outputs in calls]
    )


def test_tapes_launch_by_launch(capsys):
    x, y, z = floats(1.0, 2.0), floats(0.0, 0.0), floats(0.0, 0.0)
    plain = wp.zeros(2, dtype=float)
    tape = launches_of((square, [x], [y]), (product, [x, y], [z]), (square, [plain], [plain]))
    tape.launches.append(lambda: None)
    assert gradcheck_tape(tape)
    printed = capsys.readouterr().out
    assert printed.index("Gradients of square") < printed.index("Gradients of product")
    assert printed.count("Gradients of") == 2
    assert gradcheck_tape(tape, reverse_launches=True)
    printed = capsys.readouterr().out
    assert printed.index("Gradients of product") < printed.index("Gradients of square")
    assert gradcheck_tape(tape, whitelist_kernels=["square", "product"], blacklist_kernels=["square"])
    assert capsys.readouterr().out.count("Gradients of product") == 1
    assert gradcheck_tape(tape, skip_to_launch_index=1)
    assert "square" not in capsys.readouterr().out
    assert gradcheck_tape(tape, input_output_masks={"product": [("y", "out")]})
    assert "x " not in capsys.readouterr().out.partition("product")[2]
    assert gradcheck_tape(launches_of())


def test_a_tape_with_a_wrong_gradient():
    """No gradient of ours is wrong, so that the tolerance makes one so."""
    x, y = floats(1.0, 2.0), floats(0.0, 0.0)
    tape = launches_of((square, [x], [y]))
    assert not gradcheck_tape(tape, eps=0.5, atol=-1.0, rtol=0.0, raise_exception=False, show_summary=False)
    with pytest.raises(ValueError, match="gradient check of 'square' failed"):
        gradcheck_tape(tape, eps=0.5, atol=-1.0, rtol=0.0, show_summary=False)


def test_what_is_no_tape():
    with pytest.raises(TypeError, match="expected a tape that lists its launches, found int"):
        gradcheck_tape(3)
    with pytest.raises(TypeError, match=r"input_output_masks is \(1, 2\), expected a dict"):
        gradcheck_tape(wp.Tape(), input_output_masks=(1, 2))


@pytest.fixture
def pyplot(monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.get_fignums()))
    yield SimpleNamespace(plt=plt, shown=shown)
    plt.close("all")


@pytest.mark.parametrize("options", [{}, {"scale_colors_per_submatrix": True}, {"log_scale": True}], ids=str)
def test_plots(pyplot, options):
    inputs, outputs = mixed_arguments()
    found = jacobian(mixed, 3, inputs, outputs)
    figure = jacobian_plot(found, mixed, inputs, show_plot=False, title="here", **options)
    pictures = [axis for axis in figure.axes if axis.get_ylabel() in ("out", "wave")]
    assert [(axis.get_xlabel(), axis.get_ylabel()) for axis in pictures] == [
        ("a", "out"),
        ("v", "out"),
        ("a", "wave"),
        ("v", "wave"),
    ]
    np.testing.assert_array_equal(pictures[1].images[0].get_array(), found[1, 0].numpy().reshape(6, 6))
    assert figure.get_suptitle() == "here"
    assert not pyplot.shown
    jacobian_plot(found, FunctionMetadata("other", ["p", "q"], ["r", "s"]), show_colorbar=False)
    assert len(pyplot.shown) == 1


def test_plots_of_checks(pyplot):
    inputs, outputs = mixed_arguments()
    jacobian(mixed, 3, inputs, outputs, plot_jacobians=True)
    jacobian_fd(mixed, 3, inputs, outputs, [(0, 0)], plot_jacobians=True)
    gradcheck(mixed, 3, inputs, outputs, plot_relative_error=True, plot_absolute_error=True, show_summary=False)
    assert len(pyplot.shown) == 4


def test_what_cannot_be_plotted(pyplot):
    found = jacobian(square, 1, [floats(1.0)], [floats(0.0)])
    with pytest.raises(ValueError, match="inputs are missing"):
        jacobian_plot(found, square)
    with pytest.raises(ValueError, match="no Jacobians"):
        jacobian_plot({}, square, [1])
    with pytest.raises(TypeError, match="expected a kernel or its names, found str"):
        jacobian_plot(found, "square")
    with pytest.raises(TypeError, match="jacobians is of type array"):
        jacobian_plot(floats(1.0), square, [1])


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    x, y = floats(1.0), floats(0.0)
    assert gradcheck(square, 1, [x], [y], show_summary=False)
    for call in (
        lambda: jacobian_plot(jacobian(square, 1, [x], [y]), square, [x]),
        lambda: jacobian(square, 1, [x], [y], plot_jacobians=True),
        lambda: gradcheck(square, 1, [x], [y], plot_absolute_error=True),
    ):
        with pytest.raises(ImportError, match=r"needs matplotlib to draw; install it"):
            call()


def test_a_check_of_chosen_pairs(capsys):
    inputs, outputs = mixed_arguments()
    assert gradcheck(mixed, 3, inputs, outputs, input_output_mask=[("a", "wave")])
    assert capsys.readouterr().out.count("passed") == 1
    with pytest.raises(ValueError, match="there is no input 'b'"):
        gradcheck(mixed, 3, inputs, outputs, input_output_mask=[("b", "out")])


def test_tolerances_of_a_check():
    def check(**options):
        return gradcheck(wrong_square, inputs=[floats(1.0)], raise_exception=False, show_summary=False, **options)

    assert not check()
    assert check(atol=1.01, rtol=0.0)
    assert not check(atol=0.9, rtol=0.0)
    assert check(atol=0.0, rtol=0.51)


@pytest.mark.parametrize("way", [gradcheck, jacobian, jacobian_fd])
def test_where_and_how_a_kernel_is_launched(way):
    x, y = floats(1.0, 2.0), floats(0.0, 0.0)
    assert way(square, 2, [x], [y], device="cpu", max_blocks=1, block_dim=64)
    with pytest.raises(ValueError, match="cuda"):
        way(square, 2, [x], [y], device="cuda:0")


def test_a_check_puts_back_what_is_overwritten():
    for restore, held in ((True, [1.0, 2.0]), (False, [0.0, 0.0])):
        x = floats(1.0, 2.0)

        def take(x):
            total = wp.zeros(1, dtype=float, requires_grad=True)
            wp.launch(accumulate, dim=x.size, inputs=[x, total])
            return total

        gradcheck(take, inputs=[x], raise_exception=False, show_summary=False, restore_inputs=restore)
        assert x.list() == held


CHECK = "eps=0.0001 atol=0.001 rtol=0.01 raise_exception=True "
SHOWN = "plot_relative_error=False plot_absolute_error=False show_summary=True "
PARAMETERS = {
    gradcheck: f"dim=None inputs=None outputs=None {CHECK}input_output_mask=None device=None max_blocks=0 "
    f"block_dim=None max_inputs_per_var=-1 max_outputs_per_var=-1 {SHOWN}restore_inputs=True",
    gradcheck_tape: f"{CHECK}input_output_masks=None blacklist_kernels=None whitelist_kernels=None "
    f"max_inputs_per_var=-1 max_outputs_per_var=-1 {SHOWN}reverse_launches=False skip_to_launch_index=0",
    jacobian: "dim=None inputs=None outputs=None input_output_mask=None device=None max_blocks=0 block_dim=None "
    "max_outputs_per_var=-1 plot_jacobians=False metadata=None restore_inputs=True",
    jacobian_fd: "dim=None inputs=None outputs=None input_output_mask=None device=None max_blocks=0 block_dim=None "
    "max_inputs_per_var=-1 eps=0.0001 plot_jacobians=False metadata=None restore_inputs=True",
    wp.optim.Adam: "params=None lr=0.001 betas=(0.9,0.999) eps=1e-08",
    wp.optim.SGD: "params=None lr=0.001 momentum=0.0 dampening=0.0 weight_decay=0.0 nesterov=False",
    wp.Tape.visualize: "filename=None simplify_graph=True hide_readonly_arrays=False array_labels=None "
    "choose_longest_node_name=True ignore_graph_scopes=False track_inputs=None track_outputs=None "
    "track_input_names=None track_output_names=None",
    wp.Tape.record_scope_begin: "metadata=None",
    wp.Tape.record_scope_end: "remove_scope_if_empty=True",
}


@pytest.mark.parametrize("function", PARAMETERS, ids=lambda f: f.__name__)
def test_defaults_of_parameters(function):
    found = [p for p in inspect.signature(function).parameters.values() if p.default is not p.empty]
    assert " ".join(f"{p.name}={p.default!r}".replace(" ", "") for p in found).startswith(PARAMETERS[function])
