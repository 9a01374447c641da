"""Commands that pose the skeleton by lines: joints near one go over to another."""

from __future__ import annotations

from dataclasses import replace

from supple.edits.edits import Edits
from supple.edits.layers import Layer
from supple.edits.pose_edit import PoseEdit
from supple.edits.posing import DrawnPose, PoseSlot, drawn_lines, keyed_slot, new_slot
from supple.edits.strokes.oversketch import oversketch
from supple.errors import InputError
from supple.studio import messages as say
from supple.studio.commands.posing.joints import joint_name, layer_time, pins_of, pose_at, ranges
from supple.studio.commands.table import Handlers
from supple.studio.session import Session

_WORD = "Drawn pose"


def _draw(session: Session, command: say.PoseByStrokes) -> None:
    edits = session.document.edits_on(session.character)
    drawn = DrawnPose.from_lines(command.baseline, command.offset, command.time)
    if command.again:
        known = _known(edits, command.again)
        if command.part:
            drawn = replace(known, offset=oversketch(known.offset, drawn.offset))
        _pose(session, command, drawn, *_again(edits, command.again), "Pose by strokes")
    else:
        _pose(session, command, drawn, _fresh_slot(session, edits, command), edits, "Pose by strokes")


def _pull(session: Session, command: say.PullPoseKnot) -> None:
    edits = session.document.edits_on(session.character)
    drawn = _known(edits, command.pose)
    drawn = replace(drawn, offset=drawn.offset.with_knot(command.knot, command.to))
    _pose(session, command, drawn, *_again(edits, command.pose), f"Pull {command.pose}")


def _move(session: Session, command: say.MovePoseLine) -> None:
    edits = session.document.edits_on(session.character)
    drawn = _known(edits, command.pose)
    drawn = replace(drawn, offset=drawn.offset.move(command.by))
    _pose(session, command, drawn, *_again(edits, command.pose), f"Move {command.pose}")


def _delete(session: Session, command: say.DeletePoseKnot) -> None:
    edits = session.document.edits_on(session.character)
    drawn = _known(edits, command.pose)
    drawn = replace(drawn, offset=drawn.offset.delete_knot(command.knot))
    _pose(session, command, drawn, *_again(edits, command.pose), "Delete knot")


HANDLERS: Handlers = {
    say.PoseByStrokes: _draw,
    say.PullPoseKnot: _pull,
    say.MovePoseLine: _move,
    say.DeletePoseKnot: _delete,
}


def _pose(
    session: Session, command: say.PosingByStrokes, drawn: DrawnPose, slot: PoseSlot, base: Edits, step: str
) -> None:
    """Play what lines make of the pose that is there with the edits `base`, without them."""
    skeleton, pins, bounds = session.character.skeleton, pins_of(session, command), ranges(session, command)
    joints = [joint_name(session, joint) for joint in command.joints] or None
    kept = replace(slot, edits=drawn.kept_in(slot.edits, slot.use))
    pose_at(
        session,
        command,
        lambda shown: drawn.on(
            skeleton,
            shown,
            radius=command.radius,
            joints=joints,
            pins=pins,
            ranges=bounds,
            stretch=command.stretch,
            twist=command.twist,
        ),
        step,
        slot=kept,
        base=base,
    )


def _again(edits: Edits, pose: str) -> tuple[PoseSlot, Edits]:
    """A pose to be drawn again, and the edits as if it were not drawn yet."""
    layer = next((layer for layer in edits.layers if pose in layer.uses), None)
    if layer is None:
        raise InputError("studio", f"{pose} was to be drawn again", "no layer plays it", "draw another one")
    others = tuple(key for key in layer.keys if key.use != pose)
    without = edits.with_layer(replace(layer, keys=others)) if others else edits.with_pose(pose, PoseEdit({}))
    return PoseSlot(edits, layer.name, pose), without


def _fresh_slot(session: Session, edits: Edits, command: say.PoseByStrokes) -> PoseSlot:
    if not command.key:
        return new_slot(edits, _WORD)
    time, last = layer_time(session, command), _last_drawn(edits)
    if last is None or command.fresh:
        return new_slot(edits, _WORD, time=time)
    return keyed_slot(edits, last, time)


def _last_drawn(edits: Edits) -> Layer | None:
    """The last layer that plays drawn poses alone."""
    drawn = [layer for layer in edits.layers if layer.uses and all(drawn_lines(edits, use) for use in layer.uses)]
    return drawn[-1] if drawn else None


def _known(edits: Edits, pose: str) -> DrawnPose:
    found = drawn_lines(edits, pose)
    if found is None:
        there = ", ".join(name for name in edits.poses if drawn_lines(edits, name)) or "none"
        raise InputError("studio", f"{pose!r} was to be drawn again", f"drawn poses are {there}", "use one of those")
    return found
