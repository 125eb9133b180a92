"""NumPy's structured arrays as arrays of structs: shared, copied, launched directly, refused by name."""

import numpy as np
import pytest
import warp as wp


@wp.struct
class Point:
    id: wp.uint8
    pos: wp.vec3
    weight: wp.float64


@wp.struct
class Pair:
    a: Point
    m: wp.mat22
    flag: wp.bool


PACKED = np.dtype([("id", "u1"), ("pos", "f4", (3,)), ("weight", "f8")])
# Other order and more room, but every number where it can be read.
ROOMY = np.dtype(
    {"names": ["weight", "pos", "id"], "formats": ["f8", ("f4", 3), "u1"], "offsets": [8, 20, 3], "itemsize": 40}
)


def filled(dtype, n=5):
    records = np.zeros(n, dtype)
    records["id"], records["weight"] = np.arange(n), np.arange(n) * 0.5
    records["pos"] = np.arange(3 * n).reshape(n, 3)
    return records


@wp.kernel
def moved(ps: wp.array(dtype=Point), out: wp.array(dtype=Point)):
    i = wp.tid()
    p = ps[i]
    p.pos = p.pos * 2.0
    p.weight = p.weight + wp.float64(p.id)
    p.id = p.id + wp.uint8(1)
    out[i] = p


def check_moved(records, n=5):
    assert records["id"].tolist() == list(range(1, n + 1))
    assert records["pos"].tolist() == (2.0 * np.arange(3 * n).reshape(n, 3)).tolist()
    assert records["weight"].tolist() == [1.5 * i for i in range(n)]


def test_memory_is_shared_both_ways():
    records = filled(Point.numpy_dtype())
    a = wp.array(records, dtype=Point, copy=False)
    assert a.ptr == records.ctypes.data
    assert a.dtype is Point
    assert not a.read_only
    wp.launch(moved, 5, [a, a])
    check_moved(records)
    back = a.numpy()
    assert back.dtype == Point.numpy_dtype()
    assert np.shares_memory(back, records)
    back["id"][2] = 77
    assert a[2].id == 77
    assert np.asarray(a).dtype == Point.numpy_dtype()
    assert np.shares_memory(np.asarray(a), records)
    part = a[1::2].numpy()
    assert part["id"].tolist() == [2, 4]
    assert part.strides == (48,)
    assert np.shares_memory(part, records)
    reversed_ = wp.array(records[::-1], dtype=Point, copy=False)
    assert reversed_[0] == a[4]
    assert reversed_.strides == (-24,)


def test_the_memory_lives_as_long_as_the_array():
    a = wp.array(filled(Point.numpy_dtype()), dtype=Point, copy=False)
    b = wp.zeros(5, dtype=Point)
    view = b.numpy()
    del b
    wp.launch(moved, 5, [a, view])
    check_moved(view)


@pytest.mark.parametrize("make", [wp.from_numpy, wp.array])
@pytest.mark.parametrize("dtype", [Point.numpy_dtype(), PACKED, ROOMY, PACKED.newbyteorder(">")])
def test_copies_are_made_of_every_layout(make, dtype):
    records = filled(dtype)
    a = make(records, dtype=Point)
    records["id"] = 0
    wp.launch(moved, 5, [a, a])
    check_moved(a.numpy())
    two = filled(dtype, 6).reshape(2, 3)
    assert wp.array(two, dtype=Point).shape == (2, 3)
    assert wp.array(two.T, dtype=Point)[2, 1].id == 5
    b = wp.zeros((2, 3), dtype=Point, requires_grad=True)
    b.assign(two)
    assert b[1, 2].weight == 2.5


def test_numbers_are_converted_in_copies_only():
    wide = np.zeros(2, [("id", "i8"), ("pos", "f8", 3), ("weight", "f4")])
    wide["id"], wide["pos"] = [3, 4], [[1, 2, 3], [4, 5, 6]]
    a = wp.array(wide, dtype=Point)
    assert a[1].id == 4
    assert list(a[1].pos) == [4.0, 5.0, 6.0]
    with pytest.raises(TypeError, match="cannot be shared: they are .*'id', '<i8'.*Point lies in memory as"):
        wp.array(wide, dtype=Point, copy=False)
    with pytest.raises(TypeError, match="launch of kernel 'moved': argument 'ps.id': .* of int64"):
        wp.launch(moved, 2, [wide, a])


