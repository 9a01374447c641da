"""All that page and engine say to each other, and nothing else. TypeScript is made from it (`typescript`).

Text frames of the socket are JSON: commands from the page, each with a number `seq`, and events from the engine.
Binary frames are skins (`frames`). Numbers are finite, strings short and lists bounded: what is not is refused before
it is looked at. What events are made of is in `infos`, some kinds of commands are in `words`.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from supple.studio.infos import CameraInfo as CameraInfo
from supple.studio.infos import CaptureInfo as CaptureInfo
from supple.studio.infos import CurvesInfo as CurvesInfo
from supple.studio.infos import CurveValues as CurveValues
from supple.studio.infos import DividerInfo as DividerInfo
from supple.studio.infos import EasingInfo as EasingInfo
from supple.studio.infos import EditsInfo as EditsInfo
from supple.studio.infos import FileInfo as FileInfo
from supple.studio.infos import Files as Files
from supple.studio.infos import GhostsInfo as GhostsInfo
from supple.studio.infos import JobInfo as JobInfo
from supple.studio.infos import JobKindInfo as JobKindInfo
from supple.studio.infos import KeyInfo as KeyInfo
from supple.studio.infos import KnownDocument as KnownDocument
from supple.studio.infos import LayerInfo as LayerInfo
from supple.studio.infos import MapRow as MapRow
from supple.studio.infos import MeasureInfo as MeasureInfo
from supple.studio.infos import MeshInfo as MeshInfo
from supple.studio.infos import PaintInfo as PaintInfo
from supple.studio.infos import PoseStrokesInfo as PoseStrokesInfo
from supple.studio.infos import RegionInfo as RegionInfo
from supple.studio.infos import SavingInfo as SavingInfo
from supple.studio.infos import SettingRow as SettingRow
from supple.studio.infos import ShownInfo as ShownInfo
from supple.studio.infos import SkeletonInfo as SkeletonInfo
from supple.studio.infos import StageInfo as StageInfo
from supple.studio.infos import StrokeInfo as StrokeInfo
from supple.studio.infos import ThingRow as ThingRow
from supple.studio.infos import ThingsInfo as ThingsInfo
from supple.studio.infos import TransportInfo as TransportInfo
from supple.studio.infos import ViewInfo as ViewInfo
from supple.studio.words.bounds import MOST_VIEWS as MOST_VIEWS
from supple.studio.words.bounds import Amount as Amount
from supple.studio.words.bounds import Command as Command
from supple.studio.words.bounds import Index as Index
from supple.studio.words.bounds import Joint as Joint
from supple.studio.words.bounds import Line as Line
from supple.studio.words.bounds import Metres as Metres
from supple.studio.words.bounds import Name as Name
from supple.studio.words.bounds import Pixel as Pixel
from supple.studio.words.bounds import Point as Point
from supple.studio.words.bounds import Port as Port
from supple.studio.words.bounds import Reach as Reach
from supple.studio.words.bounds import Seconds as Seconds
from supple.studio.words.bounds import Seq as Seq
from supple.studio.words.bounds import Share as Share
from supple.studio.words.bounds import Size as Size
from supple.studio.words.bounds import Text as Text
from supple.studio.words.bounds import Value as Value
from supple.studio.words.bounds import View as View
from supple.studio.words.capture import StartCapture as StartCapture
from supple.studio.words.capture import StartRecording as StartRecording
from supple.studio.words.capture import StartSending as StartSending
from supple.studio.words.capture import StopCapture as StopCapture
from supple.studio.words.capture import StopRecording as StopRecording
from supple.studio.words.capture import StopSending as StopSending
from supple.studio.words.disk import CancelJob as CancelJob
from supple.studio.words.disk import ForgetJob as ForgetJob
from supple.studio.words.disk import GoOn as GoOn
from supple.studio.words.disk import LookFrom as LookFrom
from supple.studio.words.disk import OpenDocument as OpenDocument
from supple.studio.words.disk import ResumeJob as ResumeJob
from supple.studio.words.disk import Save as Save
from supple.studio.words.disk import StartJob as StartJob
from supple.studio.words.layers import AddKey as AddKey
from supple.studio.words.layers import AddLayer as AddLayer
from supple.studio.words.layers import ChangeKey as ChangeKey
from supple.studio.words.layers import ChangeLayer as ChangeLayer
from supple.studio.words.layers import DeleteEdit as DeleteEdit
from supple.studio.words.layers import DeleteKey as DeleteKey
from supple.studio.words.layers import DeleteLayer as DeleteLayer
from supple.studio.words.layers import RenameEdit as RenameEdit
from supple.studio.words.layers import SetAmount as SetAmount
from supple.studio.words.painting import FillMap as FillMap
from supple.studio.words.painting import Paint as Paint
from supple.studio.words.painting import PaintEnd as PaintEnd
from supple.studio.words.painting import ResetMap as ResetMap
from supple.studio.words.painting import Retouch as Retouch
from supple.studio.words.painting import SkinPlace as SkinPlace
from supple.studio.words.posing import DeletePoseKnot as DeletePoseKnot
from supple.studio.words.posing import MoveJoint as MoveJoint
from supple.studio.words.posing import MovePoseLine as MovePoseLine
from supple.studio.words.posing import PoseByStrokes as PoseByStrokes
from supple.studio.words.posing import Posing as Posing
from supple.studio.words.posing import PosingByStrokes as PosingByStrokes
from supple.studio.words.posing import PullPoseKnot as PullPoseKnot
from supple.studio.words.posing import ResetJoint as ResetJoint
from supple.studio.words.posing import ScaleJoint as ScaleJoint
from supple.studio.words.posing import StretchBone as StretchBone
from supple.studio.words.posing import TurnJoint as TurnJoint
from supple.studio.words.shaping import CopyShape as CopyShape
from supple.studio.words.shaping import KeepShape as KeepShape
from supple.studio.words.shaping import Merge as Merge
from supple.studio.words.shaping import MoveDivider as MoveDivider
from supple.studio.words.shaping import Radial as Radial
from supple.studio.words.shaping import ResetDividers as ResetDividers
from supple.studio.words.shaping import SetReach as SetReach
from supple.studio.words.shaping import Wave as Wave
from supple.studio.words.strokes import ChangeHeight as ChangeHeight
from supple.studio.words.strokes import ChangeReach as ChangeReach
from supple.studio.words.strokes import DeleteKnot as DeleteKnot
from supple.studio.words.strokes import DeleteStroke as DeleteStroke
from supple.studio.words.strokes import Draw as Draw
from supple.studio.words.strokes import DropLine as DropLine
from supple.studio.words.strokes import InsertKnot as InsertKnot
from supple.studio.words.strokes import Look as Look
from supple.studio.words.strokes import MirrorStroke as MirrorStroke
from supple.studio.words.strokes import MoveKnot as MoveKnot
from supple.studio.words.strokes import MoveStroke as MoveStroke
from supple.studio.words.strokes import Raise as Raise
from supple.studio.words.strokes import RedrawOutline as RedrawOutline
from supple.studio.words.strokes import Stretch as Stretch
from supple.studio.words.strokes import TimeByGesture as TimeByGesture
from supple.studio.words.strokes import TravelAlong as TravelAlong
from supple.studio.words.things import AddThing as AddThing
from supple.studio.words.things import MoveThing as MoveThing
from supple.studio.words.things import RemoveThing as RemoveThing

PROTOCOL = "supple-studio.1"
"""Of the socket; a page that speaks another is asked to reload."""


class Play(Command, tag="play", frozen=True):
    """Let the motion go on."""


class Pause(Command, tag="pause", frozen=True):
    """Let the motion stand still; the flesh goes on."""


class Seek(Command, tag="seek", frozen=True):
    """Go to a time of the motion."""

    time: Seconds


class Run(Command, tag="run", frozen=True):
    """Let the motion run this fast; negative is backwards."""

    rate: Annotated[float, Meta(ge=-8.0, le=8.0)]


class Hold(Command, tag="hold", frozen=True):
    """Take hold of a place of the skin, or move the hand that does; the place lies among vertices by shares.

    A hand that goes along is said from the root of the body in the frame `along`, and goes on from there as cameras do
    that follow the body: how long a command is on its way then does not matter. Any other stays where it is. With a
    `force` [N] it pushes that way instead of holding.
    """

    hand: Name
    vertices: Annotated[list[Index], Meta(min_length=1, max_length=3)]
    shares: Annotated[list[Share], Meta(min_length=1, max_length=3)]
    to: Point
    radius: Annotated[float, Meta(gt=0.0, le=1e6)] | None = None
    along: Seq | None = None
    force: Point | None = None
    view: View = 0


class LetGo(Command, tag="let-go", frozen=True):
    """Open a hand."""

    hand: Name


class Change(Command, tag="change", frozen=True):
    """Change a setting of a stage, the last one if none is named; `done` is false while a slider is being moved."""

    name: Name
    value: Value
    done: bool = True
    stage: Name = ""
    view: View = 0


class ChooseSkin(Command, tag="choose-skin", frozen=True):
    """Another skin, which binds while the old one plays on."""

    skin: Name
    view: View = 0


class AddView(Command, tag="add-view", frozen=True):
    """Show the character once more, with a skin to compare."""

    skin: Name


class RemoveView(Command, tag="remove-view", frozen=True):
    """Show one of the characters that are compared no longer."""

    view: View


class PutOn(Command, tag="put-on", frozen=True):
    """Let another skin stand on the result of a view's graph."""

    skin: Name
    view: View = 0


