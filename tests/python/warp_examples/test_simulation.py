"""The simulations of `warp.examples.simulation` keep what physics keeps, and agree with closed forms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import warp as wp
from warp.examples.simulation import (
    cloth,
    dem,
    fdtd,
    fluid,
    heat,
    ising,
    lattice_boltzmann,
    multigrid,
    nbody,
    particles,
    reaction_diffusion,
    rigid_chain,
    sph,
    wave,
)


def test_particles_fly_as_they_should() -> None:
    """Without spread the drops follow one parabola; nothing is below the floor or in the ball."""
    scene = particles.scene(spread=0.0, radius=0.0)
    drops = particles.simulate(40, 50, scene, seconds=0.3)
    flown = -drops["wait"]
    start = scene.speed * np.array([0.16, 0, 1])
    t = (np.floor(flown * 240 + 1e-3) + 1)[:, None] / 240  # in steps since it left
    expected = start * t + 0.5 * np.array(scene.gravity) * t**2
    assert flown.min() > 0
    assert np.abs(drops["position"] - expected).max() < 0.06  # within a step
    assert (drops["position"][:, 1] == 0).all()

    scene = particles.scene()
    drops = particles.simulate(110, 400, scene)
    assert drops["position"][:, 2].min() >= 0
    assert np.linalg.norm(drops["position"] - np.array(scene.ball), axis=1).min() > scene.radius * (1 - 1e-5)


def test_cloth_keeps_energy_and_momentum() -> None:
    free = cloth.Cloth(8, stiffness=500.0, damping=0.0, gravity=0.0)
    free.x.assign(free.x.numpy() + np.float32([0, 0, 20]))
    velocity = np.random.default_rng(0).normal(size=(8, 8, 3)).astype(np.float32)
    free.v.assign(velocity)
    before = free.energy()
    free.advance(2000, 1e-3)
    assert free.energy() == pytest.approx(before, rel=0.01)
    np.testing.assert_allclose(free.v.numpy().sum(axis=(0, 1)), velocity.sum(axis=(0, 1)), atol=1e-2)
    assert np.abs(free.v.numpy() - velocity).max() > 0.1


def test_cloth_lies_on_the_ball() -> None:
    fallen = cloth.Cloth(12)
    fallen.advance(1500, 1e-3)
    x = fallen.x.numpy()
    assert np.linalg.norm(x - np.array(cloth.BALL), axis=-1).min() > cloth.RADIUS * (1 - 1e-5)
    assert x[..., 2].min() >= 0.004 - 1e-6
    assert x[..., 2].mean() < 0.9
    np.testing.assert_allclose(np.linalg.norm(np.diff(x, axis=0), axis=-1), fallen.spacing, rtol=0.15)


def test_sph_finds_all_neighbours() -> None:
    """Densities are those of sums over all pairs, and inner forces cancel."""
    x = sph.dam(0.06) + 0.3
    water = sph.Fluid(x, 0.06, gravity=0.0)
    water.v.assign(np.random.default_rng(0).normal(size=(len(x), 3)) * [1, 1, 0])
    water.forces()
    q = np.linalg.norm(x[:, None] - x[None], axis=2) / water.h
    spline = np.where(q < 1, 1 - 1.5 * q**2 + 0.75 * q**3, 0.25 * np.maximum(2 - q, 0) ** 3)
    expected = water.mass * 10 / (7 * np.pi * water.h**2) * spline.sum(axis=1)
    np.testing.assert_allclose(water.density.numpy(), expected, rtol=1e-4)
    force = water.a.numpy()
    assert np.abs(force.sum(axis=0)).max() < 1e-4 * np.abs(force).sum()


def test_sph_falls_and_hardly_compresses() -> None:
    water = sph.Fluid(sph.dam(0.06), 0.06)
    before = water.x.numpy().mean(axis=0)
    water.advance(0.3)
    after = water.x.numpy().mean(axis=0)
    assert after[1] < before[1] - 0.05
    assert after[0] > before[0] + 0.03
    assert water.density.numpy().max() < 1.06


def test_dem_bounces_as_far_as_its_damping_says() -> None:
    """Two equal discs that meet head on: the spring and damper have a closed form."""
    grains = dem.Grains(np.array([[-0.02, 1.3], [0.02, 1.3]]), np.array([0.01, 0.01]), 0.0, 0.2, 0.0)
    grains.v.assign([[0.5, 0, 0], [-0.5, 0, 0]])
    grains.advance(6000, 1e-5)
    v = grains.v.numpy()
    assert abs(v.sum()) < 1e-5
    # A damped spring between half the masses that lets go when it would pull.
    zeta = grains.sand.damping / (2 * np.sqrt(grains.sand.stiffness * 0.5 * 1e-4))
    root = np.sqrt(1 - zeta**2)
    bounce = np.exp(-zeta / root * np.arctan2(2 * zeta * root, 2 * zeta**2 - 1))
    assert v[1, 0] / 0.5 == pytest.approx(bounce, rel=0.02)


def test_dem_stays_in_the_glass() -> None:
    x, radius = dem.heap(150, 0.02)
    grains = dem.Grains(x, radius)
    grains.advance(2400, 1 / 60 / 60)
    x = grains.x.numpy()
    assert np.abs(x[:, 0]).max() < 0.42
    assert x[:, 1].min() > 0.02
    assert np.isfinite(x).all()
    assert x[:, 1].mean() < dem.heap(150, 0.02)[0][:, 1].mean()


def test_wave_has_its_frequency() -> None:
    """A standing wave in a box: cosines in both directions swing as the scheme's dispersion says."""
    n, m, dt = 34, 50, 0.5
    y, x = np.mgrid[0:n, 0:m]
    open = np.zeros((n, m))
    open[1:-1, 1:-1] = 1
    kx, ky = 3 * np.pi / (m - 2), 2 * np.pi / (n - 2)
    mode = np.cos(kx * (x - 0.5)) * np.cos(ky * (y - 0.5)) * open
    pool = wave.Pool(mode, open, dt)
    pool.advance(200)
    w = 2 / dt * np.arcsin(dt * np.sqrt(np.sin(kx / 2) ** 2 + np.sin(ky / 2) ** 2))
    np.testing.assert_allclose(pool.now.numpy(), mode * np.cos(w * 200 * dt), atol=2e-3)


