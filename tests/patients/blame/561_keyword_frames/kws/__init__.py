"""Small footprint keyword spotting."""
