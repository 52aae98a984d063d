"""The last partial batch: rows that the batch size does not divide, met by something that holds the size fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.values import Array, Clash, Dataset, Dim, Map, Origin, Seq, Value

if TYPE_CHECKING:
    from xladoctor.blame.crash import Crash
    from xladoctor.sources.files import Files

_MOST, _TOGETHER = 4096, 4


@dataclass(frozen=True, eq=False)
class Batching:
    """Rows that are taken in batches of a size: by a `tf.data` pipeline, or by `fit`."""

    rows: int
    """0 where it is not known."""
    size: int
    origin: Origin | None
    pipeline: bool
    cut: Origin | None = None
    """What made the number of rows."""
    left: int = 0
    """The rows of the last batch, as the failure names them, where the rows are not known."""

    @property
    def rest(self) -> int:
        """The rows of the last batch, or 0 where it is whole."""
        return self.rows % self.size if 0 < self.size < self.rows else self.left

    @property
    def said(self) -> str:
        """How many rows are left, in words."""
        if not self.rows:
            return f"The last batch has {self.rest} rows of {self.size}"
        return f"{self.rows} rows in batches of {self.size} leave {self.rest} for the last one"


def windows(made: Sequence[Value]) -> Iterator[Candidate]:
    """Windows of a pipeline whose last ones are shorter than the others."""
    for value in made:
        if isinstance(value, Dataset) and value.whole is False and value.batch is None and value.origin is not None:
            reason = (
                "Without drop_remainder its last windows are shorter than the others, and cannot be batched with them."
            )
            yield Candidate(value.origin.file, value.origin.line, 8.5, reason, None, "drop-remainder", True)


def uneven(made: Sequence[Value]) -> Iterator[Candidate]:
    """The stage that puts elements together whose shapes may differ: their sizes are open."""
    for value in made:
        if isinstance(value, Dataset) and value.batch is not None and _is_open(value.element):
            reason = "It batches elements of different sizes: all elements of one batch must have one shape."
            yield Candidate(value.batch.file, value.batch.line, 8.5, reason, None, "other", True)


def _is_open(element: Value) -> bool:
    """Whether an axis of an element, which is not that of the batch, has no known size."""
    if isinstance(element, Seq):
        return any(_is_open(item) for item in element.items)
    if isinstance(element, Map):
        return any(_is_open(item) for item in element.items.values())
    return isinstance(element, Array) and any(d.size is None for d in (element.dims or ())[1:])


def batchings(made: Sequence[Value], fits: Sequence[Batching]) -> Iterator[Batching]:
    """All of a program."""
    yield from fits
    for value in made:
        if isinstance(value, Dataset) and value.batch is not None and value.whole is False:
            rows, size = value.rows.size if value.rows is not None else None, value.size
            if size:
                yield Batching(rows or 0, size, value.batch, True)


def partial(found: Sequence[Batching], crash: Crash) -> Batching | None:
    """The batching whose last, partial batch the failure is about: both its sizes, or multiples, are in the message."""
    sizes = set(crash.sizes)
    inner = _inner(crash)
    for batching in found:
        for size in sizes if batching.rest else ():
            times, left = divmod(size, batching.size)
            others = sizes - (inner if size in inner else set())
            if not left and 0 < times <= _MOST and batching.rest * times in others:
                return batching
            # Of several batches that are put together, some are whole.
            short = batching.size - batching.rest
            if not left and 1 < times <= _TOGETHER and any(size - n * short in others for n in range(1, times)):
                return batching
    pairs = {(a[0], b[0]) for a, b in pairwise(crash.shapes) if a and b}
    for batching in found if crash.slug in _MEET else ():
        for left in (n for n in sizes if 0 < n < batching.size and not batching.rows):
            if {(left, batching.size), (batching.size, left)} & pairs:
                return replace(batching, left=left)
    return None


def is_another(clash: Clash, found: Batching, crash: Crash) -> bool:
    """Whether a constraint shows other sizes to differ than those of a batch and of its rest, and at no first axis."""
    sizes = [d.size for d in clash.sides]
    if (
        None in sizes
        or not set(sizes) <= set(crash.sizes)
        or any(axis in (None, 0) for axis in clash.axes[: len(sizes)])
    ):
        return False
    return sorted(s or 0 for s in sizes) not in [[found.rest * n, found.size * n] for n in range(1, _MOST + 1)]


def _inner(crash: Crash) -> set[int]:
    """The sizes that the message shows to differ at another axis than the first: they count no rows."""
    pairs = [(a, b) for a, b in pairwise(crash.shapes) if len(a) == len(b)]
    met = [(i, {m, n}) for a, b in pairs for i, (m, n) in enumerate(zip(a, b, strict=True)) if m != n]
    first = {n for i, both in met if not i for n in both}
    return {n for i, both in met if i for n in both if n is not None} - first


_MEET = frozenset({"broadcast-mismatch", "concat-pack-mismatch", "keras-input-mismatch", "matmul-conv-mismatch"})


def _pins(first: Dim, found: Batching) -> Iterator[Candidate]:
    """The lines that give the batch size of the program another name, for rows: `rows = BATCH`."""
    for origin, depth in chain(first.origin, 6):
        renames = origin.kind == "constant" and any(p.kind in ("constant", "argument") for p in origin.parents)
        if depth and renames and origin.file:
            reason = f"It assumes {found.size} rows. {found.said}."
            yield Candidate(origin.file, origin.line, 8.4, reason, None, "batch-size", True)
            return


_FIXES = ("reshape", "variable", "input", "placeholder", "layer", "array")


def _holders(found: Batching, arrays: Sequence[Array]) -> Iterator[Candidate]:
    """The lines that give an axis 0 of the batch size, whatever the batch is."""
    for array in arrays:
        first = array.dims[0] if array.dims else None
        if first is not None and first.size == found.size and not first.batch and first.origin is not None:
            at, pins = first.origin, list(_pins(first, found))
            yield from pins
            if at.kind in _FIXES and (array.kind != "array" or pins):
                reason = f"It fixes {found.size} rows. {found.said}."
                yield Candidate(at.file, at.line, 7.8, reason, None, "batch-size", True)


def _counted_on(found: Batching, arrays: Sequence[Array]) -> int:
    """How many lines make arrays of as many rows as a batch has, whatever the batch is."""
    firsts = [a.dims[0] for a in arrays if a.dims and a.dims[0].size == found.size and not a.dims[0].batch]
    made = [d.origin for d in firsts if d.origin is not None and d.origin.kind in _FIXES]
    return len({(o.file, o.line) for o in made})


def of_batching(found: Batching, clash: Clash | None, arrays: Sequence[Array] = ()) -> Iterator[Candidate]:
    """The lines to suspect: the stage that leaves a partial batch, and what holds the size fixed."""
    said = found.said
    # A program that counts on whole batches in several lines needs whole batches; a single such line is the mistake.
    counted = _counted_on(found, arrays)
    if found.origin is not None and found.pipeline:
        reason = f"{said}, and drop_remainder is not set."
        weight = 8.2 if counted == 1 else 9.0
        yield Candidate(found.origin.file, found.origin.line, weight, reason, None, "drop-remainder", True)
    for i, side in enumerate(clash.sides if clash is not None else ()):
        fixed = side.origin is not None and side.size is not None and side.size % found.size == 0
        columns = side.origin is not None and side.origin.kind == "layer" and "batch" not in side.origin.text
        if fixed and side.origin is not None and not side.batch and not columns:
            reason = f"{said}, but this line fixes {found.size}."
            weight = 9.0 if counted == 1 else 7.2 if counted > 1 and found.pipeline else 8.0
            yield Candidate(side.origin.file, side.origin.line, weight, reason, i, "batch-size", True)
            yield from _pins(side, found)
    yield from _holders(found, arrays)
    if found.cut is not None and found.cut.kind in ("slice", "split") and not found.pipeline:
        first = next((o for o in found.cut.parents if o.kind == "constant"), found.cut)
        yield Candidate(first.file, first.line, 7.9, f"{said}: it leaves {found.rows} rows.", None, "slice", True)
    if found.origin is not None and not found.pipeline:
        yield Candidate(found.origin.file, found.origin.line, 5.0, f"{said}.", None, "batch-size")


def of_fed_rows(clash: Clash, files: Files) -> Iterator[Candidate]:
    """The line that fixes a number of rows, where the other value has as many as the program is fed."""
    if clash.relation not in ("broadcast", "equal") or len(clash.sides) != 2 or not _at_rows(clash):
        return
    for fed, fixed in (clash.sides, clash.sides[::-1]):
        source, made = fed.origin, fixed.origin
        if source is None or made is None or not _takes_any(source, files) or _is_written(fed):
            continue
        if made.kind in ("array", "variable") and _is_written(fixed):
            reason = (
                f"It fixes {fixed.size} rows; the value that it meets has as many as the program is fed: {fed.size}."
            )
            yield Candidate(made.file, made.line, 8.0, reason, None, "batch-size", True)


def _takes_any(origin: Origin, files: Files) -> bool:
    """Whether a placeholder leaves its rows open; an input of Keras does."""
    return origin.kind == "input" or (origin.kind == "placeholder" and "None" in files.code(origin.file, origin.line))


def _at_rows(clash: Clash) -> bool:
    """Whether two values of one number of axes differ in their first one."""
    ranks = {len(value.dims or ()) for value in clash.values[:2] if isinstance(value, Array)}
    return len(ranks) == 1 and all(axis is not None and axis % (max(ranks) or 1) == 0 for axis in clash.axes[:2])


def _is_written(side: Dim) -> bool:
    """Whether a size is a number of the source."""
    return any(o.text == str(side.size) for o, _ in chain(side.origin, 4) if o.kind == "constant")
