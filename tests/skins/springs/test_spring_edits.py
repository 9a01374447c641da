"""Edits as forces: handles are held, neighbours follow less and less with distance, and the rest stays."""

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import SpringDynamics, SpringRig
from supple.edits import Edits, Layer, SurfaceEdit, load_edits, region_round, save_edits, spring_edit
from supple.edits.layers import Key
from supple.errors import FormatError, InputError
from supple.skins.springs.marks import with_static_bones

TUBE = make_tube(rings=49, sectors=24, bones=2)
REST = supple.Pose.rest(TUBE.skeleton)
PULL = 0.1  # m
REACH = 0.4


def handle_at(height):
    """The vertex on the side of the tube nearest to a height."""
    side = np.linalg.norm(TUBE.points - [0.25, height, 0.0], axis=1)
    return np.array([int(side.argmin())], dtype=np.int32)


def pulled(height=0.7, by=PULL, stiffness=1e6):
    handles = handle_at(height)
    region = region_round(TUBE.triangles, handles, points=TUBE.points, reach=REACH)
    return spring_edit(TUBE, region, [[by, 0.0, 0.0]], stiffness=stiffness)


def on_tube(*edits, amount=1.0, firmness=1.0, character=TUBE):
    """The character with edits, and the pose that shows them."""
    all_of_them = Edits.of(character)
    for number, edit in enumerate(edits):
        layer = Layer(name=f"l{number}", keys=(Key(time=0.0, use=f"e{number}"),), amount=amount, firmness=firmness)
        all_of_them = all_of_them.with_shape(f"e{number}", edit).with_layer(layer)
    return all_of_them.on_character(character), all_of_them.on_pose(character.skeleton, REST, 0.0)


def moves(*edits, skin=None, **how):
    character, pose = on_tube(*edits, **how)
    return supple.player(character, skin or SpringRig(iterations=300)).advance(pose) - TUBE.points


def by_distance(edit, found, width=0.05):
    """The mean move in bands of distance from the handle, out to the border of the region."""
    away = np.linalg.norm(TUBE.points - TUBE.points[edit.handles[0]], axis=1)
    size = np.linalg.norm(found, axis=1)
    bands = [(away > low) & (away <= low + width) for low in np.arange(0.0, 0.35, width)]
    return np.array([size[band].mean() for band in bands if band.any()])


@pytest.mark.parametrize("skin", [SpringRig(iterations=300), SpringRig.preset("published", iterations=300)], ids=str)
def test_neighbours_follow_and_follow_less_with_distance(skin):
    """The handle is where it was put; the move falls from band to band, and no fin stands out of the skin."""
    edit = pulled()
    found = moves(edit, skin=skin)
    assert np.linalg.norm(found[edit.handles[0]] - [PULL, 0.0, 0.0]) < 1e-3 * PULL
    bands = by_distance(edit, found)
    assert (np.diff(bands) < 0.0).all()
    assert bands[0] > 0.4 * PULL
    assert bands[0] < 2.5 * bands[1]
    assert bands[-1] < 0.15 * PULL


def test_the_rest_is_static():
    edit = pulled()
    outside = np.setdiff1d(np.arange(len(TUBE.points)), edit.vertices)
    assert np.linalg.norm(moves(edit)[outside], axis=1).max() < 0.03 * PULL


def test_bind_lengths_stay_what_springs_want():
    """An edit that is a wish moves nobody but its own vertices; one that is a force draws at their springs."""
    edit = pulled()
    own = np.array([edit.offsets[np.searchsorted(edit.vertices, edit.handles[0])]])
    fin = SurfaceEdit(edit.handles, own)
    assert by_distance(edit, moves(fin))[1] < 0.3 * by_distance(edit, moves(edit))[1]


def test_a_softer_edit_reaches_less_far():
    reached = [moves(pulled(stiffness=k))[handle_at(0.7)[0], 0] for k in (0.05, 0.5, 5.0, 1e6)]
    assert (np.diff(reached) > 0.0).all()
    assert reached[0] < 0.8 * PULL
    assert reached[-1] == pytest.approx(PULL, rel=1e-3)


def test_several_edits_hold_at_once_and_their_skin_meets_smoothly():
    one, other = pulled(0.6), pulled(0.8)
    both = moves(one, other)
    for edit in (one, other):
        assert both[edit.handles[0], 0] == pytest.approx(PULL, rel=1e-3)
    between = handle_at(0.7)[0]
    assert both[between, 0] > moves(one)[between, 0] + moves(other)[between, 0] > 0.2 * PULL


def test_two_forces_on_one_handle_are_weighed():
    up, down = pulled(by=PULL, stiffness=30.0), pulled(by=-PULL, stiffness=10.0)
    met = moves(up, down)[up.handles[0], 0]
    assert met == pytest.approx(0.5 * PULL, rel=0.1)  # (30 - 10) / 40


@pytest.mark.parametrize("firmness", [1.0, 100.0])
def test_an_edit_that_is_not_there_leaves_no_trace(firmness):
    """A layer at amount zero, firm or not, gives the very skin of a character without edits, in any pose."""
    bent = supple.Pose.from_rotations(TUBE.skeleton, {"bone1": [0.0, 0.0, np.sin(0.4), np.cos(0.4)]})
    wish = SurfaceEdit(pulled().vertices, pulled().offsets)
    for edit in (pulled(), wish):
        character, still = on_tube(edit, amount=0.0, firmness=firmness)
        found = supple.player(character, SpringRig()).advance(supple.Pose(bent.world_from_joint, shapes=still.shapes))
        assert found.tobytes() == supple.player(TUBE, SpringRig()).advance(bent).tobytes()


