"""Small functions of several ops, for what no call of one op shows: arrays that grow, loops, checks, states, seeds."""

from benchmarks.atlas.compositions import chance, flow, rows, states
from benchmarks.atlas.compositions.base import COMPOSITIONS, Composition

__all__ = ["COMPOSITIONS", "Composition", "chance", "flow", "rows", "states"]