def test_heat_spreads_as_a_bell() -> None:
    side, r, steps = 81, 2.0, 6
    y, x = np.mgrid[0:side, 0:side] - side // 2
    width = 40.0
    u = wp.array(np.exp(-(x * x + y * y) / width), dtype=float)
    heat.advance(u, wp.zeros_like(u), r, steps)
    wider = width + 4 * 2 * r * steps  # r is half a step's time
    np.testing.assert_allclose(u.numpy(), width / wider * np.exp(-(x * x + y * y) / wider), atol=6e-3)


def test_heat_comes_to_rest_where_it_should() -> None:
    rng = np.random.default_rng(0)
    source = rng.random((9, 14)).astype(np.float32)
    u = wp.zeros(source.shape, dtype=float)
    heat.advance(u, wp.array(source), 0.5, 300)
    laplace = [2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1) for n in source.shape]
    matrix = np.kron(laplace[0], np.eye(14)) + np.kron(np.eye(9), laplace[1])
    np.testing.assert_allclose(u.numpy().ravel(), np.linalg.solve(matrix, source.ravel()), rtol=1e-3)


def test_fluid_has_no_sources_and_decays_slowly() -> None:
    """Four vortices (Taylor and Green's) stay what they are."""
    n = 32
    at = 2 * np.pi / n * np.arange(n)
    y, x = np.meshgrid(at, at, indexing="ij")
    # The components lie half a cell apart from each other where the divergence is taken.
    velocity = np.stack([np.sin(y) * np.cos(x), -np.cos(y) * np.sin(x)], axis=-1)
    smoke = fluid.Smoke(
        np.zeros((n, n)), velocity + np.random.default_rng(0).normal(scale=0.3, size=velocity.shape), 400
    )
    smoke.launch(fluid.diverge, smoke.velocity, smoke.divergence)
    before = smoke.divergence.numpy().std()
    smoke.make_free_of_sources()
    smoke.launch(fluid.diverge, smoke.velocity, smoke.divergence)
    assert smoke.divergence.numpy().std() < 0.01 * before

    smoke = fluid.Smoke(1.0 + np.cos(x), velocity, 200)
    total = smoke.smoke.numpy().sum()
    for _ in range(10):
        smoke.advance(0.2)
    assert smoke.smoke.numpy().sum() == pytest.approx(total, rel=0.01)
    kept = (smoke.velocity.numpy() * velocity).sum() / (velocity**2).sum()
    assert 0.85 < kept < 1.01


