"""Slips: lines that Python takes without a word, and that do something else than they seem to.

Some are seen in the source alone: names that mean something else when they are used, values that go nowhere. Others
need what the names held in the run (`xladoctor.sources.held`): sizes, types and orders.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.sources.held import View
from xladoctor.sources.slips import (
    across,
    axes,
    by_frequency,
    class_defaults,
    column_met,
    exchanged,
    grids,
    group_rows,
    left_batches,
    orders,
    partner_orders,
    ranks,
    score_inputs,
    scores,
    settings_of_another,
    short_zip,
    split_leaks,
    squares,
    steps_of_rows,
    table_orders,
    targets,
    text_keys,
    text_order,
    training_steps,
    units,
    whole_numbers,
    window_count,
)
from xladoctor.sources.slips.aliased import aliases
from xladoctor.sources.slips.captured import captured
from xladoctor.sources.slips.class_numbers import class_numbers
from xladoctor.sources.slips.copied import copied
from xladoctor.sources.slips.divided_seeds import divided_seeds
from xladoctor.sources.slips.early import early
from xladoctor.sources.slips.hooks import unknown_hooks
from xladoctor.sources.slips.ignored import ignored
from xladoctor.sources.slips.kept import kept
from xladoctor.sources.slips.layouts import layouts
from xladoctor.sources.slips.lookup_rows import lookup_rows
from xladoctor.sources.slips.one_seed import one_seed
from xladoctor.sources.slips.options import options
from xladoctor.sources.slips.overwritten import overwritten
from xladoctor.sources.slips.own_axes import own_axes
from xladoctor.sources.slips.pair_tables import pair_tables
from xladoctor.sources.slips.phases import phases
from xladoctor.sources.slips.reordered import reordered
from xladoctor.sources.slips.repeated_rows import repeated_rows
from xladoctor.sources.slips.resets import never_reset
from xladoctor.sources.slips.same_draw import same_draw
from xladoctor.sources.slips.same_sample import same_sample
from xladoctor.sources.slips.shared import shared
from xladoctor.sources.slips.shuffled_alone import shuffled_alone
from xladoctor.sources.slips.slip import Slip
from xladoctor.sources.slips.straight_through import straight_through
from xladoctor.sources.slips.strides import strides
from xladoctor.sources.slips.sums import collected, padded_means, unscaled
from xladoctor.sources.slips.swallowed import swallowed
from xladoctor.sources.slips.table_borders import table_borders
from xladoctor.sources.slips.trace_time_python import traced
from xladoctor.sources.slips.truth_of_text import truth_of_text
from xladoctor.sources.slips.two_orders import two_orders
from xladoctor.sources.slips.two_ways_of_parts import two_ways_of_parts
from xladoctor.sources.slips.unread import unread
from xladoctor.sources.slips.unused import unused
from xladoctor.sources.slips.weights_unread import weights_unread
from xladoctor.sources.slips.whole import whole
from xladoctor.sources.slips.window_borders import window_borders

__all__ = ["Slip", "slips", "slips_of_names"]

_OF_TREES = (
    captured, whole, unused, unknown_hooks, aliases, early, phases, shared, reordered, same_draw, one_seed, collected,
    padded_means, kept, shuffled_alone, truth_of_text, unscaled, straight_through, traced, pair_tables, strides,
    overwritten, own_axes, table_borders, repeated_rows, lookup_rows, divided_seeds,
)  # fmt: skip
_OF_NAMES = (
    partner_orders,
    axes,
    across,
    by_frequency,
    class_defaults,
    column_met,
    exchanged,
    score_inputs,
    grids,
    group_rows,
    split_leaks,
    squares,
    left_batches,
    orders,
    ranks,
    scores,
    settings_of_another,
    short_zip,
    steps_of_rows,
    training_steps,
    table_orders,
    targets,
    text_keys,
    text_order,
    units,
    whole_numbers,
    window_count,
)


def slips(trees: Mapping[str, ast.Module], words: Sequence[str]) -> Iterator[tuple[str, Slip]]:
    """(file, slip) of a program that was run with these words of its command line."""
    of_passes: set[str] = set()
    for file, tree in trees.items():
        seen: set[tuple[str, int]] = set()
        for check in _OF_TREES:
            for slip in check(tree):
                of_passes |= {file} if slip.kind == "never-reset" else set()
                if (slip.kind, slip.line) not in seen:
                    seen.add((slip.kind, slip.line))
                    yield file, slip
    yield from (found for found in never_reset(trees) if found[0] not in of_passes)
    yield from options(trees, words)
    yield from copied(trees, words)
    yield from ignored(trees)
    yield from layouts(trees)
    yield from swallowed(trees)
    yield from same_sample(trees)
    yield from two_orders(trees)
    yield from two_ways_of_parts(trees)
    yield from class_numbers(trees)
    yield from unread(trees)
    yield from weights_unread(trees)
    yield from window_borders(trees)


def slips_of_names(view: View) -> Iterator[Slip]:
    """Those of a file that what its names held shows, each kind and line once."""
    seen: set[tuple[str, int]] = set()
    for check in _OF_NAMES:
        for slip in check.faults(view):
            if (slip.kind, slip.line) not in seen:
                seen.add((slip.kind, slip.line))
                yield slip
