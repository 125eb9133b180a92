"""Colours of graphs: neighbours differ, groups are balanced and complete, and what cannot be is refused by name."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from hypothesis import given
from hypothesis import strategies as st

U = wp.utils


def edges_of(pairs):
    return wp.array(np.array(pairs, dtype=np.int32).reshape(-1, 2), dtype=wp.int32, device="cpu")


def colors_of(n):
    return wp.zeros(n, dtype=wp.int32, device="cpu")


def grid(n):
    at = np.arange(n * n).reshape(n, n)
    return np.concatenate(
        [np.stack([a.ravel(), b.ravel()], 1) for a, b in ((at[1:], at[:-1]), (at[:, 1:], at[:, :-1]))]
    )


@pytest.mark.parametrize("algorithm", U.GraphColoringAlgorithm)
def test_a_grid(algorithm):
    pairs, colors = grid(30), colors_of(900)
    count = U.graph_coloring_assign(edges_of(pairs), colors, algorithm)
    found = colors.numpy()
    assert 2 <= count <= 5
    assert (found[pairs[:, 0]] != found[pairs[:, 1]]).all()
    ratio = U.graph_coloring_balance(edges_of(pairs), colors, count, 1.1)
    found = colors.numpy()
    sizes = np.bincount(found, minlength=count)
    assert (found[pairs[:, 0]] != found[pairs[:, 1]]).all()
    assert ratio == pytest.approx(sizes.max() / sizes.min())
    groups = U.graph_coloring_get_groups(colors, count)
    assert [len(g) for g in groups] == sizes.tolist()
    assert sorted(np.concatenate([g.numpy() for g in groups]).tolist()) == list(range(900))
    for color, group in enumerate(U.graph_coloring_get_groups(colors, count, return_wp_array=False)):
        assert isinstance(group, np.ndarray)
        assert (found[group] == color).all()


@given(
    st.integers(1, 30),
    st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=80),
    st.sampled_from([0, 1]),
)
def test_random_graphs(nodes, pairs, algorithm):
    pairs = [(a % nodes, b % nodes) for a, b in pairs]
    spread = wp.zeros(2 * nodes, dtype=wp.int32, device="cpu")
    colors = spread[::2]
    count = U.graph_coloring_assign(edges_of(pairs), colors, algorithm)
    for _ in range(2):
        found = colors.numpy()
        assert set(found) == set(range(count))
        assert all(found[a] != found[b] for a, b in pairs if a != b)
        U.graph_coloring_balance(edges_of(pairs), colors, count, 1.0)
    assert not spread.numpy()[1::2].any()


def test_nothing_and_little():
    assert U.graph_coloring_assign(edges_of([]), colors_of(0)) == 0
    assert U.graph_coloring_get_groups(colors_of(0), 0) == ()
    colors = colors_of(4)
    assert U.graph_coloring_assign(edges_of([(0, 0)]), colors) == 1
    assert U.graph_coloring_balance(edges_of([]), colors, 2, 1.0) == 1.0
    with pytest.warns(RuntimeWarning, match="the ratio is inf after 1 changes"):
        assert U.graph_coloring_balance(edges_of([]), colors_of(4), 3, 1.0, max_iterations=1) == float("inf")


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: U.graph_coloring_assign([(0, 1)], colors_of(2)), TypeError, "edges is list, expected a wp.array"),
        (lambda: U.graph_coloring_assign(wp.zeros((3, 2)), colors_of(2)), TypeError, "edges is an array of float32"),
        (lambda: U.graph_coloring_assign(colors_of(4), colors_of(2)), ValueError, r"edges has shape \(4,\)"),
        (
            lambda: U.graph_coloring_assign(edges_of([(0, 2)]), colors_of(2)),
            ValueError,
            "edge 0 is of the nodes 0 and 2",
        ),
        (lambda: U.graph_coloring_assign(edges_of([]), colors_of(2), 7), ValueError, "7 is not a valid"),
        (lambda: U.graph_coloring_balance(edges_of([(0, 1)]), colors_of(2), 1, 1.0), ValueError, "have one colour, 0"),
        (lambda: U.graph_coloring_balance(edges_of([]), colors_of(2), 0, 1.0), ValueError, "has the colour 0"),
        (
            lambda: U.graph_coloring_balance(edges_of([]), colors_of(2), 10**9, 1.0),
            ValueError,
            "color_count is 1000000000",
        ),
        (lambda: U.graph_coloring_balance(edges_of([]), colors_of(2), 1, 0.0), ValueError, "target_max_min_ratio is 0"),
        (lambda: U.graph_coloring_get_groups(wp.full(2, 5, dtype=int), 3), ValueError, "has the colour 5"),
        (lambda: U.graph_coloring_get_groups(colors_of(2), -1), ValueError, "color_count is -1"),
    ],
)
def test_what_cannot_be(call, error, says):
    with pytest.raises(error, match=says):
        call()
