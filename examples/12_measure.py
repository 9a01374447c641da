"""Measures: what a skin did to a character, in numbers."""

import numpy as np

import supple

arm = supple.character("arm", vertices=2500)
bend = supple.motion("bend", arm, angle=np.radians(120.0))
for skin in (supple.LinearBlend(), supple.DualQuaternion()):
    cache = supple.bake(arm, bend, skin, fps=24.0)
    report = supple.measure(arm, cache)
    print(f"{skin.command_name}: volume goes down to {report.volume_ratio.min():.3f} of rest")
    print(report.summary())
