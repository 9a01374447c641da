"""The shape of the person: a big-bellied hero, and the arm and leg cut from the same proportions.

Numbers are metres. Only the left half is described; the right mirrors it. Heights are measured from the floor, so a
loft along (0, 0, 0) to (0, 1, 0) takes its stations as heights.
"""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
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
    return Body((_leg(skeleton, alone=True),))


def arm_axis(skeleton: Skeleton) -> FloatArray:
    """The line (K, 3) around which the loops of an arm run, from the shoulder into the fingers."""
    shoulder, wrist = (skeleton.heads[skeleton.index(f"Left{name}")] for name in ("Arm", "Hand"))
    along = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    fingers = (skeleton.heads[skeleton.index("LeftHandMiddle1")] - wrist) * 1.5
    return _smooth(np.array([shoulder + 0.005 * along, 0.5 * (shoulder + wrist), wrist, wrist + fingers]))


def leg_axis(skeleton: Skeleton) -> FloatArray:
    """The line (K, 3) around which the loops of a leg run, from the hip through the ankle into the toes."""
    hip, ankle = (skeleton.heads[skeleton.index(name)] for name in ("LeftUpLeg", "LeftFoot"))
    bend = ankle + np.array([[0.0, 0.05, 0.004], [0.002, -0.022, 0.022]])
    toes = ankle + np.array([[0.012, -0.052, 0.085], [0.018, -0.062, 0.132]])
    return _smooth(np.array([hip + np.array([-0.004, 0.04, 0.0]), 0.5 * (hip + ankle), *bend, *toes]))


def _smooth(corners: FloatArray) -> FloatArray:
    """A polyline with its corners rounded off by halving it and pulling each point between its neighbours."""
    line = corners
    for _ in range(5):
        middles = 0.5 * (line[:-1] + line[1:])
        finer = np.empty((2 * len(line) - 1, 3))
        finer[::2], finer[1::2] = line, middles
        finer[1:-1] = 0.25 * finer[:-2] + 0.5 * finer[1:-1] + 0.25 * finer[2:]
        line = finer
    return line


def _torso() -> Part:
    trunk = loft(
        _FLOOR,
        _UP,
        [
            (0.885, 0.0, 0.0, 0.152, 0.082, 0.088),
            (0.930, 0.0, 0.0, 0.169, 0.093, 0.098),
            (0.980, 0.0, 0.0, 0.174, 0.106, 0.100),
            (1.040, 0.0, 0.0, 0.166, 0.120, 0.090),
            (1.110, 0.0, 0.0, 0.155, 0.124, 0.082),
            (1.170, 0.0, -0.002, 0.151, 0.118, 0.082),
            (1.240, 0.0, -0.006, 0.156, 0.114, 0.089),
            (1.310, 0.0, -0.010, 0.165, 0.115, 0.096),
            (1.370, 0.0, -0.012, 0.166, 0.106, 0.097),
            (1.420, 0.0, -0.014, 0.145, 0.084, 0.087),
            (1.460, 0.0, -0.018, 0.103, 0.062, 0.070),
            (1.490, 0.0, -0.020, 0.070, 0.052, 0.056),
        ],
        caps=(0.055, 0.02),
        power=2.25,
    )
    neck = loft((0.0, 1.43, -0.035), (0.0, 1.625, 0.002), [(0, 0.070, 0.064), (0.5, 0.0555, 0.0575), (1, 0.053, 0.056)])
    return Part(
        (
            Blob(trunk),
            Blob(ellipsoid((0.0, 1.085, 0.052), (0.130, 0.110, 0.094)), 0.07),  # belly
            Blob(ellipsoid((0.096, 1.025, -0.020), (0.062, 0.080, 0.080)), 0.09),  # love handle
            Blob(ellipsoid((0.076, 0.930, -0.055), (0.082, 0.084, 0.074)), 0.040),  # buttock
            Blob(
                ellipsoid((0.078, 1.348, 0.042), (0.078, 0.060, 0.056), rotation=_tilt(0.0, 0.0, -0.15)), 0.040
            ),  # chest
            Blob(ellipsoid((0.112, 1.325, -0.045), (0.050, 0.100, 0.050)), 0.06),  # flank
            Blob(ellipsoid((0.078, 1.365, -0.074), (0.060, 0.074, 0.034)), 0.05),  # shoulder blade
            Blob(loft((0.0, 1.06, -0.108), (0.0, 1.36, -0.132), [(0, 0.008), (1, 0.008)]), 0.04, carve=True),  # spine
            Blob(ellipsoid((0.0, 1.060, 0.160), (0.005, 0.007, 0.014)), 0.014, carve=True),  # navel
            Blob(neck, 0.03),
            Blob(loft((0.03, 1.525, -0.035), (0.160, 1.450, -0.025), [(0, 0.034), (0.5, 0.033), (1, 0.034)]), 0.05),
            Blob(loft((0.020, 1.440, 0.048), (0.150, 1.462, 0.006), [(0, 0.012), (1, 0.012)]), 0.035),  # collarbone
            Blob(loft((0.050, 1.625, -0.020), (0.016, 1.455, 0.030), [(0, 0.013), (1, 0.012)]), 0.025),  # neck muscle
            *_head(),
        )
    )


