"""Settings: the table, their sources, and limits."""
