"""A doctor for TensorFlow/XLA runs."""

__version__ = "0.1.0"
