"""Which bodies touch each other, directly or by others between them; each such island is answered by itself.

Nothing that one island does can reach another, so that a body feels nothing of a heap that it has no part in: not even
how exactly that heap was answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.skins.contact.model.mechanism import Mechanism
from supple.skins.contact.response.contact_set import ContactSet


@dataclass(frozen=True, eq=False)
class Islands:
    """Which island each body (b,), and each contact (m,), belongs to; they are numbered by their first bodies."""

    of_body: IntArray
    of_contact: IntArray

    def __len__(self) -> int:
        return int(self.of_body.max(initial=0)) + 1

    @classmethod
    def from_contacts(cls, contacts: ContactSet, body_of_point: IntArray, dynamic_bodies: int) -> Islands:
        """Of contacts between bodies, `body_of_point` (P,), and so many dynamic ones, which join what they touch."""
        bodies, points = int(body_of_point.max(initial=0)) + 1, len(body_of_point)
        if bodies == 1 or not len(contacts):
            return cls(np.arange(bodies, dtype=np.int32), np.zeros(len(contacts), dtype=np.int32))
        own = body_of_point[contacts.nodes % points]
        met = np.where(contacts.weights != 0.0, own, own[:, :1])
        dynamic = np.where(contacts.bodies >= 0, bodies + contacts.bodies, own[:, 0])
        of_all = _components(np.tile(own[:, 0], 4), np.concatenate([*met[:, 1:].T, dynamic]), bodies + dynamic_bodies)
        of_body = of_all[:bodies]
        return cls(of_body, of_body[own[:, 0]])


def bodies_of_links(mechanism: Mechanism) -> IntArray:
    """The body (k,) that each link is part of, by joints, or by flesh that grows on both."""
    trees = mechanism.trees
    carriers = np.where(mechanism.weights > 0.0, trees[mechanism.links], trees[mechanism.links[:, :1]])
    grown = trees[mechanism.links[mechanism.elements, 0]]
    ones = np.concatenate([np.repeat(carriers[:, 0], carriers.shape[1]), np.repeat(grown[:, 0], grown.shape[1])])
    others = np.concatenate([carriers.ravel(), grown.ravel()])
    found: IntArray = _components(ones, others, int(trees.max(initial=0)) + 1)[trees]
    return found


def largest_side(points: FloatArray, body_of_point: IntArray) -> float:
    """The largest side [m] of the largest body, however far apart they stand."""
    sides = [float(np.ptp(points[body_of_point == body], axis=0).max()) for body in np.unique(body_of_point)]
    return max(sides, default=1.0)


def _components(ones: Any, others: Any, count: int) -> IntArray:
    """What is joined by pairs, as numbers (count,) in the order of the first of each."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    joined = coo_array((np.ones(len(ones)), (ones, others)), shape=(count, count))
    labels = connected_components(joined, directed=False)[1]
    first = np.sort(np.unique(labels, return_index=True)[1])
    numbers = np.empty(len(first), dtype=np.int32)
    numbers[labels[first]] = np.arange(len(first))
    found: IntArray = numbers[labels]
    return found
