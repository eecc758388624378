"""Saved conversations: one file of JSON lines each, written as it happens."""
