"""`supple info FILE`: what a character is."""

from __future__ import annotations

import argparse
import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

from supple.character.character import Character
from supple.character.materials import Texture
from supple.character.skeleton import Skeleton
from supple.character.units import likely_units
from supple.cli.console import Console
from supple.cli.options.characters import add_character_argument
from supple.document.sources import character_from
from supple.errors import InputError
from supple.geometry.topology import census, signed_volume
from supple.io.losses import losses_by_format
from supple.motion.builtin import MOTIONS, recipe
from supple.motion.builtin.recipe import Recipe
from supple.motion.motion import Motion


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`FILE`, `--vertices` and `--picture`."""
    add_character_argument(parser)
    parser.add_argument(
        "--picture", metavar="FILE", help="paint how thick, firm and soft it is, and its shells (.png, .jpg or .webp)"
    )


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Describe the character to people, and return the same as data."""
    found = character_from(arguments.file, vertices=arguments.vertices, repair=arguments.repair, units=arguments.units)
    data = described(found)
    if arguments.picture is not None:
        from supple.render.anatomy_sheet import anatomy_sheet

        anatomy_sheet(found, path=arguments.picture)
        data["anatomy"] = _anatomy(found)
    for line in _lines(data):
        console.say(line)
    if data["likely_units"] is not None:
        console.say(_advice(data, arguments.file))
    return data


def described(character: Character) -> dict[str, Any]:
    """All that can be said about a character without moving it, as plain data."""
    surface = census(character.triangles)
    skeleton, weights = character.skeleton, character.weights
    clips: dict[str, Recipe | Motion] = {**dict(_built_in_motions(character)), **character.motions}
    return {
        "name": character.name,
        "vertices": len(character.points),
        "triangles": len(character.triangles),
        "quads": 0 if character.polygons is None else int((character.polygons[:, 3] >= 0).sum()),
        "size_m": [float(side) for side in character.size],
        "likely_units": likely_units(character),
        "closed": surface.is_closed,
        "manifold": surface.is_manifold,
        "shells": surface.shells,
        "border_edges": surface.border_edges,
        "volume_m3": signed_volume(character.points, character.triangles) if surface.is_closed else None,
        "joints": [
            {"name": name, "parent": skeleton.names[parent] if parent >= 0 else None}
            for name, parent in zip(skeleton.names, skeleton.parents.tolist(), strict=True)
        ],
        "influences": None if weights is None else weights.influences,
        "parts": {name: len(vertices) for name, vertices in character.parts.items()},
        "maps": {
            name: {"low": float(values.min()), "high": float(values.max())} for name, values in character.maps.items()
        },
        "shapes": list(character.shapes),
        "materials": [
            {
                "name": material.name,
                "textures": {slot: picture.name for slot, picture in material.textures.items()},
                "extensions": sorted(material.gltf.get("extensions", {})),
            }
            for material in character.materials
        ],
        "textures": [
            {"name": picture.name, "kind": picture.mime_type, "bytes": len(picture.data)}
            for picture in _pictures(character)
        ],
        "at_corners": _at_corners(character),
        "units": "m",
        "losses": losses_by_format(character),
        "motions": [
            {
                "name": name,
                "seconds": clip.duration,
                "frames": clip.frames,
                "fps": clip.fps,
                "loops": clip.loop,
                "built_in": name not in character.motions,
            }
            for name, clip in clips.items()
        ],
        "joint_tree": joint_tree(skeleton),
        "joint_limits": _joint_limits(character),
    }


def _joint_limits(character: Character) -> dict[str, dict[str, Any]]:
    """How far each joint turns, by anatomy, in degrees."""
    return {
        name: {
            "part": limit.part,
            "kind": limit.kind,
            "known_by": limit.source,
            "axis": [round(float(value), 3) for value in limit.axis],
            "swing": round(math.degrees(limit.swing), 1),
            "low": round(math.degrees(limit.low), 1),
            "high": round(math.degrees(limit.high), 1),
        }
        for name, limit in character.joint_limits.items()
    }


def _pictures(character: Character) -> list[Texture]:
    """The pictures of its materials, each once."""
    every = (picture for material in character.materials for picture in material.textures.values())
    return list(dict.fromkeys(every))


def _at_corners(character: Character) -> list[str]:
    """What stands at the corners of the mesh beside places."""
    display = character.display
    if display is None:
        return []
    return [*(["TEXCOORD_0"] if display.uvs is not None else []), *display.attributes]


def _anatomy(character: Character) -> dict[str, Any]:
    """What the skin is made of, in a few numbers; fractions are of all vertices."""
    anatomy = character.anatomy
    shells = anatomy.shells
    return {
        "trunk_m": float(anatomy.trunk.max()),
        "thinnest_m": float(anatomy.thickness.min()),
        "leaf": float((anatomy.leaf > 0.5).mean()),
        "rigid": float((anatomy.rigid > 0.5).mean()),
        "soft": float((anatomy.softness > 0.1).mean()),
        "hard_shells": int(shells.hard.sum()),
        "lying_shells": int(shells.lying.sum()),
    }


