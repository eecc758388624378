"""One request to one API."""
