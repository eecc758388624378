"""Many tasks: read, run each in a copy of its own, and kept."""
