"""A misspelt keyword of a function that is written in Rust names the parameter that was meant."""

from __future__ import annotations

import inspect
import types

import pytest
import warp as wp

FUNCTIONS = [name for name in sorted(wp.__all__) if isinstance(getattr(wp, name), types.BuiltinFunctionType)]


def misspelt(name: str) -> str:
    """The name with two neighbouring letters exchanged, or one more where they are equal."""
    return name[:1] + name[2] + name[1] + name[3:] if name[1] != name[2] else name + name[-1]


def test_there_are_such_functions():
    assert {"zeros", "full_like", "clone", "copy", "launch", "from_ptr"} <= set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_misspelt_keyword(name):
    function = getattr(wp, name)
    parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        if len(parameter.name) < 5 or parameter.kind is parameter.POSITIONAL_ONLY:
            continue
        wrong = misspelt(parameter.name)
        with pytest.raises(TypeError) as caught:
            function(**{wrong: None})
        text = str(caught.value)
        assert text.endswith(f"got an unexpected keyword argument '{wrong}'; did you mean '{parameter.name}'?"), text


def test_another_keyword_lists_the_parameters():
    with pytest.raises(
        TypeError, match=r"zeros\(\) got an unexpected keyword argument 'colour'; its parameters are shape, dtype, "
    ):
        wp.zeros(3, colour="red")


def test_the_function_stays_what_it_was():
    assert wp.zeros.__name__ == "zeros"
    assert str(inspect.signature(wp.zeros)).startswith("(shape=None, dtype=None, device=None, ")
    assert wp.zeros.__doc__.startswith("An array of zeros.\n\nArgs:")
    with pytest.raises(TypeError, match="shape"):
        wp.zeros("many")
