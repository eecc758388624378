"""How much of the conversation a model sees."""
