"""Rows that the program shuffled without their labels: read in the source, of a `fit` that was recorded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from xladoctor.diagnosis.basis import NOT_TESTED
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.shuffled import out_of_step

_MOST = 40
_REMEDY = Remedy(
    "shuffle-together",
    "Shuffle rows and labels by one order",
    "safe",
    "`order = rng.permutation(len(x))`, then `x[order]` and `y[order]`. Keras' fit itself shuffles both together.",
)


def shuffled_alone(recording: Recording) -> Iterator[Finding]:
    """A warning for each line that shuffles the rows of a `fit` and leaves their labels where they are."""
    if not (survived(recording) or ended_itself(recording)):
        return
    rule, seen = by_slug("wrong-pairing"), set()
    begun = (e for e in recording.of_kind(schema.CALL) if e["phase"] == "begin" and e.get("method") == "fit")
    for event in islice(begun, _MOST):
        used = location(event.get("where"))
        source = source_of(recording, used.file) if used is not None else None
        if used is None or source is None or used.line is None:
            continue
        found = out_of_step(source.tree, used.line)
        if found is None or (used.file, found.line) in seen:
            continue
        seen.add((used.file, found.line))
        title = f"fit of {event.get('model')}: `{found.rows}` is shuffled, `{found.labels}` is not"
        yield Finding(
            code=rule.code, slug=rule.slug, level="warning", role="root", title=title,
            message=f"This line moves the rows of `{found.rows}`. The labels come from `{found.labels}`, which was "
                    f"made before it and does not change. So the rows of the fit ({used}) get the labels of other "
                    f"rows.",
            location=Location(used.file, found.line, used.function),
            evidence=(Proof("event", title, event_of(event)),),
            status="untested", basis=NOT_TESTED,
            remedies=(_REMEDY,),
            details={"kind": "shuffled", "rows": found.rows, "labels": found.labels},
        )  # fmt: skip
