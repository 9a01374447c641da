"""What holds flesh together: L-BFGS on an energy in the default recipe, projected constraints in the published one."""
