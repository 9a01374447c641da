"""Strips of triangles around every particle: all elements and all edges are met, each once, corner by corner."""

import numpy as np
import pytest

from conftest import make_tube
from supple.geometry.rows import GROUP
from supple.geometry.tetrahedra import fill
from supple.skins.position_based.body.constraints import build_constraints
from supple.skins.position_based.solve.strips import REPLACE_FIRST, Strips

SINGLE = np.array([[0, 1, 2, 3]], dtype=np.int32)
EDGES_OF_ONE = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]], dtype=np.int32)
CASES = {
    "one": (4, SINGLE, EDGES_OF_ONE),
    # Two that share a corner only, and a particle with an edge but without an element.
    "apart": (8, np.array([[0, 1, 2, 3], [3, 4, 5, 6]], dtype=np.int32), np.array([[0, 7], [3, 4]], dtype=np.int32)),
    "none": (3, np.zeros((0, 4), dtype=np.int32), np.zeros((0, 2), dtype=np.int32)),
}


@pytest.fixture(scope="module")
def tube():
    made = make_tube()
    one = build_constraints(fill(made.points, made.triangles, count=800))
    return len(one.points), one.corners, one.ends


def _walked(strips):
    """Elements (particle, p, q, corner, number) and edges (particle, corner, length) that a walk meets."""
    elements, edges = [], []
    for t, i in enumerate(strips.particles.tolist()):
        p = q = -1
        if i < 0:
            continue
        for s in range(strips.starts[t // GROUP] + t % GROUP, strips.starts[t // GROUP + 1], GROUP):
            corner, element = int(strips.codes[s]) & 0xFFFF, int(strips.elements[s])
            if element >= 0:
                elements.append((i, p, q, corner, element))
            if strips.lengths[s] >= 0.0:
                edges.append((i, corner, float(strips.lengths[s])))
            if strips.codes[s] >= REPLACE_FIRST:
                p = corner
            else:
                q = corner
    return elements, edges


def _is_even(order, corners):
    places = [list(corners).index(corner) for corner in order]
    return sum(places[a] > places[b] for a in range(4) for b in range(a + 1, 4)) % 2 == 0


@pytest.mark.parametrize("case", [*CASES, "tube"])
def test_every_particle_meets_its_elements_the_right_way_round_and_its_edges_once(case, tube):
    count, corners, ends = tube if case == "tube" else CASES[case]
    lengths = np.linspace(0.0, 1.0, len(ends)).astype(np.float32)
    elements, edges = _walked(Strips.from_body(count, corners, ends, lengths))
    assert sorted((i, number) for i, *_, number in elements) == sorted(
        (i, number) for number, row in enumerate(corners.tolist()) for i in row
    )
    assert all(_is_even(order, corners[number]) for *order, number in elements)
    both_ways = [(a, b, length) for (a, b), length in zip(ends.tolist(), lengths.tolist(), strict=True)]
    assert sorted(edges) == sorted(both_ways + [(b, a, length) for a, b, length in both_ways])


def test_a_step_of_a_strip_makes_an_element_nearly_every_time(tube):
    """Otherwise it would be no quicker than reading three corners for each."""
    count, corners, ends = tube
    strips = Strips.from_body(count, corners, ends, np.ones(len(ends), dtype=np.float32))
    assert len(strips.codes) < 1.6 * 4 * len(corners)
