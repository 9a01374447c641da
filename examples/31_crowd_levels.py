"""A crowd that differs: two bodies, flesh for who is near, plain skins for who is far, and changes that nobody sees."""

import numpy as np

import supple
from supple.geometry import quaternions
from supple.graph.crowds import Group, Level
from supple.motion import Cast

hero = supple.character("hero", vertices=1000)
size = np.array([1.1, 0.95, 1.1])  # wider and less tall, with softer flesh
rest = hero.skeleton
wide_joints = supple.Skeleton.from_heads(rest.names, rest.parents, size * rest.heads, tails=size * rest.tails)
wide = hero.replace(points=size * hero.points, skeleton=wide_joints)

# From near to far; only the two nearest of a group have flesh. The last level takes everybody.
middle, far = Level(supple.DeltaMush(), within=7.0), Level(supple.DualQuaternion())
firm = Level(supple.PositionBased(tetrahedra=600, jiggle=0.5), within=4.0, most=2)
soft = Level(supple.PositionBased(tetrahedra=600, frequency=2.2), within=4.0, most=2)
crowd = supple.Crowd({"plain": Group(hero, 6, [firm, middle, far]), "wide": Group(wide, 6, [soft, middle, far])})

# Each follows a motion in its own phase, from where it is put.
rng = np.random.default_rng(1)
casts = {}
for side, (name, group) in zip((-1.0, 1.0), crowd.groups.items(), strict=True):
    walk, wave = (supple.motion(what, hero).retarget(group.character) for what in ("walk", "wave"))
    turn = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], -0.3 * side)
    places = [quaternions.compose([1.2 * side, 0.0, -2.0 * number], turn) for number in range(group.count)]
    casts[name] = Cast([walk, wave] * 3, rng.uniform(0.0, 2.0, group.count), np.array(places))

player = crowd.player(fps=30.0)
for number in range(60):
    frame = player.play(casts, number / 30.0, eye=(0.0, 1.6, 4.0 - 0.1 * number))
    if number % 15 == 0:
        for name in crowd.groups:
            changing = int((frame.changes[name] < 1.0).sum())
            waiting = int(frame.waiting[name][0])
            print(f"{name:>6}: levels {frame.levels[name].tolist()}, {changing} in a change, {waiting} wait for flesh")
print({name: points.shape for name, points in frame.points.items()})
