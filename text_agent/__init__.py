"""A coding agent for the terminal that needs no native function calling."""

__version__ = "0.1.0"
