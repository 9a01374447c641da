"""The shape of the person: a big-bellied hero, and the arm and leg cut from the same proportions.

Numbers are metres. Only the left half is described; the right mirrors it. Heights are measured from the floor, so a loft
along (0, 0, 0) to (0, 1, 0) takes its stations as heights.
"""

from __future__ import annotations

import numpy as np

from supple.arrays import Floats
from supple.character.builtin.lenses import EndLens, Lens
from supple.character.skeleton import Skeleton
from supple.geometry.implicit import Blob, Body, Part, ellipsoid, loft

_FLOOR, _UP = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def hero_body(skeleton: Skeleton, *, fingers: bool = False) -> Body:
    """The whole person around the hero skeleton."""
    return Body((_torso(), _leg(skeleton), _arm(skeleton, fingers=fingers)), mirrored=True)


def hero_lenses(*, fingers: bool = False) -> tuple[Lens, ...]:
    """The face and the hands are drawn larger, the feet a little."""
    return (
        EndLens((0.0, 1.50, 0.0), 1, (0.0, 1.0, 0.02), 1.9, 0.16),
        EndLens((0.36, 1.25, -0.02), 0, (1.0, -1.0, 0.05), 3.0 if fingers else 1.7, 0.24, mirrored=True),
        EndLens((0.0, 0.20, 0.0), 1, (0.0, -1.0, 0.0), 1.4, 0.15),
    )


def arm_body(skeleton: Skeleton, *, thumb: bool = True) -> Body:
    """The left arm on its own, closed by a round cap at the shoulder."""
    return Body((_arm(skeleton, thumb=thumb),))


def leg_body(skeleton: Skeleton) -> Body:
    """The left leg on its own, closed by a round cap at the hip."""
    return Body((_leg(skeleton),))


def _torso() -> Part:
    trunk = loft(
        _FLOOR,
        _UP,
        [
            (0.890, 0.0, 0.0, 0.128, 0.070, 0.080),
            (0.930, 0.0, 0.0, 0.158, 0.090, 0.098),
            (0.980, 0.0, 0.0, 0.170, 0.104, 0.104),
            (1.030, 0.0, 0.0, 0.166, 0.116, 0.092),
            (1.090, 0.0, 0.0, 0.156, 0.122, 0.080),
            (1.150, 0.0, 0.0, 0.150, 0.117, 0.080),
            (1.220, 0.0, -0.005, 0.152, 0.110, 0.088),
            (1.300, 0.0, -0.010, 0.162, 0.114, 0.096),
            (1.370, 0.0, -0.012, 0.166, 0.108, 0.098),
            (1.425, 0.0, -0.014, 0.145, 0.084, 0.088),
            (1.465, 0.0, -0.018, 0.100, 0.060, 0.068),
            (1.490, 0.0, -0.020, 0.062, 0.050, 0.054),
        ],
        caps=(0.035, 0.02),
        power=2.25,
    )
    return Part(
        (
            Blob(trunk),
            Blob(ellipsoid((0.0, 1.075, 0.055), (0.128, 0.105, 0.092)), 0.06),  # belly
            Blob(ellipsoid((0.118, 1.03, -0.015), (0.056, 0.055, 0.075)), 0.05),  # love handle
            Blob(ellipsoid((0.074, 0.925, -0.066), (0.080, 0.080, 0.074)), 0.030),  # buttock
            Blob(ellipsoid((0.078, 1.345, 0.052), (0.080, 0.056, 0.052), turn=_tilt(0.0, 0.0, -0.15)), 0.035),  # chest
            Blob(ellipsoid((0.125, 1.31, -0.045), (0.046, 0.095, 0.050)), 0.04),  # flank
            Blob(ellipsoid((0.080, 1.365, -0.078), (0.060, 0.070, 0.032)), 0.04),  # shoulder blade
            Blob(loft((0.0, 1.06, -0.108), (0.0, 1.36, -0.132), [(0, 0.008), (1, 0.008)]), 0.04, carve=True),  # spine
            Blob(ellipsoid((0.0, 1.055, 0.158), (0.006, 0.008, 0.012)), 0.012, carve=True),  # navel
            Blob(loft((0.0, 1.43, -0.035), (0.0, 1.625, 0.005), [(0, 0.066, 0.062), (0.5, 0.056, 0.056), (1, 0.055)]), 0.03),
            Blob(loft((0.03, 1.525, -0.035), (0.160, 1.450, -0.025), [(0, 0.034), (0.5, 0.033), (1, 0.034)]), 0.05),
            Blob(loft((0.016, 1.438, 0.058), (0.150, 1.462, 0.010), [(0, 0.011), (1, 0.012)]), 0.03),  # collarbone
            *_head(),
        )
    )  # fmt: skip


