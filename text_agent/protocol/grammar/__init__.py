"""Grammars that hold a model to well-formed calls."""
