"""The report of a bake: all measures at once, as text, as rows and as JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import DualQuaternion, LinearBlend
from supple.errors import InputError
from supple.measure import Report, Tetrahedra, measure


@pytest.fixture(scope="module")
def body():
    plain = make_tube()
    return plain.replace(parts={"upper": np.flatnonzero(plain.points[:, 1] > 1.0)})


@pytest.fixture(scope="module")
def bent(body):
    return supple.motion("bend", body, joint="bone1", angle=1.5, seconds=0.4, fps=30.0)


@pytest.fixture(scope="module")
def linear(body, bent):
    return supple.bake(body, bent, LinearBlend())


@pytest.fixture(scope="module")
def report(body, linear) -> Report:
    return measure(body, linear)


def test_linear_blend_is_no_distance_from_itself_and_does_not_vibrate(report):
    assert report.distance_from_kinematic is not None
    assert (report.distance_from_kinematic.worst == 0.0).all()
    assert (report.jitter == 0.0).all()
    assert (report.jiggle == 0.0).all()


def test_every_frame_is_measured_and_rest_is_perfect(report, linear):
    count = len(linear)
    assert len(report) == count
    assert all(values.shape == (count,) for values, _ in report.curves().values())
    assert report.volume_ratio[0] == pytest.approx(1.0, abs=1e-6)
    assert report.edge_stretch.worst[0] == pytest.approx(0.0, abs=1e-5)
    assert report.volume_ratio.min() < 0.999  # bending linear blend loses volume
    assert set(report.part_volume_ratio) == {"upper"}
    assert set(report.section_radius) == {"bone0", "bone1"}
    assert report.penetrations[0] == 0
    assert report.error is None
    assert report.inverted is None


def test_another_skin_is_as_far_from_linear_blend_as_the_two_bakes_are(body, bent, linear):
    dual = supple.bake(body, bent, DualQuaternion())
    found = measure(body, dual, reference=linear)
    gap = np.linalg.norm(dual.points - linear.points, axis=2)
    assert gap.max() > 0.01
    assert found.distance_from_kinematic is not None
    assert found.error is not None
    assert found.distance_from_kinematic.worst == pytest.approx(gap.max(axis=1), abs=1e-6)
    assert found.error.worst == pytest.approx(gap.max(), abs=1e-6)
    assert found.error.rms == pytest.approx(math.sqrt((gap**2).mean()), rel=1e-4)
    assert measure(body, dual, reference=np.array(linear.points)).error.rms == found.error.rms


def test_json_says_what_the_report_says_and_has_no_token_that_is_not_json(report):
    def refuse(token):
        raise AssertionError(token)

    text = json.loads(report.to_json(), parse_constant=refuse)
    assert text["volume_ratio"] == report.volume_ratio.tolist()
    assert text["crossing"]["pairs"] == report.penetrations.tolist()
    assert text["sections"]["bone1"]["mean"] == report.section_radius["bone1"].tolist()
    assert text["settling"]["seconds"] is None or math.isfinite(text["settling"]["seconds"])
    assert text["error"] is None
    assert {row["name"] for row in text["rows"]} == {row.name for row in report.rows()}


def test_what_is_not_a_number_is_null(body, bent):
    moving = supple.bake(body, bent, LinearBlend(), end=0.1)
    found = measure(body, moving)
    assert math.isnan(found.settling_time)
    assert json.loads(found.to_json())["settling"] == {"stop": None, "seconds": None, "peak": None}
    assert "settling time" in found.summary()


def test_rows_and_summary_tell_the_same(report):
    rows = report.rows()
    assert {row.better for row in rows} <= {"lower", "higher", "near 1"}
    assert len({row.name for row in rows}) == len(rows)
    summary = report.summary()
    assert all(row.name in summary for row in rows)
    assert "linear on tube" in summary


def test_flesh_and_seconds_come_along(body, linear):
    count = len(linear)
    rest = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    flesh = Tetrahedra(np.repeat(rest[None], count, axis=0), rest, [[0, 1, 2, 3]])
    found = measure(body, linear, tetrahedra=flesh, seconds={"blend": np.full(count, 0.25)})
    assert found.inverted is not None
    assert found.inverted.tolist() == [0] * count
    assert any(row.name == "median seconds, blend" and row.value == 0.25 for row in found.rows())
    with pytest.raises(InputError, match="seconds"):
        measure(body, linear, seconds={"blend": np.zeros(count + 1)})


def test_a_character_without_weights_has_no_kinematic_skin(body, linear):
    found = measure(body.replace(weights=None), linear)
    assert found.distance_from_kinematic is None
    assert np.isnan(found.jitter).all()
    assert found.volume_ratio[0] == pytest.approx(1.0, abs=1e-6)


def test_the_wrong_character_or_reference_is_refused(body, linear):
    with pytest.raises(InputError, match="not the mesh"):
        measure(make_tube(rings=9), linear)
    with pytest.raises(InputError, match="not the mesh"):
        measure(body.replace(points=body.points * 1.1), linear)
    with pytest.raises(InputError, match="reference"):
        measure(body, linear, reference=linear.points[:-1])
    with pytest.raises(InputError, match="cut-off"):
        measure(body, linear, cutoff=20.0)


def test_measuring_changes_nothing_and_repeats(body, linear, report):
    again = measure(body, linear)
    assert again.to_json() == report.to_json()
