"""Keeps commands inside the workspace, with what the operating system offers for it."""
