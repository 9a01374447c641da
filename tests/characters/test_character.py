"""The character and its skeleton: what is refused at the door, in which words, and what is shared."""

import numpy as np
import pytest

from supple.character.character import Character, Display
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import InputError
from supple.motion.motion import Motion
from supple.motion.pose import Pose

POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0]])
TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]])
HEADS = [[0.0, 0, 0], [0, 1, 0], [0, 2, 0]]


def skeleton(**changes):
    fields = {"names": ["root", "mid", "top"], "parents": [-1, 0, 1], "heads": HEADS, **changes}
    return Skeleton.from_heads(fields.pop("names"), fields.pop("parents"), fields.pop("heads"), **fields)


def character(**changes):
    fields = {"points": POINTS, "triangles": TRIANGLES, "skeleton": skeleton(), **changes}
    return Character(fields.pop("points"), fields.pop("triangles"), fields.pop("skeleton"), **fields)


def refused(make, where):
    with pytest.raises(InputError) as caught:
        make()
    error = caught.value
    assert error.where == where
    assert str(error) == f"{where}: {error.given}, but {error.needed}; {error.advice}."
    assert error.exit_code == 2
    return error.given


def with_value(array, position, value):
    changed = np.array(array, dtype=float)
    changed[position] = value
    return changed


# Meshes


@pytest.mark.parametrize(
    ("changes", "given"),
    [
        (
            {"points": with_value(POINTS, (2, 1), np.nan)},
            "points has 1 values that are not finite (the first at (2, 1))",
        ),
        ({"points": with_value(POINTS, 0, np.inf)}, "points has 3 values that are not finite (the first at (0, 0))"),
        ({"points": np.empty((0, 3)), "triangles": np.empty((0, 3))}, "the mesh has 0 points and 0 triangles"),
        ({"triangles": np.empty((0, 3))}, "the mesh has 4 points and 0 triangles"),
        ({"points": POINTS[:, :2]}, "points has shape (4, 2)"),
        ({"triangles": [[0, 1, 4]]}, "triangles name number 4"),
        ({"triangles": [[0, 1, -1]]}, "triangles name number -1"),
        ({"triangles": [[0, 1, 1.5]]}, "triangles holds fractions"),
        ({"triangles": [[0, 1, 2, 3]]}, "triangles has shape (1, 4)"),
        ({"triangles": [[0, 1, 2], [0, 2]]}, "triangles is ragged"),
        ({"triangles": [[0, 1, 2**40]]}, f"triangles goes up to {2**40}"),
        ({"points": [["a", "b", "c"]]}, "points holds <U1"),
    ],
)
def test_meshes_that_do_not_fit(changes, given):
    assert refused(lambda: character(**changes), "Character").startswith(given)


def test_a_plain_mesh_passes_and_says_what_it_is():
    plain = character(name="sheet")
    assert repr(plain) == "Character('sheet': 4 points, 2 triangles, 3 joints, no weights)"
    np.testing.assert_allclose(plain.size, [1, 2, 0])
    assert plain.height == 2.0


# Weights


def test_weights_must_match_the_mesh_and_the_skeleton():
    def tied(joint, count=4):
        weights = Weights(np.full((count, 1), joint), np.ones((count, 1)))
        return character(weights=weights)

    assert refused(lambda: tied(0, 3), "Character") == "there are weights for 3 vertices"
    assert refused(lambda: tied(3), "Character") == "weights name joint 3"
    assert "1 influences" in repr(tied(2))


def test_joints_out_of_range_are_repaired_by_name():
    weights, report = Weights.repaired([[0, 3]] * 4, [[0.5, 0.5]] * 4, joint_count=3)
    assert report[0] == "4 weights of joints that do not exist set to zero"
    assert character(weights=weights).weights is weights


def test_unused_places_may_name_any_joint():
    weights = Weights(np.tile([0, 99], (4, 1)), np.tile([1.0, 0.0], (4, 1)))
    assert character(weights=weights).weights is weights


