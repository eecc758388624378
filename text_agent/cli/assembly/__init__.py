"""Builds the parts of a session."""
