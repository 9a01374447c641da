"""Where the members of a crowd stand: nobody in another's way, nobody in the aisle, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supple.errors import InputError
from supple.motion.crowd_field import crowd_field


@given(count=st.integers(1, 300), spacing=st.floats(0.01, 100.0), seed=st.integers(0, 1000))
def test_nobody_is_in_the_way_of_another_or_in_the_aisle(count, spacing, seed):
    placed = crowd_field(count, spacing=spacing, seed=seed)
    places = placed[:, :3, 3] / spacing
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1) + np.eye(count) * 10.0
    assert apart.min() >= 0.7 - 1e-9
    assert np.abs(places[:, 0]).min() >= 0.65 - 1e-9
    assert not places[:, 1].any()
    assert places[:, 2].max() <= 0.15 + 1e-9
    turns = placed[:, :3, :3]
    assert np.abs(np.swapaxes(turns, 1, 2) @ turns - np.eye(3)).max() < 1e-12
    assert turns[:, 2, 2].min() >= np.cos(0.6) - 1e-9  # all look down the aisle


def test_rows_are_about_as_many_as_members_in_a_row():
    places = crowd_field(200, spacing=1.0)[:, :3, 3]
    wide, deep = np.ptp(places[:, 0]), np.ptp(places[:, 2])
    assert 0.7 < deep / wide < 1.3


def test_a_seed_says_all():
    assert np.array_equal(crowd_field(20, spacing=1.5, seed=3), crowd_field(20, spacing=1.5, seed=3))
    assert not np.array_equal(crowd_field(20, spacing=1.5, seed=3), crowd_field(20, spacing=1.5, seed=4))


@pytest.mark.parametrize(("count", "spacing"), [(0, 1.0), (-2, 1.0), (3, 0.0), (3, -1.0), (3, np.nan), (3, np.inf)])
def test_what_is_no_field_is_refused(count, spacing):
    with pytest.raises(InputError, match="crowd_field"):
        crowd_field(count, spacing=spacing)
