"""The HIERARCHY half of a BVH file: joints, offsets, channels and end sites."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from supple.errors import FormatError

MOST_JOINTS = 4096
FARTHEST = 1e9  # file units; beyond it sums of offsets lose every digit that matters
_TOKEN = re.compile(r"[\n{}]|[^\s{}]+")
_CHANNELS = {f"{axis}{kind}": (kind, "xyz".index(axis)) for axis in "xyz" for kind in ("position", "rotation")}


@dataclass
class Joint:
    """One joint as the file has it; `channels` are (kind, axis) in the order of the numbers of a frame."""

    name: str
    parent: int
    line: int
    offset: tuple[float, float, float] | None = None
    channels: list[tuple[str, int]] = field(default_factory=list)
    has_channels: bool = False
    end: tuple[float, float, float] | None = None


def read_hierarchy(text: str, where: str) -> list[Joint]:
    """The joints in file order, from the text before MOTION; parents come before their children."""
    return _Reader(text, where).joints()


class _Reader:
    """Walks the words once with a stack of open braces; no recursion, so depth costs nothing."""

    def __init__(self, text: str, where: str) -> None:
        self._where = where
        self._rest = _TOKEN.finditer(text)  # one at a time: a list of all words of a bad file could fill the memory
        self._line = 1

    def joints(self) -> list[Joint]:
        start, line = self._take("HIERARCHY")
        if start.lower() != "hierarchy":
            raise self._error(line, f"it begins with {start[:40]!r}", "a BVH begins with HIERARCHY", "check the file")
        joints: list[Joint] = []
        open_joints: list[int] = []  # -1 stands for an end site
        while (word := self._word()) is not None:
            key, line = word.lower(), self._line
            if key in ("root", "joint") and (not open_joints or open_joints[-1] >= 0):
                parent = open_joints[-1] if open_joints else -1
                joints.append(Joint(self._name(line), parent, line))
                open_joints.append(len(joints) - 1)
                if len(joints) > MOST_JOINTS:
                    raise self._error(
                        line,
                        f"there are more than {MOST_JOINTS} joints",
                        "no body has so many",
                        "check that the file is a motion",
                    )
            elif key == "end" and open_joints and open_joints[-1] >= 0:
                self._name(line)
                open_joints.append(-1)
            elif key == "}" and open_joints:
                closed = open_joints.pop()
                if closed >= 0 and joints[closed].offset is None:
                    raise self._error(
                        joints[closed].line,
                        f"joint {joints[closed].name!r} has no OFFSET",
                        "every joint needs one",
                        "add OFFSET 0 0 0",
                    )
            elif key == "offset" and open_joints:
                self._offset(joints, open_joints, line)
            elif key == "channels" and open_joints and open_joints[-1] >= 0:
                self._channels(joints[open_joints[-1]], line)
            else:
                raise self._error(
                    line,
                    f"{word[:40]!r} stands where it means nothing",
                    "ROOT, JOINT, End Site, OFFSET, CHANNELS or a closing brace is needed",
                    "check the braces before it",
                )
        if open_joints:
            raise self._error(
                self._line,
                f"{len(open_joints)} braces are still open at the end of the hierarchy",
                "every { needs its }",
                "the file may be cut off; export it again",
            )
        if not joints:
            raise self._error(1, "there are no joints", "at least one ROOT is needed", "export it again")
        return joints

    def _name(self, line: int) -> str:
        """All words up to the opening brace: some tools write names with spaces."""
        words: list[str] = []
        while True:
            word, at = self._take("{")
            if word == "{":
                break
            # A joint may well be called Root; a second word that is a keyword means that the brace is missing.
            keyword = word.lower() in ("offset", "channels", "joint", "root", "end") and bool(words)
            if word == "}" or keyword or len(words) == 16:
                raise self._error(
                    at,
                    f"{word[:40]!r} stands where {{ should open a joint",
                    "a name and { are needed",
                    "check the braces",
                )
            words.append(word)
        if not words:
            raise self._error(line, "a joint has no name", "a name is needed before {", "name it")
        return " ".join(words)

    def _offset(self, joints: list[Joint], open_joints: list[int], line: int) -> None:
        x, y, z = (self._number("an offset") for _ in range(3))
        if open_joints[-1] >= 0:
            joints[open_joints[-1]].offset = (x, y, z)
            return
        owner = next((j for j in reversed(open_joints) if j >= 0), None)
        if owner is None:
            raise self._error(line, "an end site hangs on nothing", "it belongs inside a joint", "check the braces")
        if joints[owner].end is None:  # a second end site of one joint adds nothing that a bone could use
            joints[owner].end = (x, y, z)

    def _channels(self, joint: Joint, line: int) -> None:
        if joint.has_channels:
            raise self._error(line, f"joint {joint.name!r} has CHANNELS twice", "one list is needed", "remove one")
        word, at = self._take("the number of channels")
        if not (word.isascii() and word.isdigit() and len(word) < 4 and int(word) <= 6):
            raise self._error(at, f"CHANNELS is followed by {word[:40]!r}", "a count of 0 to 6 is needed", "correct it")
        for _ in range(int(word)):
            name, at = self._take("a channel")
            channel = _CHANNELS.get(name.lower())
            if channel is None:
                raise self._error(
                    at,
                    f"{joint.name!r} lists {name[:40]!r} as a channel",
                    f"{word} of Xposition ... Zrotation are needed",
                    "correct the list or its count",
                )
            if channel[0] == "position" and channel in joint.channels:
                raise self._error(
                    at, f"{joint.name!r} lists {name} twice", "a place has one number per axis", "remove one"
                )
            joint.channels.append(channel)
        joint.has_channels = True

    def _number(self, what: str) -> float:
        word, line = self._take(what)
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not abs(value) <= FARTHEST or "_" in word:
            raise self._error(line, f"{word[:40]!r} stands in {what}", "a finite number is needed", "correct it")
        return value

    def _take(self, wanted: str) -> tuple[str, int]:
        word = self._word()
        if word is None:
            raise self._error(
                self._line, "the hierarchy ends here", f"{wanted} is needed", "the file may be cut off; export it again"
            )
        return word, self._line

    def _word(self) -> str | None:
        """The next word, or None at the end; counts lines on the way."""
        for match in self._rest:
            if match.group() != "\n":
                return match.group()
            self._line += 1
        return None

    def _error(self, line: int, given: str, needed: str, advice: str) -> FormatError:
        return FormatError(f"{self._where}, line {line}", given, needed, advice)
