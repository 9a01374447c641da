"""What the plain skins do to a tube twisted by 180 degrees and bent by 135: in numbers, and as a picture."""

import numpy as np

import supple
from supple.geometry.segments import distances_to_segments
from supple.geometry.topology import signed_volume
from supple.render import Camera, contact_sheet, picture

SKINS = [supple.LinearBlend(), supple.DualQuaternion(), supple.RotationCenters(), supple.DeltaMush()]
tube = supple.character("tube", vertices=3000, bones=2)
volume = signed_volume(tube.points, tube.triangles)


def radius(points, pose):
    """Distance of every vertex from the posed bones."""
    bones, carried = tube.skeleton.bones, pose.skinning(tube.skeleton)[tube.skeleton.bones.joints]
    starts = np.einsum("bij,bj->bi", carried[:, :3, :3], bones.starts) + carried[:, :3, 3]
    ends = np.einsum("bij,bj->bi", carried[:, :3, :3], bones.ends) + carried[:, :3, 3]
    return distances_to_segments(points, starts, ends)[0].min(axis=1)


rest = radius(tube.points, supple.Pose.rest(tube.skeleton))
side = rest > 0.95 * np.median(rest)  # not the caps
pictures = []
for kind, angle in (("twist", 180.0), ("bend", 135.0)):
    motion = supple.motion(kind, tube, angle=np.radians(angle), hold=True)
    pose = motion.sample(motion.duration)
    row = []
    for skin in SKINS:
        points = supple.player(tube, skin).play(motion, motion.duration)
        share = radius(points, pose)[side] / rest[side]
        kept = signed_volume(points, tube.triangles) / volume
        least = f"least radius {share.min():.2f}, " if kind == "twist" else ""
        print(f"{kind:>5} {skin.command_name:<17} {least}largest {share.max():.2f}, volume {kept:.3f} of rest")
        size = (420, 300)
        camera = Camera.framing(points, size=size, direction=(0.0, 0.5, 1.0), margin=1.15)
        row.append(picture(points, tube.triangles, size=size, camera=camera, ground=False))
    pictures.append(row)
contact_sheet(
    pictures,
    labels=["twisted by 180 degrees", "bent by 135 degrees"],
    captions=[type(skin).__name__ for skin in SKINS],
    path="twist-and-bend.png",
)
