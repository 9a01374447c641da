"""Weights: which joints move a vertex, and how much each of them counts."""

import numpy as np

import supple

# Any number of influences; rows sum to one, the largest comes first.
weights = supple.Weights(joints=[[0, 1], [1, 0]], values=[[0.7, 0.3], [1.0, 0.0]])
print(weights.dense(joint_count=2))

# Broken weights are refused, or repaired when asked, and the repair says what it did.
_, changes = supple.Weights.repaired([[0, 9]], [[0.5, 0.8]], joint_count=2)
print(changes)

# A character that brings no weights gets some: by the way through the flesh, so that neighbours do not bleed together.
arm = supple.character("arm", vertices=2500).replace(weights=None)
arm = arm.replace(weights=supple.automatic_weights(arm, resolution=48))
strongest = np.bincount(arm.weights.joints[:, 0], minlength=len(arm.skeleton))
print(dict(zip(arm.skeleton.names, strongest.tolist(), strict=True)))
