"""From evidence to a diagnosis: contracts, numbers, hypotheses, and the engine that orders findings."""
