"""Live motion: another program moves the character over the network, and a bad line does not shake it."""

import time

import numpy as np

import supple
from supple.motion.live import LiveMotion, NoisyMotion, NoisyReplay, VmcReceiver, VmcSender

hero = supple.character("hero", vertices=2000)
walk = supple.motion("walk", hero)

# A tracker with 3 cm of noise, on a line that delays, loses, doubles and reorders what it carries.
tracker = NoisyMotion(walk, position=0.03, angle=0.05, rate=30.0, seed=1)
line = NoisyReplay(tracker, rate=30.0, jitter=0.01, loss=0.05, doubled=0.05, late=0.02, lateness=0.1, seed=1)

# Poses that come from your own code go into a LiveMotion, with the time at which they were taken.
live = LiveMotion(hero.skeleton, smoothing=0.15)
for arrival in line.arrivals(2.0):
    live.push(arrival.pose, arrival.sent)
player = supple.player(hero, supple.DualQuaternion())
print(f"shown {live.delay:g} s behind:", player.play(live, 1.5).mean(axis=0).round(2))

# Motion capture and avatar programs speak the VMC protocol. This one listens; the sender stands for such a program.
with VmcReceiver(hero, port=0, delay=0.15, smoothing=0.1) as receiver, VmcSender(hero, port=receiver.port) as sender:
    print("LeftArm follows", receiver.followed["LeftArm"])
    start, heads = time.monotonic(), []
    for arrival in line.arrivals(1.0):
        time.sleep(max(0.0, start + arrival.time - time.monotonic()))
        sender.send(arrival.pose, arrival.sent)
        points = player.play(receiver, receiver.now())
        heads.append(points[points[:, 1].argmax()])
    print(f"the head went {np.linalg.norm(heads[-1] - heads[0]):.2f} m")
    print({name: count for name, count in receiver.counts.items() if count})
