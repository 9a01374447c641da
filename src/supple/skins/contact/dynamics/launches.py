"""The launches of one step, recorded once: what they work on is fixed, its contents change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from supple import device as devices
from supple.arrays import Floats
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays
from supple.skins.contact.dynamics.factor import FleshFactor
from supple.skins.contact.model.mechanism import Mechanism


class StepLaunches:
    """One mechanism's step of `dt` [s], stage by stage.

    `prepare` brings arms, elastic forces and the condensed mass to where links and nodes are. `apply_forces`,
    `solve_flesh`, `solve_links`, `correct_flesh` and `predict` are the free step, in this order. `integrate` moves
    everything; `integrate_closed` also puts links back on those they hang on, by whether roots rest. `balance` holds
    momentum and energy, by whether momentum is kept and whether energy is guarded.
    """

    solve_flesh: Callable[[], None]
    correct_flesh: Callable[[], None]

    def __init__(
        self,
        mechanism: Mechanism,
        nodes: NodeArrays,
        links: LinkArrays,
        factor: FleshFactor | None,
        *,
        dt: float,
        gravity: Floats,
        stabilization: float,
        device: str,
    ) -> None:
        from supple.skins.contact.dynamics import link_kernels as bodies
        from supple.skins.contact.dynamics import node_kernels
        from supple.skins.contact.dynamics import skyline_kernels as systems

        n, k, every, wide = mechanism.node_count, mechanism.link_count, len(mechanism.rest), nodes.carriers
        wp = devices.warp()

        def launch(kernel: Any, count: int, *inputs: Any, smallest: int = 512) -> devices.Launch:
            return devices.Launch(kernel, count, inputs, device, smallest=smallest)

        chain = partial(devices.Chain, device=device)
        pull = wp.vec3d(*gravity)
        self.prepare = chain(
            [
                launch(
                    node_kernels.pose_nodes,
                    every,
                    wide,
                    n,
                    nodes.rest,
                    nodes.links,
                    nodes.shares,
                    links.centres,
                    links.positions,
                    links.rotations,
                    nodes.displacements,
                    nodes.masses,
                    nodes.together,
                    nodes.alone,
                    nodes.arms,
                    nodes.blends,
                    nodes.yields,
                    nodes.lone_yields,
                    nodes.nodes,
                ),
                launch(
                    node_kernels.pull_back,
                    n,
                    nodes.row_starts,
                    nodes.columns,
                    nodes.blocks,
                    nodes.displacements,
                    nodes.pulls,
                ),
                launch(
                    node_kernels.sum_arms,
                    nodes.link_pieces,
                    wide,
                    nodes.piece_starts,
                    nodes.entries,
                    nodes.shares,
                    nodes.masses,
                    nodes.arms,
                    nodes.firsts,
                    nodes.seconds,
                    smallest=32,
                ),
                launch(
                    node_kernels.total_arms,
                    k,
                    nodes.link_groups,
                    nodes.firsts,
                    nodes.seconds,
                    links.rotations,
                    links.core_moments,
                    links.core_seconds,
                    links.moments,
                    links.squares,
                ),
                launch(
                    node_kernels.condense,
                    nodes.pair_pieces,
                    wide,
                    nodes.pair_starts,
                    nodes.ones,
                    nodes.others,
                    nodes.shares,
                    nodes.arms,
                    nodes.yields,
                    nodes.parts,
                    smallest=32,
                ),
                launch(
                    node_kernels.total_blocks,
                    nodes.pairs,
                    nodes.pair_groups,
                    nodes.parts,
                    nodes.pair_blocks,
                    smallest=64,
                ),
            ]
        )
        self.apply_forces = chain(
            [
                launch(
                    node_kernels.swing,
                    n,
                    wide,
                    dt,
                    nodes.links,
                    nodes.shares,
                    nodes.masses,
                    links.rotations,
                    links.spins,
                    nodes.flows,
                    nodes.arms,
                    nodes.blends,
                    nodes.pulls,
                    nodes.coriolis,
                    nodes.sides,
                ),
                launch(bodies.open_books, 1, dt, links.mass, pull, links.books),
                launch(bodies.fall, k, wp.vec3d(*(dt * gravity)), links.velocities),
            ]
        )
        sky = links
        self.solve_links = chain(
            [
                launch(
                    node_kernels.push,
                    n,
                    dt,
                    nodes.masses,
                    nodes.blends,
                    nodes.coriolis,
                    nodes.free_flows,
                    nodes.flows,
                    nodes.pushes,
                ),
                launch(
                    node_kernels.sum_pushes,
                    nodes.link_pieces,
                    wide,
                    nodes.piece_starts,
                    nodes.entries,
                    nodes.shares,
                    nodes.arms,
                    nodes.pushes,
                    nodes.wrenches,
                    smallest=32,
                ),
                launch(
                    node_kernels.drive_links,
                    k,
                    dt,
                    nodes.link_groups,
                    nodes.wrenches,
                    links.spins,
                    links.moments,
                    links.squares,
                    sky.starts,
                    sky.right,
                ),
                launch(
                    bodies.assemble_links,
                    1,
                    k,
                    nodes.pairs,
                    sky.entries,
                    sky.starts,
                    sky.firsts,
                    sky.ats,
                    links.masses,
                    links.moments,
                    links.squares,
                    nodes.pair_links,
                    nodes.pair_blocks,
                    sky.values,
                ),
                launch(
                    bodies.assemble_joints,
                    1,
                    len(mechanism.joints),
                    dt,
                    stabilization,
                    sky.starts,
                    sky.rows,
                    sky.firsts,
                    sky.ats,
                    links.children,
                    links.parents,
                    links.kinds,
                    links.ends,
                    links.axes,
                    links.springs,
                    links.target_rotations,
                    links.target_spins,
                    links.gains,
                    links.positions,
                    links.rotations,
                    links.velocities,
                    links.spins,
                    sky.values,
                    sky.right,
                ),
                launch(
                    bodies.assemble_roots,
                    1,
                    len(mechanism.roots),
                    dt,
                    sky.starts,
                    sky.firsts,
                    sky.ats,
                    links.roots,
                    links.wanted,
                    links.wanted_rotations,
                    links.root_gains,
                    links.positions,
                    links.rotations,
                    links.velocities,
                    links.spins,
                    sky.values,
                    sky.right,
                ),
                launch(
                    systems.solve_system,
                    1,
                    sky.size,
                    sky.firsts,
                    sky.ats,
                    sky.values,
                    sky.factor,
                    sky.pivots,
                    sky.right,
                    sky.solution,
                ),
                launch(
                    bodies.take, k, sky.starts, sky.solution, links.velocities, links.spins, links.jumps, links.twists
                ),
                launch(
                    node_kernels.follow,
                    n,
                    wide,
                    nodes.links,
                    nodes.shares,
                    nodes.masses,
                    nodes.arms,
                    nodes.blends,
                    links.jumps,
                    links.twists,
                    nodes.sides,
                ),
            ]
        )
        self.solve_flesh = self.correct_flesh = _nothing
        if factor is not None:
            self.solve_flesh = factor.between(nodes.sides, nodes.free_flows)
            self.correct_flesh = factor.between(nodes.sides, nodes.flows, onto=nodes.free_flows)
        self.predict = launch(
            node_kernels.foresee,
            every,
            wide,
            n,
            dt,
            nodes.links,
            nodes.shares,
            nodes.arms,
            nodes.blends,
            nodes.nodes,
            links.velocities,
            links.spins,
            nodes.flows,
            nodes.paces,
            nodes.ahead,
        )
        moves = [
            launch(node_kernels.move_nodes, n, dt, nodes.flows, nodes.shifts, nodes.displacements),
            launch(node_kernels.move_links, k, dt, links.velocities, links.spins, links.positions, links.rotations),
        ]
        self.integrate = chain(moves)
        self.integrate_closed = {
            resting: chain(
                [
                    *moves,
                    launch(
                        bodies.close_joints,
                        1,
                        k,
                        len(mechanism.joints),
                        int(resting),
                        links.downwards,
                        links.children,
                        links.parents,
                        links.ends,
                        links.masses,
                        links.mass,
                        links.rotations,
                        links.shifts,
                        links.positions,
                    ),
                ]
            )
            for resting in (False, True)
        }
        tally = launch(
            node_kernels.tally,
            nodes.blocks_of_nodes,
            wide,
            nodes.block_starts,
            nodes.links,
            nodes.shares,
            nodes.masses,
            nodes.arms,
            nodes.blends,
            nodes.nodes,
            nodes.pulls,
            nodes.displacements,
            nodes.flows,
            links.velocities,
            links.spins,
            nodes.sums,
            smallest=16,
        )
        slow = launch(bodies.slow, n, links.books, nodes.flows)
        self.balance: dict[tuple[bool, bool], devices.Chain] = {}
        for kept in (False, True):
            for guarded in (False, True):
                close = launch(
                    bodies.close_books,
                    1,
                    k,
                    len(mechanism.joints),
                    nodes.blocks_of_nodes,
                    int(kept),
                    int(guarded),
                    pull,
                    links.masses,
                    links.moments,
                    links.squares,
                    links.children,
                    links.parents,
                    links.springs,
                    links.positions,
                    links.rotations,
                    nodes.sums,
                    links.velocities,
                    links.spins,
                    links.books,
                )
                self.balance[kept, guarded] = chain([tally, close, *([slow] if guarded else [])])


def _nothing() -> None:
    """What a body without free flesh has to solve."""
