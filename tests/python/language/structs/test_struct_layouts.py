"""Structs of random fields: their layout is NumPy's, and kernels read and write what stands there."""

import numpy as np
import warp as wp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

INTS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
SCALARS = ["bool", *INTS, "float16", "float32", "float64"]


@st.composite
def fields(draw, depth=2):
    """The annotation of a field."""
    kinds = ["scalar", "vector", "matrix"] + (["struct"] if depth else [])
    kind = draw(st.sampled_from(kinds))
    scalar = getattr(wp, draw(st.sampled_from(SCALARS)))
    if kind == "scalar":
        return scalar
    if kind == "vector":
        return wp.types.vector(draw(st.integers(1, 5)), scalar)
    if kind == "matrix":
        return wp.types.matrix((draw(st.integers(1, 3)), draw(st.integers(1, 3))), scalar)
    return draw(structs(depth - 1))


@st.composite
def structs(draw, depth=2):
    """A struct of a few fields."""
    types = draw(st.lists(fields(depth), min_size=1, max_size=4))
    return wp.struct(type("Made", (), {"__annotations__": {f"f{i}": t for i, t in enumerate(types)}}))


def aligned(struct):
    """The dtype as NumPy lays it out by itself."""
    formats = struct.numpy_dtype().fields
    inner = {name: aligned(t) for name, t in struct.__annotations__.items() if hasattr(t, "numpy_dtype")}
    return np.dtype([(name, inner.get(name, formats[name][0])) for name in formats], align=True)


def filled(dtype, n, seed):
    """Records of random numbers, zeros between them."""
    records, rng = np.zeros(n, dtype), np.random.default_rng(seed)

    def fill(part):
        if part.dtype.names:
            for name in part.dtype.names:
                fill(part[name])
        elif part.dtype == bool:
            part[...] = rng.random(part.shape) > 0.5
        elif part.dtype.kind == "f":
            part[...] = rng.normal(size=part.shape)
        else:
            info = np.iinfo(part.dtype)
            part[...] = rng.integers(info.min, info.max, part.shape, part.dtype, endpoint=True)

    fill(records)
    return records


@given(structs(), st.integers(0, 2**32))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_instances_and_records_are_the_same_bytes(struct, seed):
    assert struct.numpy_dtype() == aligned(struct)
    records = filled(struct.numpy_dtype(), 3, seed)
    a = wp.array(records, dtype=struct, copy=False)
    assert a.ptr == records.ctypes.data
    again = wp.array(a.list(), dtype=struct)
    assert again.numpy().tobytes() == records.tobytes()
    assert wp.array(records, dtype=struct).numpy().tobytes() == records.tobytes()
    # What NumPy leaves between the fields of new records is arbitrary.
    by_value = np.array([p.numpy_value() for p in a], struct.numpy_dtype())
    assert wp.array(by_value, dtype=struct).numpy().tobytes() == records.tobytes()


@given(structs(), st.integers(0, 2**32))
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
def test_kernels_copy_whole_elements(struct, seed):
    @wp.func
    def same(p: struct):
        return p

    @wp.kernel
    def k(a: wp.array(dtype=struct), p: struct, out: wp.array(dtype=struct)):
        i = wp.tid()
        if i < 3:
            q = same(a[2 - i])
            out[i] = q
        else:
            out[i] = p

    records = filled(struct.numpy_dtype(), 4, seed)
    out = wp.zeros(4, dtype=struct)
    last = wp.array(records, dtype=struct)[3]
    wp.launch(k, 4, [records[:3], last, out])
    found = out.numpy()
    for i, j in enumerate([2, 1, 0, 3]):
        assert found[i].tobytes() == records[j].tobytes()
