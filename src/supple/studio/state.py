"""The session as panels show it."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from supple.arrays import FloatArray
from supple.character.builtin import CHARACTERS
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.document.file import document_name
from supple.edits.easing import EASINGS
from supple.edits.edits import Edits
from supple.edits.layers import Layer
from supple.edits.posing import DrawnPose, drawn_lines
from supple.edits.radial import PROFILES
from supple.graph.graph import Graph, Stage
from supple.graph.mask import Mask
from supple.skins.registry import SKINS
from supple.skins.springs.spring_dynamics import SpringDynamics
from supple.skins.springs.spring_rig import SpringRig
from supple.studio import messages as say
from supple.studio.jobs.job import Job
from supple.studio.jobs.kinds import KINDS
from supple.studio.keeping.keeper import Keeper
from supple.studio.live.painting import map_rows, paint_info
from supple.studio.measures.arrows import lines_offered
from supple.studio.measures.offered import Measure, offered
from supple.studio.panels import rows_of, rows_of_mask
from supple.studio.session import Session
from supple.studio.strokes import editing_of, listed_shapes
from supple.studio.view import View

_CURVE = np.linspace(0.0, 1.0, 17)
_ALONG = np.linspace(0.0, 1.0, 49)  # places of a line that the page draws
_EASINGS = [say.EasingInfo(name, np.round(ease(_CURVE), 4).tolist()) for name, ease in EASINGS.items()]

_TOPS = [name for name, kind in SKINS.items() if kind().takes_incoming()]
_JOB_KINDS = [say.JobKindInfo(name, kind.label, list(kind.suffixes), kind.one_skin) for name, kind in KINDS.items()]


def state_of(session: Session, revision: int) -> say.State:
    """All that panels show."""
    document, history, character = session.document, session.history, session.character
    label = session.library.label
    return say.State(
        revision=revision,
        character=label(document.character.name),
        mesh=say.MeshInfo(
            session.mesh,
            len(character.points),
            len(session.packer.creases),
            len(character.triangles),
            float(character.size.max()),
        ),
        skeleton=_skeleton(character.skeleton),
        shown=_shown(session),
        ghosts=say.GhostsInfo(**asdict(session.ghosts)),
        transport=say.TransportInfo(
            label(document.motion),
            session.transport.playing,
            session.transport.rate,
            session.motion.duration if session.capture.source is None else None,
            session.motion.fps,
            session.motion.loop,
            session.transport.span,
            session.as_baked.state,
        ),
        views=[
            say.ViewInfo(number, _stages(view, graph), view.preparing, map_rows(view, document))
            for number, (view, graph) in enumerate(zip(session.views, document.skins, strict=False))
        ],
        paint=paint_info(session.painting),
        edits=_edits(session, firm=any(map(_uses_firmness, document.skins))),
        saving=_saving(session.keeper),
        things=session.things.info(session.views),
        dividers=session.dividing.infos(document) if session.shown.dividers else [],
        capture=session.capture.info(sending=session.outlet.to),
        jobs=[_job(job) for job in session.jobs.all],
        job_kinds=_JOB_KINDS,
        skins=list(SKINS),
        tops=_TOPS,
        motions=[label(name) for name in session.motions],
        characters=list(CHARACTERS),
        opening=session.opening,
        undo=document.step if history.past else None,
        redo=history.future[0].step if history.future else None,
        past=[one.step for one in (*history.past, document)[1:]],
        future=[one.step for one in history.future],
    )


def _skeleton(skeleton: Skeleton) -> say.SkeletonInfo:
    heads, parents = skeleton.heads, skeleton.parents
    lengths = np.where(parents < 0, 0.0, np.linalg.norm(heads - heads[parents], axis=1))
    sizes = np.cbrt(np.abs(np.linalg.det(skeleton.parent_from_joint[:, :3, :3])))
    return say.SkeletonInfo(
        list(skeleton.names), skeleton.parents.tolist(), np.round(lengths, 6).tolist(), sizes.tolist()
    )


def _shown(session: Session) -> say.ShownInfo:
    colours = session.shown.colours
    return say.ShownInfo(
        joints=session.shown.joints,
        measure=None if colours is None else _measure(colours.measure),
        measures=[_measure(one) for one in offered([view.player for view in session.views])],
        curves=session.shown.curves,
        lines="" if session.shown.arrows is None else session.shown.arrows.name,
        lines_offered=lines_offered([view.player for view in session.views]),
    )


def _measure(measure: Measure) -> say.MeasureInfo:
    return say.MeasureInfo(measure.name, measure.label, measure.unit, measure.signed)


def _job(job: Job) -> say.JobInfo:
    size, result = None, job.result
    if result is not None and result.exists():
        size = result.stat().st_size
    name = job.name if result is None else result.name
    return say.JobInfo(
        job.number, job.kind.label, name, job.state, job.what, job.done, job.total, job.words[:500], size
    )


def _saving(keeper: Keeper) -> say.SavingInfo:
    camera = keeper.camera
    return say.SavingInfo(
        name=keeper.name,
        saved=keeper.saved,
        folder=str(keeper.folder),
        opened=keeper.opened,
        camera=None if camera is None else say.CameraInfo(camera.position, camera.target),
        known=[say.KnownDocument(key, document_name(path), path.parent.name) for key, path in keeper.known().items()],
        left_open=keeper.recovery.offered_at,
    )


def _stages(view: View, graph: Graph) -> list[say.StageInfo]:
    return [_stage(stage, graph, view.player.character) for stage in graph.stages]


def _stage(stage: Stage, graph: Graph, character: Character) -> say.StageInfo:
    name, inputs, muted = stage.name, list(stage.inputs), stage.name in graph.muted
    if isinstance(stage.work, Mask):
        return say.StageInfo(name, "blend", inputs, rows_of_mask(stage.work, character), muted)
    return say.StageInfo(name, stage.work.command_name, inputs, rows_of(stage.work), muted)


def _uses_firmness(graph: Graph) -> bool:
    """Whether springs pull a skin towards its drawn shapes."""
    return any(isinstance(stage.work, SpringRig | SpringDynamics) for stage in graph.stages)


def _edits(session: Session, *, firm: bool) -> say.EditsInfo:
    character = session.character
    edits = session.document.edits_on(character)
    shapes = listed_shapes(edits)
    hidden = edits.shapes.keys() - shapes
    return say.EditsInfo(
        shapes=shapes,
        poses=list(edits.poses),
        strokes=list(dict.fromkeys([*edits.strokes, *edits.surface_strokes])),
        layers=[_layer(layer) for layer in edits.layers if layer.uses == () or not hidden.issuperset(layer.uses)],
        easings=_EASINGS,
        firm=firm,
        skin_strokes=[_stroke(edits, name, character) for name in edits.surface_strokes if name in edits.shapes],
        profiles=list(PROFILES),
        pose_strokes=[_lines(pose, drawn) for pose in edits.poses if (drawn := drawn_lines(edits, pose))],
        region=_region(session.drafted.edits_on(character), session.shown.region, character),
    )


def _region(edits: Edits, name: str, character: Character) -> say.RegionInfo | None:
    """Of a stroke by name, as it is while it is being changed."""
    if name not in edits.surface_strokes or name not in edits.shapes:
        return None
    editing = editing_of(character, edits.surface_strokes[name], edits.shapes[name])
    held, following, staying = (
        part.tolist() for part in (editing.region.handles, editing.region.passive, editing.region.static)
    )
    return say.RegionInfo(name, held, following, staying, editing.reach)


def _lines(pose: str, drawn: DrawnPose) -> say.PoseStrokesInfo:
    return say.PoseStrokesInfo(
        pose,
        drawn.time,
        _places(drawn.baseline.at(_ALONG)),
        _places(drawn.offset.at(_ALONG)),
        _places(drawn.offset.knots),
    )


def _places(points: FloatArray) -> list[tuple[float, float, float]]:
    return [(x, y, z) for x, y, z in np.round(points, 5).tolist()]


def _stroke(edits: Edits, name: str, character: Character) -> say.StrokeInfo:
    stroke = edits.surface_strokes[name]
    return say.StrokeInfo(
        name,
        stroke.triangles.tolist(),
        [(a, b, c) for a, b, c in stroke.barycentric.tolist()],
        editing_of(character, stroke, edits.shapes[name]).height,
    )


def _layer(layer: Layer) -> say.LayerInfo:
    keys = [say.KeyInfo(key.time, key.use, key.amount, key.ease) for key in layer.keys]
    return say.LayerInfo(layer.name, layer.amount, layer.repeat, layer.firmness, layer.mute, layer.solo, keys)
