"""Every figure that the README quotes: one module a figure, each measured against a named peer in the same
run.
"""
