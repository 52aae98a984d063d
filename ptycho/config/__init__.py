"""Configuration as dataclasses."""
