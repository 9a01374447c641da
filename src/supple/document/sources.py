"""The character and the motion that words name: built in, or from a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from supple.character.anatomy.humanoid import Anatomy
from supple.character.builtin import CHARACTERS, character
from supple.character.builtin.skeletons import hero_skeleton
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.io import load, load_motion
from supple.io.formats import CHARACTER_READERS, MOTION_READERS
from supple.motion.builtin import MOTIONS, motion, recipe
from supple.motion.motion import Motion

_OF_SINGLE_JOINTS = ("bend", "twist")  # built-in motions that suit a character least


@dataclass(frozen=True)
class CharacterSource:
    """Where a character comes from: `name` is built in, made with `vertices`, or the path of a file.

    `repair` mends a file's faults where that can be done; `units` are those it was modelled in, if it does not say so.
    """

    name: str = "hero"
    vertices: int = 10_000
    repair: bool = False
    units: str = "m"

    def open(self) -> Character:
        """The character."""
        return character_from(self.name, vertices=self.vertices, repair=self.repair, units=self.units)

    @property
    def is_built_in(self) -> bool:
        """Whether it needs no file."""
        return self.name in CHARACTERS


def character_from(name: str, *, vertices: int, repair: bool = False, units: str = "m") -> Character:
    """The character that a name means: a built-in one, made with that many vertices, or one from a file."""
    if name in CHARACTERS:
        if units != "m":
            given = f"{name} was said to be in {units}"
            raise InputError("units", given, "built-in characters are in metres", "leave it out")
        return character(name, vertices=vertices)
    if Path(name).suffix:
        return load(name, repair=repair, units=units)
    raise InputError(
        "character",
        f"{name!r} is no built-in character and has no suffix of a file",
        f"the built-in ones are {', '.join(CHARACTERS)}, and files are {', '.join(CHARACTER_READERS)}",
        "use one of those",
    )


def motion_from(name: str | None, moved: Character) -> Motion:
    """The motion that a name means: a clip of the character, a file carried over to it, or a built-in one."""
    if name is None:
        clips = list(moved.motions.values())
        return clips[0] if clips else motion("walk", moved)
    clip = next((clip for label, clip in moved.motions.items() if label.lower() == name.lower()), None)
    if clip is not None:
        return clip
    if names_file(name):
        return load_motion(name).retarget(moved)
    check_motion(name, clips=list(moved.motions))
    return _built_in(name, moved)


def swinging(character: Character, motion: Motion) -> Motion:
    """A motion in which the spring bones of a character swing; one without any is refused."""
    from supple.motion.spring_bones import springs_of, with_spring_bones

    springs = springs_of(character)
    if not springs:
        raise InputError(
            "--spring-bones",
            f"{character.name} has no spring bones",
            "its file names none, and no joint is called hair, ear, tail, cape or skirt",
            "leave the option out",
        )
    return with_spring_bones(character, motion, springs)


def names_file(name: str) -> bool:
    """Whether a motion's name is that of a file."""
    return Path(name).suffix.lower() in MOTION_READERS


def motions_for(moved: Character) -> list[str]:
    """Names of clips and built-in motions that a character can make; those that suit it best come first.

    A body with arms and legs, whatever its joints are called, can make all that the hero can.
    """
    in_order = sorted(MOTIONS, key=lambda name: name in _OF_SINGLE_JOINTS)
    humanoid = Anatomy(moved.skeleton).complete
    clips = {name.lower() for name in moved.motions}
    built_in = [name for name in in_order if _fits(name, moved) or (humanoid and _fits(name, hero_skeleton()))]
    return [*moved.motions, *(name for name in built_in if name not in clips)]


def _built_in(name: str, moved: Character) -> Motion:
    """A built-in motion for the character; where its joints have other names, the hero's carried over to it."""
    try:
        return motion(name, moved)
    except InputError as refused:
        try:
            return motion(name, hero_skeleton()).retarget(moved)
        except InputError:
            raise refused from None


def _fits(name: str, moved: Character | Skeleton) -> bool:
    """Whether a built-in motion is one for these joints."""
    try:
        recipe(name, moved)
    except InputError:
        return False
    return True


def check_motion(name: str, *, clips: list[str] | None = None) -> None:
    """Refuse a motion that is nowhere."""
    if name not in MOTIONS:
        own = f"this character has {', '.join(clips)}, and " if clips else ""
        raise InputError(
            "motion", f"{name!r} is no built-in motion", f"{own}there are {', '.join(MOTIONS)}", "use one of those"
        )
