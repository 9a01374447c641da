"""Open Sound Control: what is written is read back, and no bytes whatever break the reader."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.errors import InputError
from supple.motion.live.vmc.osc import (
    DEEPEST,
    LARGEST,
    MOST_ARGUMENTS,
    MOST_MESSAGES,
    Message,
    OscError,
    TimeTag,
    read_packet,
    write_bundle,
    write_message,
)

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
ARGUMENT = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(width=32, allow_nan=False),
    TEXT,
    st.binary(max_size=20),
    st.booleans(),
    st.none(),
    st.integers(0, 2**64 - 1).map(TimeTag),
)
MESSAGE = st.builds(Message, TEXT.map("/".__add__), st.lists(ARGUMENT, max_size=8).map(tuple))


def alike(message: Message) -> tuple:
    """What a message says, with kinds: 1, 1.0 and True are different things."""
    return message.address, [(type(argument), argument) for argument in message.arguments]


# What is written is read


@given(MESSAGE)
def test_a_message_comes_back_as_it_went(message):
    packet = write_message(message)
    assert len(packet) % 4 == 0
    assert [alike(found) for found in read_packet(packet)] == [alike(message)]


@given(st.recursive(st.lists(MESSAGE, max_size=3), lambda inner: st.lists(st.one_of(MESSAGE, inner), max_size=3)))
def test_bundles_in_bundles_come_back_in_order_whatever_their_times(tree):
    flat: list[tuple] = []

    def written(part, depth: int) -> bytes:
        if isinstance(part, Message):
            flat.append(alike(part))
            return write_message(part)
        bundle = write_bundle([written(inner, depth + 1) for inner in part])
        return bundle[:8] + struct.pack(">Q", 1000 + depth) + bundle[16:]

    packet = written(tree, 0)
    if deep(tree) <= DEEPEST:
        assert [alike(found) for found in read_packet(packet)] == flat


def deep(part) -> int:
    return 0 if isinstance(part, Message) else 1 + max((deep(inner) for inner in part), default=0)


def test_the_bytes_are_those_of_the_specification():
    """The two examples of the OSC 1.0 specification, byte for byte."""
    frequency = bytes.fromhex("2f6f7363696c6c61746f722f342f6672657175656e6379002c66000043dc0000")
    assert write_message(Message("/oscillator/4/frequency", (440.0,))) == frequency
    assert alike(read_packet(frequency)[0]) == alike(Message("/oscillator/4/frequency", (440.0,)))
    foo = bytes.fromhex("2f666f6f000000002c69697366660000000003e8ffffffff68656c6c6f0000003f9df3b640b5b22d")
    numbers = tuple(float(np.float32(number)) for number in (1.234, 5.678))
    assert write_message(Message("/foo", (1000, -1, "hello", *numbers))) == foo
    assert alike(read_packet(foo)[0]) == alike(Message("/foo", (1000, -1, "hello", *numbers)))


def test_types_that_are_only_read():
    packet = b"/a\0\0,hdI\0\0\0\0" + struct.pack(">qd", 5, 0.1)
    assert read_packet(packet)[0].arguments == (5, 0.1, float("inf"))


# Limits


def nested(levels: int) -> bytes:
    packet = write_message(Message("/a"))
    for _ in range(levels):
        packet = write_bundle([packet])
    return packet


@pytest.mark.parametrize(
    ("fits", "too_much", "says"),
    [
        (nested(DEEPEST), nested(DEEPEST + 1), "nested deeply"),
        (
            write_bundle([write_message(Message("/a"))] * MOST_MESSAGES),
            write_bundle([write_message(Message("/a"))] * (MOST_MESSAGES + 1)),
            "many messages",
        ),
        (
            write_message(Message("/a", (None,) * MOST_ARGUMENTS)),
            write_message(Message("/a", (None,) * (MOST_ARGUMENTS + 1))),
            "has 65 arguments",
        ),
        (
            write_message(Message("/a", (bytes(LARGEST // 4 * 4 - 12),))),
            write_message(Message("/a", (bytes(LARGEST // 4 * 4 - 8),))),
            "it has 65508 bytes",
        ),
    ],
)
def test_limits(fits, too_much, says):
    assert read_packet(fits)
    with pytest.raises(OscError, match=says):
        read_packet(too_much)


@pytest.mark.parametrize(
    ("packet", "says"),
    [
        (b"", "a part has 0 bytes"),
        (b"/a\0", "a part has 3 bytes"),
        (b"abcd", "starts with b'abcd'"),
        (b"/abc", "does not end"),
        (b"/a\0\0", "does not end"),
        (b"/a\0\0xx\0\0", "types are 'xx'"),
        (b"/a\0\0,q\0\0", "type 'q'"),
        (b"/a\0\0,i\0\0", "cut off"),
        (b"/a\0\0,d\0\0\0\0\0\0", "cut off"),
        (b"/a\0\0,t\0\0\0\0\0\0", "cut off"),
        (b"/a\0\0,s\0\0abcd", "does not end"),
        (b"/\xff\0\0,\0\0\0", "not UTF-8"),
        (b"/a\0\0,b\0\0\0\0\0\x05\0\0\0\0", "a blob of 5 bytes is announced"),
        (b"/a\0\0,b\0\0\xff\xff\xff\xff", "a blob of -1 bytes"),
        (b"/a\0\0,\0\0\0\0\0\0\0", "4 bytes follow"),
        (b"#bundle\0", "ends before its time"),
        (b"#bundle\0" + bytes(8) + b"\0\0\0\x08/a\0\0", "a part of 8 bytes is announced, but 4"),
        (b"#bundle\0" + bytes(8) + b"\xff\xff\xff\xff/a\0\0", "a part of -1 bytes"),
        (b"#bundle\0" + bytes(8) + b"\0\0\0\0", "a part of 0 bytes"),
    ],
)
def test_what_is_refused(packet, says):
    with pytest.raises(OscError, match=f"OSC packet: .*{says}"):
        read_packet(packet)


def test_what_cannot_be_written():
    for argument in (2**63, -(2**63) - 1, 1e39, "a\0b"):
        with pytest.raises(OscError):
            write_message(Message("/a", (argument,)))
    assert issubclass(OscError, InputError)


# Damage


GOOD = write_bundle(
    [
        write_message(Message("/VMC/Ext/T", (1.5,))),
        write_message(Message("/VMC/Ext/Bone/Pos", ("Hips", 0.0, 0.9, 0.0, 0.0, 0.0, 0.0, 1.0))),
        write_bundle([write_message(Message("/x", (1, 2**40, "text", b"bytes", True, None, TimeTag(7))))]),
    ]
)


def survives(packet: bytes) -> bool:
    """Whether the packet is read; all else must be the reader's own error."""
    try:
        messages = read_packet(packet)
    except OscError:
        return False
    assert len(messages) <= MOST_MESSAGES
    assert all(len(message.arguments) <= MOST_ARGUMENTS for message in messages)
    return True