class Blend(Command, tag="blend", frozen=True):
    """Blend the result of a view's graph with another skin; where, its rows then say."""

    skin: Name
    view: View = 0
    amount: Share = 0.5


class Mute(Command, tag="mute", frozen=True):
    """Play a graph without a stage that stays in it, or with it again."""

    stage: Name
    muted: bool
    view: View = 0


class RemoveStage(Command, tag="remove-stage", frozen=True):
    """Take a stage out of a graph."""

    stage: Name
    view: View = 0


class ChooseMotion(Command, tag="choose-motion", frozen=True):
    """Another motion, to which the pose goes over."""

    motion: Name


class ChooseCharacter(Command, tag="choose-character", frozen=True):
    """Another built-in character."""

    character: Name
    vertices: Annotated[int, Meta(ge=100, le=200_000)]


class Loop(Command, tag="loop", frozen=True):
    """Play a part of the motion round and round."""

    start: Seconds
    end: Seconds


class Unloop(Command, tag="unloop", frozen=True):
    """Play the motion as it is."""


class AsBaked(Command, tag="as-baked", frozen=True):
    """Show the flesh as a bake has it while the motion stands, or let it live on."""

    on: bool


class Travel(Command, tag="travel", frozen=True):
    """Take several steps back (below zero) or make them again at once."""

    steps: Annotated[int, Meta(ge=-1000, le=1000)]


