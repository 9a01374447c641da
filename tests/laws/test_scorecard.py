"""The scorecard itself: it tries every skin, throws flesh for real, counts right, and goes on where it was stopped."""

import numpy as np
import pytest

import supple
from supple.skins.base import SoftSkin
from survival import flesh, page, starts
from survival.__main__ import run
from survival.kept import Kept
from survival.rows import Row, Said, Trial, row_of, simple


def test_every_skin_is_tried():
    assert set(flesh.all_skins()) == set(supple.SKINS)
    soft = {name for name, kind in supple.SKINS.items() if issubclass(kind, SoftSkin)}
    assert soft <= set(flesh.soft_skins())


@pytest.mark.parametrize("name", ["spring-dynamics", "position-based, let loose", "lattice, let loose", "contact"])
def test_a_throw_reaches_the_skin_that_is_shown(name):
    player = supple.player(flesh.TUBE, flesh.soft_skins()[name])
    home = flesh.held(player, flesh.REST, 0.5).copy()
    kept = player.snapshot()
    for kind in starts.KINDS:
        thrown = starts.thrown(kept, kind, np.random.default_rng(1))
        changed = [key for key in kept if not np.array_equal(kept[key], thrown[key])]
        assert len(changed) >= 1
        player.restore(thrown)
        assert flesh.away(player.advance(flesh.REST, 1.0 / flesh.FPS), home) > 0.005


def test_what_is_lost_is_counted_and_a_share_can_be_enough():
    said = [Said.of("", kills=2), Said.of("bytes differ", kills=3), Said.of("bytes differ"), Said(tries=7)]
    trial = Trial(
        "bakes", 4, simple(lambda number: said[number]), told=lambda figures: f"{sum(figures['kills'])} kills"
    )
    row = row_of(trial, said)
    assert (row.what, row.tries, row.survived, row.lost, row.enough) == (
        "bakes (5 kills)", 10, 8, "bytes differ (2)", False
    )  # fmt: skip
    assert row_of(Trial("bakes", 4, trial.ready, needed=0.8), said).enough
    assert "| bakes (5 kills) | 10 | 8 | bytes differ (2) |" in page.whole_run([row], tries=4, seconds=60.0, left="")


def test_rows_tried_by_themselves_take_the_place_of_theirs_and_leave_the_others():
    one, other, third = (Row(what, 3, 2, "one", enough=False) for what in ("kills (4 kills)", "poses", "jumps"))
    first = page.whole_run([one, other], tries=3, seconds=60.0, left="jumps, 0 of 1 attempts; weeks, 1 of 2 attempts")
    again = Row("kills (9 kills)", 5, 5, "", enough=True)
    text = page.with_rows(first, [again, third], ["kills", "jumps"], seconds=120.0, left="")
    rows = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert rows == [
        "| jumps | 3 | 2 | one |", "| kills (9 kills) | 5 | 5 | nothing |", "| poses | 3 | 2 | one |",
        "| **all** | **11** | **9** | 2 |",
    ]  # fmt: skip
    assert text.splitlines()[0] == first.splitlines()[0]
    assert text.count("Tried by itself") == 2
    assert text.endswith("Not all is tried yet: weeks, 1 of 2 attempts.")
    twice = page.with_rows(text, [again], ["kills"], seconds=120.0, left="")
    assert sorted(twice.splitlines()) == sorted(text.splitlines())


def test_a_row_whose_name_begins_with_another_ones_takes_its_own_place():
    whats = ["flesh", "flesh, let loose"]
    first = page.whole_run([Row(what, 3, 3, "", enough=True) for what in whats], tries=3, seconds=60.0, left="")
    again = [Row(f"{what} (finite)", 4, 4, "", enough=True) for what in whats]
    rows = page.with_rows(first, again, whats, seconds=60.0, left="").splitlines()[4:6]
    assert rows == ["| flesh (finite) | 4 | 4 | nothing |", "| flesh, let loose (finite) | 4 | 4 | nothing |"]


def test_it_goes_on_where_it_was_stopped(tmp_path):
    made = []

    def attempt(number):
        made.append(number)
        if number == 2:
            raise ValueError("no")
        return Said.of("")

    trial, file = Trial("a row", 4, simple(attempt)), tmp_path / "kept.jsonl"
    assert not run(trial, Kept(file), until=0.0)
    assert made == []
    assert run(trial, Kept(file), until=np.inf)
    file.write_text(file.read_text()[:-20])  # killed while it wrote the last line
    made.clear()
    assert run(trial, Kept(file), until=np.inf)
    assert made == [3]
    assert [said.lost for said in Kept(file).of(trial)] == [(), (), ("ValueError: no",), ()]