def test_strength_follows_the_amount():
    sizes = [moves(pulled(), amount=amount)[handle_at(0.7)[0], 0] for amount in (0.25, 0.5, 1.0)]
    assert np.allclose(sizes, [0.25 * PULL, 0.5 * PULL, PULL], rtol=1e-3)
    character, pose = on_tube(pulled())
    player = supple.player(character, SpringRig())
    before = player.advance(REST)
    player.advance(pose)
    assert player.advance(REST).tobytes() == before.tobytes()


def test_an_edit_turns_with_the_skin():
    """Carried elsewhere with its character, the skin is the same one carried there."""
    character, pose = on_tube(pulled())
    carry = np.eye(4)
    carry[:3, :3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    carry[:3, 3] = [0.3, -0.2, 1.0]
    player = supple.player(character, SpringRig(iterations=600))
    here, there = player.advance(pose), player.advance(pose.moved(carry))
    assert np.abs(there - (here @ carry[:3, :3].T + carry[:3, 3])).max() < 2e-5


def test_skin_that_swings_comes_to_rest_on_the_same_shape():
    edit = pulled()
    character, pose = on_tube(edit)
    player = supple.player(character, SpringDynamics())
    player.advance(REST)
    for _ in range(180):
        found = player.advance(pose)
    assert np.linalg.norm(found[edit.handles[0]] - TUBE.points[edit.handles[0]] - [PULL, 0, 0]) < 0.02 * PULL
    bands = by_distance(edit, found - TUBE.points)
    assert (np.diff(bands) < 0.0).all()
    assert bands[0] > 0.4 * PULL


def test_forces_balance_where_nothing_is_held():
    """All pulls add up to nothing at rest, those of edits among them."""
    character, pose = on_tube(pulled(stiffness=1.0))
    skin = SpringRig(iterations=2000)
    binding = skin.bind(character, "cpu")
    state = skin.allocate(binding)
    skin.deform(binding, state, pose, None)
    forces = np.linalg.norm(skin.forces(binding, state).numpy(), axis=1)
    assert forces.max() < 1e-4 * PULL


def test_static_vertices_and_bones_stay_with_the_first_stage():
    static = with_static_bones(TUBE, ["bone1"])
    marked = static.maps["static"] == 1.0
    assert 0.3 < marked.mean() < 0.7
    bent = supple.Pose.from_rotations(TUBE.skeleton, {"bone1": [0.0, 0.0, np.sin(0.5), np.cos(0.5)]})
    first = supple.player(TUBE, supple.LinearBlend()).advance(bent)
    found = supple.player(static, SpringRig(base="linear")).advance(bent)
    free = supple.player(TUBE, SpringRig(base="linear")).advance(bent)
    assert np.array_equal(found[marked], first[marked])
    assert np.abs(free[marked] - first[marked]).max() > 0.01
    assert np.abs(found[~marked] - first[~marked]).max() > 0.005
    with pytest.raises(InputError, match="'tail' was named"):
        with_static_bones(TUBE, ["tail"])


def test_static_skin_does_not_swing():
    jerk = [supple.Pose(REST.moved(np.eye(4)).world_from_joint) for _ in range(2)]
    world = jerk[1].world_from_joint.copy()
    world[:, 0, 3] += 0.1
    character = TUBE.replace(maps={"jiggle": np.ones(len(TUBE.points)), "static": np.ones(len(TUBE.points))})
    player = supple.player(character, SpringDynamics())
    player.advance(REST)
    found = [player.advance(supple.Pose(world)) for _ in range(5)]
    assert max(np.abs(one - TUBE.points - [0.1, 0.0, 0.0]).max() for one in found) < 1e-5


def test_skins_without_springs_show_the_whole_shape():
    edit = pulled()
    found = moves(edit, skin=supple.IncrementalRotation())
    assert np.abs(found - edit.dense(len(TUBE.points))).max() < 1e-6


def test_what_is_saved_is_read_back(tmp_path):
    edits = Edits.of(TUBE).with_shape("a", pulled(stiffness=3.0)).with_shape("b", SurfaceEdit([1], [[0.1, 0, 0]]))
    save_edits(edits, tmp_path / "e.json")
    read = load_edits(tmp_path / "e.json").shapes
    assert np.array_equal(read["a"].handles, edits.shapes["a"].handles)
    assert read["a"].stiffness == 3.0
    assert read["b"].handles is None
    text = (tmp_path / "e.json").read_text().replace('"stiffness": 3.0', '"stiffness": -3.0')
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(FormatError, match="stiffness is -3"):
        load_edits(tmp_path / "bad.json")


@pytest.mark.parametrize(
    ("handles", "stiffness"), [([], 1.0), ([7], 1.0), ([2, 1], 1.0), ([1], 0.0), ([1], np.nan), ([1], 1e9)]
)
def test_handles_that_make_no_sense_are_refused(handles, stiffness):
    with pytest.raises(InputError, match="SurfaceEdit"):
        SurfaceEdit([1, 2], np.zeros((2, 3)), handles, stiffness)