def test_records_go_straight_into_a_launch():
    for dtype in (Point.numpy_dtype(), ROOMY):
        source, target = filled(dtype), filled(dtype)
        wp.launch(moved, 5, [source, target])
        check_moved(target)
    source = filled(Point.numpy_dtype(), 10)[::2]
    source["id"], source["pos"] = range(5), np.arange(15).reshape(5, 3)
    source["weight"] = np.arange(5) * 0.5
    out = wp.zeros(5, dtype=Point)
    wp.launch(moved, 5, [source, out])
    check_moved(out.numpy())
    wp.launch(moved, 5, [source.view(np.recarray), out])


def test_packed_records_are_refused_by_name():
    with pytest.raises(ValueError, match="argument 'ps.pos': .*do not start at multiples of 4 bytes"):
        wp.launch(moved, 5, [filled(PACKED), wp.zeros(5, dtype=Point)])
    with pytest.raises(TypeError, match="argument 'ps.pos'.*foreign order"):
        wp.launch(moved, 5, [filled(Point.numpy_dtype().newbyteorder(">")), wp.zeros(5, dtype=Point)])


def test_nested_records():
    @wp.kernel
    def k(ps: wp.array(dtype=Pair)):
        i = wp.tid()
        ps[i].m[1, 0] = ps[i].a.pos[2]
        ps[i].flag = ps[i].a.id > wp.uint8(2)

    records = np.zeros(5, Pair.numpy_dtype())
    records["a"]["pos"], records["a"]["id"] = np.arange(15).reshape(5, 3), np.arange(5)
    shared = wp.array(records, dtype=Pair, copy=False)
    wp.launch(k, 5, [records])
    assert records["m"][:, 1, 0].tolist() == [2, 5, 8, 11, 14]
    assert records["flag"].tolist() == [0, 0, 0, 1, 1]
    assert shared[3].flag is True
    assert shared[3].a.pos[0] == 9.0
    assert wp.array(records, dtype=Pair).list() == shared.list()
    wrong = np.zeros(5, [("a", [("x", "f4")]), ("m", "f4", (2, 2)), ("flag", "?")])
    for use in (lambda: wp.launch(k, 5, [wrong]), lambda: wp.array(wrong, dtype=Pair)):
        with pytest.raises(TypeError, match=r"the fields of Point \(id, pos, weight\), found the fields x"):
            use()


def test_read_only_records_stay_so():
    records = filled(Point.numpy_dtype())
    records.flags.writeable = False
    a = wp.array(records, dtype=Point, copy=False)
    assert a.read_only
    assert not a.numpy().flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        a[0] = Point()
    for value in (a, records):
        with pytest.raises(ValueError, match="argument 'out.id': the kernel writes it"):
            wp.launch(moved, 5, [a, value])


def test_odd_shapes():
    empty = np.zeros(0, Point.numpy_dtype())
    assert wp.array(empty, dtype=Point).shape == (0,)
    assert wp.array(empty, dtype=Point, copy=False).numpy().shape == (0,)
    wp.launch(moved, 0, [empty, empty])
    one = np.zeros((), Point.numpy_dtype())
    for copied in (True, False):
        assert wp.array(one, dtype=Point, copy=copied).shape == (1,)
    with pytest.raises(TypeError, match=r"argument 'ps': expected array\(Point, ndim=1\), found a numpy.ndarray"):
        wp.launch(moved, 5, [np.zeros((5, 5), Point.numpy_dtype()), empty])
    with pytest.raises(ValueError, match="1 to 4 dimensions"):
        wp.array(np.zeros((1,) * 5, Point.numpy_dtype()), dtype=Point, copy=False)


@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize(
    ("value", "says"),
    [
        (np.zeros(3, np.float32), "an array of Point is made of instances of Point, NumPy's records"),
        (np.zeros((3, 40), np.uint8), "an array of Point is made of"),
        (np.zeros(3, [("id", "u1")]), r"the fields of Point \(id, pos, weight\), found the fields id"),
        (np.zeros(3, [*PACKED.descr, ("more", "f4")]), "found the fields id, pos, weight, more"),
        (wp.zeros(3, dtype=Pair), "an array of Point is made of"),
        (memoryview(b"abcd"), "an array of Point is made of"),
    ],
)
def test_what_is_no_array_of_the_struct_is_refused(value, copied, says):
    with pytest.raises(TypeError, match=says):
        wp.array(value, dtype=Point, copy=copied)


def test_a_field_of_another_shape_is_refused():
    with pytest.raises((TypeError, ValueError), match="field 'pos' of Point"):
        wp.array(np.zeros(3, [("id", "u1"), ("pos", "f4", 2), ("weight", "f8")]), dtype=Point)