def test_multigrid_converges_at_any_size() -> None:
    for power in (4, 7):
        problem = multigrid.Poisson(power)
        residuals = problem.solve(multigrid.charges(problem.n), 8)
        assert residuals[-1] < 1e-8 * residuals[0]
        assert all(b < 0.12 * a for a, b in itertools.pairwise(residuals))


def test_multigrid_finds_the_solution() -> None:
    """Of second order: sines have a closed form."""
    errors = []
    for power in (4, 5):
        problem = multigrid.Poisson(power)
        at = np.linspace(0, 1, problem.n + 1)
        true = np.outer(np.sin(2 * np.pi * at), np.sin(np.pi * at))
        problem.solve(5 * np.pi**2 * true, 12)
        errors.append(np.abs(problem.levels[0].u.numpy() - true).max())
    assert errors[0] < 0.03
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)


def test_fdtd_cavity_rings_at_its_frequency() -> None:
    """In a box of metal the field comes back after a period of Yee's scheme."""
    n, m, index = 41, 61, 1.5
    field = fdtd.Field(np.full((n, m), index**2))
    y, x = np.mgrid[0:n, 0:m]
    kx, ky = 2 * np.pi / (m - 1), np.pi / (n - 1)
    mode = np.sin(kx * x) * np.sin(ky * y)
    field.ez.assign(mode)
    c = fdtd.COURANT / index
    w = 2 * np.arcsin(c * np.sqrt(np.sin(kx / 2) ** 2 + np.sin(ky / 2) ** 2))
    # The magnetic field is zero half a step before; that is a phase of half a step.
    steps = 300
    field.advance(steps)
    expected = mode * np.cos(w * (steps + 0.5)) / np.cos(w / 2)
    np.testing.assert_allclose(field.ez.numpy(), expected, atol=2e-3)


def test_fdtd_layer_swallows_waves() -> None:
    """A pulse in an open box is gone soon, and nothing is faster than light."""
    field = fdtd.Field(np.ones((100, 100)), layer=20)
    y, x = np.mgrid[0:100, 0:100] - 50
    field.ez.assign(np.exp(-(x * x + y * y) / 10))
    field.advance(50)
    assert np.abs(field.ez.numpy()[np.hypot(x, y) > 25 + 12]).max() < 2e-3
    energy = (field.ez.numpy() ** 2).sum()
    field.advance(500)
    assert (field.ez.numpy() ** 2).sum() < 0.01 * energy


def test_lattice_boltzmann_channel() -> None:
    """Poiseuille's parabola between two walls."""
    rows, viscosity, force = 17, 0.1, 1e-5
    solid = np.zeros((rows, 4), dtype=int)
    solid[[0, -1]] = 1
    channel = lattice_boltzmann.Channel(solid, viscosity, force=force)
    mass = channel.f.numpy()[1:-1].sum()
    channel.advance(4000)
    u = channel.velocity()
    at = np.arange(1, rows - 1) - (rows - 1) / 2
    half = (rows - 2) / 2
    np.testing.assert_allclose(u[1:-1, 0, 0], force / (2 * viscosity) * (half**2 - at**2), rtol=0.01)
    assert np.abs(u[..., 1]).max() < 1e-5
    assert channel.f.numpy()[1:-1].sum() == pytest.approx(mass, rel=1e-4)


