"""What any text passes before a person, a model or a file sees it."""
