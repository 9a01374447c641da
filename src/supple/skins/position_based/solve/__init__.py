"""What holds flesh together: L-BFGS on an energy, with pressure, and the order in which constraints are walked."""