def _head() -> tuple[Blob, ...]:
    skull = loft(
        _FLOOR,
        _UP,
        [
            (1.578, 0.0, 0.052, 0.030, 0.038, 0.034),
            (1.600, 0.0, 0.034, 0.046, 0.060, 0.055),
            (1.630, 0.0, 0.018, 0.058, 0.077, 0.075),
            (1.665, 0.0, 0.008, 0.067, 0.087, 0.090),
            (1.700, 0.0, 0.004, 0.073, 0.092, 0.099),
            (1.735, 0.0, 0.000, 0.074, 0.091, 0.098),
            (1.762, 0.0, -0.002, 0.064, 0.077, 0.084),
            (1.780, 0.0, -0.004, 0.044, 0.052, 0.060),
        ],
        caps=(0.014, 0.012),
        power=2.15,
    )
    return (
        Blob(skull, 0.016),
        Blob(ellipsoid((0.046, 1.657, 0.058), (0.022, 0.018, 0.030)), 0.020),  # cheekbone
        Blob(ellipsoid((0.040, 1.612, 0.030), (0.020, 0.026, 0.042), turn=_tilt(0.35, 0.0, 0.0)), 0.020),  # jaw
        Blob(ellipsoid((0.0, 1.583, 0.083), (0.019, 0.015, 0.016)), 0.018),  # chin
        Blob(ellipsoid((0.0, 1.618, 0.078), (0.028, 0.024, 0.024)), 0.016),  # mouth barrel
        Blob(loft((0.010, 1.704, 0.088), (0.046, 1.702, 0.072), [(0, 0.011), (1, 0.009)]), 0.016),  # brow
        Blob(ellipsoid((0.031, 1.681, 0.103), (0.019, 0.012, 0.016)), 0.012, carve=True),  # eye socket
        Blob(ellipsoid((0.0305, 1.681, 0.0805), (0.0150, 0.0130, 0.0140)), 0.004),  # eye
        Blob(loft((0.0, 1.698, 0.092), (0.0, 1.652, 0.114), [(0, 0.0075), (0.6, 0.0095), (1, 0.0125)]), 0.010),  # nose
        Blob(ellipsoid((0.011, 1.648, 0.102), (0.0085, 0.0080, 0.0110)), 0.006),  # nostril wing
        Blob(ellipsoid((0.0, 1.6235, 0.0975), (0.021, 0.0058, 0.0085)), 0.006),  # upper lip
        Blob(ellipsoid((0.0, 1.6105, 0.0965), (0.018, 0.0068, 0.0085)), 0.006),  # lower lip
        Blob(ellipsoid((0.0, 1.6175, 0.1075), (0.024, 0.0018, 0.0080)), 0.005, carve=True),  # between the lips
        Blob(ellipsoid((0.0775, 1.668, -0.006), (0.008, 0.031, 0.018), turn=_tilt(-0.2, 0.35, 0.12)), 0.008),  # ear
        Blob(ellipsoid((0.0870, 1.671, 0.002), (0.006, 0.017, 0.009), turn=_tilt(-0.2, 0.35, 0.12)), 0.006, carve=True),
    )


