"""Mistakes that Python takes without a word, read in the source of a program: names that mean something else than they
seem to when they are used, and values that go nowhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.sources.slips.aliased import aliases
from xladoctor.sources.slips.captured import captured
from xladoctor.sources.slips.early import early
from xladoctor.sources.slips.options import options
from xladoctor.sources.slips.phases import phases
from xladoctor.sources.slips.shared import shared
from xladoctor.sources.slips.slip import Slip
from xladoctor.sources.slips.unused import unused
from xladoctor.sources.slips.whole import whole

__all__ = ["Slip", "slips"]

_CHECKS = (captured, whole, unused, aliases, early, phases, shared)


def slips(trees: Mapping[str, ast.Module], words: Sequence[str]) -> Iterator[tuple[str, Slip]]:
    """(file, slip) of a program that was run with these words of its command line."""
    for file, tree in trees.items():
        for check in _CHECKS:
            for slip in check(tree):
                yield file, slip
    yield from options(trees, words)
