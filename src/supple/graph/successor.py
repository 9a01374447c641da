"""Another skin for a character that is playing: prepared beside it, and taking over without a jump."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from threading import Thread
from time import perf_counter

import numpy as np

from supple.errors import InputError
from supple.graph.binding_process import BindingProcess
from supple.graph.graph import Graph
from supple.graph.player import Player
from supple.motion.pose import Pose, PoseSource
from supple.skins.base import AnySkin
from supple.turns import Turns

_FRAMES = 3  # that are tried, so that every kernel is compiled and every launch recorded
_AHEAD = 2.0  # times as long as it takes to begin: what plays has its turns meanwhile
_LEAST = 0.05  # s
_TRIES = 3
_SAME = 0.02  # of the size of the character: joints that are farther from where they were awaited are elsewhere


class Successor:
    """Bind a skin for the character of a player on a thread of its own, while that player plays on.

    When it is `ready`, `take_over` gives a player that goes on from where the old one is then: flesh begins at rest in
    its pose, and what is shown goes over from the old shape to the new one. So a character can be seen at once by a
    skin that needs no time, such as linear blend, while another one binds and its kernels compile.

    To begin takes some skins a tenth of a second. Whoever asks `is_met` before every frame instead has that done beside
    as well, for the pose that comes when it is done.
    """

    def __init__(
        self, player: Player, skin: AnySkin | Graph, *, beside: BindingProcess | None = None, turns: Turns | None = None
    ) -> None:
        """With a process `beside` this one, and the `turns` of who plays, binding does not hold up what plays here."""
        self._old, self._graph, self._beside = player, Graph.of(skin), beside
        self._turns = turns
        self._character, self._device, self._fps = player.character, player.device, player.fps
        self._new: Player | None = None
        self._problem: BaseException | None = None
        self._needed = _LEAST  # s to begin
        self._meeting: tuple[float, Pose] | None = None
        self._deadline = 0.0
        self._tries = 0
        self._met = False
        self._thread = self._started(self._prepare)

    @property
    def ready(self) -> bool:
        """Whether it can take over, or has failed to prepare, which `take_over` then says."""
        return not self._thread.is_alive()

    def wait(self) -> None:
        """Until it is ready."""
        self._thread.join()

    def is_met(self, source: PoseSource, time: float) -> bool:
        """Whether it is ready and has begun where the old player is, `time` [s] of a source, so that no frame waits.

        What was not so in the pose that was awaited begins again; after some tries it is ready as it is.
        """
        if not self.ready:
            return False
        if self._problem is not None or self._new is None or self._new.graph.step is None or self._old.time is None:
            return True
        if self._meeting is not None:
            at, awaited = self._meeting
            if time < at and perf_counter() < self._deadline:
                return False
            self._met = at <= time <= at + self._needed and self._is_near(awaited, source.sample(at))
        if self._met or self._tries == _TRIES:
            return True
        self._tries += 1
        ahead = self._tries * max(_LEAST, _AHEAD * self._needed)
        at, self._deadline = time + ahead, perf_counter() + 3.0 * ahead
        self._meeting = at, source.sample(at)
        self._thread = self._started(self._begin)
        return False

    def take_over(self) -> Player:
        """The new player, at the time and in the pose of the old one."""
        if not self.ready:
            raise InputError("Successor", "it was to take over", "it is still being prepared", "ask `ready` first")
        if self._problem is not None:
            raise self._problem
        assert self._new is not None
        if self._old.character is not self._character:
            self._new.reshape(self._old.character)
        self._new.succeed(self._old, begun=self._met)
        return self._new

    def _is_near(self, awaited: Pose, pose: Pose) -> bool:
        apart = np.abs(awaited.world_from_joint[:, :3, 3] - pose.world_from_joint[:, :3, 3]).max()
        return bool(apart < _SAME * self._character.size.max())

    def _rehearse(self, player: Player) -> None:
        """Do once, here and in a pose that is played, all that taking over does, so that nothing of it is new then."""
        pose = Pose.rest(self._character.skeleton) if self._old.time is None else self._old.simulated_pose
        for _ in range(_FRAMES):
            player.advance(pose)
        begun = perf_counter()
        player.succeed(player)
        self._needed = perf_counter() - begun
        player.advance(pose)
        player.normals()
        player.reset()

    def _started(self, work: Callable[[], None]) -> Thread:
        thread = Thread(target=self._run, args=(work,), name="supple successor", daemon=True)
        thread.start()
        return thread

    def _run(self, work: Callable[[], None]) -> None:
        try:
            with nullcontext() if self._turns is None else self._turns.giving_way():
                work()
        except BaseException as problem:  # told to whoever asks for it
            self._problem = problem

    def _prepare(self) -> None:
        if self._beside is not None:
            self._beside.bind(self._graph, self._character, self._device)
        player = Player(self._character, self._graph, device=self._device, fps=self._fps)
        self._rehearse(player)
        self._new = player

    def _begin(self) -> None:
        assert self._new is not None
        assert self._meeting is not None
        time, pose = self._meeting
        self._new.begin(pose, time)
