"""How a change of a file is found, checked and shown."""
