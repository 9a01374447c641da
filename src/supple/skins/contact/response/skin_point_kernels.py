# mypy: ignore-errors
"""Arithmetic of the skin's vertices as contact points: how fast links and flesh move them, and where to."""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import Links, Nodes, Vectors
from supple.skins.contact.response.constraint_kernels import SkinPoints

Points = wp.array(dtype=wp.vec3f)


@wp.kernel(enable_backward=False)
def predict_skin(
    first: int,
    dt: wp.float64,
    nodes: Nodes,
    links: Links,
    skin: SkinPoints,
    points: Points,
    before: Points,
    predicted: Points,
):
    """x' = sum_i w_i (c_i' + o_i x r_i) + sum_j a_j W_j u_j', and x + dt x'.

    The arms r_i are (x - c_i), or with pivots (R_i (q_i - p_i) + d), where d is such that sum_i w_i (c_i + r_i) = x.
    """
    v = first + wp.tid()
    x = wp.vec3d(points[v])
    begin = skin.skin_carriers * v
    beside = x
    for e in range(begin, begin + skin.skin_carriers):
        i = skin.skin_links[e]
        arm = -links.positions[i]
        if skin.pivoted == 1:
            arm = links.rotations[i] * (skin.skin_pivots[e] - links.centers[i])
        skin.skin_arms[e] = arm
        beside -= skin.skin_weights[e] * (links.positions[i] + arm)
    velocity = wp.vec3d()
    for e in range(begin, begin + skin.skin_carriers):
        i = skin.skin_links[e]
        arm = skin.skin_arms[e] + beside
        skin.skin_arms[e] = arm
        velocity += skin.skin_weights[e] * (links.velocities[i] + wp.cross(links.angular_velocities[i], arm))
    offset = wp.vec3d()
    for e in range(skin.skin_starts[v], skin.skin_starts[v + 1]):
        j = skin.skin_nodes[e]
        velocity += skin.skin_shares[e] * (nodes.blended_rotations[j] * nodes.node_velocities[j])
        offset += skin.skin_shares[e] * skin.flesh_offsets[j]
    skin.flesh_offsets[skin.first_vertex + v] = offset
    skin.skin_positions[v] = x
    skin.skin_velocities[v] = velocity
    before[v] = points[v]
    predicted[v] = wp.vec3f(x + dt * velocity)


@wp.kernel(enable_backward=False)
def predict_offsets(first: int, dt: wp.float64, nodes: Nodes, rest_sag: Vectors, offsets: Vectors):
    """How far flesh is predicted to have taken a node from where bones carry it."""
    j = first + wp.tid()
    moved = nodes.displacements[j] - rest_sag[j] + dt * nodes.node_velocities[j]
    offsets[j] = nodes.blended_rotations[j] * moved
