"""Whether a call may run."""
