"""Keeps text from outside from becoming a call."""
