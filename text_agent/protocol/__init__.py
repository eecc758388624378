"""The text protocol: what a model's reply says, and how results go back."""
