"""How fast some of the examples run: fluids, light, neighbours, bodies, and gradients through simulations.

    python -m warp.examples.benchmarks.benchmark_examples [--peer PYTHON] [--only NAME]

What the examples compute is tested elsewhere; here each is only seen to give numbers, the same ones each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._support import _harness
else:
    from _support import _harness

Case = tuple[str, Callable[[], object], Callable[[], np.ndarray]]


def lattice_boltzmann() -> Case:
    module = _harness.example("simulation.lattice_boltzmann")
    channel = module.Channel(module.cylinder(128, 384, 9.0), 0.02, 0.1)
    return "lattice Boltzmann, 128 x 384", lambda: channel.advance(1), channel.velocity


def smoke() -> Case:
    module = _harness.example("simulation.fluid")
    y, x = np.mgrid[0:256, 0:256]
    fluid = module.Smoke(np.exp(-((x - 128) ** 2 + (y - 40) ** 2) / 200))
    return "smoke, 256 x 256", lambda: fluid.advance(1.0, 0.05, 0.1), lambda: fluid.smoke.numpy()


def light() -> Case:
    module = _harness.example("simulation.fdtd")
    permittivity, source = module.lens(512, 512, 150)
    field = module.Field(permittivity, layer=30)
    return "light, 512 x 512", lambda: field.advance(1, source), lambda: field.ez.numpy()


def dam() -> Case:
    module = _harness.example("simulation.sph")
    fluid = module.Fluid(module.dam(0.01), 0.01)
    return f"neighbours and forces, {len(fluid.x)} particles", fluid.forces, lambda: fluid.density.numpy()


def galaxies() -> Case:
    module = _harness.example("simulation.nbody")
    bodies = module.meeting(1500)
    return f"gravity, {len(bodies.x)} bodies", lambda: bodies.advance(1, 1e-4), lambda: bodies.x.numpy()


def march() -> Case:
    module = _harness.example("core.ray_march")
    seen: list[Any] = []
    return "ray marching, 72 x 108", lambda: seen.append(module.picture((72, 108), 1)), lambda: seen[-1][0]


def multigrid() -> Case:
    module = _harness.example("simulation.multigrid")
    problem = module.Poisson(9)
    problem.solve(module.charges(problem.n), 0)
    return "multigrid cycle, 513 x 513", problem.cycle, lambda: problem.levels[0].u.numpy()


def sail() -> Case:
    module = _harness.example("optimisation.trajectory")
    thrust = wp.array(module.guesses(1000), dtype=wp.vec2, requires_grad=True)
    islands = wp.array(module.ISLANDS, dtype=wp.vec3)
    path = wp.zeros(thrust.shape, dtype=wp.vec2)
    loss = wp.zeros(1000, dtype=float, requires_grad=True)
    ones = wp.ones(1000, dtype=float)
    with wp.Tape() as tape:
        wp.launch(module.sail, dim=1000, inputs=[thrust, islands], outputs=[path, loss])

    def gradient() -> None:
        tape.zero()
        tape.backward(grads={loss: ones})

    return "gradients of 1000 paths of a boat", gradient, lambda: tape.gradients[thrust].numpy()


def learn() -> Case:
    module = _harness.example("optimisation.neural_network")
    network = module.Network((2, 32, 32, 1))
    points, labels = module.spirals(400)
    x, s = wp.array(points, dtype=float), wp.array(labels, dtype=float)

    def gradient() -> None:
        with wp.Tape() as tape:
            loss = module.loss_of(network, x, s)
        tape.backward(loss)
        tape.zero()

    return "gradient of a network, 400 points", gradient, lambda: network.weights[0].numpy()


def walk() -> Case:
    module = _harness.example("optimisation.spring_walker")
    walker = module.Walker(300)

    def gradient() -> None:
        with wp.Tape() as tape:
            for t in range(walker.times):
                body = [walker.starts, walker.springs, walker.others, walker.rest, walker.muscles]
                wp.launch(module.step, dim=walker.x.shape[1], inputs=[t, *body], outputs=[walker.x, walker.v])
            wp.launch(module.stay_behind, dim=walker.x.shape[1], inputs=[walker.x], outputs=[walker.loss])
        tape.backward(walker.loss)
        tape.zero()

    return "gradient through 300 launches", gradient, lambda: walker.x.numpy()


def cases() -> Iterator[Callable[[], Case]]:
    yield from (lattice_boltzmann, smoke, light, dam, galaxies, march, multigrid, sail, learn, walk)


def measure() -> _harness.Rows:
    """Seconds of one call of each."""
    wp.init()
    rows = {}
    for make in cases():
        name, call, result = make()
        if _harness.is_wanted(name):
            call()
            if not np.isfinite(result()).all():
                raise SystemExit(f"{name}: not all results are numbers")
            rows[name] = _harness.per_call(call, target=0.1, repeats=5)
    return rows


def main() -> None:
    _harness.run(__doc__, __file__, measure)


if __name__ == "__main__":
    main()
