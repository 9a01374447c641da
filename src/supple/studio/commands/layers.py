"""Commands of layers and their keys, and of the names of all that was drawn. Each is one step when it is done."""

from __future__ import annotations

from dataclasses import replace

from supple.edits.arranging import (
    delete_use,
    free_name,
    layer_named,
    move_layer,
    rename_layer,
    rename_stroke,
    rename_use,
)
from supple.edits.edits import Edits
from supple.edits.layers import Key, Layer
from supple.errors import InputError
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _edits(session: Session) -> Edits:
    return session.document.edits_on(session.character)


def _show(session: Session, edits: Edits, step: str, *, done: bool = True) -> None:
    """Show other edits; when they are done that is a step, unless nothing differs."""
    if done and edits.layers == _edits(session).layers and edits.dresses_as(_edits(session)):
        session.draft(None)
    elif done:
        session.do(session.document.with_edits(edits, step))
    else:
        session.draft(session.document.with_edits(edits, step))


# Layers


def _add_layer(session: Session, command: say.AddLayer) -> None:
    edits = _edits(session)
    name = _layer_name(edits, command.use)
    if command.seconds is None:
        layer = Layer.still(name, command.use)
    else:
        layer = Layer.breathing(name, command.use, seconds=command.seconds)
    _show(session, edits.with_layer(layer), f"Layer {name}")


def _layer_name(edits: Edits, wanted: str) -> str:
    return free_name(wanted or "layer", [layer.name for layer in edits.layers])


def _change_layer(session: Session, command: say.ChangeLayer) -> None:
    edits = _edits(session)
    words = ("amount", "repeat", "firmness", "mute", "solo")
    changes = {word: getattr(command, word) for word in words if getattr(command, word) is not None}
    edits = edits.with_layer(replace(layer_named(edits, command.layer), **changes))
    if command.place is not None:
        edits = move_layer(edits, command.layer, command.place)
    if command.name is not None:
        edits = rename_layer(edits, command.layer, command.name)
    _show(session, edits, _change_in_words(command), done=command.done)


def _change_in_words(command: say.ChangeLayer) -> str:
    if command.name is not None:
        return f"Rename {command.layer}"
    if command.place is not None:
        return f"Order of {command.layer}"
    if command.mute is not None:
        return f"{'Mute' if command.mute else 'Unmute'} {command.layer}"
    if command.solo is not None:
        return f"{'Solo' if command.solo else 'No solo of'} {command.layer}"
    if command.repeat is not None:
        return f"{'Repeat' if command.repeat else 'No repeat of'} {command.layer}"
    if command.firmness is not None:
        return f"Firmness of {command.layer} {command.firmness:g}"
    return f"Amount of {command.layer}"


def _delete_layer(session: Session, command: say.DeleteLayer) -> None:
    _show(session, _edits(session).without_layer(command.layer), f"Delete layer {command.layer}")


# Keys


def _add_key(session: Session, command: say.AddKey) -> None:
    edits = _edits(session)
    use = command.use
    there = any(layer.name == command.layer for layer in edits.layers)
    if use is None:
        layer = layer_named(edits, command.layer)
        layer = layer.with_key(layer.key_for(command.time))
    else:
        key = Key(time=command.time, use=use, amount=command.amount, ease=command.ease)
        name = command.layer or _layer_name(edits, use)
        layer = layer_named(edits, name).with_key(key) if there else Layer(name=name, keys=(key,))
    _show(session, edits.with_layer(layer), f"Key of {layer.name}")


def _change_key(session: Session, command: say.ChangeKey) -> None:
    edits = _edits(session)
    layer = layer_named(edits, command.layer)
    words = ("use", "amount", "ease")
    changes = {word: getattr(command, word) for word in words if getattr(command, word) is not None}
    layer = layer.with_key(replace(layer.key_at(command.time), **changes))
    step = f"{'Ease' if 'ease' in changes else 'Amount'} of a key of {layer.name}"
    if command.to is not None and command.to != command.time:
        move = layer.copy_key if command.copy else layer.move_key
        layer = move(command.time, command.to)
        step = f"{'Copy' if command.copy else 'Move'} a key of {layer.name}"
    _show(session, edits.with_layer(layer), step, done=command.done)


def _delete_key(session: Session, command: say.DeleteKey) -> None:
    edits = _edits(session)
    layer = layer_named(edits, command.layer)
    layer.key_at(command.time)
    if len(layer.keys) == 1:
        _show(session, edits.without_layer(layer.name), f"Delete layer {layer.name}")
    else:
        _show(session, edits.with_layer(layer.delete_key(command.time)), f"Delete a key of {layer.name}")


# Shapes, poses and strokes by name


def _set_amount(session: Session, command: say.SetAmount) -> None:
    edits = _edits(session)
    users = [layer for layer in edits.layers if command.use in layer.uses]
    keyed = [layer for layer in users if len(layer.keys) > 1]
    if keyed or len(users) > 1:
        needed = f"layer {(keyed or users)[0].name!r} says it"
        raise InputError("studio", f"an amount of {command.use!r} was set", needed, "change the layer, or its keys")
    layer = users[0] if users else Layer.still(_layer_name(edits, command.use), command.use)
    edits = edits.with_layer(replace(layer, amount=command.amount))
    _show(session, edits, f"Amount of {command.use}", done=command.done)


def _rename_edit(session: Session, command: say.RenameEdit) -> None:
    rename = rename_stroke if command.stroke else rename_use
    edits = rename(_edits(session), command.name, command.to)
    if not command.stroke and command.name in edits.surface_strokes:
        edits = rename_stroke(edits, command.name, command.to)  # the line that raised it goes along
    session.do(session.document.with_edits(edits, f"Rename {command.name}"))


def _delete_edit(session: Session, command: say.DeleteEdit) -> None:
    edits = _edits(session)
    left = edits.without_stroke(command.name) if command.stroke else delete_use(edits, command.name)
    session.do(session.document.with_edits(left, f"Delete {command.name}"))


HANDLERS: Handlers = {
    say.AddLayer: _add_layer,
    say.ChangeLayer: _change_layer,
    say.DeleteLayer: _delete_layer,
    say.AddKey: _add_key,
    say.ChangeKey: _change_key,
    say.DeleteKey: _delete_key,
    say.SetAmount: _set_amount,
    say.RenameEdit: _rename_edit,
    say.DeleteEdit: _delete_edit,
}
