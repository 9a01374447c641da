"""A skeleton: named joints, who hangs on whom, and where each stands at rest."""

import supple

# Three joints in a row, one metre apart, y up.
finger = supple.Skeleton.from_heads(
    names=["base", "middle", "tip"],
    parents=[-1, 0, 1],  # -1 is a root
    heads=[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]],
)
for joint, start, end in zip(finger.bones.joints, finger.bones.starts, finger.bones.ends, strict=True):
    print(f"{finger.names[joint]:>6}: from {start} to {end}")

hero = supple.character("hero", vertices=3000)
arm = hero.skeleton.descendants(hero.skeleton.index("LeftArm"))
print("the left arm:", [hero.skeleton.names[joint] for joint in arm])
