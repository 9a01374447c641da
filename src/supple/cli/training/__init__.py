"""Commands that teach a skin from bakes of another one."""
