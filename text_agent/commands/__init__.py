"""Running commands: the shell, its environment, its processes, and what they print."""
