"""The shapes of the animals: a slender four-legged one, a snake and an octopus. Numbers are metres."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.builtin.lenses import EndLens, Lens, RadialLens
from supple.character.builtin.skeletons import ARMS, octopus_arm_axes, octopus_arm_course, snake_sway
from supple.character.skeleton import Skeleton
from supple.geometry.implicit import Blob, Body, Part, ellipsoid, loft

_UP = (0.0, 1.0, 0.0)


def quadruped_body(skeleton: Skeleton) -> Body:
    """A horse-like animal: barrel, withers, neck, muzzle, ears, tail, knees, hocks and hooves."""
    return Body(
        (_barrel(), _neck_and_head(), _front_leg(skeleton), _hind_leg(skeleton), _tail(skeleton)), mirrored=True
    )


def quadruped_lenses() -> tuple[Lens, ...]:
    """The head is drawn larger, and the legs below the knees."""
    return (
        EndLens((0.0, 0.62, -0.1), 1, (0.0, -1.0, 0.0), 1.5, 0.3),
        EndLens((0.0, 1.42, 0.62), 2, (0.0, -0.15, 1.0), 1.5, 0.2),
    )


def _barrel() -> Part:
    # Along z from the rump to the chest; depths are up and down.
    trunk = loft(
        (0.0, 1.0, 0.0),
        (0.0, 1.0, 1.0),
        [
            (-0.545, 0.0, 0.020, 0.130, 0.125, 0.130),
            (-0.42, 0.0, 0.000, 0.172, 0.165, 0.165),
            (-0.25, 0.0, -0.010, 0.172, 0.162, 0.165),
            (-0.08, 0.0, -0.025, 0.186, 0.150, 0.185),
            (0.10, 0.0, -0.030, 0.190, 0.155, 0.200),
            (0.26, 0.0, -0.025, 0.172, 0.190, 0.200),
            (0.40, 0.0, -0.020, 0.140, 0.170, 0.180),
            (0.48, 0.0, -0.015, 0.112, 0.125, 0.150),
        ],
        front=_UP,
        caps=(0.115, 0.075),
        power=2.15,
    )
    return Part(
        (
            Blob(trunk),
            Blob(ellipsoid((0.075, 1.03, -0.47), (0.095, 0.135, 0.150)), 0.06),  # croup
            Blob(ellipsoid((0.0, 1.135, 0.30), (0.035, 0.055, 0.120)), 0.06),  # withers
            Blob(ellipsoid((0.060, 0.93, 0.49), (0.062, 0.085, 0.065)), 0.05),  # breast
        )
    )


def _neck_and_head() -> Part:
    neck = loft(
        (0.0, 1.02, 0.38),
        (0.0, 1.515, 0.70),
        [
            (0.00, 0.0, 0.0, 0.110, 0.150, 0.150),
            (0.25, 0.0, 0.0, 0.098, 0.130, 0.125),
            (0.50, 0.0, 0.0, 0.078, 0.104, 0.100),
            (0.75, 0.0, 0.0, 0.066, 0.086, 0.084),
            (0.97, 0.0, 0.0, 0.060, 0.074, 0.072),
        ],
        caps=(0.10, 0.06),
    )
    # From the poll to the muzzle; depths are towards the forehead and towards the jaw.
    head = loft(
        (0.0, 1.555, 0.70),
        (0.0, 1.335, 1.07),
        [
            (0.02, 0.0, -0.010, 0.058, 0.052, 0.070),
            (0.20, 0.0, -0.014, 0.070, 0.060, 0.098),
            (0.38, 0.0, -0.010, 0.064, 0.060, 0.092),
            (0.58, 0.0, -0.006, 0.050, 0.056, 0.074),
            (0.76, 0.0, -0.003, 0.045, 0.051, 0.058),
            (0.88, 0.0, -0.004, 0.047, 0.051, 0.054),
        ],
        front=(0.0, 0.86, 0.51),
        caps=(0.050, 0.060),
        power=2.2,
    )
    ear = loft(
        (0.046, 1.578, 0.703),
        (0.082, 1.715, 0.690),
        [(0.0, 0.023, 0.019), (0.35, 0.026, 0.020), (0.66, 0.020, 0.016)],
        front=(0.45, 0.0, 0.9),
        caps=(0.02, 0.045),
    )
    hollow = loft(
        (0.070, 1.620, 0.727), (0.088, 1.685, 0.714), [(0.0, 0.010, 0.010), (1.0, 0.007)], front=(0.45, 0.0, 0.9)
    )
    crest = loft((0.0, 1.22, 0.43), (0.0, 1.58, 0.65), [(0, 0.028, 0.05), (0.5, 0.026, 0.04), (1, 0.026)])
    lips = [(0, 0.006, 0.030), (1, 0.006, 0.030)]
    mouth = loft((-0.1, 1.335, 1.065), (0.1, 1.335, 1.065), lips, front=(0.0, -0.51, 0.86))
    return Part(
        (
            Blob(neck),
            Blob(crest, 0.05),
            Blob(head, 0.045),
            Blob(ellipsoid((0.050, 1.462, 0.765), (0.026, 0.058, 0.060)), 0.035),  # cheek
            Blob(ellipsoid((0.050, 1.520, 0.812), (0.020, 0.020, 0.026)), 0.028),  # brow over the eye
            Blob(ellipsoid((0.062, 1.505, 0.822), (0.010, 0.014, 0.016)), 0.006),  # eye
            Blob(ellipsoid((0.042, 1.390, 1.075), (0.009, 0.013, 0.017)), 0.010, carve=True),  # nostril
            Blob(mouth, 0.012, carve=True),
            Blob(ear, 0.014),
            Blob(hollow, 0.010, carve=True),
        ),
        blend=0.11,
        joint=(0.0, 1.08, 0.42),
        reach=0.42,
    )


def _front_leg(skeleton: Skeleton) -> Part:
    # Straight down; the middle of each section says where the leg is at that height.
    limb = loft(
        (0.0, 1.2, 0.0),
        (0.0, 0.2, 0.0),
        [
            (0.18, 0.105, 0.385, 0.058, 0.110, 0.110),
            (0.32, 0.122, 0.420, 0.058, 0.100, 0.105),
            (0.44, 0.132, 0.395, 0.052, 0.078, 0.088),
            (0.54, 0.132, 0.370, 0.046, 0.058, 0.064),
            (0.66, 0.130, 0.376, 0.036, 0.043, 0.045),
            (0.75, 0.130, 0.383, 0.031, 0.034, 0.035),
            (0.81, 0.130, 0.388, 0.0345, 0.036, 0.036),
            (0.86, 0.130, 0.384, 0.0300, 0.031, 0.034),
            (0.94, 0.130, 0.378, 0.0235, 0.024, 0.027),
            (1.02, 0.130, 0.376, 0.0235, 0.024, 0.027),
            (1.065, 0.130, 0.377, 0.0290, 0.029, 0.034),
            (1.11, 0.130, 0.392, 0.0255, 0.025, 0.027),
            (1.145, 0.130, 0.406, 0.0300, 0.032, 0.032),
        ],
        caps=(0.10, 0.02),
    )
    return Part(
        (Blob(limb), _hoof(skeleton, "LeftFrontFoot"), Blob(ellipsoid((0.095, 1.02, 0.38), (0.06, 0.14, 0.10)), 0.05)),
        blend=0.07,
        joint=(0.11, 0.98, 0.38),
        reach=0.30,
    )


def _hind_leg(skeleton: Skeleton) -> Part:
    limb = loft(
        (0.0, 1.2, 0.0),
        (0.0, 0.2, 0.0),
        [
            (0.22, 0.105, -0.440, 0.070, 0.120, 0.125),
            (0.34, 0.122, -0.415, 0.074, 0.118, 0.140),
            (0.44, 0.132, -0.395, 0.064, 0.092, 0.128),
            (0.52, 0.135, -0.410, 0.052, 0.072, 0.092),
            (0.60, 0.133, -0.475, 0.041, 0.058, 0.060),
            (0.68, 0.131, -0.560, 0.034, 0.047, 0.044),
            (0.72, 0.130, -0.592, 0.0335, 0.043, 0.040),
            (0.78, 0.130, -0.599, 0.0310, 0.035, 0.034),
            (0.86, 0.130, -0.594, 0.0255, 0.027, 0.029),
            (0.98, 0.130, -0.586, 0.0250, 0.025, 0.028),
            (1.04, 0.130, -0.584, 0.0305, 0.030, 0.035),
            (1.095, 0.130, -0.568, 0.0265, 0.026, 0.028),
            (1.14, 0.130, -0.552, 0.0310, 0.033, 0.033),
        ],
        caps=(0.10, 0.02),
    )
    hock = ellipsoid((0.1295, 0.498, -0.613), (0.020, 0.032, 0.020))
    return Part(
        (Blob(limb), _hoof(skeleton, "LeftHindFoot"), Blob(hock, 0.03)),
        blend=0.08,
        joint=(0.11, 0.98, -0.45),
        reach=0.32,
    )


def _hoof(skeleton: Skeleton, joint: str) -> Blob:
    assert skeleton.tails is not None  # built-in skeletons have them
    x, _, z = skeleton.tails[skeleton.index(joint)]
    shape = loft(
        (x, 0.072, z - 0.012),
        (x, 0.000, z + 0.004),
        [(0.0, 0.0310, 0.032, 0.030), (0.6, 0.0370, 0.042, 0.036), (0.82, 0.0395, 0.046, 0.038)],
        caps=(0.015, 0.012),
        power=2.3,
    )
    return Blob(shape, 0.014)


def _tail(skeleton: Skeleton) -> Part:
    limb = loft(
        (0.0, 1.15, 0.0),
        (0.0, 0.15, 0.0),
        [
            (0.08, 0.0, -0.625, 0.030, 0.030, 0.028),
            (0.14, 0.0, -0.700, 0.032, 0.034, 0.034),
            (0.26, 0.0, -0.750, 0.038, 0.034, 0.036),
            (0.40, 0.0, -0.768, 0.038, 0.034, 0.034),
            (0.50, 0.0, -0.772, 0.033, 0.029, 0.029),
        ],
        caps=(0.03, 0.07),
    )
    return Part((Blob(limb),), blend=0.045, joint=(0.0, 1.07, -0.62), reach=0.16)


def snake_body(skeleton: Skeleton, *, mouth: bool = True) -> Body:
    """A long round body that lies in an S, a narrow neck, a flat wedge of a head, a tail that runs out to a point."""
    z = np.array([-1.09, -0.86, -0.66, -0.40, -0.10, 0.20, 0.45, 0.62, 0.72, 0.80, 0.865, 0.91, 0.95])
    width = np.array([0.009, 0.021, 0.031, 0.041, 0.047, 0.047, 0.042, 0.036, 0.031, 0.030, 0.042, 0.045, 0.037])
    up = np.array([0.009, 0.021, 0.030, 0.039, 0.044, 0.044, 0.040, 0.035, 0.030, 0.027, 0.029, 0.030, 0.025])
    down = np.array([0.009, 0.020, 0.028, 0.036, 0.040, 0.040, 0.038, 0.034, 0.030, 0.027, 0.025, 0.024, 0.020])
    dense = np.linspace(z[0], z[-1], 41)
    heads = skeleton.heads
    height = np.interp(dense, heads[:, 2], heads[:, 1])
    rows = np.stack(
        [dense, snake_sway(dense), height, *(np.interp(dense, z, values) for values in (width, up, down))], axis=1
    )
    body = loft((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), rows.tolist(), front=_UP, caps=(0.02, 0.048))
    x = float(snake_sway(np.array([0.92]))[0])
    blobs = [Blob(body)]
    for side in (-1.0, 1.0):
        blobs.append(Blob(ellipsoid((x + side * 0.027, 0.070, 0.915), (0.013, 0.010, 0.024)), 0.014))  # brow
        blobs.append(Blob(ellipsoid((x + side * 0.034, 0.064, 0.925), (0.007, 0.008, 0.008)), 0.003))  # eye
    if mouth:
        blobs.append(Blob(ellipsoid((x, 0.047, 0.985), (0.055, 0.0035, 0.045)), 0.008, carve=True))
    return Body((Part(tuple(blobs)),))


def snake_axis(skeleton: Skeleton) -> FloatArray:
    """The line (K, 3) around which the loops of a snake run, from the tail to the snout."""
    z = np.linspace(-1.08, 0.94, 200)
    return np.stack([snake_sway(z), np.interp(z, skeleton.heads[:, 2], skeleton.heads[:, 1]), z], axis=1)


def snake_lenses() -> tuple[Lens, ...]:
    """The head is drawn larger."""
    return (EndLens((0.0, 0.05, 0.74), 2, (0.0, 0.0, 1.0), 1.8, 0.12),)


def octopus_body(skeleton: Skeleton) -> Body:
    """A bulbous mantle that leans back, two raised eyes, and eight tapering arms laid out around."""
    mantle = loft(
        (0.0, 0.09, 0.012),
        (0.0, 0.56, -0.115),
        [(0.00, 0.096, 0.096), (0.16, 0.088, 0.088), (0.31, 0.080, 0.080), (0.50, 0.110, 0.106), (0.70, 0.122, 0.114)],
        caps=(0.05, 0.165),
    )
    eye = skeleton.heads[skeleton.index("LeftEye")]
    middle = Part(
        (
            Blob(mantle),
            Blob(ellipsoid(eye + np.array([-0.008, 0.004, 0.004]), (0.046, 0.046, 0.048)), 0.045),  # mound of the eye
            Blob(ellipsoid(eye + np.array([0.020, 0.010, 0.018]), (0.023, 0.024, 0.024)), 0.006),  # eye
            Blob(loft((0.0, 0.185, 0.060), (0.0, 0.150, 0.128), [(0, 0.024), (1, 0.015)]), 0.03),  # siphon
            Blob(ellipsoid((0.0, 0.143, 0.146), (0.008, 0.008, 0.010)), 0.006, carve=True),
        )
    )
    return Body((middle, *(_octopus_arm(arm) for arm in range(ARMS // 2))), mirrored=True, crease=0.003)


def octopus_lenses() -> tuple[Lens, ...]:
    """The arms are drawn larger the farther they reach."""
    return (RadialLens(0.03, 0.12, 2.2, 0.5),)


def _octopus_arm(arm: int) -> Part:
    along, _ = octopus_arm_axes(arm)
    reach = np.linspace(0.06, 0.75, 25)
    sway, height = octopus_arm_course(reach, arm)
    radius = np.interp(reach, [0.06, 0.12, 0.25, 0.45, 0.62, 0.75], [0.046, 0.041, 0.031, 0.0215, 0.0145, 0.009])
    # The side of a level loft whose front is up is up x along, which is `across`.
    rows = np.stack([reach, sway, height, radius, radius, radius], axis=1)
    shape = loft((0.0, 0.0, 0.0), along, rows.tolist(), front=_UP, caps=(0.03, 0.022))
    root = 0.10 * along
    return Part((Blob(shape),), blend=0.05, joint=(float(root[0]), 0.08, float(root[2])), reach=0.13)
