"""Slips of the program's own source, in a run that ended well: of the source alone, or with what its names held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xladoctor.diagnosis.basis import NOT_TESTED, RECORDED_SOURCE
from xladoctor.diagnosis.own_source import files_of, program_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.recording.run import Recording, location
from xladoctor.recording.schema import schema
from xladoctor.recording.user_sources import sources_of
from xladoctor.rules import by_slug
from xladoctor.rules.slips import OF_SOURCE, Kind
from xladoctor.rules.slips_of_names import OF_NAMES
from xladoctor.sources.backward import Backward
from xladoctor.sources.held import Held, View
from xladoctor.sources.names import unchanged
from xladoctor.sources.slips import Slip, slips, slips_of_names
from xladoctor.sources.slips.stray_settings import settings_of, stray_settings

_MOST = 10
_USES = (schema.CALL, schema.DIRECT, schema.NO_GRADIENT, schema.TRACE, schema.UNMOVED)
"""What says that a program trains or predicts."""


def source_slips(recording: Recording, known: Sequence[Finding] = ()) -> Iterator[Finding]:
    """A warning for each line that has none yet; nothing of a program that trained and predicted nothing."""
    if not (survived(recording) or ended_itself(recording)):
        return
    if not any(recording.of_kind(kind) for kind in _USES):
        return
    told = {(f.location.file, f.location.line) for f in known if f.location is not None}
    words = [str(w) for w in (getattr(sources_of(recording), "facts", {}).get("command") or ())]
    with unchanged():
        trees = program_of(recording)
        given = settings_of(files_of(recording), trees, words)
        every = (*slips(trees, words), *stray_settings(trees, given))
        found = [(file, slip) for file, slip in every if (file, slip.line) not in told]
    for file, slip in found[:_MOST]:
        yield _finding(recording, file, slip, OF_SOURCE[slip.kind])


def slips_with_names(recording: Recording, known: Sequence[Finding]) -> Iterator[Finding]:
    """A warning for each kind and line, but for lines of which one of the same class is `known`."""
    told = {(f.slug, f.location.file, f.location.line) for f in known if f.location is not None}
    if not (survived(recording) or ended_itself(recording)):
        return
    views = views_of(recording)
    with unchanged():
        found = [(file, slip) for file, view in views.items() for slip in _of_view(view)]
    for file, slip in found:
        if (OF_NAMES[slip.kind].slug, file, slip.line) not in told:
            yield _finding(recording, file, slip, OF_NAMES[slip.kind])


def views_of(recording: Recording) -> dict[str, View]:
    """{file: its source, with what its names held}."""
    held, trees = _held(recording), program_of(recording)
    back = Backward(trees)
    views: dict[str, View] = {}
    views.update({file: View(file, tree, back, held.get(file, {}), views) for file, tree in trees.items()})
    return views


def _of_view(view: View) -> list[Slip]:
    """Those of a file; of one that is nested too deep, none."""
    try:
        return list(slips_of_names(view))
    except RecursionError:
        return []


def _held(recording: Recording) -> dict[str, dict[tuple[str, str], Held]]:
    """{file: {(function, name): what it held}}; of several looks at a function the last."""
    found: dict[str, dict[tuple[str, str], Held]] = {}
    for event in recording.of_kind(schema.NAMES):
        at = location({"file": event["file"], "line": 1, "function": None})
        names = found.setdefault(at.file if at is not None else str(event["file"]), {})
        names.update({(str(event["function"]), name): held_of(facts) for name, facts in event["names"].items()})
    return found


def held_of(facts: dict[str, Any]) -> Held:
    """What a name held, as the recorder wrote it."""
    known = {k: facts[k] for k in Held.__dataclass_fields__ if k in facts}
    return Held(**{**known, "shape": tuple(facts.get("shape") or ())})


def _finding(recording: Recording, file: str, slip: Slip, kind: Kind) -> Finding:
    rule = by_slug(kind.slug)
    return Finding(
        code=rule.code, slug=rule.slug, level="warning", role="root", title=slip.title,
        message=f"{slip.message} No error was raised in the run.",
        location=Location(file, slip.line, files_of(recording).function(file, slip.line)),
        evidence=(Proof("source", files_of(recording).code(file, slip.line) or slip.title, f"{file}:{slip.line}"),),
        status="untested", basis=RECORDED_SOURCE if slip.kind in OF_NAMES else NOT_TESTED, remedies=(kind.remedy,),
        details={"kind": slip.kind},
    )  # fmt: skip
