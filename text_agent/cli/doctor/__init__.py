"""Whether a model at an endpoint can work here: the only place that sends prompts of its own."""