class OpenFile(Command, tag="open-file", frozen=True):
    """Open a file by its number among `Files`; with `motion`, only what moves in it, for the character that plays."""

    number: Index
    motion: bool = False


class Limp(Command, tag="limp", frozen=True):
    """Let go of the muscles of a joint and all that hangs on it, or of all where none is named; again takes them up."""

    joint: Joint | None = None
    view: View = 0


class Undo(Command, tag="undo", frozen=True):
    """Take the last step of the document back."""


class Redo(Command, tag="redo", frozen=True):
    """Make the step that was taken back again."""


class Show(Command, tag="show", frozen=True):
    """What is to come with every frame besides the skin; what is not named stays as it is.

    No measure, no lines and no stroke (whose `region` is told) have no name.
    """

    joints: bool | None = None
    measure: Name | None = None
    curves: bool | None = None
    lines: Name | None = None
    dividers: bool | None = None
    region: Name | None = None


class ShowGhosts(Command, tag="show-ghosts", frozen=True):
    """Ghosts `before` and `after` the character, every `spacing` frames, and a way.

    `trail` is a joint by name, or a vertex by its number behind "vertex:".
    """

    on: bool | None = None
    before: Annotated[int, Meta(ge=0, le=8)] | None = None
    after: Annotated[int, Meta(ge=0, le=8)] | None = None
    spacing: Annotated[int, Meta(ge=1, le=60)] | None = None
    trail: Name | None = None


