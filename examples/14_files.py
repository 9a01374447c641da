"""Files: characters and motions in and out, and a bake for another program."""

import supple

# A character with its clips, as any engine or Blender opens it, and back.
hero = supple.character("hero", vertices=3000)
hero = hero.replace(motions={"walk": supple.motion("walk", hero)})
supple.save(hero, "hero.glb")
again = supple.load("hero.glb")
print(again, list(again.motions))

# A motion as BVH, carried over to a skeleton with other proportions and other names.
supple.save(again.motions["walk"], "walk.bvh")
walk = supple.load_motion("walk.bvh", metres_per_unit=0.01)
fingers = supple.character("hero", vertices=4000, fingers=True)
print(walk.retarget(fingers))

# A bake, as points over time that Blender, Houdini or Maya read.
cache = supple.bake(hero, hero.motions["walk"], supple.DeltaMush(), fps=24.0)
cache.save("hero.pc2")
cache.save("hero-baked.glb")
