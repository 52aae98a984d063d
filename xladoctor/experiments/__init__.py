"""Running things: the target, and the workers that answer questions about what it did."""