@settings(max_examples=500)
@given(st.binary(max_size=200))
def test_any_bytes_are_survived(packet):
    survives(packet)
    survives(b"/a\0\0" + packet)
    survives(b"#bundle\0" + bytes(8) + packet)


def test_every_cut_and_every_changed_byte_is_survived():
    assert survives(GOOD)
    assert not any(survives(GOOD[:end]) for end in range(1, len(GOOD), 2))
    read = 0
    for position in range(len(GOOD)):
        for value in (0, 1, 0x2C, 0x2F, 0x7F, 0x80, 0xFF):
            read += survives(GOOD[:position] + bytes([value]) + GOOD[position + 1 :])
    assert 0 < read < 7 * len(GOOD)  # some changes hurt and some do not


def test_bytes_put_in_taken_out_and_shuffled_are_survived():
    random = np.random.default_rng(3)
    for _ in range(3000):
        packet = bytearray(GOOD)
        for _ in range(random.integers(1, 6)):
            position, size = int(random.integers(len(packet))), int(random.integers(1, 9))
            kind = random.integers(4)
            if kind == 0:
                del packet[position : position + size]
            elif kind == 1:
                packet[position:position] = random.bytes(size)
            elif kind == 2:
                packet[position : position + size] = random.bytes(size)
            else:
                packet += packet[position : position + 64]
            packet = packet or bytearray(GOOD)
        survives(bytes(packet))
