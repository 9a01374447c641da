"""Poses over the network: the VMC protocol, which motion capture and avatar programs speak."""
