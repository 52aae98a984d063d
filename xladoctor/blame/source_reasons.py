"""All that the sources speak against: one module of this package for each kind of mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from xladoctor.blame import (
    axis_orders,
    conventions,
    documented,
    dtypes,
    earlier,
    habits,
    handing,
    library_orders,
    limits,
    message_words,
    op_makers,
    out_of_step,
    past_the_end,
    remainders,
    retraced,
    settings_used,
    siblings,
    stale_caches,
    tables,
    unsized,
)
from xladoctor.blame.arrivals import Arrival
from xladoctor.blame.bindings import Index, Line
from xladoctor.blame.canvas import of_canvas
from xladoctor.blame.crash import Crash
from xladoctor.blame.elements import of_counts
from xladoctor.blame.extents import of_extents
from xladoctor.blame.flat_targets import of_flat_targets
from xladoctor.blame.follow import Follower
from xladoctor.blame.fractions import of_fractions
from xladoctor.blame.indices import OF_VALUES, of_columns, of_marks
from xladoctor.blame.leading_axes import of_leading_axes
from xladoctor.blame.left_behind import of_left_behind
from xladoctor.blame.objects_made import of_objects
from xladoctor.blame.odd_index import of_odd_indices
from xladoctor.blame.one_more import of_one_more
from xladoctor.blame.open_lengths import of_open_lengths
from xladoctor.blame.other_source import of_other_sources
from xladoctor.blame.parallel_names import of_parallel_names
from xladoctor.blame.spelled_keys import of_spelled_keys
from xladoctor.blame.stages import of_stages
from xladoctor.blame.stored_bytes import of_stored_bytes
from xladoctor.blame.sums import of_sums
from xladoctor.blame.suspicion import Candidate
from xladoctor.blame.turned_parts import of_turned_parts
from xladoctor.blame.values import Clash
from xladoctor.sources.files import Files

_UNEVEN = re.compile(r"Graph execution error|unexpected shape|same shape|inhomogeneous")
"""What is said of sizes that met as the program ran."""


def by_sources(
    hops: Mapping[Line, int],
    crash: Crash,
    files: Files,
    known: Index,
    run: Follower,
    clash: Clash | None,
    arrival: Arrival | None,
) -> Iterator[Candidate]:
    """The lines that the sources speak against, where the failure is of the kind of a mistake."""
    yield from conventions.of_signatures(crash, hops, files)
    inputs = frozenset(a.sizes[1:] for a in run.arrays if a.kind == "symbolic" and not a.inputs)
    yield from habits.of_habits(hops, crash, files, inputs)
    yield from limits.of_limits(hops, crash, files, habits.is_one_past(crash))
    yield from handing.of_calls(crash, files)
    yield from handing.of_exchanged(crash, files)
    yield from handing.of_misplaced(hops, files)
    yield from of_flat_targets(crash, hops, files)
    yield from dtypes.of_types(hops, crash, files)
    yield from retraced.of_first_shapes(crash, files)
    yield from unsized.of_unsized(hops, crash, files)
    yield from op_makers.of_makers(hops, crash, files)
    yield from tables.of_tables(hops, crash, files)
    yield from of_one_more(hops, crash, files)
    yield from settings_used.of_settings(hops, crash, files, next(iter(known.files), ""))
    yield from settings_used.of_defaults(hops, crash, files, clash)
    yield from out_of_step.of_members(crash, files, known)
    yield from of_marks(hops, crash, files)
    yield from of_columns(hops, crash, files)
    yield from axis_orders.of_orders(hops, crash, run, files)
    yield from library_orders.of_libraries(hops, crash, files)
    yield from message_words.of_words(hops, crash, files)
    yield from stale_caches.of_kept(hops, crash, files)
    yield from of_counts(hops, crash, files)
    yield from remainders.of_levels(hops, crash, files)
    yield from documented.of_documents(hops, crash, run, files)
    yield from siblings.of_siblings(hops, crash, run, files)
    yield from of_other_sources(hops, crash, run, files)
    yield from _of_places_and_parts(hops, crash, files, known, arrival)
    if crash.slug == "rank-mismatch" or (clash is not None and clash.relation == "rank"):
        yield from conventions.of_squeezes(hops, files)
    if clash is None:
        yield from of_open_lengths(hops, files) if _UNEVEN.search(crash.message) and crash.slug not in OF_VALUES else ()
        return
    yield from of_leading_axes(clash, crash, files)
    yield from earlier.of_later(clash, hops, files, known, crash)
    yield from earlier.of_validation(clash, run)
    yield from remainders.of_remainders(clash, run)
    yield from handing.of_other_calls(clash, run)
    yield from settings_used.of_one_name(clash, run, hops, files)
    yield from settings_used.of_stated(clash, run)
    yield from tables.of_lost_rows(clash, run)


def _of_places_and_parts(
    hops: Mapping[Line, int], crash: Crash, files: Files, known: Index, arrival: Arrival | None
) -> Iterator[Candidate]:
    """What is against lines that make places, parts, and names for them."""
    yield from of_left_behind(hops, crash, files)
    yield from past_the_end.of_windows(arrival, crash)
    yield from of_turned_parts(hops, crash, files)
    yield from of_sums(hops, crash, files)
    yield from of_stages(hops, crash, files)
    yield from of_odd_indices(hops, crash, files)
    yield from of_parallel_names(hops, crash, files)
    yield from of_spelled_keys(crash, files, known.files)
    yield from of_stored_bytes(crash, files, known.files)
    yield from of_fractions(crash, files, known.files)
    yield from of_objects(crash, files, known.files)
    yield from of_canvas(crash, files, known.files)
    yield from of_extents(crash, files, known.files)
