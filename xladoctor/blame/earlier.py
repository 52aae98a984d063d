"""What an earlier call of the same model used, or the training of a `fit` whose validation fails: it worked, so the
lines that only what failed depends on are at fault more often.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.blame import slices
from xladoctor.blame.bindings import Index, Line
from xladoctor.blame.crash import Crash, Frame
from xladoctor.blame.suspicion import Candidate, chain, edit_of
from xladoctor.blame.values import Array, Clash, Dataset, Origin, Value, leaves
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, nodes_of
from xladoctor.sources.order import runs_before, statement_end

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

GIVES_DATA = frozenset({"fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"})


def of_later(clash: Clash, hops: Mapping[Line, int], files: Files, known: Index, crash: Crash) -> Iterator[Candidate]:
    """The lines that made a size at fault for the failing call of a model, and nothing for the call before."""
    later = only_later(hops, files, known, crash)
    for i, side in enumerate(clash.sides if later else ()):
        origin = side.origin
        if origin is not None and (origin.file, origin.line) in later:
            reason = "The model worked before on what did not come through this line."
            yield Candidate(origin.file, origin.line, 6.0, reason, i, edit_of(origin), True)


def of_validation(clash: Clash, run: Follower) -> Iterator[Candidate]:
    """The lines that only the validation data come through, where the training data fit, the one nearest to the `fit`
    first; otherwise those that only the training data come through.
    """
    for one in run.validated:
        if one.line not in clash.stack or clash in run.clashes[: one.before]:
            continue
        fitting, failing = _lines(one.trained), _lines(one.tested)
        for lines, others, reason in ((failing, fitting, _ALONE), (fitting, failing, _LEFT_OUT)):
            own = [step for at, step in lines.items() if at not in others and at not in clash.stack]
            for origin, depth in own:
                weight = max(6.0 - depth, 1.0)
                yield Candidate(origin.file, origin.line, weight, reason, None, edit_of(origin), True)
            if own:
                break


_ALONE = "The training data fit. Only the data for validation come through this line."
_LEFT_OUT = "The training data come through this line, and fit. The data for validation do not come through it."


def _lines(given: Value) -> dict[Line, tuple[Origin, int]]:
    """The lines that data come through: for each its nearest origin, and how far that is."""
    found: dict[Line, tuple[Origin, int]] = {}
    for value in leaves(given):
        for origin, depth in (step for start in _starts(value) for step in chain(start, 12)):
            at = (origin.file, origin.line)
            if depth < found.get(at, (origin, 99))[1]:
                found[at] = origin, depth
    return found


def _starts(value: Value) -> list[Origin]:
    """Where a value, its sizes and the elements of a pipeline were made."""
    found = [value.origin, *(d.origin for d in value.dims or ())] if isinstance(value, Array) else [value.origin]
    if isinstance(value, Dataset):
        found += [start for part in leaves(value.element) for start in _starts(part)]
    return [origin for origin in found if origin is not None]


def only_later(hops: Mapping[Line, int], files: Files, known: Index, crash: Crash) -> frozenset[Line]:
    """The lines that the failing call of a model depends on, and the last call of it before does not, or from farther
    away: a function that both call hands on what either of them gave it.
    """
    for at, frame in enumerate(crash.frames):
        before = _before(frame, files)
        if before is not None:
            earlier = replace(frame, line=before)
            frames = (*crash.frames[:at], earlier, *crash.frames[at + 1 :])
            worked = slices.hops(known, replace(crash, frames=frames))
            own = (frame.file, frame.line)
            return frozenset(at for at, far in hops.items() if worked.get(at, far + 1) > far and at != own)
    return frozenset()


def _before(frame: Frame, files: Files) -> int | None:
    """The line of the last call that gave data to the same model before a call did."""
    source = files.source(frame.file)
    calls = list(_calls(source.tree)) if source is not None else []
    here = {model for line, end, model in calls if line <= frame.line <= end}
    if source is None or not here:
        return None
    lines = (line for line, end, model in calls if model in here and end < frame.line)
    return max((line for line in lines if runs_before(source.tree, line, frame.line)), default=None)


def _calls(tree: ast.Module) -> Iterator[tuple[int, int, str]]:
    """The calls that give data to a model: their first and last line, and the model as it is written."""
    for node in nodes_of(tree, ast.Call):
        if isinstance(node.func, ast.Attribute) and last_name(node.func) in GIVES_DATA:
            yield node.lineno, statement_end(tree, node.lineno), ast.unparse(node.func.value)
