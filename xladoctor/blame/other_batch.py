"""A batch size that a reshape holds fixed, met by a call of another batch size: training by 8, prediction by 32.

Both sizes are recorded, and the counts of the reshape have their ratio. Which of its lines wrote the size is read.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

from xladoctor.blame.of_run import failure_of
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Diagnosis, Finding, Location, Proof, Remedy
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.recording.user_sources import sources_of
from xladoctor.sources.files import Files
from xladoctor.sources.names import keyword, last_name, nodes_of

_SLUG = "reshape-mismatch"
_LEAVE = Remedy(
    "leave-batch-open", "Leave the size of the batch to reshape", "safe",
    "`tf.reshape(x, (-1, ...))`: -1 stands for as many rows as there are, in each call.",
)  # fmt: skip


def with_other_batch(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis, with the size of another call's batches as the cause of its root where that is so."""
    root = diagnosis.root
    if root is None or root.slug != _SLUG or root.level != "error" or root.details.get("last_batch"):
        return diagnosis
    have, want = root.details.get("have"), root.details.get("want")
    if not isinstance(have, int) or not isinstance(want, int) or not have or not want:
        return diagnosis
    calls = [e for e in recording.of_kind(schema.CALL) if e["phase"] == "begin"]
    failed = {(e["pid"], e["call"]) for e in recording.of_kind(schema.CALL) if e["phase"] == "failed"}
    for event in (e for e in calls if (e["pid"], e["call"]) in failed):
        for other in (e for e in calls if e["seq"] < event["seq"] and (e["pid"], e["call"]) not in failed):
            size, kept = _size(event), _size(other)
            if size and kept and size != kept and have * kept == want * size:
                found = _told(root, recording, (event, size), (other, kept))
                return diagnosis if found is None else diagnosis.with_finding(root, found)
    return diagnosis


def _size(event: Event) -> int | None:
    size, rows = event.get("batch_size"), event.get("rows_in")
    return min(size, rows) if isinstance(size, int) and isinstance(rows, int) else None


def _told(root: Finding, recording: Recording, call: tuple[Event, int], other: tuple[Event, int]) -> Finding | None:
    """The finding at the line that fixes the size, where the source shows one."""
    sources = sources_of(recording)
    if sources is None:
        return None
    files = Files(lambda name: sources.text(Path(name), followed=True)[0])
    frames = [f for f in (failure_of(root, recording) or {}).get("frames") or () if f.get("user")]
    at = root.raised_at or root.location
    places = [at] if at is not None else []
    places += [Location(str(f["file"]), f.get("line"), f.get("function")) for f in reversed(frames)]
    place = next((found for one in places if (found := _fixed(files, one)) is not None), None)
    if place is None:
        return None
    (event, size), (earlier, kept) = call, other
    said = (
        f"This reshape is for {kept} rows, as the batches of {earlier['method']} are, and {event['method']} gives it "
        f"batches of {size}."
    )
    mine = Suspect(place, "", said, "likely", None, "batch-size")
    rest = tuple(s for s in root.suspects if (s.location.file, s.location.line) != (place.file, place.line))
    return replace(
        root,
        message=f"{root.message} {said}",
        evidence=(*root.evidence, Proof("event", said, f"events-{event['pid']}.jsonl:{event['seq']}")),
        details={**root.details, "other_batch": {"size": size, "fixed": kept}},
        remedies=(_LEAVE, *(r for r in root.remedies if r.id != "make-sizes-agree")),
        suspects=(mine, *rest),
        raised_at=root.raised_at or root.location,
        location=place,
    )


def _fixed(files: Files, at: Location) -> Location | None:
    """The line that gives the first size of the reshape at a line: of a name, where the function assigns it."""
    source = files.source(at.file)
    if source is None or at.line is None:
        return None
    functions = list(nodes_of(source.tree, ast.FunctionDef))
    around = [f for f in functions if f.lineno <= at.line <= (f.end_lineno or f.lineno)]
    scope: ast.AST = max(around, key=lambda f: f.lineno) if around else source.tree
    for call in (n for n in nodes_of(scope, ast.Call) if last_name(n.func) in ("reshape", "Reshape")):
        if not call.lineno <= at.line <= (call.end_lineno or call.lineno):
            continue
        shape = keyword(call, "shape") or (call.args[-1] if call.args else None)
        first = shape.elts[0] if isinstance(shape, ast.Tuple | ast.List) and shape.elts else None
        if first is None or (isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.USub)):
            continue
        if isinstance(first, ast.Name):
            assigned = [
                n.lineno
                for n in nodes_of(scope, ast.Assign)
                if n.lineno <= at.line and first.id in map(last_name, n.targets)
            ]
            return Location(at.file, max(assigned, default=call.lineno), at.function)
        return Location(at.file, call.lineno, at.function)
    return None