class Drawn(Command, tag="drawn", frozen=True):
    """A frame of a view, or of a ghost, was drawn; another may be sent."""

    frame: Seq
    view: Annotated[int, Meta(ge=0, le=63)] = 0


AnyCommand = (
    Play
    | Pause
    | Seek
    | Run
    | Hold
    | LetGo
    | Paint
    | Retouch
    | PaintEnd
    | FillMap
    | ResetMap
    | Change
    | ChooseSkin
    | AddView
    | RemoveView
    | PutOn
    | Blend
    | Mute
    | RemoveStage
    | ChooseMotion
    | ChooseCharacter
    | AddLayer
    | ChangeLayer
    | DeleteLayer
    | AddKey
    | ChangeKey
    | DeleteKey
    | SetAmount
    | RenameEdit
    | DeleteEdit
    | Radial
    | Wave
    | Merge
    | CopyShape
    | KeepShape
    | SetReach
    | MoveDivider
    | ResetDividers
    | Loop
    | Unloop
    | AsBaked
    | Travel
    | Draw
    | DropLine
    | Raise
    | RedrawOutline
    | MoveKnot
    | MoveStroke
    | ChangeHeight
    | ChangeReach
    | DeleteKnot
    | DeleteStroke
    | MirrorStroke
    | InsertKnot
    | TimeByGesture
    | TravelAlong
    | OpenFile
    | TurnJoint
    | MoveJoint
    | StretchBone
    | ScaleJoint
    | ResetJoint
    | PoseByStrokes
    | PullPoseKnot
    | MovePoseLine
    | DeletePoseKnot
    | Limp
    | Save
    | OpenDocument
    | GoOn
    | LookFrom
    | AddThing
    | MoveThing
    | RemoveThing
    | StartCapture
    | StopCapture
    | StartRecording
    | StopRecording
    | StartSending
    | StopSending
    | StartJob
    | CancelJob
    | ResumeJob
    | ForgetJob
    | Undo
    | Redo
    | Show
    | ShowGhosts
    | Drawn
)


class State(Struct, tag="state", tag_field="event", frozen=True):
    """All that a panel shows; sent when a window opens and whenever it changes.

    `past` are the steps that can be undone, the first one first, and `future` those that can be redone, the next first.
    """

    revision: int
    character: str
    mesh: MeshInfo
    skeleton: SkeletonInfo
    shown: ShownInfo
    ghosts: GhostsInfo
    transport: TransportInfo
    views: list[ViewInfo]
    edits: EditsInfo
    paint: PaintInfo
    saving: SavingInfo
    jobs: list[JobInfo]
    job_kinds: list[JobKindInfo]
    capture: CaptureInfo
    things: ThingsInfo
    dividers: list[DividerInfo]
    skins: list[str]
    tops: list[str]
    motions: list[str]
    characters: list[str]
    opening: str | None = None
    undo: str | None = None
    redo: str | None = None
    past: list[str] = []
    future: list[str] = []


class Refused(Struct, tag="refused", tag_field="event", frozen=True):
    """Why a command was not done, in the four parts of an error."""

    seq: int
    where: str
    given: str
    needed: str
    advice: str


class Told(Struct, tag="told", tag_field="event", frozen=True):
    """Something worth knowing."""

    text: str


Event = State | Refused | Told | CurvesInfo


Answer = FileInfo | Files | Refused
"""What is answered outside of the socket."""

_commands = msgspec.json.Decoder(AnyCommand)
_events = msgspec.json.Encoder()


def read_command(text: str | bytes) -> AnyCommand:
    """A command from JSON; `msgspec.ValidationError` or `DecodeError` where it is none."""
    return _commands.decode(text)


def write_event(event: Event | Answer) -> bytes:
    """An event as JSON, or what is answered outside of the socket."""
    return _events.encode(event)
