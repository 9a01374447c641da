"""A list of shots: two skins and two motions in one line each, measured, held to a bound, and found again."""

from pathlib import Path

from supple.farm import farm, load_shots

Path("shots.toml").write_text("""
farm = { folder = "show", pictures = 0 }

[[shot]]
name = "sc010"
character = "tube"
vertices = 1000
motion = ["bend", "twist"]
skin = ["linear", { name = "delta-mush", iterations = 10 }]
fps = 24
end = 1.0
bounds = { least-volume = { low = 0.92 } }
""")
shots = load_shots("shots.toml")
outcome = farm(shots, workers=1)
for shot in outcome.shots:
    print(f"{shot.shot.name:<24} {shot.frames} frames, {shot.state}", *shot.crossed)

# The same again finds everything done; a program that stopped in between would go on.
again = farm(shots, workers=1)
assert again.found == outcome.tasks
print(f"{again.found} of {again.tasks} tasks were there already; look at {again.folder}/{again.page}")
