"""Flesh of tetrahedra: what position based skinning keeps of a walking hero's volume, beside linear blend."""

import numpy as np

import supple

hero = supple.character("hero", vertices=3000)
walk = supple.motion("walk", hero)

points = {}
for skin in (supple.LinearBlend(), supple.PositionBased(tetrahedra=3000)):
    cache = supple.bake(hero, walk, skin, path=f"{skin.command_name}.supple", fps=30.0)
    points[skin.command_name] = cache.points
    change = 100.0 * (supple.measure(hero, cache).volume_ratio - 1.0)
    print(f"{skin.command_name:>15}: volume {change.min():+.2f} to {change.max():+.2f} percent against rest")

# How far the flesh is from where the bones alone would carry it: thighs and belly far, hands hardly.
away = 1000.0 * np.linalg.norm(points["position-based"] - points["linear"], axis=2)
for part in ("belly", "left_thigh", "left_hand"):
    print(f"{part:>15}: {away[:, hero.parts[part]].max():.1f} mm at most")

# Presets are settings that go well together; any of them can still be changed.
for name, settings in supple.PositionBased.presets.items():
    print(f"{name:>15}: {', '.join(f'{key}={value}' for key, value in settings.items())}")
print(supple.PositionBased.preset("soft", regions="belly=0.1").regions)
