"""Early risk scores for intensive care stays."""
