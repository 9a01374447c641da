"""The address as a square that cameras read: as another encoder lays it out, and read back field by field."""

import hashlib

import numpy as np
import pytest

from supple.errors import InputError
from supple.studio.server import qr_code as module
from supple.studio.server.qr_code import as_text, qr_code

# Of the fields in rows, as bits, by the package qrcode 8.2 at level L with the mask that is chosen here.
KNOWN = {
    "supple": "d8c47fd85a380475",
    "https://192.168.1.20:8470": "37121c691b0eabbf",
    "https://[2001:db8:1234:5678:9abc:def0:1234:5678]:8470": "125334567b68b8dc",
    "http://localhost:8470/?token=" + "0123456789abcdefABCDEF-_" * 6: "c2cb8078758314d5",
}


@pytest.mark.parametrize("text", KNOWN)
def test_it_is_what_another_encoder_makes(text):
    assert hashlib.sha256(np.packbits(qr_code(text)).tobytes()).hexdigest()[:16] == KNOWN[text]


@pytest.mark.parametrize("length", [0, 1, 17, 18, 60, 134, 135, 192, 230, 271])
def test_every_block_is_whole_and_holds_the_text(length):
    """As a reader would: undo the mask, take the blocks apart, see that nothing is left to mend, and read."""
    text = "".join(chr(33 + (7 * i) % 90) for i in range(length))
    fields = qr_code(text)
    version = (len(fields) - 17) // 4
    known = sum(int(fields[8, (*range(6), 7, 8)[i]]) << 14 - i for i in range(8)) ^ 0x5412
    mask = known >> 10 & 7
    _, fixed = module._frame(version)
    rows, columns = module._ways(fixed)
    stream = np.packbits(fields[rows, columns] ^ module._MASKS[mask](rows, columns)).tolist()
    mending, sizes = module._BLOCKS[version - 1]
    blocks = [[] for _ in sizes]
    for i in range(max(sizes)):
        for block, size in zip(blocks, sizes, strict=True):
            if i < size:
                block.append(stream.pop(0))
    data = [byte for block in blocks for byte in block]
    for _ in range(mending):
        for block in blocks:
            block.append(stream.pop(0))
    for block in blocks:
        for exponent in range(mending):
            value = 0
            for byte in block:
                value = module._times(value, module._powers()[0][exponent]) ^ byte
            assert value == 0
    bits = "".join(f"{byte:08b}" for byte in data)
    count = 8 if version < 10 else 16
    assert bits[:4] == "0100"
    assert int(bits[4 : 4 + count], 2) == length
    start = 4 + count
    assert bytes(int(bits[start + 8 * i : start + 8 * i + 8], 2) for i in range(length)).decode() == text


def test_what_is_too_long_is_refused():
    with pytest.raises(InputError, match="271"):
        qr_code("x" * 272)


def test_a_terminal_shows_it_with_light_all_round():
    fields = qr_code("https://192.168.1.20:8470")
    lines = as_text(fields).split("\n")
    assert {len(line) for line in lines} == {len(fields) + 8}
    assert len(lines) == (len(fields) + 9) // 2
    assert set(lines[0] + lines[1] + lines[-2]) == {"█"}
    back = np.array([[sign in " ▄" for sign in line] for line in lines])
    np.testing.assert_array_equal(back[2 : 2 + len(fields) // 2, 4:-4], fields[: 2 * (len(fields) // 2) : 2])
