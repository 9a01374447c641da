"""Other programs that do the same work, timed in the same run when they are installed. None is needed to use Supple."""
