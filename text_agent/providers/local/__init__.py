"""A model on this machine."""
