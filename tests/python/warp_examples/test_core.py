"""The algorithms of `warp.examples.core` beside NumPy, closed forms and what is known of them."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
import warp as wp
from warp.examples.core import (
    bitonic_sort,
    conjugate_gradients,
    fft,
    game_of_life,
    graph_layout,
    histogram_equalisation,
    image_filter,
    k_means,
    mandelbrot,
    marching_cubes,
    monte_carlo,
    pagerank,
    ray_march,
)


def test_mandelbrot() -> None:
    shape, limit, width = (24, 36), 300, 0.01
    found = mandelbrot.render(limit, width, shape)
    y, x = np.mgrid[0:24, 0:36]
    scale = width / 36
    c = mandelbrot.CENTRE[0] + (x - 18) * scale + 1j * (mandelbrot.CENTRE[1] + (y - 12) * scale)
    z, rounds = np.zeros_like(c), np.zeros(shape)
    for n in range(1, limit + 1):
        live = np.abs(z) ** 2 < 256
        z = np.where(live, z * z + c, z)
        out = live & (np.abs(z) ** 2 >= 256) & (n < limit)
        rounds[out] = n + 1 - np.log2(np.log(np.abs(z[out])))
    assert np.isclose(found, rounds, atol=1e-3).mean() > 0.98  # chaos: one rounding decides some


def test_game_of_life() -> None:
    """What everyone knows: how many cells the R-pentomino leaves, and that a glider glides."""
    cells, _ = game_of_life.play(game_of_life.R_PENTOMINO, 200, 160)
    board = np.zeros((160, 160), dtype=int)
    board[78:81, 78:81] = game_of_life.R_PENTOMINO
    for _ in range(200):
        around = sum(np.roll(board, (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1))
        board = ((around == 3) | ((around == 4) & (board == 1))).astype(int)
    assert (cells == board).all()

    glider = np.uint8([[0, 1, 0], [0, 0, 1], [1, 1, 1]])
    before, _ = game_of_life.play(glider, 0, 20)
    after, _ = game_of_life.play(glider, 4 * 20, 20)
    assert (after == before).all()  # once round the torus


def test_image_filter() -> None:
    image = image_filter.scene(40)
    found = image_filter.filtered(image)
    padded = np.pad(image, 1, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).reshape(40, 40, 9)
    np.testing.assert_array_equal(found["median of nine"], np.median(windows, axis=2))
    ndimage = pytest.importorskip("scipy.ndimage")
    blurred = ndimage.gaussian_filter(image.astype(float), 2.5, mode="nearest", radius=8)
    np.testing.assert_allclose(found["Gaussian blur"], blurred, atol=1e-5)
    smooth = found["then bilateral"].astype(float)
    slopes = [ndimage.sobel(smooth, axis=axis, mode="nearest") for axis in (0, 1)]
    np.testing.assert_allclose(found["then Sobel's edges"], np.hypot(*slopes), atol=1e-4)


@pytest.mark.parametrize("count", [1, 2, 100, 1000])
def test_prefix_sum(count: int) -> None:
    values = np.random.default_rng(count).integers(0, 9, count).astype(np.int32)
    assert (histogram_equalisation.prefix_sum(wp.array(values)).numpy() == np.cumsum(values)).all()


def test_histogram_equalisation() -> None:
    image = histogram_equalisation.dusk((60, 80))
    after, histogram = histogram_equalisation.equalise(image)
    before = image.numpy()
    counts = np.bincount(before.ravel(), minlength=256)
    assert (histogram.numpy() == counts).all()
    assert (after.numpy() == (255 * np.cumsum(counts) // before.size)[before]).all()


@pytest.mark.parametrize("count", [1, 2, 64, 2048])
def test_bitonic_sort(count: int) -> None:
    values = np.random.default_rng(count).integers(0, 50, count).astype(np.float32)
    array = wp.array(values)
    bitonic_sort.sort(array)
    assert (array.numpy() == np.sort(values)).all()


def test_bitonic_sort_refuses_other_sizes() -> None:
    with pytest.raises(ValueError, match="power of two of numbers, not 100"):
        bitonic_sort.sort(wp.zeros(100))


def test_k_means() -> None:
    points = k_means.clouds(5, 60)
    labels, way, spreads = k_means.cluster(points, 5, 12)
    assert all(b <= a * (1 + 1e-5) for a, b in itertools.pairwise(spreads))
    for centres, moved in itertools.pairwise(way):
        nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        expected = [points[nearest == k].mean(axis=0) if (nearest == k).any() else centres[k] for k in range(5)]
        np.testing.assert_allclose(moved, expected, atol=1e-4)
    assert (labels == ((points[:, None] - way[-2]) ** 2).sum(axis=2).argmin(axis=1)).mean() > 0.99


def test_pagerank() -> None:
    _, edges = pagerank.web(60)
    rank, changes = pagerank.pagerank(edges, 60, 100)
    matrix = np.zeros((60, 60))
    np.add.at(matrix, (edges[:, 1], edges[:, 0]), 1.0)
    links = matrix.sum(axis=0)
    matrix = np.where(links > 0, matrix / np.maximum(links, 1), 1 / 60)
    expected = np.linalg.solve(np.eye(60) - pagerank.DAMPING * matrix, np.full(60, (1 - pagerank.DAMPING) / 60))
    np.testing.assert_allclose(rank, expected, rtol=1e-6)
    assert changes[-1] < 1e-6
    assert abs(rank.sum() - 1) < 1e-12


def test_fft() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(16, 64)) + 1j * rng.normal(size=(16, 64))
    x = fft.complex_array(values)
    found = fft.fft2(x)
    expected = np.fft.fft2(values)
    np.testing.assert_allclose(found.numpy() @ [1, 1j], expected, atol=1e-4)
    np.testing.assert_allclose(fft.ifft2(found).numpy() @ [1, 1j], values, atol=1e-5)
    with pytest.raises(ValueError, match="power of two, not 12"):
        fft.fft2(wp.zeros((4, 12), dtype=wp.vec2))


def test_monte_carlo() -> None:
    prices = monte_carlo.price(20_000, 40)
    assert abs(prices.call - monte_carlo.black_scholes()) < 4 * prices.call_error
    assert 0 < prices.call_error < 0.2
    assert prices.asian < prices.call
    assert (prices.paths[:, 0] == monte_carlo.START).all()


def test_conjugate_gradients() -> None:
    k, heat = conjugate_gradients.plate(12)
    x, norms = conjugate_gradients.solve(k, heat, 400)
    assert norms[-1] <= 1e-10 * norms[0]
    padded = np.pad(k, 1)
    matrix = np.zeros((144, 144))
    for i in range(12):
        for j in range(12):
            for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                inside = 0 <= a < 12 and 0 <= b < 12
                other = padded[a + 1, b + 1]
                flow = 2 * k[i, j] * other / (k[i, j] + other) if inside else 2 * k[i, j]
                matrix[12 * i + j, 12 * i + j] += flow
                if inside:
                    matrix[12 * i + j, 12 * a + b] -= flow
    np.testing.assert_allclose(x.ravel(), np.linalg.solve(matrix, heat.ravel()), rtol=1e-8)
    _, plain = conjugate_gradients.solve(k, heat, 400, preconditioned=False)
    assert len(norms) < len(plain)


def sphere(side: int, radius: float) -> np.ndarray:
    at = np.arange(side) - (side - 1) / 2
    return np.sqrt(at[:, None, None] ** 2 + at[None, :, None] ** 2 + at[None, None, :] ** 2) - radius


def test_marching_cubes_of_a_sphere() -> None:
    triangles = marching_cubes.surface(sphere(24, 8.3)).astype(float)
    a, b, c = triangles.swapaxes(0, 1)
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2 == pytest.approx(4 * np.pi * 8.3**2, rel=0.01)
    assert np.einsum("ij,ij->", a - 11.5, np.cross(b - 11.5, c - 11.5)) / 6 == pytest.approx(
        4 / 3 * np.pi * 8.3**3, rel=0.01
    )


@pytest.mark.parametrize("seed", range(3))
def test_marching_cubes_leaves_no_holes(seed: int) -> None:
    """Of noise: every edge has two triangles, one in each direction, whatever the cases."""
    field = np.random.default_rng(seed).normal(size=(9, 9, 9))
    field[[0, -1]] = field[:, [0, -1]] = field[:, :, [0, -1]] = 1
    triangles = marching_cubes.surface(field)
    edges = Counter()
    for triangle in np.round(triangles, 5):
        corners = [tuple(p) for p in triangle.tolist()]
        for at in range(3):
            edges[corners[at - 1], corners[at]] += 1
    assert edges
    assert all(edges[b, a] == n for (a, b), n in edges.items())


def test_marching_cubes_moves_as_much_volume_as_area() -> None:
    distances = sphere(24, 0.0)
    volume, slope = marching_cubes.enclosed(distances, 8.3)
    more, _ = marching_cubes.enclosed(distances, 8.32)
    less, _ = marching_cubes.enclosed(distances, 8.28)
    assert volume == pytest.approx(4 / 3 * np.pi * 8.3**3, rel=0.01)
    assert slope == pytest.approx((more - less) / 0.04, rel=0.01) == pytest.approx(4 * np.pi * 8.3**2, rel=0.02)


def test_ray_march() -> None:
    """The middle of the floor in front is as far as geometry says; the sky is as far as can be."""
    _, depth = ray_march.picture((40, 60), 1)
    eye = np.array(ray_march.EYE)
    forward = np.array([0, 0.45, 0]) - eye
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, (0, 1, 0))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    for i, j in ((0, 2), (1, 50), (4, 4)):
        ray = forward + 0.85 * ((j + 0.5 - 30) / 40 * right + (i + 0.5 - 20) / 40 * up)
        ray /= np.linalg.norm(ray)
        assert depth[i, j] == pytest.approx(-eye[1] / ray[1], rel=3e-3)
    assert depth[-1, 0] == ray_march.FAR


def test_graph_layout() -> None:
    ring = np.array([(i, (i + 1) % 12) for i in range(12)])
    distance = graph_layout.distances(ring, 12).numpy()
    steps = np.abs(np.subtract.outer(np.arange(12), np.arange(12)))
    assert (distance == np.minimum(steps, 12 - steps)).all()

    path = np.array([(i, i + 1) for i in range(7)])
    at, stresses = graph_layout.layout(path, 8, 1500)
    assert stresses[-1] < 1e-4 * stresses[0]
    lengths = np.linalg.norm(np.diff(at, axis=0), axis=1)
    np.testing.assert_allclose(lengths, 1, atol=0.02)  # a path is drawn as a line
    assert np.linalg.norm(at[0] - at[-1]) == pytest.approx(7, abs=0.05)