def _arm(skeleton: Skeleton, *, fingers: bool = False, thumb: bool = True) -> Part:
    shoulder, elbow, wrist = (skeleton.heads[skeleton.index(f"Left{name}")] for name in ("Arm", "ForeArm", "Hand"))
    # Half-widths here are up and down across the arm, depths forward and back.
    limb = loft(
        shoulder,
        wrist,
        [
            (0.00, 0.052, 0.052),
            (0.10, 0.053, 0.052),
            (0.22, 0.049, 0.050),
            (0.33, 0.046, 0.047),
            (0.45, 0.0395, 0.041),
            (0.525, 0.0375, 0.039),
            (0.60, 0.041, 0.042),
            (0.68, 0.0405, 0.041),
            (0.80, 0.033, 0.035),
            (0.92, 0.0240, 0.029),
            (1.00, 0.0205, 0.028),
        ],
        caps=(0.045, 0.02),
    )
    along = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    blobs = [
        Blob(limb),
        Blob(ellipsoid(shoulder + (0.012, 0.000, 0.0), (0.054, 0.064, 0.058), turn=_tilt(0.0, 0.0, 0.5)), 0.03),
        Blob(ellipsoid(shoulder + 0.16 * along + (0.0, 0.0, 0.016), (0.034, 0.070, 0.034), turn=_tilt(0.0, 0.0, 0.785)), 0.03),
        Blob(ellipsoid(elbow + (0.004, 0.004, -0.026), (0.014, 0.020, 0.014), turn=_tilt(0.0, 0.0, 0.785)), 0.02),
        *_hand(skeleton, fingers=fingers, thumb=thumb),
    ]  # fmt: skip
    return Part(tuple(blobs), blend=0.05, joint=(0.15, 1.43, -0.02), reach=0.17)


def _hand(skeleton: Skeleton, *, fingers: bool, thumb: bool) -> list[Blob]:
    wrist = skeleton.heads[skeleton.index("LeftHand")]
    knuckles = skeleton.heads[skeleton.index("LeftHandMiddle1")]
    along = (knuckles - wrist) / np.linalg.norm(knuckles - wrist)
    if fingers:
        palm = loft(
            wrist,
            knuckles,
            [(-0.05, 0.019, 0.026), (0.3, 0.0185, 0.034, 0.036), (0.75, 0.017, 0.039, 0.050), (0.95, 0.0135, 0.037, 0.050)],
            caps=(0.02, 0.010),
            power=2.4,
        )  # fmt: skip
        return [Blob(palm, 0.02), *_finger_blobs(skeleton)]
    mitten = loft(
        wrist,
        wrist + 0.172 * along,
        [
            (-0.04, 0.0195, 0.027),
            (0.22, 0.0200, 0.036),
            (0.50, 0.0185, 0.043),
            (0.70, 0.0155, 0.041),
            (0.88, 0.0125, 0.035),
            (0.97, 0.0100, 0.026),
        ],
        caps=(0.02, 0.012),
        power=2.2,
    )
    if not thumb:
        return [Blob(mitten, 0.02)]
    root = wrist + 0.030 * along + np.array([-0.006, -0.006, 0.026])
    tip = wrist + 0.092 * along + np.array([-0.008, -0.008, 0.082])
    return [Blob(mitten, 0.02), Blob(loft(root, tip, [(0, 0.0165), (0.45, 0.0135), (0.7, 0.0135), (1, 0.0095)]), 0.016)]


