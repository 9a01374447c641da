"""Crowds that differ, moved by better skins where they are near: every member is as its skin alone has it, no jumps."""

import numpy as np
import pytest

import supple
from supple.character import Crowd as Copies
from supple.errors import InputError
from supple.geometry import quaternions
from supple.graph.crowds import Group, Level, pool
from supple.motion import Cast, CrowdMotion

RATE = 60.0
FADE = 0.2
HERO = supple.character("hero", vertices=1000)
WALK, JUMP = supple.motion("walk", HERO), supple.motion("jump", HERO)
FLESH = supple.PositionBased(tetrahedra=400, iterations=4, warm_up=3)


def in_a_row(count, step=3.0):
    """Placements of members, each farther back and turned a little more."""
    turns = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 0.4)
    places = np.tile(quaternions.compose(np.zeros(3), turns), (count, 1, 1))
    places[:, 2, 3] = -step * np.arange(count)
    return places


def cast_of(count, motions=(WALK, JUMP)):
    return Cast([motions[m % len(motions)] for m in range(count)], 0.13 * np.arange(count), in_a_row(count))


def levels(soft=FLESH, most=None):
    return [Level(soft, within=4.0, most=most), Level(supple.DeltaMush(), within=8.0), Level(supple.DualQuaternion())]


def alone(skin, cast, member, times, *, seen=True):
    """What a member does under a skin from the first of some times on."""
    player = supple.player(HERO, skin, fps=RATE)
    player.reset(seen=seen)
    return [player.play(cast.member(member), time) for time in times]


def played(player, cast, eyes, *, cuts=()):
    """Frames with the eye at each of some places, sixty a second."""
    return [player.play({"all": cast}, frame / RATE, eye=eye, cut=frame in cuts) for frame, eye in enumerate(eyes)]


def going_by(frames, start=6.0, end=-12.0):
    """An eye that goes past a row of members."""
    return [np.array([1.0, 1.5, z]) for z in np.linspace(start, end, frames)]


# A cast


def test_members_of_a_cast_are_where_their_sources_are_placed():
    cast = cast_of(3)
    world = cast.world_from_joint(0.4)
    for m in range(3):
        wanted = np.asarray(cast.placements)[m] @ cast.sources[m].sample(0.4 + 0.13 * m).world_from_joint
        np.testing.assert_allclose(world[m], wanted, atol=1e-12)
        np.testing.assert_allclose(cast.member(m).sample(0.4).world_from_joint, wanted, atol=1e-12)
    np.testing.assert_array_equal(cast.of([2, 0, 2]).world_from_joint(0.4), world[[2, 0, 2]])
    np.testing.assert_allclose(cast.centers(0.4), world[:, :, :3, 3].mean(axis=1), atol=1e-12)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_kernels_place_members_as_the_host_does(device):
    from supple import device as devices
    from supple.motion.sampling import DeviceMotions

    cast = cast_of(5)
    motions = DeviceMotions(
        [WALK, JUMP], np.arange(5) % 2, cast.delays, HERO.skeleton, device, placements=cast.placements
    )
    wp, joints = devices.warp(), 5 * len(HERO.skeleton)
    matrices = wp.zeros(joints, dtype=wp.types.matrix(shape=(3, 4), dtype=wp.float32), device=device)
    motions.write_skinning(0.7, matrices)
    crowd = Copies.of(HERO, 5)
    pose = CrowdMotion.of(crowd, cast).sample(0.7)
    np.testing.assert_allclose(matrices.numpy(), pose.skinning(crowd.skeleton)[:, :3], atol=5e-5)
    np.testing.assert_allclose(motions.centers(0.7), cast.centers(0.7), atol=5e-5)
    positions = wp.zeros(joints, dtype=wp.vec3d, device=device)
    motions.write_positions(0.7, positions)
    np.testing.assert_allclose(positions.numpy(), pose.world_from_joint[:, :3, 3], atol=5e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Cast([]), "no sources"),
        (lambda: Cast([WALK] * 3, [0.0]), "3 sources and 1 delays"),
        (lambda: Cast([WALK], [np.inf]), "a delay is not finite"),
        (lambda: Cast([WALK], placements=2.0 * np.eye(4)[None]), "member 0 scales, shears or mirrors"),
        (lambda: Cast([WALK], placements=np.diag([1.0, 1.0, -1.0, 1.0])[None]), "member 0 scales, shears or mirrors"),
        (lambda: Cast([WALK] * 2, placements=np.eye(4)[None]), "placements"),
        (lambda: Cast([WALK, supple.motion("bend", supple.character("tube", vertices=500))]), "joint"),
    ],
)
def test_casts_that_make_no_sense_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


