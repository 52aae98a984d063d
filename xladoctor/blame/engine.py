"""A failure in, blame out: which constraint is broken, where its sizes come from, and which lines to suspect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from xladoctor.blame import (
    axis_orders,
    batches,
    candidates,
    conventions,
    operands,
    ranking,
    slices,
    suspicion,
    trials,
    words,
)
from xladoctor.blame.apart import SEEN, apart
from xladoctor.blame.arrivals import Arrival
from xladoctor.blame.batches import Batching
from xladoctor.blame.bindings import Line, index
from xladoctor.blame.call_arguments import FAILS, HINT
from xladoctor.blame.crash import Crash, Seen, crash_of
from xladoctor.blame.elements import YIELDED
from xladoctor.blame.features import MAKES, Features, factors, features
from xladoctor.blame.follow import Follower
from xladoctor.blame.indices import LABEL, OF_VALUES, of_indices
from xladoctor.blame.source_reasons import by_sources
from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.trials import Tried
from xladoctor.blame.values import Array, Clash, Dim, Origin, Value, leaves
from xladoctor.edits.facts import facts_of
from xladoctor.model.blame import Blame, Edit, Provenance, Step, Suspect
from xladoctor.model.diagnosis import Finding, Location
from xladoctor.sources.files import Files
from xladoctor.sources.order import runs_before, statement_end

_MOST = 5
_STEPS = 6
_UNREACHED = 3
"""So many steps away is a line that something speaks against, and that no name leads to."""


@dataclass(frozen=True)
class Evidence:
    """What is known of a failure's lines: reasons to suspect some, edits that were tried, and the features of all."""

    crash: Crash
    clash: Clash | None
    reasons: list[Candidate]
    tried: list[Tried]
    lines: dict[Line, Features]
    last: Batching | None = None
    factors: tuple[int, ...] = ()
    """The numbers that a product has in it and that do not divide the elements to be reshaped."""

    @property
    def ranks(self) -> bool:
        """Whether numbers of axes are what does not fit."""
        if self.clash is not None:
            return self.clash.relation == "rank"
        return self.crash.slug == "rank-mismatch" or len({len(shape) for shape in self.crash.shapes}) > 1


def evidence(
    finding: Finding, failure: Mapping[str, Any] | None, files: Files, main: str, seen: Seen | None = None
) -> Evidence | None:
    """All that the sources and the recording tell; None where no call of the user's is known.

    `failure` is the recorded event, `main` the file that the program started with, `seen` what else was recorded.
    """
    crash = crash_of(finding, failure, seen)
    if not crash.frames:
        return None
    known = index(files, main, crash.seen.argv)
    hops = slices.hops(known, crash)
    run = Follower(files, crash, known.settings)
    run.run(main)
    if not run.arrivals:
        run.enter_frames()
    clash = chosen(run, crash)
    if clash is None and (given := operands.given(nearest(run), crash)):
        run = Follower(files, crash, known.settings, given=given)
        run.run(main)
        clash = chosen(run, crash)
    clash = clash or apart(run, crash, nearest(run))
    last = batches.partial(list(batches.batchings(run.made, run.fits)), crash)
    last = None if last is not None and clash is not None and batches.is_another(clash, last, crash) else last
    found = _reasons(run, clash, crash, last)
    found = suspicion.ranked([*by_sources(hops, crash, files, known, run, clash, nearest(run)), *found])
    for one in found:
        if one.strong:
            hops.setdefault((one.file, one.line), _UNREACHED)
    facts = facts_of(finding, failure)  # type: ignore[arg-type]
    shown = clash is not None and clash.hint != SEEN
    wrong = factors(run, crash)
    tried: list[Tried] = []
    if clash is not None and shown:
        before = ranking.ordered(features(hops, run, clash, found, (), crash, files, wrong))
        tried = trials.tried(run, clash, found, crash, files, main, hops, facts, [at for at, _ in before])
    if last is not None or _meets_rows(clash) or any(one.strong and one.edit == "batch-size" for one in found):
        # The rows that are left over, or that somebody feeds, or that another axis meets, are no number to write.
        tried = [one for one in tried if one.edit != "constant"]
    if _of_one_rank(clash):
        # A further axis behind makes pairs of all with all of what was to meet one by one.
        tried = [one for one in tried if one.edit != "expand"]
    outdone = {(one.file, one.line): one.edit for one in tried if one.outdone}
    # Which multiple the side of an image should be is not tried: other numbers leave it open.
    found = [
        replace(c, strong=False) if (c.file, c.line) in outdone
        and (c.edit, outdone[c.file, c.line]) != ("input-shape", "constant") else c
        for c in found
    ]  # fmt: skip
    lines = features(hops, run, clash, found, tried, crash, files, wrong)
    reached = {at: f for at, f in lines.items() if not _not_reached(at, crash, files)}
    return Evidence(crash, clash, found, tried, reached, last, tuple(wrong.values()))


