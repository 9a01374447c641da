"""Open Sound Control 1.0: packets of messages, as programs send them to each other over UDP.

A message is an address such as `/VMC/Ext/T` and arguments. A bundle holds messages and other bundles and a time.
Strings end with a zero byte, and everything is padded to four bytes. Numbers have the most significant byte first.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from supple.errors import InputError

LARGEST = 65507  # bytes; no UDP datagram holds more
DEEPEST = 8  # bundles within bundles
MOST_MESSAGES = 1024  # of one packet
MOST_ARGUMENTS = 64  # of one message

_WHERE = "OSC packet"
_BUNDLE = b"#bundle\0"
_NUMBERS = {"i": ">i", "f": ">f", "h": ">q", "d": ">d"}
_CONSTANTS: dict[str, bool | float | None] = {"T": True, "F": False, "N": None, "I": float("inf")}


class OscError(InputError):
    """A packet that is not Open Sound Control, is cut off, or is larger than anybody needs."""


@dataclass(frozen=True)
class TimeTag:
    """A moment as OSC writes it: a 64-bit count of 2^-32 seconds since 1900. One means at once."""

    ticks: int = 1


Argument: TypeAlias = int | float | str | bytes | bool | TimeTag | None


@dataclass(frozen=True)
class Message:
    """One message: where it goes and what it says."""

    address: str
    arguments: tuple[Argument, ...] = ()


def read_packet(packet: bytes) -> list[Message]:
    """All messages of a packet, those of nested bundles too, in the order in which they stand.

    The times of bundles are passed over: what arrives counts at once.
    Types understood: i f s b h d t, and T F N I, which have no bytes (true, false, None, infinity). Whatever is wrong
    is an `OscError`; no packet raises anything else. Packets of more than 65507 bytes, bundles nested more than 8 deep,
    more than 1024 messages and more than 64 arguments are refused.
    """
    if len(packet) > LARGEST:
        raise _wrong(f"it has {len(packet)} bytes", f"at most {LARGEST} fit into a datagram")
    found: list[Message] = []
    _read_element(memoryview(packet), 0, found)
    return found


def write_message(message: Message) -> bytes:
    """The bytes of one message. Whole numbers go out as i where they fit and as h else, other numbers as f."""
    tags, data = [","], []
    for argument in message.arguments:
        tag, raw = _written(argument)
        tags.append(tag)
        data.append(raw)
    return b"".join([_string(message.address), _string("".join(tags)), *data])


def write_bundle(elements: Iterable[bytes]) -> bytes:
    """A bundle of messages and bundles that are written already, to be taken at once."""
    parts = [_BUNDLE, struct.pack(">Q", TimeTag().ticks)]
    for element in elements:
        parts += [struct.pack(">i", len(element)), element]
    return b"".join(parts)


def _read_element(data: memoryview, depth: int, found: list[Message]) -> None:
    if len(data) == 0 or len(data) % 4:
        raise _wrong(f"a part has {len(data)} bytes", "a multiple of four above zero is needed")
    if bytes(data[:1]) == b"/":
        if len(found) >= MOST_MESSAGES:
            raise _wrong("there are many messages", f"at most {MOST_MESSAGES} are taken")
        found.append(_read_message(data))
    elif bytes(data[:8]) == _BUNDLE:
        _read_bundle(data, depth, found)
    else:
        raise _wrong(f"a part starts with {bytes(data[:8])!r}", "a '/' or '#bundle' is needed")


def _read_bundle(data: memoryview, depth: int, found: list[Message]) -> None:
    if depth >= DEEPEST:
        raise _wrong("bundles are nested deeply", f"at most {DEEPEST} levels are taken")
    if len(data) < 16:
        raise _wrong("a bundle ends before its time", "8 bytes of time are needed")
    position = 16
    while position < len(data):
        size = struct.unpack_from(">i", data, position)[0]  # sizes are multiples of four, so there are four bytes
        position += 4
        if not 0 < size <= len(data) - position:
            raise _wrong(f"a part of {size} bytes is announced", f"{len(data) - position} bytes are left")
        _read_element(data[position : position + size], depth + 1, found)
        position += size


def _read_message(data: memoryview) -> Message:
    address, position = _read_string(data, 0)
    tags, position = _read_string(data, position)
    if not tags.startswith(","):
        raise _wrong(f"types are {tags[:8]!r}", "a ',' must come before them")
    if len(tags) - 1 > MOST_ARGUMENTS:
        raise _wrong(f"a message has {len(tags) - 1} arguments", f"at most {MOST_ARGUMENTS} are taken")
    arguments: list[Argument] = []
    for tag in tags[1:]:
        argument, position = _read_argument(data, position, tag)
        arguments.append(argument)
    if position != len(data):
        raise _wrong(f"{len(data) - position} bytes follow the last argument", "none may")
    return Message(address, tuple(arguments))


def _read_argument(data: memoryview, position: int, tag: str) -> tuple[Argument, int]:
    if tag in _CONSTANTS:
        return _CONSTANTS[tag], position
    if tag == "s":
        return _read_string(data, position)
    if tag == "b":
        size = _read_number(data, position, ">i")
        position += 4
        if not 0 <= size <= len(data) - position:
            raise _wrong(f"a blob of {size} bytes is announced", f"{len(data) - position} bytes are left")
        return bytes(data[position : position + size]), position + _padded(size)
    if tag == "t":
        return TimeTag(_read_number(data, position, ">Q")), position + 8
    if tag in _NUMBERS:
        form = _NUMBERS[tag]
        return _read_number(data, position, form), position + struct.calcsize(form)
    raise _wrong(f"an argument has type {tag!r}", "i f s b h d t T F N or I is needed")


def _read_number(data: memoryview, position: int, form: str) -> Any:
    if position + struct.calcsize(form) > len(data):
        raise _wrong("a number is cut off", f"{struct.calcsize(form)} bytes are needed")
    return struct.unpack_from(form, data, position)[0]


def _read_string(data: memoryview, position: int) -> tuple[str, int]:
    end = bytes(data[position:]).find(b"\0")
    if end < 0:
        raise _wrong("a string does not end", "a zero byte must follow it")
    try:
        text = str(data[position : position + end], "utf-8")
    except UnicodeDecodeError:
        raise _wrong("a string is not UTF-8", "UTF-8 is needed") from None
    return text, position + _padded(end + 1)


def _written(argument: Argument) -> tuple[str, bytes]:
    if isinstance(argument, bool) or argument is None:
        return {True: "T", False: "F", None: "N"}[argument], b""
    if isinstance(argument, int):
        if not -(2**63) <= argument < 2**63:
            raise _wrong(f"a whole number is {argument}", "64 bits must hold it")
        return (
            ("i", struct.pack(">i", argument)) if -(2**31) <= argument < 2**31 else ("h", struct.pack(">q", argument))
        )
    if isinstance(argument, float):
        try:
            return "f", struct.pack(">f", argument)
        except OverflowError:
            raise _wrong(f"a number is {argument:g}", "32 bits must hold it") from None
    if isinstance(argument, str):
        return "s", _string(argument)
    if isinstance(argument, bytes):
        return "b", struct.pack(">i", len(argument)) + argument.ljust(_padded(len(argument)), b"\0")
    return "t", struct.pack(">Q", argument.ticks)


def _string(text: str) -> bytes:
    raw = text.encode("utf-8")
    if b"\0" in raw:
        raise _wrong(f"a string is {text!r}", "no zero byte may stand in it")
    return raw.ljust(_padded(len(raw) + 1), b"\0")


def _padded(size: int) -> int:
    return (size + 3) // 4 * 4


def _wrong(given: str, needed: str) -> OscError:
    return OscError(_WHERE, given, needed, "check what the sender sends")
