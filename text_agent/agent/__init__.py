"""One turn: the loop, its calls, its context."""