def _of_one_rank(clash: Clash | None) -> bool:
    """Whether two arrays with as many axes meet one by one, and at one of them neither has 1."""
    values = [v for v in clash.values[:2] if isinstance(v, Array)] if clash is not None else []
    return clash is not None and clash.relation == "broadcast" and len(values) == 2 and not clash.hint and all(
        v.dims is not None for v in values
    ) and len(values[0].sizes) == len(values[1].sizes)  # fmt: skip


def _meets_rows(clash: Clash | None) -> bool:
    """Whether the rows of a batch meet another axis, in values with different numbers of axes."""
    values = [v for v in clash.values if isinstance(v, Array)] if clash is not None else []
    apart = len({len(v.dims) for v in values if v.dims is not None}) > 1
    return clash is not None and apart and len({bool(side.batch) for side in clash.sides}) == 2


def _not_reached(line: Line, crash: Crash, files: Files) -> bool:
    """Whether a line stands after one of the failing calls: nothing that it does can be the cause."""
    source = files.source(line[0])
    calls = [frame.line for frame in crash.frames if frame.file == line[0] and frame.line < line[1]]
    if source is None or not calls:
        return False
    tree = source.tree
    return any(line[1] > statement_end(tree, call) and runs_before(tree, call, line[1]) for call in calls)


def blame(
    finding: Finding, failure: Mapping[str, Any] | None, files: Files, main: str, seen: Seen | None = None
) -> Blame | None:
    """What is to blame for a failure of shapes; None where nothing more is known than the line that raised."""
    known = evidence(finding, failure, files, main, seen)
    if known is None or not known.lines:
        return None
    return _told(finding, known, files)


def _reasons(run: Follower, clash: Clash | None, crash: Crash, last: Batching | None) -> list[Candidate]:
    """The lines that something speaks against."""
    known = suspicion.facts(run.arrays, run.reads)
    found = candidates.of_clash(clash, known) if clash is not None else by_numbers(run, crash)
    if clash is None and "batch" in crash.message and crash.slug in ("concat-pack-mismatch", "broadcast-mismatch"):
        found = [*(list(batches.windows(run.made)) or batches.uneven(run.made)), *found]
    if clash is None and _by_rows(crash):
        found = [*conventions.of_folds(run.arrays), *found]
    if crash.slug == "index-out-of-range" and LABEL in crash.message:
        given = _operands(run.arrivals[-1]) if run.arrivals else ()
        found = [*conventions.of_labels_range(run.made, given, crash.sizes), *found]
    elif crash.slug == "index-out-of-range":
        code = run.files.code(crash.at.file, crash.at.line) if crash.at is not None else ""
        gathers = "gather" in code
        tables = conventions.of_gathered(run.arrays) if gathers else ()
        found = [*conventions.of_embeddings(run.made, crash.sizes, gathers), *tables, *found]
    if crash.slug == "loop-shape-mismatch":
        found = [*conventions.of_loops(crash, run.files), *found]
    if clash is not None:
        found = [*batches.of_fed_rows(clash, run.files), *found]
    if last is not None:
        found = [*batches.of_batching(last, clash, run.arrays), *found]
    return suspicion.ranked(found)


