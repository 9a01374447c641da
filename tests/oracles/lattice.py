"""Lattice shape matching as it is written down: every region as a list of nodes, every rotation by singular values."""

import numpy as np

BIAS = 1e-3  # of mass times side squared, towards the turn of the bones


def region(chains, node, width):
    """Nodes of a region and the steps (dx, dy, dz) to them: along x, from there along y, from there along z."""
    low, high = (width - 1) // 2, width // 2
    found = []
    for across, dx in _walked(chains, node, 0, low, high):
        for along, dy in _walked(chains, across, 1, low, high):
            found += [(last, (dx, dy, dz)) for last, dz in _walked(chains, along, 2, low, high)]
    nodes, steps = zip(*found, strict=True)
    return np.array(nodes), np.array(steps, dtype=float)


def _walked(chains, node, axis, low, high):
    found = [(node, 0)]
    for side, reach, sign in ((0, low, -1), (1, high, 1)):
        at = node
        for step in range(1, reach + 1):
            at = chains[at, 2 * axis + side]
            if at < 0:
                break
            found.append((at, sign * step))
    return found


def nearest_rotation(matrix):
    """The proper rotation that maximises tr(R^T A)."""
    u, _, vt = np.linalg.svd(matrix)
    return u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt


def goals(chains, width, side, points, frames):
    """Where the regions want every node (N, 3) [m], and their rotations (N, 3, 3)."""
    regions = [region(chains, node, width) for node in range(len(points))]
    count = np.zeros(len(points))
    for nodes, _ in regions:
        count[nodes] += 1
    wanted, rotations = np.zeros((len(points), 3)), []
    for name, (nodes, steps) in enumerate(regions):
        mass, rest = 1.0 / count[nodes], side * steps
        middle, rest_middle = mass @ points[nodes] / mass.sum(), mass @ rest / mass.sum()
        moment = (mass[:, None] * (points[nodes] - middle)).T @ (rest - rest_middle)
        rotation = nearest_rotation(moment + BIAS * mass.sum() * side**2 * frames[name])
        wanted[nodes] += (rest - rest_middle) @ rotation.T + middle
        rotations.append(rotation)
    return wanted / count[:, None], np.array(rotations)


def octants(points, chain, node):
    """The volume of a voxel: of its eight octants, those that have a neighbour on each of their three sides."""
    total = 0.0
    for x in (0, 1):
        for y in (2, 3):
            for z in (4, 5):
                ends = chain[[x, y, z]]
                if (ends >= 0).all():
                    sign = (-1.0) ** ((x == 0) + (y == 2) + (z == 4))
                    total += sign * np.linalg.det(0.5 * (points[ends] - points[node]))
    return total
