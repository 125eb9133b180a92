"""What programs of jax do besides giving results, so that jax neither drops nor repeats it."""

from __future__ import annotations

from jax._src import effects


class Effect(effects.Effect):  # type: ignore[misc]
    """A side effect: it happens as often as the program says, whether or not its results are used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __str__(self) -> str:
        return self._name


for _allowed in (
    effects.lowerable_effects,
    effects.control_flow_allowed_effects,
    effects.remat_allowed_effects,
    effects.custom_derivatives_allowed_effects,
):
    _allowed.add_type(Effect)