def _by_rows(crash: Crash) -> bool:
    """Whether one number of rows may be a multiple of the other: another failure has nothing to do with a fold."""
    known = sorted(n for n in crash.sizes if n > 1)
    return crash.slug != "reshape-mismatch" and any(b % a == 0 for a in known for b in known if a < b)


def chosen(run: Follower, crash: Crash) -> Clash | None:
    """The broken constraint that the failure is about: at its line, or of its sizes."""
    at = crash.at
    clashes = [c for c in run.clashes if not _is_of_another(c, crash)]
    met = [(a.whole, c) for a in run.arrivals for c in a.clashes if not _is_of_another(c, crash)]
    here = [c for whole, c in met if whole] or [c for _, c in met]
    if not here and at is not None:
        here = [c for c in clashes if (at.file, at.line) in c.stack]
    if crash.slug == "index-out-of-range":
        # Labels that do not fit the classes are another failure than an index into another table.
        here = [c for c in here if any(d.size in crash.sizes for d in c.sides)]
    best = sorted(here, key=lambda c: not _of_sizes(c, crash))
    if best:
        # What a model is given comes before what its layers make of it.
        return here[0] if here[0].hint in ("input", "order") else best[0]
    of_sizes = next((c for c in clashes if len(c.sides) > 1 and _of_sizes(c, crash)), None)
    # What a layer was given in a model that is put together elsewhere shows when the model is called.
    return of_sizes or next((c for c in clashes if c.hint == HINT and crash.slug in FAILS), None)


def _is_of_another(clash: Clash, crash: Crash) -> bool:
    """Whether the message says that the failure is another one: of a name, of a generator, of other axes than rows."""
    if crash.slug == "wrong-input-key" or (crash.slug == "concat-pack-mismatch" and clash.hint in ("input", "order")):
        return True
    if YIELDED.search(crash.message):
        return clash.hint in ("input", "order", "rows", "labels")
    return clash.relation in ("rows", "rank") and bool(axis_orders.turned(crash.shapes))


def nearest(run: Follower) -> Arrival | None:
    """The arrival at the failing statement that agrees with most calls of the traceback, the last one of them."""
    return max(reversed(run.arrivals), key=lambda a: a.matched, default=None)


def _of_sizes(clash: Clash, crash: Crash) -> bool:
    sizes = [d.size for d in clash.sides if d.size is not None]
    return bool(sizes) and all(size in crash.sizes for size in sizes)


def by_numbers(run: Follower, crash: Crash) -> list[Candidate]:
    """The lines that made the sizes, or the values, of the statement: where the source's constraints tell nothing."""
    arrivals = [a for a in run.arrivals if a.whole] or run.arrivals
    if not arrivals:
        return []
    found: list[Candidate] = []
    if crash.slug in OF_VALUES:
        last = arrivals[-1]
        found = list(of_indices(last.values, last.statement))
        if found:
            return suspicion.ranked(found)
    operands = list(_operands(arrivals[-1]))
    for side in (d for v in operands if isinstance(v, Array) for d in v.dims or ()):
        if side.size is not None and side.size in crash.sizes and side.size > 1:
            found += _numbered(side)
    if not found:
        for value in operands:
            found += [
                Candidate(o.file, o.line, 2.0 - 0.5 * depth - (0.8 if o.kind == "constant" else 0), _MADE)
                for o, depth in chain(value.origin, 2)
            ]
    return suspicion.ranked(found)


_MADE = "It makes one of the values of the line that failed."