# A crowd


def test_members_are_as_their_skins_alone_have_them():
    """Near: flesh; farther: delta mush and dual quaternion; each to the bit, or to rounding where many go together."""
    cast, skins = cast_of(5), [level.skin for level in levels()]
    player = supple.Crowd({"all": Group(HERO, 5, levels())}).player(fps=RATE)
    frames = played(player, cast, [np.array([0.0, 1.0, 2.0])] * 13)
    rungs = [frame.levels["all"].tolist() for frame in frames]
    assert rungs[0] == rungs[-1]  # nobody changes
    assert set(rungs[0]) == {0, 1, 2}
    for m, rung in enumerate(rungs[0]):
        wanted = alone(skins[rung], cast, m, [frame / RATE for frame in range(13)])
        for frame, points in zip(frames, wanted, strict=True):
            if rung < 2:
                np.testing.assert_array_equal(frame.points["all"][m], points)
            else:
                np.testing.assert_allclose(frame.points["all"][m], points, atol=2e-5)
        assert frames[0].changes["all"][m] == 1.0


def test_nothing_jumps_when_members_change():
    """In a frame nobody moves by more than the faster of its two skins does, and what the fade adds to that."""
    count, frames = 4, 100
    crowd = supple.Crowd({"all": Group(HERO, count, levels())}, fade=FADE)
    shown = played(crowd.player(fps=RATE), cast_of(count), going_by(frames))
    changing = np.array([frame.changes["all"] for frame in shown])
    rungs = np.array([frame.levels["all"] for frame in shown])
    assert ((changing > 0.0) & (changing < 1.0)).sum() > 20
    assert {0, 1, 2} == set(rungs.ravel().tolist())
    cast, times = cast_of(count), [frame / RATE for frame in range(frames)]
    for m in range(count):
        # Flesh that was always there stands for flesh that has just started: it moves no less.
        skins = np.array([alone(level.skin, cast, m, times) for level in levels()])
        own = np.linalg.norm(np.diff(skins, axis=1), axis=3)
        apart = max(np.linalg.norm(a - b, axis=2).max() for a in skins for b in skins)
        points = np.array([frame.points["all"][m] for frame in shown])
        moved = np.linalg.norm(np.diff(points, axis=0), axis=2)
        bound = own.max(axis=(0, 2)) + 1.5 / (RATE * FADE) * apart + 2e-3
        assert (moved.max(axis=1) <= bound).all()


def test_a_change_of_skin_between_bodies_that_stand_still_is_as_slow_as_is_said():
    """Without any motion of the body only the fade moves the skin: 1.5 dt / fade of the way at most."""
    bent = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 1.2)
    knee = next(name for name in HERO.skeleton.names if "leg" in name.lower() or "knee" in name.lower())
    pose = supple.Pose.from_rotations(HERO.skeleton, {knee: bent})
    held = supple.Motion.from_poses(HERO.skeleton, lambda _: pose, seconds=0.0)
    cast = Cast([held], placements=np.eye(4)[None])
    near, far = supple.LinearBlend(), supple.DualQuaternion()
    crowd = supple.Crowd({"all": Group(HERO, 1, [Level(near, within=4.0), Level(far)])}, fade=FADE)
    shown = played(
        crowd.player(fps=RATE), cast, [np.array([0.0, 1.0, 9.0 if frame < 5 else 3.0]) for frame in range(40)]
    )
    points = np.array([frame.points["all"][0] for frame in shown])
    start, end = (alone(skin, cast, 0, [0.0])[0] for skin in (far, near))
    np.testing.assert_allclose(points[5], start, atol=1e-6)
    np.testing.assert_allclose(points[-1], end, atol=1e-6)
    apart = np.linalg.norm(end - start, axis=1)
    assert apart.max() > 0.005
    moved = np.linalg.norm(np.diff(points, axis=0), axis=2)
    assert (moved <= 1.5 / (RATE * FADE) * apart + 1e-6).all()


