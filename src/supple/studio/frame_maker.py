"""Makes the frames: lets time go by for all views at once, and packs what they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from supple import device as devices
from supple.arrays import Float32Array, FloatArray
from supple.character.character import Character
from supple.errors import SuppleError
from supple.graph.transport import Transport
from supple.motion.pose import PoseSource
from supple.motion.shared import SharedPoses
from supple.studio import messages as say
from supple.studio.frames import FramePacker, Head, joints_frame, lines_frame
from supple.studio.live.following import Following
from supple.studio.measures.curves import Curves
from supple.studio.measures.offered import Moment
from supple.studio.measures.shown import Shown
from supple.studio.seen import Seen, SeenFrames
from supple.studio.view import View


class FrameMaker:
    """Plays views of one character side by side, on as many threads as the device has, and numbers their frames.

    The last of them are kept in `seen`.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` is given sentences worth knowing."""
        self._tell = tell
        self._pool: ThreadPoolExecutor | None = None
        self._poses: tuple[Transport, SharedPoses] | None = None
        self._frame = 0
        self._before: Sequence[Float32Array] | None = None
        self._curves = Curves()
        self.curves: say.CurvesInfo | None = None
        self.seen = SeenFrames()
        self._size = 0.0
        self._motion_time: float | None = None  # of the frame before [s]
        self.following = Following(0.0)

    def close(self) -> None:
        """Let go of the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def play(self, views: Sequence[View], transport: Transport, dt: float) -> list[tuple[Float32Array, Float32Array]]:
        """Let `dt` [s] go by; points (V, 3) [m] and normals (N, 3) of every view."""
        if self._poses is None or self._poses[0] is not transport:
            self._poses = transport, SharedPoses(transport)
        poses, time = self._poses[1], transport.pass_time(dt)
        poses.forget()
        stopped, self._motion_time = transport.time == self._motion_time, transport.time
        self._follow(views[0].player.character, poses.sample(time).world_from_joint[0, :3, 3], dt, stopped=stopped)
        if len(views) == 1:
            return [self._played(views[0], poses, time)]
        self._pool = self._pool or ThreadPoolExecutor(devices.threads(), thread_name_prefix="supple view")
        return list(self._pool.map(lambda view: self._played(view, poses, time), views))

    def _follow(self, character: Character, root: FloatArray, dt: float, *, stopped: bool) -> None:
        """Go along with the root; another character is another body."""
        size = float(character.size.max())
        if size != self._size:
            self._size, self.following = size, Following(size)
        self.following.advance(root, dt, self._frame, stopped=stopped)

    def _played(self, view: View, poses: PoseSource, time: float) -> tuple[Float32Array, Float32Array]:
        """One whose skin fails goes on by linear blend."""
        try:
            view.carry(self.following, time)
            points = view.player.play(poses, time)
        except SuppleError as error:
            self._tell(f"{view.graph.stages[-1].name}: {error}. Linear blend goes on in its place.")
            view.fall_back()
            points = view.player.play(poses, time)
        return points, view.player.normals()[0]

    def frames(
        self,
        views: Sequence[View],
        transport: Transport,
        dt: float,
        *,
        packer: FramePacker,
        mesh: int,
        command: int,
        shown: Shown,
        beside: Callable[[Head], list[bytes]],
    ) -> list[bytes]:
        """Let `dt` [s] go by; frames of every view, the skin last. `command` is the last one that is in them.

        `beside` gives frames that go with the first of them.
        """
        self._frame = (self._frame + 1) % 2**32
        played = self.play(views, transport, dt)
        heads = [self._head(number, view, transport, mesh, command) for number, view in enumerate(views)]
        moment = Moment([view.player for view in views], [points for points, _ in played], self._before, dt)
        self._before = moment.points
        self.curves = self._curves.take(moment, transport.time) if shown.curves else None
        colours = {} if shown.colours is None else shown.colours.frames(heads, moment, packer.creases.vertex_of_normal)
        lines = {} if shown.arrows is None else dict(enumerate(shown.arrows.lines(moment)))
        made = []
        for head, view, (points, normals) in zip(heads, views, played, strict=True):
            pose = view.player.simulated_pose
            self.seen.keep(head.view, head.frame, Seen(points, pose))
            made += beside(head) if head.view == 0 else []
            joints = pose.world_from_joint
            if shown.joints:
                made.append(joints_frame(head, joints))
            if head.view in colours:
                made.append(colours[head.view])
            drawn = lines.get(head.view)
            if drawn is not None and shown.arrows is not None:
                made.append(lines_frame(head, drawn, shown.arrows.largest))
            made.append(packer.frame(head, points, normals, joints[0, :3, 3]))
        return made

    def _head(self, number: int, view: View, transport: Transport, mesh: int, command: int) -> Head:
        return Head(
            view=number,
            mesh=mesh,
            frame=self._frame,
            command=command,
            motion_time=transport.time,
            flesh_time=transport.flesh_time,
            engine=int(1e6 * sum(view.player.stage_seconds.values())),
        )
