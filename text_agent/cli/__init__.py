"""Entry points, and who is given to whom."""
