"""Another skin for a character that is playing: prepared beside it, and taking over without a jump."""

from __future__ import annotations

from threading import Thread

from supple.errors import InputError
from supple.graph.binding_process import BindingProcess
from supple.graph.graph import Graph
from supple.graph.player import Player
from supple.motion.pose import Pose
from supple.skins.base import AnySkin

_FRAMES = 3  # that are tried, so that every kernel is compiled and every launch recorded


class Successor:
    """Bind a skin for the character of a player on a thread of its own, while that player plays on.

    When it is `ready`, `take_over` gives a player that goes on from where the old one is then: flesh begins at rest in
    its pose, and what is shown goes over from the old shape to the new one. So a character can be seen at once by a
    skin that needs no time, such as linear blend, while another one binds and its kernels compile.
    """

    def __init__(self, player: Player, skin: AnySkin | Graph, *, beside: BindingProcess | None = None) -> None:
        """With a process `beside` this one, binding does not hold up what plays here."""
        self._old, self._graph, self._beside = player, Graph.of(skin), beside
        self._character, self._device, self._fps = player.character, player.device, player.fps
        self._new: Player | None = None
        self._problem: BaseException | None = None
        self._thread = Thread(target=self._prepare, name="supple successor", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether it can take over, or has failed to prepare, which `take_over` then says."""
        return not self._thread.is_alive()

    def wait(self) -> None:
        """Until it is ready."""
        self._thread.join()

    def take_over(self) -> Player:
        """The new player, at the time and in the pose of the old one."""
        if not self.ready:
            raise InputError("Successor", "it was to take over", "it is still being prepared", "ask `ready` first")
        if self._problem is not None:
            raise self._problem
        assert self._new is not None
        if self._old.character is not self._character:
            self._new.reshape(self._old.character)
        self._new.succeed(self._old)
        return self._new

    def _rehearse(self, player: Player) -> None:
        """Do once, here and in a pose that is played, all that taking over does, so that nothing of it is new then."""
        pose = Pose.rest(self._character.skeleton) if self._old.time is None else self._old.simulated_pose
        for _ in range(_FRAMES):
            player.advance(pose)
        player.succeed(player)
        player.advance(pose)
        player.normals()
        player.reset()

    def _prepare(self) -> None:
        try:
            if self._beside is not None:
                self._beside.bind(self._graph, self._character, self._device)
            player = Player(self._character, self._graph, device=self._device, fps=self._fps)
            self._rehearse(player)
            self._new = player
        except BaseException as problem:  # told to whoever asks for it
            self._problem = problem
