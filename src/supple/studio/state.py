"""The session as panels show it."""

from __future__ import annotations

from supple.character.builtin import CHARACTERS
from supple.edits.edits import Edits
from supple.edits.layers import Layer
from supple.edits.radial import EASINGS
from supple.graph.graph import Stage
from supple.graph.mask import Mask
from supple.skins.registry import SKINS
from supple.studio import messages as say
from supple.studio.panels import rows_of
from supple.studio.session import Session


def state_of(session: Session, revision: int) -> say.State:
    """All that panels show."""
    document, history, character = session.document, session.history, session.character
    return say.State(
        revision=revision,
        character=document.character.name,
        mesh=say.MeshInfo(
            session.mesh,
            len(character.points),
            len(session.packer.creases),
            len(character.triangles),
            float(character.size.max()),
        ),
        skeleton=say.SkeletonInfo(list(character.skeleton.names), character.skeleton.parents.tolist()),
        shown=say.ShownInfo(session.shown.joints),
        transport=say.TransportInfo(
            document.motion, session.transport.playing, session.transport.rate, session.motion.duration
        ),
        views=[
            say.ViewInfo(number, [_stage(stage) for stage in graph.stages], view.preparing)
            for number, (view, graph) in enumerate(zip(session.views, document.skins, strict=False))
        ],
        edits=_edits(document.edits_on(character)),
        skins=list(SKINS),
        motions=session.motions,
        characters=list(CHARACTERS),
        opening=session.opening,
        undo=document.step if history.past else None,
        redo=history.future[0].step if history.future else None,
    )


def _stage(stage: Stage) -> say.StageInfo:
    if isinstance(stage.work, Mask):
        return say.StageInfo(stage.name, "blend", list(stage.inputs), [])
    return say.StageInfo(stage.name, stage.work.command_name, list(stage.inputs), rows_of(stage.work))


def _edits(edits: Edits) -> say.EditsInfo:
    return say.EditsInfo(
        shapes=list(edits.shapes),
        poses=list(edits.poses),
        strokes=list(dict.fromkeys([*edits.strokes, *edits.surface_strokes])),
        layers=[_layer(layer) for layer in edits.layers],
        easings=list(EASINGS),
    )


def _layer(layer: Layer) -> say.LayerInfo:
    keys = [say.KeyInfo(key.time, key.use, key.amount, key.ease) for key in layer.keys]
    return say.LayerInfo(layer.name, layer.amount, layer.repeat, layer.firmness, layer.mute, layer.solo, keys)
