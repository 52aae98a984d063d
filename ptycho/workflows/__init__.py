"""Studies that run from the command line."""