def _numbered(side: Dim) -> Iterator[Candidate]:
    for origin, depth in chain(side.origin, 2):
        weight = 3.0 - 0.7 * depth + (0.5 if origin.kind in ("layer", "variable", "reshape", "input") else 0)
        if origin.kind == "constant" and any(p.kind == "constant" for p in origin.parents):
            weight = 3.6  # a size that is worked out there
        reason = f"It makes the size {side.size}, which the message names."
        yield Candidate(origin.file, origin.line, weight, reason, None, suspicion.edit_of(origin))


def _operands(arrival: Arrival) -> Iterator[Value]:
    for _, value in arrival.values:
        yield from leaves(value)


def _told(finding: Finding, known: Evidence, files: Files) -> Blame:
    """The blame as values of the model."""
    raised, clash = finding.location, known.clash
    ordered = ranking.ordered(known.lines)
    reasons = {(c.file, c.line): c for c in reversed(known.reasons)}
    mending: dict[Line, Tried] = {}
    for one in sorted(known.tried, key=lambda t: (t.cost, not t.old)):
        if one.mends:
            mending.setdefault((one.file, one.line), one)
    for at in [at for at, f in known.lines.items() if len(known.factors) == 1 and not MAKES.isdisjoint(f)]:
        said = f"It makes {known.factors[0]}, which does not divide {max(known.crash.sizes)} elements."
        reasons[at] = Candidate(*at, 0.0, said, strong=True)
    ranks = known.ranks
    suspects = [
        _suspect(at, known.lines[at], reasons.get(at), mending.get(at), files, ranks) for at, _ in ordered[:_MOST]
    ]
    at_raised = (raised.file, raised.line) if raised is not None and raised.line else None
    decisive = ranking.decisive(ordered, at_raised, known.lines)
    if decisive and ranking.likely(ordered) and ordered[0][0] in mending:
        suspects[0] = replace(suspects[0], likeliness="likely")
    constraint = words.constraint(clash, files) if clash is not None else None
    provenance = tuple(_provenance(clash, files)) if clash is not None else ()
    if raised is not None and not any(_same(s.location, raised) for s in suspects):
        code = files.code(raised.file, raised.line or 0)
        suspects.append(Suspect(raised, code, words.RAISED))
    batching = (known.last.rows, known.last.size) if known.last is not None and known.last.rows else None
    return Blame(constraint, provenance, tuple(suspects), decisive, raised, batching)


def _suspect(
    line: Line, known: Features, reason: Candidate | None, mending: Tried | None, files: Files, ranks: bool
) -> Suspect:
    """A line with why it is suspected: a reason of its own, else an edit that mends, else what it does."""
    at = Location(*line, files.function(*line))
    edit: Edit = mending.edit if mending is not None else reason.edit if reason is not None else "other"
    operand = reason.operand if reason is not None else None
    said: str | None
    if reason is not None and (reason.strong or mending is None):
        said = reason.reason
    elif mending is not None:
        said = mending.why or FITS
    else:
        said = words.does(known, ranks)
    old, new = (mending.old, mending.new) if mending is not None else ("", "")
    code = files.code(*line)
    return Suspect(at, code, said or words.DEPENDS, "possible", operand, edit, old, new, specific=said is not None)


FITS = "With another value in this line, all sizes that could be followed would fit."


def _same(one: Location, other: Location) -> bool:
    return (one.file, one.line) == (other.file, other.line)


def _provenance(clash: Clash, files: Files) -> Iterator[Provenance]:
    for i, side in enumerate(clash.sides):
        origins = [o for o, _ in chain(side.origin, 3)][:_STEPS]
        value = clash.values[i] if i < len(clash.values) else None
        if value is not None and value.origin is not None:
            seen = {(o.file, o.line) for o in origins}
            origins = [*origins[::-1], *([value.origin] if (value.origin.file, value.origin.line) not in seen else [])]
        else:
            origins = origins[::-1]
        yield Provenance(i, tuple(_step(o, files) for o in origins))


def _step(origin: Origin, files: Files) -> Step:
    at = Location(origin.file, origin.line, files.function(origin.file, origin.line))
    return Step(origin.kind, at, origin.text, files.code(origin.file, origin.line))
