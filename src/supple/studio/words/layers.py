"""Commands of layers and keys, and of what they play."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from supple.studio.words.bounds import Amount, Command, Index, Name, Seconds


class AddLayer(Command, tag="add-layer", frozen=True):
    """A layer that plays a shape or pose, all the time or out and in again every so many seconds."""

    use: Name
    seconds: Annotated[float, Meta(gt=0.0, le=1e5)] | None = None


class ChangeLayer(Command, tag="change-layer", frozen=True):
    """Change what is named of a layer; `place` is where it stands among the others. `done` as in `Change`."""

    layer: Name
    name: Name | None = None
    amount: Amount | None = None
    repeat: bool | None = None
    firmness: Annotated[float, Meta(ge=0.0, le=1e6)] | None = None
    mute: bool | None = None
    solo: bool | None = None
    place: Index | None = None
    done: bool = True


class DeleteLayer(Command, tag="delete-layer", frozen=True):
    """Take a layer away; its shapes and poses stay."""

    layer: Name


class AddKey(Command, tag="add-key", frozen=True):
    """A key of a shape or pose, or of nothing where `use` is empty; a layer that is not there yet is made.

    Without a `use` the key says what there is at that time anyway.
    """

    layer: Name
    time: Seconds
    use: Name | None = None
    amount: Amount = 1.0
    ease: Name = "smooth"


class ChangeKey(Command, tag="change-key", frozen=True):
    """Move a key, or a copy of it, to another time, or change what is named of it. `done` as in `Change`."""

    layer: Name
    time: Seconds
    to: Seconds | None = None
    use: Name | None = None
    amount: Amount | None = None
    ease: Name | None = None
    copy: bool = False
    done: bool = True


class DeleteKey(Command, tag="delete-key", frozen=True):
    """Take a key away; with its last key a layer goes."""

    layer: Name
    time: Seconds


class SetAmount(Command, tag="set-amount", frozen=True):
    """How much there is of a shape or pose that nothing keys. `done` as in `Change`."""

    use: Name
    amount: Amount
    done: bool = True


class RenameEdit(Command, tag="rename-edit", frozen=True):
    """Call a shape, pose or stroke otherwise."""

    name: Name
    to: Name
    stroke: bool = False


class DeleteEdit(Command, tag="delete-edit", frozen=True):
    """Take a shape or pose away with the keys that use it, or a stroke."""

    name: Name
    stroke: bool = False
