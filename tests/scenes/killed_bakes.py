"""Bakes a tube again and again in child processes and kills them; run by test_bake.

Arguments: stateless or history, a folder, how many, and a seed if wanted. Prints how many bakes came through after
being killed, how many of those have the bytes of an undisturbed one, and how many kills there were.
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
from soft_skins import Trailing, swinging

from conftest import make_tube
from supple import DualQuaternion
from supple.device import use_threads
from supple.graph.bake import bake

kind, folder, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 7
character = make_tube()
motion = swinging(character)
skin = DualQuaternion() if kind == "stateless" else Trailing(step=1.0 / 90.0)


def bake_to(path, pause):
    with use_threads(1):  # no thread is alive when this process forks
        bake(character, motion, skin, path=path, watch=lambda _: time.sleep(pause))


def killed_at_random(path, rng):
    """Bake in a child and kill it after a while; returns whether it was killed before it ended."""
    child = os.fork()
    if child == 0:
        bake_to(path, 0.0005)
        os._exit(0)
    time.sleep(float(rng.uniform(0.0, 0.25)))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


bake_to(folder / "whole.supple", 0.0)
expected = (folder / "whole.supple").read_bytes()
rng = np.random.default_rng(seed)
resumed = equal = kills = 0
for rotation in range(count):
    path = folder / f"{rotation}.supple"
    killed = False
    while not path.exists():
        died = killed_at_random(path, rng)
        kills += died
        killed |= died
        if not killed:  # it was quicker than the kill: this one does not count
            path.unlink(missing_ok=True)
        if killed and rng.random() < 0.3:
            bake_to(path, 0.0)
    bake_to(path, 0.0)  # is asked for once more: killed just after it was done, it left a checkpoint, which goes now
    resumed += killed
    equal += path.read_bytes() == expected
    path.unlink()
sys.stdout.write(f"{resumed} {equal} {kills}\n")
