"""What is called and compared, and what is not: objects whose methods are called, operators.

The arguments are in `right_values.py`, what takes their place in `neighbours.py`. All are texts, which `worker.py`
evaluates with the names of `values.py`.
"""

from __future__ import annotations

from wrong_use import objects

# What is not called, by its path, and why.
LEFT_OUT = {
    "wp.Volume.load_from_address": "reads any memory",
    "wp.config.check_bounds": "without checks an index out of range reads any memory",
    "wp.config.kernel_cache_dir": "files are made in the temporary folder only",
    "wp.torch.TorchKernel": "wp.torch.torch_kernel makes it",
    "wp.paddle.PaddleKernel": "wp.paddle.paddle_kernel makes it",
    "wp.jax.JaxKernel": "wp.jax_kernel makes it",
    "wp.jax.JaxCallable": "wp.jax_callable makes it",
    "wp.array.__dlpack_c_exchange_api__": "a table of C functions",
    "wp.geometry.find_triangle_neighbor_edge_index": "a function of kernels, which Python runs as it is written",
    "wp.geometry.swept_volume_sdf": "a function of kernels, which Python runs as it is written",
}


# What no two packages answer alike, by a part of a line, and why.
NOT_COMPARED = {
    "get_cpu_kernel_cache_key(": "names the package",
    "get_cuda_toolkit_version(": "that of the build",
    "get_cuda_supported_archs(": "those of the build",
    "free_memory": "changes all the time",
    "empty": "nobody has written the memory",
    "strides=": "nobody has written the memory",
    "dir(": "lists what is private, too",
    "hash(": "an address",
    "-1)": "unsigned numbers hold -1 in one package, their largest value in the other",
}


# Objects whose methods are called, by the name of their class. Others are made as their signature says.
RECEIVERS: dict[str, list[str]] = {
    "array": [
        "wp.ones(4)",
        "wp.zeros(0)",
        "wp.array(np.arange(6.0).reshape(2, 3))",
        "wp.ones((2, 3)).transpose()",
        "wp.ones(6)[::2]",
        "wp.ones(4, requires_grad=True)",
        "wp.zeros((2, 2), dtype=wp.vec3)",
        "wp.zeros(2, dtype=Pair)",
        "wp.array(2.5)",
        "wp.ones(4, dtype=wp.bfloat16)",
        "wp.array(np.ones(4, np.float32), copy=False)",
        "wp.array(read_only(), copy=False)",
        "wp.array(dtype=float)",
        "wp.zeros((1, 2, 3, 4), dtype=wp.int8)",
        "wp.from_torch(torch.ones(4, requires_grad=True))",
        "wp.from_jax(jnp.ones(4))",
        "wp.array([1, 2], dtype=wp.bool)",
    ],
    "indexedarray": ["wp.indexedarray(wp.ones(4), [wp.array([1, 2], dtype=int)])", "wp.ones((2, 2))[wp.array([1])]"],
    "Device": ["wp.get_device()"],
    "Stream": ["wp.get_stream()", "wp.Stream()"],
    "Event": ["wp.Event()", "wp.Event(enable_timing=True)"],
    "Kernel": ["scale", "generic", "structs", "nothing", "wp.Kernel(written)", "wp.Kernel(broken)"],
    "Function": ["double", "larger"],
    "Launch": ["command()"],
    "Graph": ["graph()"],
    "Tape": ["recorded()", "recorded(False)", "wp.Tape()"],
    "Module": ["wp.get_module('wrong_use.values')"],
    "Pair": ["pair()", "Pair()"],
    "Holder": ["holder()", "Holder()"],
    "LinearOperator": ["wp.optim.linear.aslinearoperator(matrix())"],
    "JaxKernel": ["wp.jax_kernel(add)"],
    "JaxCallable": ["wp.jax_callable(array_in_array_out)"],
    "Adam": ["wp.optim.Adam([wp.ones(4)])"],
    "SGD": ["wp.optim.SGD([wp.ones(4)], 0.1, 0.5)"],
    "Builtin": ["wp.sin"],
    "ArrayDescriptor": ["wp.ones(4).__ctype__()"],
    "TorchKernel": ["wp.torch.torch_kernel(add)"],
    "PaddleKernel": ["wp.paddle.paddle_kernel(add)"],
    "CG": ["wp.optim.linear.CG(matrix(), wp.ones(4), wp.zeros(4))"],
    "GMRES": ["wp.optim.linear.GMRES(matrix(), wp.ones(4), wp.zeros(4), restart=2)"],
    "ScopedTimer": ["wp.ScopedTimer('x', print=False)"],
    "TimingResult": ["wp.TimingResult('cpu', 'x', 1, 1.0)"],
    **objects.RECEIVERS,
}


# The same by what classes derive from; the class is to be filled in.
OF_GROUP: dict[str, list[str]] = {
    "_Vector": ["{}(1)", "{}()"],
    "_Matrix": ["{}(1)", "{}()"],
    "_Float": ["{}(1.5)", "{}('nan')"],
    "_Int": ["{}(3)", "{}(-1)"],
}


# Those that a program has most of.
OFTEN = ["Pair", "Holder", "Kernel", "Launch", "Tape", "Function", "indexedarray", "TorchKernel", "JaxKernel"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "<", "==", "!=", "&", "|", "<<", "in", "is"]
IN_PLACE = ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "@="]
UNARY = ["-{}", "+{}", "~{}", "len({})", "bool({})", "int({})", "float({})", "complex({})", "hash({})", "iter({})"]


UNARY += ["list({})", "next(iter({}))", "repr({})", "str({})", "bytes({})", "np.asarray({})", "abs({})", "round({})"]


UNARY += ["reversed({})", "copy.copy({})", "copy.deepcopy({})", "pickle.loads(pickle.dumps({}))", "dir({})"]


UNARY += ["operator.index({})", "memoryview({})", "format({}, 'x')", "np.array({})", "sum({})", "sorted({})", "{}()"]


# Dunder names that are neither called nor read: they are Python's own.
OWN = set(dir(object)) | {"__module__", "__dict__", "__weakref__", "__slots__", "__annotations__", "__orig_bases__"}


OWN |= {"__parameters__", "__abstractmethods__", "__match_args__", "__dataclass_fields__", "__dataclass_params__"}
