"""Commands that pose the skeleton by its joints. What they make is a layer on top of the motion."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from supple.character.character import Character
from supple.edits.edits import Edits, loop_of
from supple.edits.layers import Layer
from supple.edits.pose_edit import PoseEdit
from supple.edits.posing import (
    JointRanges,
    PoseSlot,
    drawn_lines,
    hold,
    keyed_slot,
    new_slot,
    reach,
    scale_joint,
    stretch_bone,
)
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.motion import Motion
from supple.motion.pose import Pose
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session

WORD = "Pose"
_SAMPLES = 24  # poses of a motion that tell about which axes elbows and knees bend


def _turn(session: Session, command: say.TurnJoint) -> None:
    skeleton, name = session.character.skeleton, joint_name(session, command.joint)
    axis = np.array(command.axis)
    if not np.linalg.norm(axis) > 1e-9:
        raise InputError("studio", f"{name} was to turn about {command.axis}", "an axis is needed", "pick a ring again")

    def turned(shown: Pose) -> Pose:
        own = quaternions.nearest_rotation(shown.world_from_joint[command.joint, :3, :3])
        rotation = quaternions.quat_from_axis_angle(own.T @ axis, command.angle)
        posed = PoseEdit({name: rotation}).on(skeleton, shown)
        pins = pins_of(session, command, name)
        return hold(skeleton, shown, posed, pins=pins, ranges=ranges(session, command)) if pins else posed

    pose_at(session, command, turned, f"Turn {plain(name)}")


def _move(session: Session, command: say.MoveJoint) -> None:
    skeleton, name = session.character.skeleton, joint_name(session, command.joint)

    def moved(shown: Pose) -> Pose:
        pins = pins_of(session, command, name)
        goal = shown.world_from_joint[command.joint, :3, 3] + np.array(command.by)
        return reach(skeleton, shown, {name: goal}, pins=pins, ranges=ranges(session, command))

    pose_at(session, command, moved, f"Move {plain(name)}")


def _stretch(session: Session, command: say.StretchBone) -> None:
    skeleton, name = session.character.skeleton, joint_name(session, command.joint)
    step = f"Stretch {plain(name)}"
    pose_at(session, command, lambda shown: stretch_bone(skeleton, shown, name, command.stretch), step)


def _scale(session: Session, command: say.ScaleJoint) -> None:
    skeleton, name = session.character.skeleton, joint_name(session, command.joint)
    pose_at(session, command, lambda shown: scale_joint(skeleton, shown, name, command.size), f"Scale {plain(name)}")


def _reset(session: Session, command: say.ResetJoint) -> None:
    name = joint_name(session, command.joint)
    edits = session.document.edits_on(session.character)
    layer = _last_layer(edits)
    used = [] if layer is None else [use for use in layer.uses if name in edits.poses[use].joints]
    if not used:
        what = "no pose was made yet" if layer is None else f"{layer.name} leaves it alone"
        raise InputError("studio", f"what was done to {plain(name)} was to go", what, "choose another joint")
    for use in used:
        edits = edits.with_pose(use, edits.poses[use].without(name))
    session.do(session.document.with_edits(edits, f"Reset {plain(name)}"))


HANDLERS: Handlers = {
    say.TurnJoint: _turn,
    say.MoveJoint: _move,
    say.StretchBone: _stretch,
    say.ScaleJoint: _scale,
    say.ResetJoint: _reset,
}


def pose_at(
    session: Session,
    command: say.Posing,
    make: Callable[[Pose], Pose],
    step: str,
    *,
    slot: PoseSlot | None = None,
    base: Edits | None = None,
) -> None:
    """Make another pose of the one that is shown at the command's time, and play it from then on.

    It goes where `slot` says; without one, on with the last pose that was made by hand. What is shown has the edits
    `base`, or else those of the document.
    """
    skeleton = session.character.skeleton
    period = loop_of(session.motion)
    edits = session.document.edits_on(session.character)
    plain_pose = session.motion.sample(command.time)
    slot = _slot(edits, command, layer_time(session, command)) if slot is None else slot
    posed = make((base or edits).on_pose(skeleton, plain_pose, command.time, period=period))
    made = slot.posed(skeleton, plain_pose, posed, command.time, period=period)
    wanted = session.document.with_edits(made, step)
    if command.done:
        session.do(wanted)
    else:
        session.draft(wanted)


def joint_name(session: Session, joint: int) -> str:
    """The name of a joint by its number."""
    skeleton = session.character.skeleton
    if joint >= len(skeleton):
        there = f"there are 0 to {len(skeleton) - 1}"
        raise InputError("studio", f"joint {joint} was named", there, "pick one that is shown")
    return skeleton.names[joint]


def ranges(session: Session, command: say.Posing) -> JointRanges | None:
    """How far joints may turn, if that is asked for: by the rig, and by the limits that hands have set."""
    known = _ranges_in(session.character, session.motion) if command.ranges else None
    if not command.limits:
        return known
    own = {joint_name(session, joint): angle for joint, angle in command.limits}
    axes, spans = ({}, {}) if known is None else (dict(known.axes), dict(known.spans))
    for name, angle in own.items():
        low, high = spans.get(name, (-angle, angle))
        spans[name] = (max(low, -angle), min(high, angle))
    return JointRanges(axes, spans)


@lru_cache(maxsize=2)
def _ranges_in(character: Character, motion: Motion) -> JointRanges:
    times = np.linspace(0.0, motion.duration, _SAMPLES)
    return JointRanges.of(character, [motion.sample(float(time)) for time in times])


def plain(name: str) -> str:
    """A joint's name as people say it: "LeftForeArm" as "left fore arm"."""
    return re.sub(r"[\W_]+", " ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)).strip().lower() or name


def pins_of(session: Session, command: say.Posing, posed: str = "") -> list[str]:
    """The joints that are held, but for one that is posed itself."""
    return [name for name in (joint_name(session, joint) for joint in command.pins) if name != posed]


def layer_time(session: Session, command: say.Posing) -> float:
    """When it is for layers [s], which start over with a motion that loops."""
    period = loop_of(session.motion)
    return command.time % period if period else command.time


def _slot(edits: Edits, command: say.Posing, time: float) -> PoseSlot:
    last = None if command.fresh else _last_layer(edits)
    if command.key:
        return new_slot(edits, WORD, time=time) if last is None else keyed_slot(edits, last, time)
    if last is None or len(last.keys) > 1:
        return new_slot(edits, WORD)
    return PoseSlot(edits, last.name, last.keys[0].use)


def _last_layer(edits: Edits) -> Layer | None:
    """The last layer of poses that were made by hand and not by strokes; one on mute is left alone."""
    for layer in reversed(edits.layers):
        by_hand = all(use in edits.poses and drawn_lines(edits, use) is None for use in layer.uses)
        if layer.uses and by_hand and not layer.mute:
            return layer
    return None
