"""Reads replies: which calls a model meant, and what is only prose or quotation."""
