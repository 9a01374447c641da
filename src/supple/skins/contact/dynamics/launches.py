"""The launches of one step, recorded once: what they work on is fixed, its contents change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from supple import device as devices
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays
from supple.skins.contact.dynamics.factor import FleshFactor
from supple.skins.contact.model.mechanism import Mechanism


class StepLaunches:
    """One mechanism's step of `dt` [s], stage by stage.

    `prepare` brings arms, elastic forces and the condensed mass to where links and nodes are. `apply_forces`,
    `solve_flesh`, `solve_links`, `correct_flesh` and `predict` are the free step, in this order. `push_flesh` adds what
    further impulses in `nodes.rhs` do to the flesh. `integrate` moves
    everything; `integrate_closed` also puts links back on those they hang on, by whether roots rest. `balance` holds
    momentum and energy, by whether momentum is kept and whether energy is guarded. `gravities` (2,) are gravity [m/s²]
    and what it gives in a step [m/s], on the device.
    """

    solve_flesh: Callable[[], None]
    correct_flesh: Callable[[], None]
    push_flesh: Callable[[], None]

    def __init__(
        self,
        mechanism: Mechanism,
        nodes: NodeArrays,
        links: LinkArrays,
        factor: FleshFactor | None,
        *,
        dt: float,
        gravities: Any,
        stabilization: float,
        device: str,
    ) -> None:
        from supple.skins.contact.dynamics import energy_kernels as on_energy
        from supple.skins.contact.dynamics import link_kernels as on_links
        from supple.skins.contact.dynamics import node_kernels as on_nodes
        from supple.skins.contact.dynamics import skyline_kernels as on_skyline

        n, k, every = mechanism.node_count, mechanism.link_count, len(mechanism.rest)

        def launch(kernel: Any, count: int, *inputs: Any, smallest: int = 512) -> devices.Launch:
            return devices.Launch(kernel, count, inputs, device, smallest=smallest)

        def pieces(kernel: Any, count: int, *inputs: Any, smallest: int = 32) -> devices.Launch:
            return launch(kernel, count, *inputs, smallest=smallest)

        chain = partial(devices.Chain, device=device)
        flesh, bodies, joints = nodes.struct, links.struct, links.joint_struct
        moment_parts = (nodes.partial_first_moments, nodes.partial_second_moments)
        core_moments = (links.core_first_moments, links.core_second_moments)
        stiffness = (nodes.row_starts, nodes.columns, nodes.blocks)
        by_link = (nodes.piece_starts, nodes.entries)
        changes = (links.velocity_changes, links.angular_velocity_changes)
        system, solved = (links.values, links.rhs), (links.factor, links.pivots, links.rhs, links.solution)

        self.prepare = chain(
            [
                launch(on_nodes.pose_nodes, every, flesh, bodies, nodes.lumped_inverses, nodes.compliances),
                launch(on_nodes.compute_elastic_forces, n, *stiffness, nodes.displacements, nodes.elastic_forces),
                pieces(on_nodes.sum_moments, nodes.link_pieces, *by_link, flesh, *moment_parts),
                launch(on_nodes.total_moments, k, nodes.link_groups, *moment_parts, *core_moments, bodies),
                *condense_onto_links(nodes, nodes.compliances, nodes.partial_blocks, nodes.pair_blocks, device),
            ]
        )
        self.apply_forces = chain(
            [
                launch(
                    on_nodes.apply_flesh_forces, n, dt, flesh, bodies, nodes.elastic_forces, nodes.coriolis, nodes.rhs
                ),
                launch(on_energy.begin_energy_balance, links.tree_count, dt, bodies, gravities, links.energy_balance),
                launch(on_links.apply_gravity, k, gravities, links.velocities),
            ]
        )
        free = (nodes.coriolis, nodes.free_node_velocities, nodes.impulses)
        wrenches = (nodes.link_groups, nodes.wrenches)
        self.solve_links = chain(
            [
                launch(on_nodes.compute_node_impulses, n, dt, flesh, *free),
                pieces(on_nodes.sum_wrenches, nodes.link_pieces, *by_link, flesh, nodes.impulses, nodes.wrenches),
                launch(on_nodes.apply_wrenches, k, dt, *wrenches, bodies, links.link_rows, links.rhs),
                *assemble_system(mechanism, nodes, links, nodes.pair_blocks, system, dt, stabilization, device),
                launch(
                    on_skyline.solve_system,
                    1,
                    links.size,
                    links.first_columns,
                    links.row_offsets,
                    links.values,
                    *solved,
                ),
                launch(on_links.add_velocity_changes, k, links.link_rows, links.solution, bodies, *changes),
                launch(on_nodes.couple_flesh, n, flesh, *changes, nodes.rhs),
            ]
        )
        self.solve_flesh = self.correct_flesh = self.push_flesh = _nothing
        if factor is not None:
            free_velocities = nodes.free_node_velocities
            self.solve_flesh = factor.between(nodes.rhs, free_velocities)
            self.correct_flesh = factor.between(nodes.rhs, nodes.node_velocities, onto=free_velocities)
            self.push_flesh = factor.between(nodes.rhs, nodes.node_velocities, onto=nodes.node_velocities)
        self.predict = launch(
            on_nodes.predict, every, dt, flesh, bodies, nodes.world_velocities, nodes.predicted_positions
        )
        moves = [launch(on_nodes.integrate_nodes, n, dt, flesh), launch(on_nodes.integrate_links, k, dt, bodies)]

        def close(resting: bool) -> devices.Launch:
            rest = (int(resting), links.parents_first, joints, bodies, links.mass, links.shifts)
            return launch(on_links.close_joints, 1, k, len(mechanism.joints), *rest)

        self.integrate = chain(moves)
        self.integrate_closed = {resting: chain([*moves, close(resting)]) for resting in (False, True)}
        self.balance = {
            (kept, guarded): chain(_balance(mechanism, nodes, links, gravities, kept, guarded, device))
            for kept in (False, True)
            for guarded in (False, True)
        }


def condense_onto_links(
    nodes: NodeArrays, compliances: Any, partial_blocks: Any, pair_blocks: Any, device: str
) -> list[devices.Launch]:
    """M~bs D M~bs^T between all pairs of links that carry a node together."""
    from supple.skins.contact.dynamics import node_kernels as on_nodes

    entries = [nodes.pair_starts, nodes.ones, nodes.others, nodes.struct, compliances, partial_blocks]
    total = [nodes.pair_groups, partial_blocks, pair_blocks]
    return [
        devices.Launch(on_nodes.condense, nodes.pair_pieces, entries, device, smallest=32),
        devices.Launch(on_nodes.total_blocks, nodes.pairs, total, device, smallest=64),
    ]


def assemble_system(
    mechanism: Mechanism,
    nodes: NodeArrays,
    links: LinkArrays,
    pair_blocks: Any,
    system: tuple[Any, Any],
    dt: float,
    stabilization: float,
    device: str,
) -> list[devices.Launch]:
    """The `system` of links and joints, its values and its right side, with springs and control."""
    from supple.skins.contact.dynamics import link_kernels as on_links

    skyline, bodies = links.skyline_struct, links.struct
    counts = (mechanism.link_count, nodes.pairs, links.entries)
    inputs = (
        (on_links.assemble_links, [*counts, skyline, bodies, nodes.pair_links, pair_blocks, system[0]]),
        (
            on_links.assemble_joints,
            [len(mechanism.joints), dt, stabilization, skyline, links.joint_struct, bodies, *system],
        ),
        (on_links.assemble_roots, [len(mechanism.roots), dt, skyline, links.root_struct, bodies, *system]),
    )
    return [devices.Launch(kernel, 1, arguments, device) for kernel, arguments in inputs]


def _balance(
    mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, gravities: Any, kept: bool, guarded: bool, device: str
) -> list[devices.Launch]:
    """Hold momentum (`kept`) and energy (`guarded`) to what came from outside, or only count them."""
    from supple.skins.contact.dynamics import energy_kernels as on_energy

    flesh, bodies, joints, balance = nodes.struct, links.struct, links.joint_struct, links.energy_balance
    counts = (mechanism.link_count, len(mechanism.joints), nodes.blocks_of_nodes, int(kept), int(guarded))
    momentum = [nodes.block_starts, nodes.block_order, flesh, bodies, nodes.elastic_forces, nodes.sums]
    launches = [
        devices.Launch(on_energy.sum_momentum, nodes.blocks_of_nodes, momentum, device, smallest=16),
        devices.Launch(
            on_energy.finish_energy_balance,
            links.tree_count,
            [*counts, gravities, bodies, joints, nodes.block_trees, nodes.sums, balance],
            device,
        ),
    ]
    if guarded:
        scaled = [flesh, bodies, balance]
        launches.append(
            devices.Launch(on_energy.scale_node_velocities, mechanism.node_count, scaled, device, smallest=512)
        )
    return launches


def _nothing() -> None:
    """What a body without free flesh has to solve."""
