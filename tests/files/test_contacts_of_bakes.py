"""What a skin touched stays with its bake: pressure on every vertex, and contacts with place, impulse and time."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import supple
from conftest import make_tube
from oracles.glb import ReadGlb
from supple import Pose
from supple.cli.main import main
from supple.errors import InputError
from supple.geometry.topology import ring_areas
from supple.graph import container
from supple.graph.bake import MOST_EVENTS
from supple.graph.cache import Cache
from supple.io.contact_events import save_events
from supple.obstacles import Free, Plane, Sphere
from supple.skins.contact_events import RECORD, merge_records, pair_records, strongest

FPS, STEP, FRAMES = 120.0, 1.0 / 60.0, 45
TUBE = make_tube(rings=9, sectors=8, bones=3, closed=True)
REST = supple.Motion.from_poses(
    TUBE.skeleton, lambda at: Pose.rest(TUBE.skeleton), seconds=(FRAMES - 1) / FPS, fps=FPS, name="rest"
)
MASS, RADIUS = 3.0, 0.4
MET = (
    Plane(name="floor", at=(0.0, -3.0, 0.0)),
    Sphere(name="ball", radius=RADIUS, at=(0.0, 2.42, 0.0), free=Free(mass=MASS, velocity=(0.0, -1.0, 0.0))),
)
SKIN = supple.ArticulatedContact(
    elements=300, step=STEP, strength=0.9, root_strength=1.0, self_contact=False, obstacles=MET
)


@pytest.fixture(scope="module")
def pressed(tmp_path_factory) -> Cache:
    """A standing tube on whose top a ball drops, with two frames for every step."""
    return supple.bake(TUBE, REST, SKIN, path=tmp_path_factory.mktemp("pressed") / "pressed.supple")


def test_contacts_give_the_ball_the_momentum_that_it_gets(pressed):
    ball = pressed.bodies[1].world_from_body[::2, :3, 3]  # where the steps are
    velocity = np.diff(ball, axis=0) / STEP
    every = pressed.events
    assert {event.other for event in every} == {"ball"}
    assert not any(event.on_skin for event in every)
    given = -np.sum([event.impulse for event in every if event.time <= (len(ball) - 1) * STEP + 1e-9], axis=0)
    wanted = MASS * (velocity[-1] - np.array([0.0, -1.0, 0.0])) + [0.0, MASS * 9.81 * (len(velocity)) * STEP, 0.0]
    assert given[1] > 5.0  # it was stopped
    assert_allclose(given, wanted, atol=0.02 * given[1])


def test_a_contact_says_when_where_and_whether_it_is_new(pressed):
    first = pressed.events[0]
    assert first.began
    assert first.joint in TUBE.skeleton.names
    assert first.place[1] == pytest.approx(2.0, abs=0.1)  # the top of the tube
    assert np.linalg.norm(first.place[[0, 2]]) < 0.3
    assert first.time == pytest.approx(round(first.time / STEP) * STEP)
    assert pressed.times[first.frame] - STEP < first.time <= pressed.times[first.frame] + STEP
    for event in pressed.events:
        pairs = {(one.joint, one.other) for one in pressed.events if one.frame == event.frame - 1}
        assert event.began == ((event.joint, event.other) not in pairs)


def test_pressure_over_the_skin_is_what_contacts_gave(pressed):
    areas = ring_areas(TUBE.points, TUBE.triangles) / 6.0
    steps = [event.frame for event in pressed.events]
    for frame in sorted(set(steps)):
        given = sum(event.strength for event in pressed.events if event.frame == frame)
        assert pressed.pressure[frame] @ areas * STEP == pytest.approx(given, rel=0.25)
    assert not pressed.pressure[0].any()


def test_a_bake_that_was_stopped_goes_on_to_the_same_bytes(pressed, tmp_path, monkeypatch):
    """Taken up between two steps, where a frame shows the pressure of a step that was made before."""
    monkeypatch.setattr("supple.graph.bake.CHECKPOINT_EVERY", 3)
    path, touched = tmp_path / "again.supple", pressed.events[0].frame

    def stop(progress):
        if progress.frame == touched + 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        supple.bake(TUBE, REST, SKIN, path=path, watch=stop)
    supple.bake(TUBE, REST, SKIN, path=path)
    assert path.read_bytes() == pressed.path.read_bytes()


@pytest.mark.filterwarnings("ignore:.*opens with shapes")
def test_exports_have_the_pressure(pressed, tmp_path):
    hardest = int(pressed.pressure.max(axis=1).argmax())
    pressed.save(tmp_path / "a.npz")
    assert_array_equal(np.load(tmp_path / "a.npz")["pressure"], pressed.pressure)
    pressed.save(tmp_path / "a.glb")
    drawn = ReadGlb(tmp_path / "a.glb").morphed(hardest, "_PRESSURE")
    assert drawn.max() == pressed.pressure[hardest].max()
    supple.load(tmp_path / "a.glb")
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    pressed.save(tmp_path / "a.usda")
    stage = Usd.Stage.Open(str(tmp_path / "a.usda"))
    mesh = stage.GetPrimAtPath(f"/{stage.GetDefaultPrim().GetName()}/Mesh")
    primvar = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("pressure")
    assert primvar.GetInterpolation() == UsdGeom.Tokens.vertex
    assert_allclose(primvar.Get(hardest), pressed.pressure[hardest])


def test_alembic_has_the_pressure(pressed, tmp_path):
    pytest.importorskip("alembic3d")
    from alembic3d import Abc, AbcGeom

    pressed.save(tmp_path / "a.abc")
    archive = Abc.IArchive(str(tmp_path / "a.abc"))
    mesh = AbcGeom.IPolyMesh(archive.getTop().getChild(0), archive.getTop().getChild(0).getChild(0).getName())
    param = AbcGeom.IFloatGeomParam(mesh.getSchema().getArbGeomParams(), "pressure")
    hardest = int(pressed.pressure.max(axis=1).argmax())
    found = np.array(list(param.getExpandedValue(Abc.ISampleSelector(hardest / FPS)).getVals()))
    assert_allclose(found, pressed.pressure[hardest], rtol=1e-6)


def test_events_are_written_as_a_table_and_as_json(pressed, tmp_path):
    save_events(pressed, tmp_path / "e.json")
    save_events(pressed, tmp_path / "e.csv")
    data = json.loads((tmp_path / "e.json").read_text())
    rows = (tmp_path / "e.csv").read_text().splitlines()
    assert data["left_out"] == 0
    assert len(data["events"]) == len(rows) - 1 == len(pressed.events)
    for entry, event in zip(data["events"], pressed.events, strict=True):
        assert (entry["frame"], entry["joint"], entry["other"]) == (event.frame, event.joint, event.other)
        assert_allclose(entry["impulse"], event.impulse, rtol=1e-6)
    with pytest.raises(InputError, match=r"\.json or \.csv"):
        save_events(pressed, tmp_path / "e.txt")


@pytest.mark.parametrize(
    ("words", "part"),
    [(["--skin", "linear", "--events", "e.json"], "touches nothing"), (["--events", "e.xml"], "is needed")],
)
def test_the_command_refuses_events_that_cannot_be(words, part, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = main(["bake", "tube", "--motion", "bend", "--vertices", "500", "-o", "a.supple", *words])
    assert code == 2
    assert part in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_events(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["--skin", "contact", "--preset", "tubes", "--elements", "300", "--end", "0.8", "--fps", "15"]
    code = main(["bake", "tube", "--motion", "bend", "--vertices", "500", "-o", "a.npz", "--events", "e.csv", *words])
    assert code == 0, capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "e.csv"]
    assert ",tube," in (tmp_path / "e.csv").read_text()


def test_a_player_tells_what_was_touched_in_the_last_frame(pressed):
    player = supple.player(TUBE, SKIN, fps=FPS)
    for frame in range(FRAMES):
        player.play(REST, frame / FPS)
        told = player.contact_events()
        kept = [event for event in pressed.events if event.frame == frame]
        assert [(one.joint, one.other, one.time) for one in told] == [(one.joint, one.other, one.time) for one in kept]


def test_pairs_add_impulses_and_weigh_places():
    joints, others = np.array([1, 1, 0]), np.array([4, 4, -2])
    places, impulses = np.arange(9.0).reshape(3, 3), np.array([[0, 1.0, 0], [0, 3.0, 0], [2.0, 0, 0]])
    found = pair_records(joints, others, places, impulses)
    assert found["joint"].tolist() == [0, 1]
    assert_allclose(found["impulse"], [[2, 0, 0], [0, 4, 0]])
    assert_allclose(found["place"][1], 0.25 * places[0] + 0.75 * places[1])
    early, late = found.copy(), found[1:].copy()
    early["time"], late["time"] = 0.5, 0.6
    both = merge_records([early, late])
    assert_allclose(both["time"], 0.5)
    assert_allclose(both["impulse"][1], [0, 8, 0])


def test_of_too_many_contacts_the_hardest_are_kept(pressed, tmp_path):
    many = np.zeros(MOST_EVENTS + 3, dtype=RECORD)
    many["impulse"][:, 1] = np.arange(1, len(many) + 1)
    assert strongest(many, 2)["impulse"][:, 1].tolist() == [len(many) - 1, len(many)]
    path = tmp_path / "many.supple"
    path.write_bytes(pressed.path.read_bytes())
    layout = container.read_layout(path)[1]
    with path.open("r+b", buffering=0) as file:
        container.write_frame(
            file, layout, 0, points=pressed.points[0], bones=pressed.bones[0], bodies=_bodies(pressed), events=many,
            status=container.GOOD, made_on=container.kind_mark(pressed.made_on),
        )  # fmt: skip
    cache = Cache(path)
    assert cache.events_left_out == 3
    assert min(event.strength for event in cache.events if event.frame == 0) == 4.0


@pytest.mark.parametrize(
    ("field", "value"), [("joint", 99), ("joint", -1), ("other", 2), ("other", -9), ("time", np.nan)]
)
def test_an_event_that_makes_no_sense_is_refused(pressed, field, value, tmp_path):
    record = np.zeros(1, dtype=RECORD)
    record[field] = value
    path = tmp_path / "forged.supple"
    path.write_bytes(pressed.path.read_bytes())
    layout = container.read_layout(path)[1]
    with path.open("r+b", buffering=0) as file:
        container.write_frame(
            file, layout, 0, points=pressed.points[0], bones=pressed.bones[0], bodies=_bodies(pressed), events=record,
            status=container.GOOD, made_on=container.kind_mark(pressed.made_on),
        )  # fmt: skip
    with pytest.raises(InputError, match="makes no sense"):
        Cache(path).events  # noqa: B018 - reads them


def _bodies(cache: Cache) -> np.ndarray:
    return np.stack([body.world_from_body[0] for body in cache.bodies])
