"""Structs that hold arrays, and arrays of these."""

import warp as wp


@wp.struct
class Part:
    values: wp.array(dtype=float)
    count: int


@wp.struct
class Item:
    part: Part
    points: wp.array2d(dtype=wp.vec3)
    scale: float


@wp.struct
class Group:
    parts: wp.array(dtype=Part)
    weight: float


def numbers(*values, grad=False):
    return wp.array(list(values), dtype=float, requires_grad=grad)


def item(values, scale=1.0, grad=False, points=(2, 2)):
    made = Item(scale=scale)
    made.part.values = numbers(*values, grad=grad)
    made.part.count = len(values)
    made.points = wp.ones(points, dtype=wp.vec3, requires_grad=grad)
    return made