def test_a_crowd_plays_the_same_again():
    count, eyes = 4, going_by(40)
    crowd = supple.Crowd({"all": Group(HERO, count, levels(most=1))}, fade=FADE)
    one, other = crowd.player(fps=RATE), crowd.player(fps=RATE)
    first, second = played(one, cast_of(count), eyes), played(other, cast_of(count), eyes)
    one.reset()
    third = played(one, cast_of(count), eyes)
    for a, b, c in zip(first, second, third, strict=True):
        np.testing.assert_array_equal(a.points["all"], b.points["all"])
        np.testing.assert_array_equal(a.points["all"], c.points["all"])
        np.testing.assert_array_equal(a.levels["all"], c.levels["all"])


def test_results_do_not_depend_on_threads():
    from supple.device import use_threads

    crowd = supple.Crowd({"all": Group(HERO, 3, levels())}, fade=FADE)
    results = []
    for threads in (1, 3):
        with use_threads(threads):
            results.append(played(crowd.player(fps=RATE), cast_of(3), going_by(15)))
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a.points["all"], b.points["all"])


@pytest.mark.parametrize(
    "skin",
    [FLESH, supple.PositionBased(tetrahedra=400, contact="off", iterations=4), supple.PoseSpaceDynamics(step=1 / 60)],
)
def test_flesh_of_a_newcomer_among_others_is_as_if_it_had_started_alone(monkeypatch, skin):
    """Where one player moves several (as on a GPU), who comes later starts as alone, and nobody else feels it."""
    monkeypatch.setattr(pool.Pool, "_size_of_blocks", lambda self, most: min(3, most))
    near = [Level(skin, within=4.0), Level(supple.DualQuaternion())]
    crowd = supple.Crowd({"all": Group(HERO, 3, near)}, fade=FADE)
    cast = Cast([WALK] * 3, [0.0, 0.3, 0.6], in_a_row(3, step=0.0))
    placed = np.asarray(cast.placements).copy()
    placed[2, 2, 3] = -20.0
    far_away = Cast([WALK] * 3, [0.0, 0.3, 0.6], placed)
    player = crowd.player(fps=RATE)
    shown = [
        player.play({"all": far_away if frame < 20 else cast}, frame / RATE, eye=(0.0, 1.0, 1.0)) for frame in range(45)
    ]
    assert shown[0].levels["all"].tolist() == [0, 0, 1]
    assert shown[-1].levels["all"].tolist() == [0, 0, 0]
    assert shown[-1].changes["all"].min() == 1.0
    assert player.places["all"][0] == 3  # all in one
    step = skin.step
    begun = [frame / RATE for frame in range(20, 45)]
    late = alone(skin, cast, 2, [begun[0] - 2.0 * step, begun[0] - step, *begun], seen=False)[-1]
    early = alone(skin, cast, 1, [frame / RATE for frame in range(45)])[-1]
    np.testing.assert_allclose(shown[-1].points["all"][2], late, atol=1e-4)
    np.testing.assert_allclose(shown[-1].points["all"][1], early, atol=1e-4)


@pytest.mark.parametrize(
    "skin",
    [
        FLESH,
        supple.SpringDynamics(),
        supple.LayeredLattice(resolution=20),
        supple.ArticulatedContact(elements=600),
        supple.PoseSpaceDynamics(),
    ],
    ids=lambda skin: skin.command_name,
)
def test_flesh_starts_with_the_body_that_moves_on(skin):
    """Flesh that started in a walking body is, once the change is over, where flesh is that was always there."""
    crowd = supple.Crowd({"all": Group(HERO, 1, [Level(skin, within=8.0), Level(supple.DualQuaternion())])})
    cast, player = Cast([WALK]), crowd.player(fps=RATE)
    player.play({"all": cast}, 0.3, eye=(0.0, 1.0, 60.0))
    times = [0.3 + frame / RATE for frame in range(1, 36)]
    frames = [player.play({"all": cast}, time, eye=(0.0, 1.0, 2.0)) for time in times]
    assert (frames[0].changes["all"][0], frames[-1].changes["all"][0]) == (0.0, 1.0)
    shown = np.array([frame.points["all"][0] for frame in frames])
    always = np.array(alone(skin, cast, 0, [*(frame / RATE for frame in range(19)), *times])[19:])
    off = np.linalg.norm(shown - always, axis=2).max(axis=1)
    assert off[-4:].max() < 4e-3 * HERO.height
    moved, own = (np.linalg.norm(np.diff(points, axis=0), axis=2).max() for points in (shown, always))
    assert moved < own + 2e-3 * HERO.height


