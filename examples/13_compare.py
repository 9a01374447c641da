"""Compare: several skins side by side in one film, measured, on one page that needs no network."""

import supple

arm = supple.character("arm", vertices=2000)
twist = supple.motion("twist", arm, seconds=1.0)
made = supple.compare(arm, twist, ["linear", supple.RotationCenters(width=0.2)], path="arm.html", fps=8.0)
for label, report in made.reports.items():
    print(f"{label:>17}: least volume {report.volume_ratio.min():.3f} of rest")
print(f"open {made.path} in a browser")
