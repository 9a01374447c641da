"""Small FBX files in text form, written by hand: z up and centimetres, as most exporters leave them.

A strip of two quads stands on the floor, 2 m tall, bent by a hip at its foot and a knee at half its height; the node of
its mesh stands at half its height too. A triangle hangs on the knee, bent by nothing. Over one second the knee turns
by 90 degrees about the file's y axis, which takes what stands up (z) to the file's x.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence

SECOND = 46186158000  # of the format's own clock

POINTS = "0,0,-50, 10,0,-50, 0,0,50, 10,0,50, 0,0,150, 10,0,150"
FACES = "0,1,3,-3, 2,3,5,-5"


def text(
    *,
    points: str = POINTS,
    faces: str = FACES,
    hip: Sequence[float] = (1.0, 1.0, 0.5, 0.5),
    knee: Sequence[float] = (0.5, 0.5, 1.0, 1.0),
    knee_vertices: Sequence[int] = (2, 3, 4, 5),
    knee_bind: str = "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,-50,1",
    knee_opens_at: float = 0.0,
    hidden_hat: bool = False,
    skinned_hat: bool = False,
    clip: bool = True,
    mesh: bool = True,
    uv_rows: str = "0,1,2,3,0,1,2,3",
    unit: float = 1.0,
    looks: str = "",
) -> bytes:
    """The file, with what differs: weights and bind matrix, the knee's opening turn [degrees], the unit in cm.

    `looks` are two materials and a picture, as `red_and_glass` makes them.
    """
    objects = [_bones(knee_opens_at)]
    links = ['C: "OO",30,0', 'C: "OO",31,30', 'C: "OO",40,30', 'C: "OO",41,31']
    if mesh:
        objects += [
            _strip(points, faces, uv_rows),
            _skin(hip, knee, knee_vertices, knee_bind),
            _hat(hidden=hidden_hat),
            _SHAPE,
        ]
        links += [
            'C: "OO",20,0',
            'C: "OO",10,20',
            'C: "OO",50,10',
            'C: "OO",51,50',
            'C: "OO",52,50',
            'C: "OO",30,51',
            'C: "OO",31,52',
            'C: "OO",21,31',
            'C: "OO",11,21',
            'C: "OO",53,10',
            'C: "OO",54,53',
            'C: "OO",12,54',
        ]
    if looks:
        objects.append(looks)
        links += ['C: "OO",70,20', 'C: "OO",73,20', 'C: "OP",71,70, "DiffuseColor"', 'C: "OO",72,71']
    if skinned_hat:
        objects.append(_HAT_SKIN)
        links += ['C: "OO",55,11', 'C: "OO",56,55', 'C: "OO",57,55', 'C: "OO",30,56', 'C: "OO",31,57']
    if clip:
        objects.append(_CLIP)
        links += ['C: "OO",61,60', 'C: "OO",62,61', 'C: "OP",62,31, "Lcl Rotation"', 'C: "OP",63,62, "d|Y"']
    body = "\n".join(objects)
    return (
        "; FBX 7.4.0 project file\n"
        "FBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n FBXVersion: 7400\n}\n"
        "GlobalSettings:  {\n Version: 1000\n Properties70:  {\n"
        '  P: "UpAxis", "int", "Integer", "",2\n  P: "UpAxisSign", "int", "Integer", "",1\n'
        '  P: "FrontAxis", "int", "Integer", "",1\n  P: "FrontAxisSign", "int", "Integer", "",-1\n'
        '  P: "CoordAxis", "int", "Integer", "",0\n  P: "CoordAxisSign", "int", "Integer", "",1\n'
        f'  P: "UnitScaleFactor", "double", "Number", "",{unit}\n  P: "TimeMode", "enum", "", "",6\n'
        " }\n}\n"
        f"Objects:  {{\n{body}\n}}\n"
        "Connections:  {\n " + "\n ".join(links) + "\n}\n"
    ).encode()


def red_and_glass(place: str = "tex\\\\pic.png", *, embedded: bytes = b"") -> str:
    """Two materials on the strip: a red one with a picture, and glass."""
    content = f'Content: , "{base64.b64encode(embedded).decode()}"' if embedded else ""
    return f"""
    Material: 70, "Material::red", "" {{
        Version: 102
        ShadingModel: "phong"
        Properties70:  {{
            P: "DiffuseColor", "Color", "", "A",0.8,0.1,0.2
            P: "EmissiveColor", "Color", "", "A",0.1,0,0
            P: "EmissiveFactor", "Number", "", "A",2
            P: "ShininessExponent", "Number", "", "A",20
        }}
    }}
    Material: 73, "Material::glass", "" {{
        Version: 102
        ShadingModel: "phong"
        Properties70:  {{
            P: "DiffuseColor", "Color", "", "A",0.25,0.5,0.75
            P: "TransparencyFactor", "Number", "", "A",0.25
        }}
    }}
    Texture: 71, "Texture::pic", "" {{
        Type: "TextureVideoClip"
        Version: 202
        TextureName: "Texture::pic"
        FileName: "C:\\\\art\\\\pic.png"
        RelativeFilename: "{place}"
        Properties70:  {{
            P: "WrapModeU", "enum", "", "",1
        }}
    }}
    Video: 72, "Video::pic", "Clip" {{
        Type: "Clip"
        {content}
    }}"""


def _array(name: str, values: str) -> str:
    return f"{name}: *{len(values.split(','))} {{\n a: {values}\n}}"


def _strip(points: str, faces: str, uv_rows: str) -> str:
    return f"""
    Geometry: 10, "Geometry::strip", "Mesh" {{
        {_array("Vertices", points)}
        {_array("PolygonVertexIndex", faces)}
        GeometryVersion: 124
        LayerElementUV: 0 {{
            Version: 101
            Name: "UVMap"
            MappingInformationType: "ByPolygonVertex"
            ReferenceInformationType: "IndexToDirect"
            {_array("UV", "0,0, 1,0, 1,1, 0,1")}
            {_array("UVIndex", uv_rows)}
        }}
        LayerElementUV: 1 {{
            Version: 101
            Name: "second"
            MappingInformationType: "ByPolygonVertex"
            ReferenceInformationType: "IndexToDirect"
            {_array("UV", "0.5,0.25, 1,0")}
            {_array("UVIndex", "0,0,0,0,1,1,1,1")}
        }}
        LayerElementMaterial: 0 {{
            Version: 101
            MappingInformationType: "ByPolygon"
            ReferenceInformationType: "IndexToDirect"
            {_array("Materials", "0,1")}
        }}
        Layer: 0 {{
            Version: 100
            LayerElement:  {{
                Type: "LayerElementUV"
                TypedIndex: 0
            }}
            LayerElement:  {{
                Type: "LayerElementMaterial"
                TypedIndex: 0
            }}
        }}
        Layer: 1 {{
            Version: 100
            LayerElement:  {{
                Type: "LayerElementUV"
                TypedIndex: 1
            }}
        }}
    }}
    Model: 20, "Model::strip", "Mesh" {{
        Version: 232
        Properties70:  {{
            P: "Lcl Translation", "Lcl Translation", "", "A",0,0,50
        }}
    }}"""


def _bones(opens_at: float) -> str:
    return f"""
    NodeAttribute: 40, "NodeAttribute::hip", "LimbNode" {{
        TypeFlags: "Skeleton"
    }}
    NodeAttribute: 41, "NodeAttribute::knee", "LimbNode" {{
        TypeFlags: "Skeleton"
    }}
    Model: 30, "Model::hip", "LimbNode" {{
        Version: 232
    }}
    Model: 31, "Model::knee", "LimbNode" {{
        Version: 232
        Properties70:  {{
            P: "Lcl Translation", "Lcl Translation", "", "A",0,0,100
            P: "Lcl Rotation", "Lcl Rotation", "", "A",0,{opens_at},0
        }}
    }}"""


def _skin(hip: Sequence[float], knee: Sequence[float], knee_vertices: Sequence[int], knee_bind: str) -> str:
    def listed(values: Sequence[float]) -> str:
        return ",".join(str(value) for value in values)

    return f"""
    Deformer: 50, "Deformer::", "Skin" {{
        Version: 101
        Link_DeformAcuracy: 50
    }}
    Deformer: 51, "SubDeformer::hip", "Cluster" {{
        Version: 100
        {_array("Indexes", "0,1,2,3")}
        {_array("Weights", listed(hip))}
        {_array("Transform", "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,50,1")}
        {_array("TransformLink", "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1")}
    }}
    Deformer: 52, "SubDeformer::knee", "Cluster" {{
        Version: 100
        {_array("Indexes", listed(knee_vertices))}
        {_array("Weights", listed(knee))}
        {_array("Transform", knee_bind)}
        {_array("TransformLink", "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,100,1")}
    }}"""


def _hat(*, hidden: bool) -> str:
    return f"""
    Geometry: 11, "Geometry::hat", "Mesh" {{
        {_array("Vertices", "0,0,0, 10,0,0, 0,0,10")}
        {_array("PolygonVertexIndex", "0,1,-3")}
        GeometryVersion: 124
    }}
    Model: 21, "Model::hat", "Mesh" {{
        Version: 232
        Properties70:  {{
            P: "Lcl Translation", "Lcl Translation", "", "A",0,0,100
            P: "Visibility", "Visibility", "", "A",{0 if hidden else 1}
        }}
    }}"""


_HAT_SKIN = f"""
    Deformer: 55, "Deformer::", "Skin" {{
        Version: 101
    }}
    Deformer: 56, "SubDeformer::hip", "Cluster" {{
        Version: 100
        {_array("Indexes", "0")}
        {_array("Weights", "1")}
        {_array("Transform", "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,200,1")}
        {_array("TransformLink", "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1")}
    }}
    Deformer: 57, "SubDeformer::knee", "Cluster" {{
        Version: 100
        {_array("Indexes", "1,2")}
        {_array("Weights", "1,1")}
        {_array("Transform", "1,0,0,0, 0,1,0,0, 0,0,1,0, 20,0,100,1")}
        {_array("TransformLink", "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,100,1")}
    }}"""
"""A skin for the hat that binds the knee 20 cm from where the strip's skin does."""

