"""The 256 cases of a cube whose corners are inside or outside, derived from the geometry of a cube.

The cases are those of W. E. Lorensen and H. E. Cline, "Marching Cubes", SIGGRAPH 1987; they are computed here:

1. On each face, lines join the crossed edges. Where two corners inside lie diagonally, each is cut off by a line of its
   own. That depends on the corners of the face alone, so that both cubes at a face draw the same lines on it.
2. The lines of a cube form closed loops.
3. A loop is cut into triangles. No side of these lies within a face unless it is a line of the face: the cube at the
   other side could draw the same side. Of all such cuts it is the one whose smallest angle is largest, where vertices
   are in the middle of their edges.

So that each side of a triangle belongs to exactly one other triangle, with the opposite direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

#: The corners of a cube; bit c of a case says that corner c is inside.
CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
#: The two corners of each edge, the one with the smaller coordinates first: round the bottom, round the top, upwards.
EDGES = ((0, 1), (1, 2), (3, 2), (0, 3), (4, 5), (5, 6), (7, 6), (4, 7), (0, 4), (1, 5), (2, 6), (3, 7))
#: The corners of each face, counterclockwise as seen from outside.
FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (2, 3, 7, 6), (0, 4, 7, 3), (1, 2, 6, 5))

Triangle = tuple[int, int, int]


def edge(a: int, b: int) -> int:
    """The edge between two corners."""
    return EDGES.index((a, b)) if (a, b) in EDGES else EDGES.index((b, a))


def axis(e: int) -> int:
    """Along which axis an edge leads."""
    a, b = EDGES[e]
    return next(at for at in range(3) if CORNERS[a][at] != CORNERS[b][at])


def loops(case: int) -> Iterator[tuple[int, ...]]:
    """The loops of edges that a case crosses, counterclockwise as seen from outside of the surface."""
    after: dict[int, int] = {}
    for ring in FACES:
        inside = [case >> c & 1 for c in ring]
        for at in range(4):
            if inside[at] and not inside[at - 1]:  # the corners inside from here on are behind one line
                end = at
                while inside[(end + 1) % 4]:
                    end = (end + 1) % 4
                after[edge(ring[at - 1], ring[at])] = edge(ring[end], ring[(end + 1) % 4])
    while after:
        loop = [min(after)]
        while loop[0] != (following := after.pop(loop[-1])):
            loop.append(following)
        yield tuple(loop)


def cuts(loop: tuple[int, ...]) -> Iterator[tuple[Triangle, ...]]:
    """All ways to cut a loop into triangles."""
    if len(loop) == 2:
        yield ()
    for at in range(1, len(loop) - 1):
        for before in cuts(loop[: at + 1]):
            for behind in cuts(loop[at:]):
                yield (*before, (loop[0], loop[at], loop[-1]), *behind)


@cache
def in_one_face(a: int, b: int) -> bool:
    """Whether two edges of a cube are edges of one face."""
    return any({*EDGES[a], *EDGES[b]} <= {*ring} for ring in FACES)


@cache
def smallest_angle(triangle: Triangle) -> float:
    """The cosine, negated, of the smallest angle between the middles of three edges."""
    middles = [[CORNERS[a][at] + CORNERS[b][at] for at in range(3)] for a, b in (EDGES[e] for e in triangle)]
    found = 1.0
    for at in range(3):
        p, q, r = (middles[(at + turn) % 3] for turn in range(3))
        u, v = ([x - y for x, y in zip(other, p, strict=True)] for other in (q, r))
        dot = sum(x * y for x, y in zip(u, v, strict=True))
        found = min(found, -dot / (sum(x * x for x in u) * sum(x * x for x in v)) ** 0.5)
    return found


@cache
def best_cut(loop: tuple[int, ...]) -> tuple[Triangle, ...]:
    """The cut of a loop whose sides across it are in no face, and whose smallest angle is largest."""
    lines = {frozenset((a, b)) for a, b in zip(loop, (*loop[1:], loop[0]), strict=True)}

    def sound(cut: tuple[Triangle, ...]) -> bool:
        sides = (side for triangle in cut for side in combinations(triangle, 2))
        return all(frozenset(side) in lines or not in_one_face(*side) for side in sides)

    return max(filter(sound, cuts(loop)), key=lambda cut: (min(map(smallest_angle, cut)), cut))


def triangles_of(case: int) -> list[Triangle]:
    """The triangles of a case, counterclockwise as seen from outside, each as three edges."""
    return [triangle for loop in loops(case) for triangle in best_cut(loop)]


@cache
def tables() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where the edges of each case begin, and behind the last; the edges, three for each triangle."""
    starts, found = [0], []
    for case in range(256):
        found += [e for triangle in triangles_of(case) for e in triangle]
        starts.append(len(found))
    return tuple(starts), tuple(found)
