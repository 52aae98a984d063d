"""Recorders: they run in the target process, write events, and do nothing else."""