_SHAPE = f"""
    Deformer: 53, "Deformer::shapes", "BlendShape" {{
        Version: 100
    }}
    Deformer: 54, "SubDeformer::wide", "BlendShapeChannel" {{
        Version: 100
        DeformPercent: 0
        {_array("FullWeights", "100")}
    }}
    Geometry: 12, "Geometry::wide", "Shape" {{
        Version: 100
        {_array("Indexes", "5")}
        {_array("Vertices", "20,0,30")}
    }}"""

_CLIP = f"""
    AnimationStack: 60, "AnimStack::hip|bend", "" {{
        Properties70:  {{
            P: "LocalStart", "KTime", "Time", "",0
            P: "LocalStop", "KTime", "Time", "",{SECOND}
        }}
    }}
    AnimationLayer: 61, "AnimLayer::layer", "" {{
    }}
    AnimationCurveNode: 62, "AnimCurveNode::R", "" {{
        Properties70:  {{
            P: "d|X", "Number", "", "A",0
            P: "d|Y", "Number", "", "A",0
            P: "d|Z", "Number", "", "A",0
        }}
    }}
    AnimationCurve: 63, "AnimCurve::", "" {{
        Default: 0
        KeyVer: 4008
        {_array("KeyTime", f"0,{SECOND}")}
        {_array("KeyValueFloat", "0,90")}
        {_array("KeyAttrFlags", "4")}
        {_array("KeyAttrDataFloat", "0,0,0,0")}
        {_array("KeyAttrRefCount", "2")}
    }}"""