def test_records_without_a_struct_are_refused_by_name():
    for use in (wp.array, wp.from_numpy, lambda a: wp.array(a, dtype=float)):
        with pytest.raises((TypeError, RuntimeError), match="declare the fields with @wp.struct"):
            use(filled(PACKED))


def test_other_frameworks_have_no_records():
    a = wp.zeros(3, dtype=Point)
    takers = [np.from_dlpack, wp.to_dlpack, lambda a: a.__array_interface__, lambda a: a.__array_struct__]
    torch = pytest.importorskip("torch")
    takers += [wp.to_torch, torch.from_dlpack]
    if hasattr(wp, "to_jax") and pytest.importorskip("jax"):
        takers.append(wp.to_jax)
    for take in takers:
        with pytest.raises((BufferError, AttributeError, TypeError), match="Point, a struct"):
            take(a)
    with pytest.raises(TypeError, match="the elements are uint8, not the struct Point"):
        wp.from_torch(torch.zeros(3, 40, dtype=torch.uint8), dtype=Point)
    for convert in (wp.dtype_to_torch, wp.dtype_to_jax):
        with pytest.raises(TypeError, match="Point"):
            convert(Point)
    with pytest.raises(TypeError, match="the array holds Point, a struct"):
        wp.array(a, dtype=float)


def test_conversions_hold_nothing():
    import resource
    import sys

    records = filled(Point.numpy_dtype())
    dtype = Point.numpy_dtype()

    def turn():
        a = wp.array(records, dtype=Point, copy=False)
        a.numpy()
        wp.launch(moved, 5, [a, records])

    for _ in range(200):
        turn()
    counts = sys.getrefcount(records), sys.getrefcount(dtype), sys.getrefcount(Point)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(5000):
        turn()
    assert (sys.getrefcount(records), sys.getrefcount(dtype), sys.getrefcount(Point)) == counts
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1024


def random_record(rng):
    """Records of some layout, seldom the right one: any order, gaps, overlaps, other types and names."""
    formats = {"id": "u1", "pos": ("f4", (3,)), "weight": "f8"}
    names = list(rng.permutation(list(formats)))
    chosen, offsets, at = [], [], 0
    for name in names:
        form = formats[name]
        if rng.random() < 0.08:
            form = [("f4", (2,)), "f4", "i1", ">f8", "c8", "O", ("f8", (3,)), "S3"][rng.integers(8)]
        size = np.dtype(form).itemsize
        align = 1 if rng.random() < 0.1 else max(1, min(8, np.dtype(form).alignment))
        at = -(-(at + int(rng.integers(0, 3)) * align) // align) * align
        offsets.append(at if rng.random() > 0.05 else int(rng.integers(0, at + 1)))
        chosen.append(form)
        at = max(at, offsets[-1]) + size
    names = [n if rng.random() > 0.02 else n + "_" for n in names]
    itemsize = -(-(at + int(rng.integers(0, 9))) // 8) * 8 if rng.random() < 0.9 else at
    layout = {"names": names, "formats": chosen, "offsets": offsets, "itemsize": itemsize}
    try:
        dtype = np.dtype(layout)
    except (ValueError, TypeError):
        return None
    n = int(rng.integers(0, 40))
    base = np.zeros(2 * n + 2, dtype)
    if not dtype.hasobject:
        base.view("u1")[...] = rng.integers(0, 60, base.nbytes)
    records = [base[:n], base[1 : n + 1], base[: 2 * n : 2], base[n - 1 :: -1] if n else base[:0]][rng.integers(4)]
    if rng.random() < 0.05:
        records = records.reshape(1, -1)
    elif rng.random() < 0.1:
        records = np.broadcast_to(records[:1], (n,)) if n else records
    return records


def test_random_layouts_are_right_or_refused():
    right = refused = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        records = random_record(rng)
        if records is None:
            continue
        out = wp.zeros(records.size, dtype=Point)
        kept = records.copy()
        try:
            wp.launch(moved, records.size, [records, out])
        except (TypeError, ValueError) as error:
            text = str(error)
        else:
            text = ""
        if text:
            assert "argument 'ps" in text
            refused += 1
            continue
        right += 1
        found = out.numpy()
        np.testing.assert_array_equal(found["id"], kept["id"] + np.uint8(1))
        np.testing.assert_array_equal(found["pos"], kept["pos"] * np.float32(2))
        np.testing.assert_array_equal(found["weight"], kept["weight"] + kept["id"])
        copied = wp.array(records, dtype=Point)
        np.testing.assert_array_equal(copied.numpy()["pos"], kept["pos"])
    assert min(right, refused) > 50
