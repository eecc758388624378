"""Reads edits of files in the notations of other programs, as calls of the tools that take edits."""
