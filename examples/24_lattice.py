"""Layers of flesh: what swings and what follows, layer by layer and place by place."""

import numpy as np

import supple
from supple.measure.jitter import vibration
from supple.motion.live import NoisyMotion

hero = supple.character("hero", vertices=2000)
jump = supple.motion("jump", hero)
times = np.arange(0.0, 1.5, 1.0 / 60.0)


def played(skin, source=jump):
    player = supple.player(hero, skin)
    return np.array([player.play(source, time) for time in times])


bones = played(supple.LinearBlend())
few = {"resolution": 32}  # voxels along the body; the default of 64 shows more
skins = {
    "no secondary motion": supple.LayeredLattice(secondary=False, **few),
    "firm": supple.LayeredLattice.preset("firm", **few),
    "default": supple.LayeredLattice(**few),
    "soft": supple.LayeredLattice.preset("soft", **few),
    "fat belly": supple.LayeredLattice(fatness="auto, belly=1", frequency="5, muscle=7, fat=2, skin=4", **few),
}
for name, skin in skins.items():
    own = played(skin) - bones
    moves = {part: 1000.0 * vibration(own[:, hero.parts[part]], fps=60.0).jiggle.mean() for part in ("belly", "head")}
    print(f"{name:>20}: belly swings by {moves['belly']:5.2f} mm, head by {moves['head']:4.2f} mm")

# Bones that shake by five centimetres, as a cheap tracker's do: flesh passes that on, unless it is told to be steady.
noisy = NoisyMotion(jump, position=0.05)
for name, skin in {"noisy": supple.LayeredLattice(**few), "steady": supple.LayeredLattice(steady=3.0, **few)}.items():
    trembling = vibration(played(skin, noisy) - bones, fps=60.0).jitter.mean()
    print(f"{name:>20}: trembles by {1000.0 * trembling:5.2f} mm")
