"""The parts that messages of the engine are made of: rows of panels, and what is known of what plays."""

from __future__ import annotations

from msgspec import Struct


class SettingRow(Struct, frozen=True):
    """One row of a panel. `kind` is number, whole, switch, choice or words; `live` rows act at once."""

    name: str
    label: str
    kind: str
    value: float | bool | str
    default: float | bool | str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: list[str] = []
    live: bool = False


class MeshInfo(Struct, frozen=True):
    """Which mesh frames are of: `mesh` changes when its triangles do, and names what `/mesh/{mesh}` gives."""

    mesh: int
    vertices: int
    points: int
    triangles: int
    size: float


class SkeletonInfo(Struct, frozen=True):
    """The joints by name, on which each one hangs, -1 on none, and how far from that one it is at rest [m].

    `sizes` are how large joints are at rest beside those that they hang on.
    """

    names: list[str]
    parents: list[int]
    lengths: list[float]
    sizes: list[float]


class MeasureInfo(Struct, frozen=True):
    """A measure that can be shown as colours; `signed` ones lie on both sides of zero."""

    name: str
    label: str
    unit: str
    signed: bool


class CurveValues(Struct, frozen=True):
    """Of a view: its volume [% of rest], the largest stretch [%] and the mean speed [m/s]; None where it has none."""

    volume: float | None
    stretch: float
    speed: float | None


class CurvesInfo(Struct, tag="curves", tag_field="event", frozen=True):
    """Measures of all views at a time of the motion, about ten times a second while they are wanted."""

    time: float
    views: list[CurveValues]


class ShownInfo(Struct, frozen=True):
    """What comes with every frame besides the skin, and which measures and lines could."""

    joints: bool
    measure: MeasureInfo | None
    measures: list[MeasureInfo]
    curves: bool = False
    lines: str = ""
    lines_offered: list[str] = []


class DividerInfo(Struct, frozen=True):
    """A plane between the skin of two bones: its point [m] and normal in the axes of the joint that it goes along with.

    `by` [m] and `turn` are how far it was moved and turned from where it stands by itself; `size` is how large it is.
    """

    joint: int
    label: str
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    size: float
    by: tuple[float, float, float]
    turn: tuple[float, float, float]


class GhostsInfo(Struct, frozen=True):
    """How many ghosts are before and after the character, every so many frames, and the joint whose way is drawn."""

    on: bool
    before: int
    after: int
    spacing: int
    trail: str


class TransportInfo(Struct, frozen=True):
    """Where the motion is; `duration` is None where it has no end, `span` is the part that is played over and over.

    `as_baked` is off, working (all that leads here is being played) or there, while the motion stands.
    """

    motion: str
    playing: bool
    rate: float
    duration: float | None
    fps: float = 60.0
    loops: bool = False
    span: tuple[float, float] | None = None
    as_baked: str = "off"


class StageInfo(Struct, frozen=True):
    """A stage of a graph: its skin, or "blend", the stages it stands on, and its settings."""

    name: str
    skin: str
    inputs: list[str]
    settings: list[SettingRow]
    muted: bool = False


class MapRow(Struct, frozen=True):
    """A map that a skin reads: what its values mean, their range, and whether it is painted.

    `default` is None where the skin finds values itself.
    """

    name: str
    label: str
    low: float
    high: float
    default: float | None
    unit: str
    painted: bool


class ViewInfo(Struct, frozen=True):
    """One character that is shown: the stages of its graph, the last being the result, and what is being bound."""

    view: int
    stages: list[StageInfo]
    preparing: str | None = None
    maps: list[MapRow] = []


class KeyInfo(Struct, frozen=True):
    """A key of a layer."""

    time: float
    use: str
    amount: float
    ease: str


class LayerInfo(Struct, frozen=True):
    """A layer of edits."""

    name: str
    amount: float
    repeat: bool
    firmness: float
    mute: bool
    solo: bool
    keys: list[KeyInfo]


class EasingInfo(Struct, frozen=True):
    """A way from 0 to 1, and where it is at even steps of the time."""

    name: str
    curve: list[float]


class StrokeInfo(Struct, frozen=True):
    """A stroke on the skin: the triangles of its knots and the shares of their corners, and how high it raises it."""

    name: str
    triangles: list[int]
    shares: list[tuple[float, float, float]]
    height: float