def test_groups_have_bodies_materials_and_skins_of_their_own():
    tall = supple.character("hero", vertices=1400)
    walk = supple.motion("walk", tall)
    far = Level(supple.DualQuaternion())
    crowd = supple.Crowd(
        {
            "soft": Group(HERO, 2, [Level(FLESH, within=4.0), far]),
            "tall": Group(tall, 3, [Level(supple.SpringDynamics(), within=4.0), far]),
        }
    )
    assert len(crowd) == 5
    casts = {"soft": cast_of(2), "tall": Cast([walk] * 3, placements=in_a_row(3))}
    frame = crowd.player(fps=RATE).play(casts, 0.0, eye=(0.0, 1.0, 1.0))
    assert frame.points["soft"].shape == (2, 1000, 3)
    assert frame.points["tall"].shape == (3, 1400, 3)
    assert (frame.levels["soft"][0], frame.levels["tall"][0]) == (0, 0)
    assert frame.distances["tall"][2] > frame.distances["tall"][0]


def test_after_a_cut_everybody_is_at_once_where_it_belongs():
    crowd = supple.Crowd({"all": Group(HERO, 3, levels())})
    player = crowd.player(fps=RATE)
    eyes = [np.array([0.0, 1.0, 50.0])] * 3 + [np.array([0.0, 1.0, 1.0])] * 2
    shown = played(player, cast_of(3), eyes, cuts={3})
    assert shown[2].levels["all"].tolist() == [2, 2, 2]
    assert shown[3].levels["all"].tolist() != [2, 2, 2]
    assert all((frame.changes["all"] == 1.0).all() for frame in shown)


def test_room_is_kept_and_who_waits_is_told():
    crowd = supple.Crowd({"all": Group(HERO, 4, levels(most=1))}, fade=FADE)
    player = crowd.player(fps=RATE)
    close = Cast([WALK] * 4, placements=in_a_row(4, step=0.5))
    frame = player.play({"all": close}, 0.0, eye=(0.0, 1.0, 1.0))
    assert (frame.levels["all"] == 0).sum() == 1
    assert frame.waiting["all"][0] == 3
    assert player.places["all"][0] == 1
    player.play({"all": close}, 0.1, eye=(0.0, 1.0, 2.0))
    assert player.places["all"][0] == 1


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_results_of_a_crowd_can_stay_on_the_device(device):
    crowd = supple.Crowd({"all": Group(HERO, 3, levels())})
    kept, copied = (crowd.player(device=device, fps=RATE) for _ in range(2))
    there = kept.play({"all": cast_of(3)}, 0.0, eye=(0.0, 1.0, 1.0), on_device=True).points["all"]
    here = copied.play({"all": cast_of(3)}, 0.0, eye=(0.0, 1.0, 1.0)).points["all"]
    assert str(there.device) == device
    np.testing.assert_array_equal(there.numpy().reshape(3, -1, 3), here)


def test_bad_input_is_refused_in_four_parts_and_it_plays_on():
    crowd = supple.Crowd({"all": Group(HERO, 2, levels())})
    player, cast, eye = crowd.player(fps=RATE), cast_of(2), (0.0, 1.0, 1.0)
    player.play({"all": cast}, 0.5, eye=eye)
    tube = supple.motion("bend", supple.character("tube", vertices=500))
    wrong = [
        (lambda: player.play({"all": cast}, 0.4, eye=eye), "time goes back"),
        (lambda: player.play({"all": cast}, float("nan"), eye=eye), "time is nan"),
        (lambda: player.play({"all": cast}, 0.6, eye=(0.0, 1.0)), "eye"),
        (lambda: player.play({"all": cast}, 0.6, eye=(0.0, 1.0, np.nan)), "eye"),
        (lambda: player.play({}, 0.6, eye=eye), "casts for nobody"),
        (lambda: player.play({"others": cast}, 0.6, eye=eye), "casts for others"),
        (lambda: player.play({"all": cast_of(3)}, 0.6, eye=eye), "has 3 members"),
        (lambda: player.play({"all": Cast([tube] * 2)}, 0.6, eye=eye), "joint"),
    ]
    for call, words in wrong:
        with pytest.raises(InputError, match=words) as problem:
            call()
        told = problem.value
        assert all((told.where, told.given, told.needed, told.advice))
    other = crowd.player(fps=RATE)
    other.play({"all": cast}, 0.5, eye=eye)
    here, there = (one.play({"all": cast}, 0.6, eye=eye).points["all"] for one in (player, other))
    np.testing.assert_array_equal(here, there)
