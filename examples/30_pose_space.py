"""Pose-space deformation: slow flesh learnt from its bakes, tried on a motion that it never saw, and played live."""

import time

import numpy as np

import supple
from supple.skins.pose_space import SkinExamples, fit_pose_space, load_pose_space, save_pose_space

arm = supple.character("arm", vertices=1500)
flesh = supple.PositionBased(tetrahedra=1000)
motions = {
    "bend": supple.motion("bend", arm, seconds=1.0),
    "twist": supple.motion("twist", arm, angle=1.5, seconds=1.0),
    "small bend": supple.motion("bend", arm, angle=1.0, seconds=0.8),
}

# Bake the slow skin once. Two motions are learnt; the third is kept out as a whole, to test with.
bakes = {name: supple.bake(arm, motion, flesh, fps=30.0) for name, motion in motions.items()}
kept_out = bakes.pop("small bend")
model = fit_pose_space(arm, SkinExamples.of(*bakes.values()), test=kept_out)
save_pose_space(model, "arm.posespace")
print(model.errors)

# Play it: any pose in any order, or in time, where it also looks at how fast the joints move.
model = load_pose_space("arm.posespace")
skins = {"linear": supple.LinearBlend(), "pose space": supple.PoseSpace(trained=model), "flesh": flesh}
for name, skin in skins.items():
    player = supple.player(arm, skin, fps=30.0)
    player.play(motions["bend"], 0.0)
    began = time.perf_counter()
    for frame in range(1, 31):
        player.play(motions["bend"], frame / 30.0)
    print(f"{name:>10}: {1000.0 * (time.perf_counter() - began) / 30:.2f} ms a frame")
moving = supple.bake(arm, motions["small bend"], supple.PoseSpaceDynamics(trained=model), fps=30.0)
off = np.linalg.norm(moving.points - kept_out.points, axis=2)
print(f"in a motion that it never saw: {1000 * off.mean():.2f} mm on average, {1000 * off.max():.1f} mm at worst")

# Shapes drawn by hand come with their pose the same way.
bent = motions["bend"].sample(0.5)
swollen = 0.02 * np.exp(-(((arm.points - arm.skeleton.heads[1]) / 0.08) ** 2).sum(axis=1))[:, None] * [0.0, 1.0, 0.0]
drawn = fit_pose_space(arm, SkinExamples.sculpted(arm, [bent], [swollen], below="linear"))
player, plain = supple.player(arm, supple.PoseSpace(trained=drawn)), supple.player(arm, supple.LinearBlend())
for name, pose in (("the pose", bent), ("rest", supple.Pose.rest(arm.skeleton))):
    print(f"drawn: {1000 * np.abs(player.advance(pose) - plain.advance(pose)).max():.1f} mm in {name}")
