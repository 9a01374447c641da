"""A power cut takes what was not yet safe; what is baked after it has the bytes of a bake that nothing disturbed.

All writes of a bake with a memory and of a farm are cut by `make survive`; here those of a plain bake.
"""

from functools import partial

import numpy as np
import pytest

import supple
from supple.files import atomic
from supple.graph import container
from supple.graph.cache import Cache, part_of
from survival.disk import LOSSES, lying, noted
from survival.power import WAYS, after_cut, bake_tube, recorded


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    work = partial(bake_tube, supple.LinearBlend())
    return work, *recorded(work, tmp_path_factory.mktemp("whole").resolve())


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_a_bake_is_cut_at_every_write(plain, way):
    work, disk, expected = plain
    lost = [after_cut(disk, work, expected, count, WAYS[way], way) for count in range(way % 3, len(disk.ops) + 1, 3)]
    lost.append(after_cut(disk, work, expected, len(disk.ops), WAYS[way], way))
    assert set(lost) == {""}


@pytest.mark.parametrize("way", ["contents", "contents, but not lengths", "some of it"])
def test_a_checkpoint_that_was_cut_is_none(tmp_path, way):
    work = partial(bake_tube, supple.SpringDynamics())
    disk, expected = recorded(work, tmp_path.resolve())
    named = next(at for at, op in enumerate(disk.ops) if op.kind == "name" and op.to.endswith(".npz"))
    unsafe = [
        op for at, op in enumerate(disk.ops) if not (op.kind == "sync" and at < named)
    ]  # as if it were not synced
    at = unsafe.index(disk.ops[named])
    disk.ops[:] = unsafe
    assert after_cut(disk, work, expected, at + 1, way, 3) == ""


@pytest.mark.parametrize("cut", ["arrays", "table"])
def test_a_beginning_that_is_not_whole_is_begun_anew(tmp_path, cut):
    bake_tube(supple.LinearBlend(), tmp_path)
    path = tmp_path / "a.supple"
    whole = path.read_bytes()
    _, layout = container.read_layout(path)
    data = bytearray(whole)
    if cut == "arrays":  # the header got there, what follows it did not
        first = min(at for _, _, at, _ in layout.arrays.values())
        data[first : layout.table] = bytes(layout.table - first)
    else:
        del data[layout.table :]
    path.unlink()
    part_of(path).write_bytes(data)
    bake_tube(supple.LinearBlend(), tmp_path)
    assert path.read_bytes() == whole
    assert len(Cache(path)) == 9


def test_files_are_as_they_were_or_as_they_are_and_stay_when_it_was_said(tmp_path):
    def write(folder):
        for text in ("old" * 400, "new" * 500):
            with atomic(folder / "a.json") as waiting:
                waiting.write_text(text)

    with noted(tmp_path.resolve()) as disk:
        write(tmp_path.resolve())
    first = next(at for at, op in enumerate(disk.ops) if op.kind == "sync-folder") + 1
    for count in range(first, len(disk.ops) + 1):
        seen = {disk.after(count, loss)["a.json"] for loss in LOSSES}
        assert seen <= {b"old" * 400, b"new" * 500}
    assert seen == {b"new" * 500}


def test_the_disk_catches_those_who_do_not_sync(tmp_path):
    """A file that is renamed before it is safe is empty, and one whose folder was not synced is not there."""
    folder = tmp_path.resolve()
    with noted(folder) as disk:
        (folder / "waiting").write_bytes(np.arange(4096, dtype=np.uint8).tobytes())
        (folder / "waiting").replace(folder / "a.bin")
    assert disk.after(len(disk.ops)) == lying(folder)
    assert disk.after(len(disk.ops), "contents") == {"a.bin": b""}
    assert disk.after(len(disk.ops), "contents, but not lengths") == {"a.bin": bytes(4096)}
    assert disk.after(len(disk.ops), "everything") == {}
    assert after_cut(disk, lambda _: None, lying(folder), len(disk.ops), "contents") == "a.bin is seen half written"
