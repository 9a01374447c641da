"""Curves: an arm's bend and twist learnt from slow flesh, played beside it at a fraction of the cost."""

import time

import numpy as np

import supple
from supple.skins.curves import SkinExamples, fit_curves, load_curves, save_curves

arm = supple.character("arm", vertices=1500)
motions = {
    "bend": supple.motion("bend", arm, seconds=1.0),
    "twist": supple.motion("twist", arm, angle=2.0, seconds=1.0),
}
flesh = supple.PositionBased(tetrahedra=1000)

# Bake the slow skin once, and learn from all of its frames. One frame in five is kept out, to test with.
bakes = [supple.bake(arm, motion, flesh, path=f"{name}.supple", fps=30.0) for name, motion in motions.items()]
model = fit_curves(arm, SkinExamples.of(*bakes))
save_curves(model, "arm.curves")
print(model.errors)

# Play it: any pose, in any order.
curves = supple.CurveNetwork(trained=load_curves("arm.curves"))
for name, skin in (("flesh", flesh), ("curves", curves)):
    player = supple.player(arm, skin, fps=30.0)
    player.play(motions["bend"], 0.0)
    began = time.perf_counter()
    for frame in range(1, 31):
        player.play(motions["bend"], frame / 30.0)
    print(f"{name:>6}: {1000.0 * (time.perf_counter() - began) / 30:.2f} ms a frame")

# Both side by side: a film, curves of every measure and a table on one page.
made = supple.compare(arm, motions["twist"], {"flesh": flesh, "curves": curves}, path="curves.html", fps=8.0)
print(f"open {made.path} in a browser")

# The same with mass: the curves swing into what they have learnt, and come to rest in it.
swinging = supple.player(arm, supple.CurveDynamics(trained=model, frequency=3.0), fps=60.0)
still = supple.player(arm, curves)
swinging.advance(motions["bend"].sample(0.0))
bent = motions["bend"].sample(0.5)
gaps = [np.abs(swinging.advance(bent) - still.advance(bent)).max() for _ in range(60)]
print(f"{1000 * gaps[0]:.1f} mm behind at once, {1000 * gaps[-1]:.2f} mm after a second")

# A shape drawn for one pose is learnt the same way: here the elbow swells where it is bent.
swollen = 0.02 * np.exp(-(((arm.points - arm.skeleton.heads[1]) / 0.08) ** 2).sum(axis=1))[:, None] * [0.0, 1.0, 0.0]
drawn = fit_curves(arm, SkinExamples.sculpted(arm, [bent], [swollen]))
print(f"drawn: {', '.join(f'{part.name} {part.curves} x {part.nodes}' for part in drawn.parts)}")