def _head() -> tuple[Blob, ...]:
    face = loft(
        _FLOOR,
        _UP,
        [
            (1.592, 0.0, 0.034, 0.036, 0.056, 0.040),
            (1.615, 0.0, 0.024, 0.050, 0.069, 0.055),
            (1.645, 0.0, 0.014, 0.060, 0.081, 0.060),
            (1.680, 0.0, 0.006, 0.066, 0.088, 0.060),
            (1.705, 0.0, 0.002, 0.068, 0.092, 0.060),
        ],
        caps=(0.022, 0.050),
        power=2.2,
    )
    return (
        Blob(ellipsoid((0.0, 1.703, -0.008), (0.0765, 0.0885, 0.0990)), 0.020),  # skull
        Blob(face, 0.030),
        Blob(ellipsoid((0.042, 1.661, 0.060), (0.022, 0.017, 0.026)), 0.026),  # cheekbone
        Blob(loft((0.052, 1.632, 0.000), (0.018, 1.589, 0.064), [(0, 0.013), (1, 0.013)]), 0.030),  # jaw
        Blob(ellipsoid((0.034, 1.632, 0.044), (0.024, 0.030, 0.036)), 0.030),  # cheek
        Blob(ellipsoid((0.0, 1.584, 0.082), (0.019, 0.014, 0.014)), 0.018),  # chin
        Blob(ellipsoid((0.0, 1.618, 0.074), (0.030, 0.024, 0.024)), 0.018),  # mouth barrel
        Blob(loft((0.008, 1.703, 0.086), (0.046, 1.703, 0.069), [(0, 0.010), (1, 0.009)]), 0.018),  # brow
        Blob(ellipsoid((0.031, 1.682, 0.101), (0.020, 0.0125, 0.017)), 0.014, carve=True),  # eye socket
        Blob(ellipsoid((0.0305, 1.6815, 0.0795), (0.0155, 0.0120, 0.0130)), 0.006),  # eye
        Blob(loft((0.0, 1.700, 0.089), (0.0, 1.653, 0.112), [(0, 0.0075), (0.6, 0.0090), (1, 0.0115)]), 0.012),  # nose
        Blob(ellipsoid((0.010, 1.648, 0.101), (0.0080, 0.0070, 0.0105)), 0.007),  # nostril wing
        Blob(ellipsoid((0.0, 1.6245, 0.0945), (0.022, 0.0055, 0.0080)), 0.007),  # upper lip
        Blob(ellipsoid((0.0, 1.6105, 0.0930), (0.018, 0.0065, 0.0085)), 0.007),  # lower lip
        Blob(ellipsoid((0.0, 1.6178, 0.1055), (0.024, 0.0016, 0.0085)), 0.004, carve=True),  # between the lips
        Blob(
            ellipsoid((0.0745, 1.668, -0.008), (0.0085, 0.030, 0.0185), rotation=_tilt(-0.2, -0.35, -0.08)), 0.010
        ),  # ear
        Blob(
            ellipsoid((0.0850, 1.670, 0.004), (0.007, 0.016, 0.009), rotation=_tilt(-0.2, -0.35, -0.08)),
            0.008,
            carve=True,
        ),
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
    down_the_arm = _tilt(0.0, 0.0, 0.785)
    biceps = shoulder + 0.16 * along + np.array([0.0, 0.0, 0.016])
    tip = elbow + np.array([0.002, 0.002, -0.018])
    cap = shoulder + np.array([0.012, 0.0, 0.0])
    blobs = [
        Blob(limb),
        Blob(ellipsoid(cap, (0.054, 0.064, 0.058), rotation=_tilt(0.0, 0.0, 0.5)), 0.03),  # deltoid
        Blob(ellipsoid(biceps, (0.034, 0.070, 0.034), rotation=down_the_arm), 0.03),
        Blob(ellipsoid(tip, (0.018, 0.024, 0.018), rotation=down_the_arm), 0.03),
        *_hand(skeleton, fingers=fingers, thumb=thumb),
    ]
    return Part(tuple(blobs), blend=0.05, joint=(0.15, 1.43, -0.02), reach=0.17)


def _hand(skeleton: Skeleton, *, fingers: bool, thumb: bool) -> list[Blob]:
    wrist = skeleton.heads[skeleton.index("LeftHand")]
    knuckles = skeleton.heads[skeleton.index("LeftHandMiddle1")]
    along = (knuckles - wrist) / np.linalg.norm(knuckles - wrist)
    if fingers:
        palm = loft(
            wrist,
            knuckles,
            [
                (-0.05, 0.0190, 0.026),
                (0.30, 0.0185, 0.034, 0.036),
                (0.72, 0.0170, 0.039, 0.052),
                (0.90, 0.0140, 0.037, 0.053),
            ],
            caps=(0.02, 0.016),
            power=2.4,
        )
        return [Blob(palm, 0.02), *_finger_blobs(skeleton)]
    mitten = loft(
        wrist,
        wrist + 0.172 * along,
        [
            (-0.04, 0.0200, 0.028),
            (0.20, 0.0205, 0.036),
            (0.48, 0.0185, 0.0435),
            (0.62, 0.0165, 0.0425),
            (0.76, 0.0145, 0.0400),
        ],
        caps=(0.02, 0.044),
        power=2.2,
    )
    if not thumb:
        return [Blob(mitten, 0.02)]
    root = wrist + 0.030 * along + np.array([-0.006, -0.006, 0.026])
    tip = wrist + 0.092 * along + np.array([-0.008, -0.008, 0.082])
    return [
        Blob(mitten, 0.02),
        Blob(loft(root, tip, [(0, 0.0165), (0.4, 0.0140), (0.8, 0.0125)], caps=(0.016, 0.022)), 0.018),
    ]


def _finger_blobs(skeleton: Skeleton) -> list[Blob]:
    blobs = []
    widths = {"Thumb": 0.0118, "Index": 0.0098, "Middle": 0.0102, "Ring": 0.0097, "Pinky": 0.0086}
    assert skeleton.tails is not None  # built-in skeletons have them
    for finger, r in widths.items():
        first = skeleton.heads[skeleton.index(f"LeftHand{finger}1")]
        tip = skeleton.tails[skeleton.index(f"LeftHand{finger}3")]
        base = 1.35 if finger == "Thumb" else 1.06
        profile = [(-0.15, base * r), (0.3, r), (0.46, 1.05 * r), (0.62, 0.93 * r), (0.78, 0.95 * r)]
        blobs.append(Blob(loft(first, tip, profile, caps=(r, 2.0 * r)), 0.016 if finger == "Thumb" else 0.010))
    return blobs


def _leg(skeleton: Skeleton, *, alone: bool = False) -> Part:
    hip, ankle = (skeleton.heads[skeleton.index(name)] for name in ("LeftUpLeg", "LeftFoot"))
    limb = loft(
        hip,
        ankle,
        [
            (-0.08, -0.003, 0.0, 0.080, 0.082, 0.084) if alone else (-0.08, -0.006, 0.0, 0.060, 0.066, 0.068),
            (0.04, -0.002, 0.0, 0.0835, 0.086, 0.088),
            (0.15, 0.0, 0.0, 0.0840, 0.090, 0.087),
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
        caps=(0.05, 0.03),
    )
    heel, toes = ankle + np.array([0.000, -0.046, -0.036]), ankle + np.array([0.026, -0.070, 0.190])
    # Across the foot: half-widths to the sides, depths up and down.
    foot = loft(
        heel,
        toes,
        [
            (0.04, 0.0, 0.0, 0.0295, 0.034, 0.040),
            (0.20, 0.0, 0.0, 0.0335, 0.040, 0.0385),
            (0.42, 0.0, 0.0, 0.0365, 0.043, 0.0330),
            (0.62, 0.0, 0.0, 0.0440, 0.033, 0.0280),
            (0.80, 0.0, 0.0, 0.0475, 0.023, 0.0240),
        ],
        front=(0.0, 1.0, 0.0),
        caps=(0.036, 0.056),
        power=2.5,
    )
    return Part(
        (
            Blob(limb),
            Blob(ellipsoid(hip + np.array([0.028, -0.415, 0.040]), (0.030, 0.040, 0.016)), 0.045),  # kneecap
            Blob(foot, 0.070),
            Blob(ellipsoid(ankle + np.array([0.026, 0.004, -0.002]), (0.011, 0.016, 0.014)), 0.022),  # outer ankle
            Blob(ellipsoid(ankle + np.array([-0.025, 0.010, 0.002]), (0.011, 0.016, 0.014)), 0.022),  # inner ankle
        ),
        blend=0.06,
        joint=(0.11, 0.93, 0.0),
        reach=0.26,
    )


def _tilt(x: float, y: float, z: float) -> FloatArray:
    """Rows are the world's axes turned by x, then y, then z [rad] about themselves."""
    from supple.geometry.quaternions import matrix_from_quat, quat_from_axis_angle, quat_multiply

    axes = np.eye(3)
    rotation = quat_multiply(
        quat_from_axis_angle(axes[2], z),
        quat_multiply(quat_from_axis_angle(axes[1], y), quat_from_axis_angle(axes[0], x)),
    )
    return matrix_from_quat(rotation).T
