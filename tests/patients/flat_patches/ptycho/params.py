"""Settings that are attributes, not keys."""

from types import SimpleNamespace

cfg = SimpleNamespace(N=8, gridsize=2)
