"""Characters and data that several tests use."""

import os

# Tests run as many at a time as there are cores. Threads of BLAS that wait for a core wait by spinning, and take it
# from the others: with two of them for each of two workers, tests full of small matrices took twice the time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from supple import Character, Skeleton, Weights
from supple.device import warp
from supple.geometry.topology import triangulate

os.environ["SUPPLE_CACHE_LIMIT"] = "0"  # no test may find what another run has kept
settings.register_profile("supple", deadline=None, derandomize=True)  # a busy machine fails no test, nor does luck
settings.load_profile("supple")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked `cuda` are skipped where there is no such device; `make gpu` runs them and nothing else."""
    if item.get_closest_marker("cuda") and not warp().is_cuda_available():
        pytest.skip("no CUDA device")


@pytest.fixture
def data_file():
    """A file of the real data that may lie beside the checkout; tests that want it are skipped without it."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"{name} is not here")
        return path

    return find


def make_tube(rings: int = 33, sectors: int = 16, bones: int = 2, closed: bool = True) -> Character:
    """A tube along y of length 2 and radius 0.25, with smooth weights at its joints; small, and made in no time."""
    height = np.linspace(0.0, 2.0, rings)
    angle = np.arange(sectors) * 2.0 * np.pi / sectors
    side = np.stack([0.25 * np.cos(angle), np.zeros(sectors), -0.25 * np.sin(angle)], axis=1)
    points = (side[None] + height[:, None, None] * np.array([0.0, 1.0, 0.0])).reshape(-1, 3)
    ring, sector = (index.ravel() for index in np.meshgrid(np.arange(rings - 1), np.arange(sectors), indexing="ij"))
    across = (sector + 1) % sectors
    quads = np.stack(
        [
            ring * sectors + sector,
            ring * sectors + across,
            (ring + 1) * sectors + across,
            (ring + 1) * sectors + sector,
        ],
        axis=1,
    )
    triangles = triangulate(quads)
    if closed:
        low, high = len(points), len(points) + 1
        points = np.concatenate([points, [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]]])
        first, last = np.arange(sectors), (rings - 1) * sectors + np.arange(sectors)
        caps = [[low, (s + 1) % sectors, s] for s in first] + [
            [high, last[s], last[(s + 1) % sectors]] for s in range(sectors)
        ]
        triangles = np.concatenate([triangles, np.array(caps)])
    heads = np.zeros((bones, 3))
    heads[:, 1] = np.arange(bones) * 2.0 / bones
    tails = heads + np.array([0.0, 2.0 / bones, 0.0])
    skeleton = Skeleton.from_heads([f"bone{b}" for b in range(bones)], np.arange(bones) - 1, heads, tails=tails)
    middle = heads[:, 1] + 1.0 / bones
    falloff = np.exp(-(((points[:, 1:2] - middle) * bones / 1.2) ** 2) * 4.0)
    weights = Weights.from_dense(falloff / falloff.sum(axis=1, keepdims=True), influences=4)
    return Character(points, triangles, skeleton, weights, name="tube")


@pytest.fixture(scope="session")
def tube() -> Character:
    return make_tube()


@pytest.fixture(scope="session")
def bent_tube() -> Character:
    """Six bones, so that vertices have four influences."""
    return make_tube(bones=6)
