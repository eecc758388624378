"""The forms in which models write calls, a module each."""