def _built_in_motions(character: Character) -> Iterator[tuple[str, Recipe]]:
    """The built-in motions that can be made for this skeleton, none of them made; a snake does not kick."""
    for name in MOTIONS:
        with contextlib.suppress(InputError):
            yield name, recipe(name, character)


def joint_tree(skeleton: Skeleton) -> list[str]:
    """The joints as lines of text, children below and to the right of their parents."""
    lines: list[str] = []
    waiting = [(root, "", "") for root in reversed(skeleton.levels[0].tolist())]
    while waiting:  # not by recursion: a tube may have thousands of bones
        joint, first, below = waiting.pop()
        lines.append(first + skeleton.names[joint])
        branches = [("├ ", "│ ")] * len(skeleton.children(joint))
        branches[-1:] = [("└ ", "  ")] * len(branches[-1:])
        children = zip(skeleton.children(joint).tolist(), branches, strict=True)
        waiting += reversed([(child, below + fork, below + line) for child, (fork, line) in children])
    return lines


def _lines(data: dict[str, Any]) -> list[str]:
    wide, high, deep = data["size_m"]
    quads = f" ({data['quads']} quads)" if data["quads"] else ""
    rows = [
        ("mesh", f"{data['vertices']} vertices, {data['triangles']} triangles{quads}"),
        ("size", f"{wide:.3g} m wide, {high:.3g} m high, {deep:.3g} m deep"),
        ("surface", _surface(data)),
        ("weights", "none" if data["influences"] is None else f"up to {data['influences']} joints per vertex"),
        ("parts", ", ".join(f"{name} ({count})" for name, count in data["parts"].items()) or "none"),
        ("maps", ", ".join(f"{name} {m['low']:.3g} to {m['high']:.3g}" for name, m in data["maps"].items()) or "none"),
        ("shapes", _few(data["shapes"])),
        ("looks", _few([_look(material) for material in data["materials"]])),
        ("pictures", _few([f"{p['name']} ({p['bytes'] / 1000:.3g} kB)" for p in data["textures"]])),
        ("corners", _few(data["at_corners"])),
        (
            "units",
            "metres" if data["likely_units"] is None else f"metres, though it seems to be in {data['likely_units']}",
        ),
        ("motions", ", ".join(f"{clip['name']} ({clip['seconds']:.3g} s)" for clip in data["motions"]) or "none"),
        ("joints", str(len(data["joints"]))),
        ("limits", _limited(data["joint_limits"])),
        *([("anatomy", _made_of(data["anatomy"]))] if "anatomy" in data else []),
    ]
    lost = [f"  to {suffix:<6} {'; '.join(lines) or 'nothing is lost'}" for suffix, lines in _saves(data["losses"])]
    return [
        data["name"],
        *(f"  {what:<8} {text}" for what, text in rows),
        "  A save would lose",
        *lost,
        *("    " + j for j in data["joint_tree"]),
    ]


def _limited(limits: dict[str, dict[str, Any]]) -> str:
    """Which joints fold and which swing, in a line."""
    parts: dict[str, list[str]] = {}
    for limit in limits.values():
        if limit["part"] not in ("tip", "skull"):
            far = (
                f"{limit['low']:.0f} to {limit['high']:.0f}°" if limit["kind"] == "hinge" else f"{limit['swing']:.0f}°"
            )
            parts.setdefault(limit["part"] or "other", []).append(far)
    return ", ".join(f"{part} {max(far, key=far.count)}" for part, far in parts.items()) or "none"


def _saves(losses: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Losses by suffix, one suffix for those that lose the same."""
    told: dict[tuple[str, ...], str] = {}
    for suffix, lines in losses.items():
        told.setdefault(tuple(lines), suffix)
    return [(suffix, list(lines)) for lines, suffix in told.items()]


def _look(material: dict[str, Any]) -> str:
    said = [*material["textures"], *material["extensions"]]
    return f"{material['name']} ({', '.join(said)})" if said else str(material["name"])


def _few(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "none"


def _made_of(anatomy: dict[str, Any]) -> str:
    return (
        f"trunk {anatomy['trunk_m']:.3g} m thick, {anatomy['leaf']:.0%} leaves, {anatomy['rigid']:.0%} rigid, "
        f"{anatomy['soft']:.0%} soft; {anatomy['lying_shells']} shells lie on others, {anatomy['hard_shells']} are hard"
    )


def _advice(data: dict[str, Any], file: str) -> str:
    """What to do about a giant."""
    units, largest = data["likely_units"], max(data["size_m"])
    return (
        f"It would be {largest:.3g} m large, so it seems to be modelled in {units}; masses, gravity and swinging would "
        f"be wrong. Read it as: supple info {file} --units {units} (and so in other commands)."
    )


def _surface(data: dict[str, Any]) -> str:
    shells = "one shell" if data["shells"] == 1 else f"{data['shells']} shells"
    if data["closed"]:
        return f"closed, manifold, {shells}, {data['volume_m3'] * 1000:.4g} litres"
    borders = f"{data['border_edges']} open edges" if data["border_edges"] else "no open edges"
    return f"not closed ({borders}), {'manifold' if data['manifold'] else 'not manifold'}, {shells}"
