"""Poses that arrive while they are played: streams, noise on them, and what keeps them steady."""

from supple.motion.live.live_motion import LiveMotion
from supple.motion.live.noise import NoisyMotion
from supple.motion.live.replay import NoisyReplay
from supple.motion.live.steady import SteadyMotion
from supple.motion.live.vmc.receiver import VmcReceiver
from supple.motion.live.vmc.sender import VmcSender

__all__ = ["LiveMotion", "NoisyMotion", "NoisyReplay", "SteadyMotion", "VmcReceiver", "VmcSender"]