def test_nbody_keeps_energy_and_orbits() -> None:
    """Two bodies come back after the period that Kepler found."""
    a, masses = 1.0, np.array([1.0, 0.5])
    total = masses.sum()
    x = np.array([[-a * 0.5 / total, 0, 0], [a * 1.0 / total, 0, 0]])
    speed = 0.8 * np.sqrt(total / a)  # not a circle
    v = np.array([[0, -speed * 0.5 / total, 0], [0, speed * 1.0 / total, 0]])
    bodies = nbody.Bodies(x, v, masses, 0.01)
    axis = 1 / (2 / a - speed**2 / total)
    bodies.advance(4000, 2 * np.pi * np.sqrt(axis**3 / total) / 4000)
    np.testing.assert_allclose(bodies.x.numpy(), x, atol=5e-3)

    galaxies = nbody.meeting(60)
    before = galaxies.energy()
    galaxies.advance(100, 0.01)
    assert galaxies.energy() == pytest.approx(before, rel=2e-3)


def test_ising_magnetisation() -> None:
    temperatures = np.array([1.6, 1.9, 4.0])
    _, means = ising.cool(temperatures, 64, 160)
    np.testing.assert_allclose(means[:2], ising.onsager(temperatures[:2]), atol=0.006)
    assert means[2] < 0.08


def test_reaction_diffusion() -> None:
    start, feed, kill = reaction_diffusion.dish(24)
    found = reaction_diffusion.grow(start, feed, kill, 30)
    c = start.copy()
    for _ in range(30):
        around = sum(np.roll(c, by, axis) for axis in (0, 1) for by in (-1, 1)) - 4 * c
        food, eater = c[..., 0], c[..., 1]
        eaten = food * eater**2
        change = np.stack([feed * (1 - food) - eaten, eaten - (feed + kill) * eater], axis=-1)
        c = c + change + around * [reaction_diffusion.FAST, reaction_diffusion.SLOW]
    np.testing.assert_allclose(found, c, atol=1e-5)


def test_rigid_link_swings_as_a_pendulum() -> None:
    """One link from a small angle: half a period of the compound pendulum later it is on the other side."""
    chain = rigid_chain.Chain(1, 0.5, 0.1)
    state = chain.links.numpy().copy()
    angle = 0.1  # from hanging down, about y
    turn = np.pi / 2 - angle
    state["q"] = [0, np.sin(turn / 2), 0, np.cos(turn / 2)]
    state["x"] = 0.5 * np.array([np.sin(angle), 0, -np.cos(angle)])
    chain.links.assign(state)
    inertia = (1.0 + 0.01) / 12 + 0.25
    period = 2 * np.pi * np.sqrt(inertia / (9.81 * 0.5)) * (1 + angle**2 / 16)
    chain.advance(4000, period / 2 / 4000)
    x = chain.links.numpy()["x"][0]
    assert np.arctan2(x[0], -x[2]) == pytest.approx(-angle, rel=0.03)
    assert chain.gap() < 1e-3


def test_rigid_chain_holds_together() -> None:
    chain = rigid_chain.Chain(6, 0.05, 0.03)
    heights = chain.links.numpy()["x"][:, 2].sum()
    chain.advance(1500, 2e-4)
    assert chain.gap() < 5e-4
    links = chain.links.numpy()
    moving = 0.5 * (links["v"] ** 2).sum()
    fallen = 9.81 * (heights - links["x"][:, 2].sum())
    assert fallen > 1
    assert 0.9 * fallen < moving < 1.02 * fallen  # the rest turns
