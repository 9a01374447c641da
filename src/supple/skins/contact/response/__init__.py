"""What contacts and joint limits do: impulses, with friction."""