def test_a_character_without_weights_says_how_to_get_some():
    given = refused(lambda: character(name="sheet").require_weights("LinearBlend"), "LinearBlend")
    assert given == "sheet has no skin weights"
    weights = Weights(np.zeros((4, 1)), np.ones((4, 1)))
    assert character(weights=weights).require_weights("LinearBlend") is weights


# Maps, parts, polygons, display


@pytest.mark.parametrize(
    ("changes", "given"),
    [
        ({"maps": {"flesh": np.ones(3)}}, "map 'flesh' has shape (3,)"),
        ({"maps": {"flesh": [0, 1, np.nan, 1]}}, "map 'flesh' has 1 values that are not finite"),
        ({"parts": {"arm": [0, 4]}}, "part 'arm' name number 4"),
        ({"parts": {"arm": [-1]}}, "part 'arm' name number -1"),
        ({"parts": {"arm": [[0, 1]]}}, "part 'arm' has shape (1, 2)"),
        ({"polygons": [[0, 1, 2, 4]]}, "polygons name number 4"),
        ({"polygons": [[0, 1, 2, -1]]}, "polygons make 1 triangles"),
        ({"polygons": [[0, 1, 2, 3], [0, 1, 2, 3]]}, "polygons make 4 triangles"),
    ],
)
def test_extras_that_do_not_fit(changes, given):
    assert refused(lambda: character(**changes), "Character").startswith(given)


def test_extras_that_fit():
    made = character(
        maps={"flesh": [0, 1, 2, 3]},
        parts={"arm": [0, 3], "none": []},
        polygons=[[0, 1, 2, 3]],
        display=Display([0, 1, 2, 3, 0], [[0, 1, 2], [4, 2, 3]], uvs=np.zeros((5, 2))),
    )
    np.testing.assert_array_equal(made.map_of("flesh"), [0.0, 1, 2, 3])
    np.testing.assert_array_equal(made.vertices_of("arm"), [0, 3])
    assert len(made.vertices_of("none")) == 0
    assert refused(lambda: made.map_of("fur"), "Character") == "map 'fur' was asked for"
    assert refused(lambda: made.vertices_of("leg"), "Character") == "part 'leg' was asked for"
    assert "1 maps, 2 parts" in repr(made)


def test_displays_that_do_not_fit():
    def shown(*args, **options):
        return character(display=Display(*args, **options))

    right = ([0, 1, 2, 3], TRIANGLES)
    assert refused(lambda: Display([0, 1], [[0, 1, 2]]), "Display") == "triangles name number 2"
    assert refused(lambda: Display(*right, uvs=np.zeros((3, 2))), "Display") == "uvs has shape (3, 2)"
    assert refused(lambda: shown([0, 1, 2, 9], TRIANGLES), "Display") == "control_points name number 9"
    assert refused(lambda: shown([1, 0, 2, 3], TRIANGLES), "Display").startswith("its triangles do not lie")
    assert refused(lambda: shown([0, 1, 2, 3], TRIANGLES[:1]), "Display").startswith("its triangles do not lie")
    assert shown(*right).display is not None


def test_motions_must_fit_the_skeleton():
    def still(rig):
        return Motion.from_poses(rig, lambda _: Pose.rest(rig), seconds=0.1)

    good, bad = still(skeleton()), still(Skeleton.from_heads(["root", "other"], [-1, 0], HEADS[:2]))
    assert list(character(motions={"still": good}).motions) == ["still"]
    with pytest.raises(InputError):
        character(motions={"still": bad})


# Frozen, shared, unchanged


def test_replace_shares_what_did_not_change():
    first = character(maps={"flesh": np.ones(4)}, parts={"arm": [0]}, polygons=[[0, 1, 2, 3]])
    second = first.replace(name="other", points=POINTS + 1.0)
    assert second.triangles is first.triangles
    assert second.skeleton is first.skeleton
    assert second.maps["flesh"] is first.maps["flesh"]
    assert second.parts["arm"] is first.parts["arm"]
    assert second.polygons is first.polygons
    np.testing.assert_array_equal(first.points, POINTS)
    assert first.name == "character"
    with pytest.raises(InputError):
        first.replace(points=POINTS[:3])


