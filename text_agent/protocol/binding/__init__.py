"""Binds the arguments of a call to the parameters of a tool."""
