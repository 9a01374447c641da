"""A doll of two rigid meshes as VRM 0.x and 1.0, with all that such a file says."""

from __future__ import annotations

import numpy as np
from gltf_files import GltfFile, quad
from small_pictures import picture

LICENCE = {"name": "Doll", "authors": ["A. Author"], "licenseUrl": "https://vrm.dev/licenses/1.0/", "thumbnailImage": 1}


def doll() -> GltfFile:
    """Two rigid meshes: a body with two shapes on the hips, a face with one on the head; neck and hair carry none."""
    file = GltfFile()
    smile, frown = np.tile([0.0, 0.25, 0.0], (4, 1)), np.tile([0.0, 0.0, -0.5], (4, 1))
    for name, shift, shapes in (("unused", 9.0, []), ("body", 0.0, [smile, frown]), ("face", 2.0, [smile])):
        targets = [{"POSITION": file.accessor(shape)} for shape in shapes]
        mesh = file.mesh(quad(y=shift), name=name, material=len(file.json.get("materials", [])))
        file.add("materials", name=f"of {name}")
        if targets:
            file.json["meshes"][mesh]["primitives"][0]["targets"] = targets
    file.json["meshes"][1]["extras"] = {"targetNames": ["up", "back"]}
    file.json["meshes"][2]["extras"] = {"targetNames": ["brow"]}
    for shade in (5, 9):
        file.add("images", bufferView=file.view(picture(shade)), mimeType="image/png", name=f"grey{shade}")
    file.add("textures", source=0)
    file.add("nodes", name="root", children=[1])
    file.add("nodes", name="Hips", translation=[0.0, 1.0, 0.0], children=[2, 5], mesh=1)
    file.add("nodes", name="Neck", translation=[0.0, 0.5, 0.0], children=[3])
    file.add("nodes", name="Head", translation=[0.0, 0.25, 0.0], children=[4], mesh=2)
    file.add("nodes", name="Hair", translation=[0.0, 0.1, 0.0], children=[6])
    file.add("nodes", name="socket", translation=[0.0, 0.0, 0.5], rotation=[0.0, 1.0, 0.0, 0.0], camera=0)
    file.add("nodes", name="Hair_end", translation=[0.0, 0.2, 0.0], extras={"kind": "end"})
    file.add("cameras", type="perspective", perspective={"yfov": 0.7, "znear": 0.01})
    file.add("scenes", nodes=[0])
    file.json["asset"] |= {"copyright": "2026 A. Author", "extras": {"title": "Doll"}}
    return file


def newer() -> GltfFile:
    file = doll()
    binds = [{"node": 1, "index": 1, "weight": 0.5}, {"node": 3, "index": 0, "weight": 1.0}]
    file.json["extensionsUsed"] = ["VRMC_vrm", "VRMC_springBone"]
    file.json["extensions"] = {
        "VRMC_vrm": {
            "specVersion": "1.0",
            "meta": LICENCE,
            "humanoid": {"humanBones": {"hips": {"node": 1}, "neck": {"node": 2}, "head": {"node": 3}}},
            "firstPerson": {"meshAnnotations": [{"node": 3, "type": "thirdPersonOnly"}]},
            "lookAt": {"offsetFromHeadBone": [0.0, 0.06, 0.0], "type": "bone"},
            "expressions": {
                "preset": {"happy": {"isBinary": False, "morphTargetBinds": binds}},
                "custom": {
                    "glow": {"materialColorBinds": [{"material": 2, "type": "color", "targetValue": [1, 0, 0, 1]}]}
                },
            },
        },
        "VRMC_springBone": {
            "specVersion": "1.0",
            "colliders": [{"node": 3, "shape": {"sphere": {"offset": [0, 0, 0], "radius": 0.1}}}],
            "colliderGroups": [{"colliders": [0]}],
            "springs": [{"joints": [{"node": 4, "stiffness": 2.0}, {"node": 6}], "colliderGroups": [0], "center": 1}],
        },
    }
    return file


def older() -> GltfFile:
    file = doll()
    file.json["extensionsUsed"] = ["VRM"]
    looks = [{"name": f"look {n}", "shader": "VRM/MToon", "textureProperties": {"_MainTex": 0}} for n in range(3)]
    file.json["extensions"] = {
        "VRM": {
            "specVersion": "0.0",
            "meta": {"title": "Doll", "author": "A. Author", "licenseName": "CC_BY", "texture": 0},
            "humanoid": {"humanBones": [{"bone": "hips", "node": 1}, {"bone": "neck", "node": 2}]},
            "firstPerson": {
                "firstPersonBone": 3,
                "meshAnnotations": [{"mesh": 2, "firstPersonFlag": "ThirdPersonOnly"}],
            },
            "blendShapeMaster": {
                "blendShapeGroups": [{"name": "Joy", "binds": [{"mesh": 1, "index": 1, "weight": 50}]}]
            },
            "secondaryAnimation": {
                "boneGroups": [{"bones": [4], "center": -1, "stiffiness": 1.0, "colliderGroups": [0]}],
                "colliderGroups": [{"node": 3, "colliders": [{"radius": 0.1}]}],
            },
            "materialProperties": looks,
        }
    }
    return file
