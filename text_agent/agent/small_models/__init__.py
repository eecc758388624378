"""Help for small models."""