class RegionInfo(Struct, frozen=True):
    """The skin round a stroke as vertices: those under it, those that follow, and the ring that stays.

    `reach` [m] is how far from the stroke skin follows.
    """

    stroke: str
    held: list[int]
    following: list[int]
    staying: list[int]
    reach: float


class PoseStrokesInfo(Struct, frozen=True):
    """The lines that a pose was drawn by at a time of the motion: both as they run, and the knots of the offset."""

    pose: str
    time: float
    baseline: list[tuple[float, float, float]]
    offset: list[tuple[float, float, float]]
    knots: list[tuple[float, float, float]]


class EditsInfo(Struct, frozen=True):
    """What was drawn: names of shapes, poses and strokes, and the layers that play them.

    `firm` says whether any skin that is shown makes something of a layer's firmness.
    """

    shapes: list[str]
    poses: list[str]
    strokes: list[str]
    layers: list[LayerInfo]
    easings: list[EasingInfo]
    firm: bool = False
    skin_strokes: list[StrokeInfo] = []
    profiles: list[str] = []
    pose_strokes: list[PoseStrokesInfo] = []
    region: RegionInfo | None = None


class CaptureInfo(Struct, frozen=True):
    """Live capture. `light` is off, waiting, live, or lost since a second without a pose.

    `delay` [s] is how far behind the performer it is shown, `loss` [%] what did not arrive of the last seconds,
    `packets` how many arrive a second, `followed` how many joints follow. `recorded` [s] is how long a recording is
    that is being made, `sending` where what is shown is sent.
    """

    light: str
    port: int
    host: str
    delay: float
    loss: float
    packets: float
    followed: int
    recorded: float | None
    sending: str | None


class ThingRow(Struct, frozen=True):
    """A thing in the way: a ball (radius), box (sides) or capsule (radius, length) of that `size` [m].

    What is not `free` stands still.
    """

    name: str
    kind: str
    size: list[float]
    free: bool


class ThingsInfo(Struct, frozen=True):
    """What is in the way, in the order of their frames, and whether any skin meets it."""

    rows: list[ThingRow]
    met: bool


class PaintInfo(Struct, frozen=True):
    """What brushes can do: to maps, to drawn shapes, on both sides of the body if they are alike; who reads maps."""

    actions: list[str]
    retouching: list[str]
    mirrors: bool
    skins: list[str]


class FileInfo(Struct, frozen=True):
    """A file that can be opened; `kind` is character, motion or either, `sent` says that a page sent it [bytes]."""

    number: int
    name: str
    kind: str
    sent: bool
    size: int


class Files(Struct, frozen=True):
    """What `GET /files` answers: the name of the folder, if any, all files, and what may be sent."""

    folder: str | None
    files: list[FileInfo]
    largest: int
    suffixes: list[str]


class KnownDocument(Struct, frozen=True):
    """A document that can be opened: in the folder, or open before."""

    key: str
    name: str
    folder: str


class CameraInfo(Struct, frozen=True):
    """From where the character is looked at, and on what point, both from the middle of the body."""

    position: tuple[float, float, float]
    target: tuple[float, float, float]


class SavingInfo(Struct, frozen=True):
    """Where the document is kept: its name, if it has one, and whether all of it is on disk.

    `opened` changes when another document is opened, which is then looked at from `camera`. `left_open` is when a
    studio that has ended was last changed, if it left something.
    """

    name: str | None
    saved: bool
    folder: str
    opened: int
    camera: CameraInfo | None
    known: list[KnownDocument]
    left_open: str | None = None


class JobKindInfo(Struct, frozen=True):
    """Files that can be made beside what plays, of one skin or of all that are compared."""

    kind: str
    label: str
    suffixes: list[str]
    one_skin: bool


class JobInfo(Struct, frozen=True):
    """A job: `state` is waiting, running, done, cancelled or failed; `/result/{number}` gives what it made.

    `done` of `total` is how far it is with `what`; `words` is what it said last; `size` is in bytes.
    """

    number: int
    label: str
    name: str
    state: str
    what: str
    done: int
    total: int
    words: str
    size: int | None = None