def test_inputs_stay_writable_and_are_not_looked_at_again():
    points, flesh, parts = POINTS.copy(), np.ones(4), {"arm": np.array([0])}
    made = character(points=points, maps={"flesh": flesh}, parts=parts)
    points[0] = 9.0
    flesh[0] = 9.0
    parts["leg"] = np.array([1])
    np.testing.assert_array_equal(made.points, POINTS)
    np.testing.assert_array_equal(made.maps["flesh"], 1.0)
    assert list(made.parts) == ["arm"]


def test_a_character_cannot_be_changed_in_place():
    made = character(maps={"flesh": np.ones(4)})
    with pytest.raises(AttributeError):
        made.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        made.points[0, 0] = 1.0
    with pytest.raises(TypeError):
        made.maps["fur"] = np.ones(4)


# Skeletons


@pytest.mark.parametrize(
    ("changes", "given"),
    [
        ({"names": [], "parents": [], "heads": np.empty((0, 3))}, "there are no joints"),
        ({"names": ["a", "b", "a"]}, "joint name 'a' stands twice"),
        ({"parents": [1, 2, 0]}, "joints root, mid, top hang on each other in a cycle"),
        ({"parents": [-1, 1, 1]}, "joint mid hangs on itself"),
        ({"parents": [-1, 0, 3]}, "joint 'top' has parent 3"),
        ({"parents": [-1, -2, 1]}, "joint 'mid' has parent -2"),
        ({"parents": [-1, 0]}, "parents has shape (2,)"),
        ({"parents": [-1, 0, 0.5]}, "parents holds fractions"),
        ({"heads": with_value(HEADS, (1, 1), np.nan)}, "world_from_joint has 1 values that are not finite"),
        ({"heads": HEADS[:2]}, "world_from_joint has shape (2, 4, 4)"),
        ({"tails": np.zeros((2, 3))}, "tails has shape (2, 3)"),
        ({"tails": np.full((3, 3), np.inf)}, "tails has 9 values that are not finite"),
    ],
)
def test_skeletons_that_do_not_fit(changes, given):
    assert refused(lambda: skeleton(**changes), "Skeleton").startswith(given)


def test_rest_transforms_that_do_not_fit():
    world = skeleton().world_from_joint

    def changed(position, value):
        return lambda: Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), with_value(world, position, value))

    assert "last row" in refused(changed((1, 3, 0), 2.0), "Skeleton")
    assert "'b' cannot be inverted" in refused(changed((1, 0, 0), 0.0), "Skeleton")
    assert len(Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), world)) == 3


def test_joints_may_come_in_any_order_and_form_several_trees():
    mixed = skeleton(names=["top", "root", "mid"], parents=[2, -1, 1], heads=[HEADS[2], HEADS[0], HEADS[1]])
    assert [level.tolist() for level in mixed.levels] == [[1], [2], [0]]
    np.testing.assert_allclose(mixed.world_from_locals(mixed.parent_from_joint), mixed.world_from_joint, atol=1e-12)
    np.testing.assert_array_equal(mixed.descendants(1), [0, 1, 2])
    np.testing.assert_array_equal(mixed.children(2), [0])
    two = skeleton(parents=[-1, -1, 1])
    assert [level.tolist() for level in two.levels] == [[0, 1], [2]]


def test_joints_are_found_by_name():
    assert skeleton().index("mid") == 1
    assert refused(lambda: skeleton().index("knee"), "Skeleton") == "joint 'knee' was asked for"


def test_bones_end_at_children_and_last_ones_carry_on():
    bones = skeleton(parents=[-1, 0, 0]).bones
    np.testing.assert_array_equal(bones.joints, [0, 0, 1, 2])
    np.testing.assert_allclose(bones.ends, [HEADS[1], HEADS[2], [0, 1.5, 0], [0, 3, 0]])
    tails = [[1.0, 0, 0], [0, 2, 0], [0, 9, 0]]
    given = skeleton(tails=tails).bones
    np.testing.assert_array_equal(given.joints, [0, 1, 2])
    np.testing.assert_allclose(given.ends, tails)
    lone = Skeleton.from_heads(["root"], [-1], [[1, 2, 3]]).bones
    np.testing.assert_allclose(lone.ends, lone.starts)