def _finger_blobs(skeleton: Skeleton) -> list[Blob]:
    blobs = []
    widths = {"Thumb": 0.0115, "Index": 0.0092, "Middle": 0.0096, "Ring": 0.0090, "Pinky": 0.0080}
    assert skeleton.tails is not None  # built-in skeletons have them
    for finger, r in widths.items():
        first = skeleton.heads[skeleton.index(f"LeftHand{finger}1")]
        tip = skeleton.tails[skeleton.index(f"LeftHand{finger}3")]
        base = 1.35 if finger == "Thumb" else 1.06
        profile = [(-0.05, base * r), (0.3, r), (0.46, 1.05 * r), (0.62, 0.93 * r), (0.75, 0.97 * r), (0.94, 0.75 * r)]
        blobs.append(Blob(loft(first, tip, profile, caps=(r, 0.75 * r)), 0.012 if finger == "Thumb" else 0.006))
    return blobs


def _leg(skeleton: Skeleton) -> Part:
    hip, ankle = (skeleton.heads[skeleton.index(name)] for name in ("LeftUpLeg", "LeftFoot"))
    limb = loft(
        hip,
        ankle,
        [
            (-0.02, 0.0, 0.0, 0.080, 0.080, 0.082),
            (0.06, 0.0, 0.0, 0.086, 0.088, 0.090),
            (0.16, 0.0, 0.0, 0.0845, 0.090, 0.086),
            (0.30, 0.0, 0.004, 0.0740, 0.082, 0.073),
            (0.42, 0.0, 0.008, 0.0590, 0.066, 0.059),
            (0.495, 0.0, 0.012, 0.0510, 0.056, 0.052),
            (0.56, 0.0, 0.008, 0.0495, 0.049, 0.058),
            (0.66, 0.002, 0.004, 0.0520, 0.045, 0.069),
            (0.74, 0.002, 0.002, 0.0475, 0.042, 0.063),
            (0.86, 0.0, 0.002, 0.0345, 0.036, 0.042),
            (0.94, 0.0, 0.002, 0.0300, 0.034, 0.037),
            (1.00, 0.0, 0.002, 0.0310, 0.037, 0.038),
        ],
        caps=(0.06, 0.03),
    )
    heel, toes = ankle + (0.000, -0.046, -0.036), ankle + (0.026, -0.070, 0.190)
    # Across the foot: half-widths to the sides, depths up and down.
    foot = loft(
        heel,
        toes,
        [
            (0.04, 0.0, 0.0, 0.0300, 0.042, 0.040),
            (0.20, 0.0, 0.0, 0.0345, 0.046, 0.0385),
            (0.42, 0.0, 0.0, 0.0370, 0.044, 0.0330),
            (0.62, 0.0, 0.0, 0.0440, 0.033, 0.0280),
            (0.80, 0.0, 0.0, 0.0480, 0.023, 0.0240),
            (0.93, 0.0, 0.0, 0.0420, 0.018, 0.0205),
        ],
        front=(0.0, 1.0, 0.0),
        caps=(0.034, 0.026),
        power=2.5,
    )
    return Part(
        (
            Blob(limb),
            Blob(ellipsoid(hip + (0.03, -0.42, 0.052), (0.028, 0.034, 0.018)), 0.025),  # kneecap
            Blob(foot, 0.035),
            Blob(ellipsoid(ankle + (0.030, 0.004, -0.004), (0.010, 0.014, 0.012)), 0.016),  # outer ankle
            Blob(ellipsoid(ankle + (-0.028, 0.010, 0.002), (0.010, 0.014, 0.012)), 0.016),  # inner ankle
        ),
        blend=0.045,
        joint=(0.10, 0.95, 0.0),
        reach=0.20,
    )


def _tilt(x: float, y: float, z: float) -> Floats:
    """Rows are the world's axes turned by x, then y, then z [rad] about themselves."""
    from supple.geometry.rotations import matrix_from_quaternion, multiply, quaternion_about

    axes = np.eye(3)
    turn = multiply(quaternion_about(axes[2], z), multiply(quaternion_about(axes[1], y), quaternion_about(axes[0], x)))
    return matrix_from_quaternion(turn).T
