"""The benchmark of soft articulated characters: its form, its scenes, its direct system; not its figures."""

import json
from dataclasses import replace

import numpy as np
import pytest

from oracles import articulated as oracle
from supple.bench import contact
from supple.bench.contact_direct import full_system
from supple.bench.contact_scenes import SCENES, Frames, Resting
from supple.cli.main import main
from supple.skins.contact.control.tracking import Targets
from supple.skins.contact.model.mechanism import MechanismState
from supple.skins.contact.response.contact_set import ContactSet

TUBE = next(scene for scene in SCENES if scene.name == "tube-2")


@pytest.mark.parametrize("scene", SCENES[3:], ids=lambda scene: scene.name)
def test_scenes_have_the_published_size_and_stay_in_contact(scene):
    frames = Frames(scene, contacts=True)
    assert scene.nodes <= frames.nodes < 1.1 * scene.nodes
    assert frames.bones == scene.bones
    first = frames.frame().copy()
    for _ in range(20):
        last = frames.frame()
    assert np.isfinite(last).all()
    assert np.abs(last - first).max() > 1e-4  # the ball dents it
    assert scene.contacts <= frames.count() < 2.5 * scene.contacts  # fewer when it has come to rest


def test_without_contacts_nothing_is_met():
    frames = Frames(TUBE, contacts=False)
    frames.frame()
    assert frames.count() == 0


def test_the_json_has_the_agreed_form(monkeypatch, tmp_path):
    monkeypatch.setattr(contact, "SCENES", (replace(TUBE, elements=300),))
    monkeypatch.setattr(contact, "CELLS", (15, 30))
    monkeypatch.setattr(contact, "LINKS", (1, 2))
    monkeypatch.setattr(contact, "CONTACTS", (2, 4))
    monkeypatch.setattr(contact, "PLAIN", (20, 2, 3))
    monkeypatch.setattr(contact, "DIRECT", (20, 2, 3))
    path = tmp_path / "bench.json"
    assert main(["bench", "contact", "--json", str(path)]) == 0
    rows = json.loads(path.read_text())["rows"]
    assert [row["scene"] for row in rows] == ["tube-2"] * 4 + ["bar"] * 5
    frames = {row["what"]: row for row in rows if "frame" in row["what"]}
    assert frames["without contacts: frame"]["published_seconds"] == pytest.approx(9.5e-3)
    assert frames["with contacts: frame"]["published_seconds"] == pytest.approx(13.8e-3)
    assert "contacts" in frames["with contacts: frame"]["note"]
    notes = [row["note"] for row in rows if "grows" in row["note"]]
    assert [note.split("^")[0].split()[-1] for note in notes] == ["nodes", "links", "contacts", "all"]
    assert rows[-1]["peer_seconds"] > 0.0
    assert all(row["seconds"] > 0.0 for row in rows)


def test_growth_finds_the_exponent():
    sizes = [10.0, 100.0, 1000.0]
    assert contact.growth(sizes, [2e-6 * size**1.3 for size in sizes]) == pytest.approx(1.3)


def test_a_bar_has_its_nodes_around_its_bones_and_rests_on_its_contacts():
    resting = Resting(20, 2, 40, dt=contact.DT)
    assert resting.mechanism.node_count == 21 * 16
    assert resting.mechanism.link_count == 2
    for _ in range(30):
        answer = resting.step()
    assert (answer.normal_impulses > 0.0).sum() > 20
    moved = resting.solver.state().positions - resting.mechanism.centers
    assert np.abs(moved).max() < 0.025  # else it would have fallen by 1.2 m


def test_the_full_system_is_that_of_the_oracle():
    mechanism = oracle.bar(3)
    state = oracle.any_state(mechanism, 1)
    contacts = ContactSet.at_nodes([3, 7, 11], normals=np.eye(3), gaps=np.zeros(3))
    matrix, velocities = full_system(mechanism, state, contacts, 0.01)
    found = matrix.toarray()
    slow = oracle.system(mechanism, state, Targets.none(mechanism), 0.01, (0.0, -9.81, 0.0))
    rows = np.concatenate(
        [slow.rows, oracle.contact_rows(mechanism, state, contacts.nodes, contacts.weights, contacts.normals)]
    )
    np.testing.assert_allclose(found[:velocities, :velocities], slow.matrix, atol=1e-12)
    np.testing.assert_allclose(found[velocities:, :velocities], -rows, atol=1e-12)
    np.testing.assert_allclose(found[:velocities, velocities:], -rows.T, atol=1e-12)
    assert not found[velocities:, velocities:].any()


def test_the_full_system_takes_ball_joints_only():
    hinged = oracle.bar(2, hinges={"link1": (0.0, 0.0, 1.0)})
    none = ContactSet.at_nodes([], normals=np.zeros((0, 3)), gaps=np.zeros(0))
    with pytest.raises(ValueError, match="ball joints"):
        full_system(hinged, MechanismState.rest(hinged), none, 0.01)
