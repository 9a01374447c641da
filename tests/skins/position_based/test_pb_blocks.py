"""Crowds of flesh body by body, as a GPU moves them, against all of it at once."""

import numpy as np
import pytest

from supple import device as devices
from supple.skins.position_based.blocks import fit_blocks, packed_corners


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("blocks", [1, 2])
def test_skin_is_carried_body_by_body_as_vertex_by_vertex(device, blocks):
    from supple.geometry.kernels.block import BLOCK
    from supple.skins.position_based import crowd_skin_kernels, step_kernels

    wp, random, copies, particles, vertices = devices.warp(), np.random.default_rng(1), 3, 50, 700
    corners = random.integers(particles, size=(vertices * blocks, 4))
    shares = random.dirichlet(np.ones(4), len(corners)) / blocks
    shares[random.random(shares.shape) < 0.3] = 0.0  # of elements that weigh nothing, and beyond the last element
    shares[random.random(shares.shape) < 0.2] *= -1.0

    def put(values, kind):
        return devices.to_device(np.asarray(values, dtype=np.int32 if kind is wp.vec4i else np.float32), kind, device)

    all_corners = np.concatenate([corners + copy * particles for copy in range(copies)])
    follow, rest = (put(random.uniform(0.0, 1.0, copies * vertices), wp.float32) for _ in range(2))
    carried, moved = (put(random.normal(size=(copies * particles, 3)), wp.vec3f) for _ in range(2))
    incoming = put(random.normal(size=(copies * vertices, 3)), wp.vec3f)
    one, other = (wp.zeros_like(incoming) for _ in range(2))
    attached = [blocks, put(all_corners, wp.vec4i), put(np.tile(shares, (copies, 1)), wp.vec4f), follow, rest, 0.05]
    plain = [*attached, carried, moved, incoming, one]
    devices.Launch(step_kernels.carry_skin, copies * vertices, plain, device)()
    threads = 1 if device == "cpu" else int(BLOCK)
    packed = packed_corners(corners.astype(np.int32), shares.astype(np.float32), vertices, device)
    by_body = [particles, packed, follow, rest, 0.05, carried, moved, incoming, other]
    devices.Launch(crowd_skin_kernels.carry_skin_by_body, threads * copies, by_body, device, block=threads)()
    np.testing.assert_allclose(other.numpy(), one.numpy(), atol=1e-6)
    assert np.abs(one.numpy() - incoming.numpy()).max() > 0.1


def test_few_or_large_bodies_are_moved_all_at_once():
    assert fit_blocks("cuda:0", 200, 1702)
    assert not fit_blocks("cpu", 200, 1702)
    assert not fit_blocks("cuda:0", 3, 1702)
    assert not fit_blocks("cuda:0", 200, 20_000)
