"""Targets of assignments: each index is computed once, in the order that Python has."""

import numpy as np
import warp as wp


@wp.func
def draw(counter: wp.array(dtype=int)):
    return wp.atomic_add(counter, 0, 1)


@wp.kernel
def draws(counter: wp.array(dtype=int), out: wp.array(dtype=wp.vec4)):
    v = wp.vec4(0.0, 0.0, 0.0, 0.0)
    v[draw(counter)] += 1.0
    v[draw(counter)] = 2.0
    v[draw(counter) + 0] *= 5.0
    out[0] = v


@wp.struct
class Body:
    m: wp.mat22
    v: wp.vec3


@wp.kernel
def nested(counter: wp.array(dtype=int), bodies: wp.array(dtype=Body), out: wp.array(dtype=Body)):
    b = bodies[draw(counter)]
    b.m[draw(counter) - 1, draw(counter) - 1] += 3.0
    b.v[draw(counter) - 3] = 7.0
    bodies[draw(counter) - 4].v[draw(counter) - 4] += 2.0
    out[0] = b


def test_an_index_that_calls_is_computed_once():
    counter, out = wp.zeros(1, dtype=int), wp.zeros(1, dtype=wp.vec4)
    wp.launch(draws, dim=1, inputs=[counter], outputs=[out])
    assert counter.numpy()[0] == 3
    np.testing.assert_array_equal(out.numpy()[0], [1, 2, 0, 0])


def test_parts_of_parts():
    counter = wp.zeros(1, dtype=int)
    bodies, out = wp.zeros(1, dtype=Body), wp.zeros(1, dtype=Body)
    wp.launch(nested, dim=1, inputs=[counter, bodies], outputs=[out])
    assert counter.numpy()[0] == 6
    result = out.numpy()[0]
    np.testing.assert_array_equal(result["m"], [[0, 3], [0, 0]])
    np.testing.assert_array_equal(result["v"], [7, 0, 0])
    np.testing.assert_array_equal(bodies.numpy()[0]["v"], [0, 2, 0])
