"""Finds, and takes back, what commands change of files that grant power later."""
