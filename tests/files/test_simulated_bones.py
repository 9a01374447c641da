"""Bakes whose skin moved the bones: files have the skeleton with that motion beside the skin."""

import numpy as np
import pytest
from export_scenes import FPS, swing, textured_tube
from numpy.testing import assert_allclose

import supple
from oracles.glb import ReadGlb
from supple.character import packing
from supple.graph import container
from supple.graph.cache import Cache
from supple.graph.graph import Graph
from supple.io import load_motion


@pytest.fixture
def pushed(tmp_path) -> Cache:
    """A bake of the tube of which every bone was pushed aside, as contact does: one frame after the other, further."""
    tube = textured_tube()
    motion = swing(tube)
    arrays = packing.pack(tube) | packing.pack_display(tube)
    arrays["poses"] = np.stack([motion.sample(at).world_from_joint for at in motion.times]).astype("<f8")
    arrays["shape_shares"] = np.zeros((motion.frames, 0))
    info = {
        "supple": "0", "character": "0", "motion": "0", "motion_name": "pushed", "fps": FPS, "start": 0.0,
        "frames": motion.frames, "device": "cpu", "made_on": "here", "graph": Graph.of(supple.LinearBlend()).to_dict(),
        **packing.describe(tube), "display": None,
    }  # fmt: skip
    joints = len(tube.skeleton)
    layout = container.plan(info, arrays, frames=motion.frames, vertices=len(tube.points), joints=joints)
    path = tmp_path / "pushed.supple"
    container.start(path, layout, arrays)
    with path.open("r+b", buffering=0) as file:
        for frame in range(motion.frames):
            bones = arrays["poses"][frame].copy()
            bones[:, 0, 3] += 0.01 * frame
            points = (tube.points + np.array([0.01 * frame, 0.0, 0.0])).astype(np.float32)
            mark = container.kind_mark("here")
            container.write_frame(file, layout, frame, points=points, bones=bones, status=1, made_on=mark)
    return Cache(path)


def test_a_glb_has_the_skin_as_morphs_and_the_bones_that_moved(pushed, tmp_path):
    pushed.save(tmp_path / "pushed.glb")
    glb = ReadGlb(tmp_path / "pushed.glb")
    last = len(pushed) - 1
    drawn = glb.morphed(last)
    assert_allclose(drawn.min(axis=0), pushed.points[last].min(axis=0), atol=1e-6)
    joints = len(pushed.skeleton)
    assert_allclose(glb.joints_at(last)[:joints], pushed.bones[last], atol=1e-5)
    assert np.abs(pushed.bones[last] - pushed.poses[last]).max() > 0.1
    assert "skin" not in next(node for node in glb.scene["nodes"] if "mesh" in node)
    again = load_motion(tmp_path / "pushed.glb")
    assert_allclose(again.sample(last / FPS).world_from_joint, pushed.bones[last], atol=1e-5)


def test_a_usd_has_points_and_the_bones_that_moved(pushed, tmp_path):
    pytest.importorskip("pxr")
    pushed.save(tmp_path / "pushed.usda")
    last = len(pushed) - 1
    again = load_motion(tmp_path / "pushed.usda")
    assert again.skeleton.names == pushed.skeleton.names
    assert_allclose(again.sample(last / FPS).world_from_joint, pushed.bones[last], atol=1e-5)


def test_a_bake_that_leaves_its_bones_alone_has_no_skeleton_beside(tmp_path):
    tube = textured_tube()
    cache = supple.bake(tube, swing(tube), supple.DualQuaternion(), path=tmp_path / "plain.supple")
    cache.save(tmp_path / "plain.glb")
    assert len(ReadGlb(tmp_path / "plain.glb").scene["nodes"]) == 1
