"""Small edits of a Python source that may make its shapes fit, made from the source and the failure; nothing is run."""
