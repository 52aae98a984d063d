"""Findings of what the recorder saw of the rows of a Keras call: one for each kind of event and each line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from xladoctor.diagnosis.basis import RECORDED_NUMBERS
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Basis, Finding, Location, Proof, Remedy
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.made_by import Maker

Words = Callable[[Event], tuple[str, str]]
"""(title, message)."""


@dataclass(frozen=True)
class Kind:
    """The slug of the class of a kind of event, what is said of it, and what helps: a remedy of its own, or the id of
    one of the class. `maker`: which statement is looked for, where the rows were made wrong before the call.
    """

    slug: str
    words: Words
    remedy: Remedy | str
    maker: Maker | None = None
    layer: str = ""
    """The class of the layer at fault, whose only call is looked for."""
    basis: Basis = RECORDED_NUMBERS


def whose(event: Event) -> str:
    """Whose rows they are: of a model, or what the program calls them."""
    return str(event.get("model") or event.get("name"))


def template(title: str, message: str, *rows: str) -> Words:
    """The words of an event, filled in: `rows` names its numbers of rows, in their order."""

    def words(event: Event) -> tuple[str, str]:
        known = {**dict(zip(rows, event["rows"], strict=False)), "event": event, "model": event.get("model")}
        return title.format(whose=whose(event), **known), message.format(whose=whose(event), **known)

    return words


Place = Callable[[Event, Kind], tuple[Location | None, str]]
"""The line at fault, and what the message says besides."""


def row_findings(
    recording: Recording, kinds: Mapping[str, Kind], place: Place, is_meant: Callable[[Event], bool] = lambda _: False
) -> Iterator[Finding]:
    """A warning for each kind and line, of a run that ended well, but for those that are meant."""
    if not (survived(recording) or ended_itself(recording)):
        return
    seen = set()
    for event in recording.of_kind(schema.SPLIT):
        kind = kinds.get(str(event["what"]))
        if kind is None or is_meant(event):
            continue
        found = _finding(event, kind, *place(event, kind))
        key = (event["what"], str(found.location))
        if key not in seen:
            seen.add(key)
            yield found


def _finding(event: Event, kind: Kind, at: Location | None, besides: str) -> Finding:
    rule = by_slug(kind.slug)
    title, message = kind.words(event)
    remedy = kind.remedy
    return Finding(
        code=rule.code, slug=rule.slug, level="warning", role="root", title=title,
        message=f"{message}{besides} No error was raised in the run.",
        location=at,
        evidence=(Proof("event", title, event_of(event)),),
        status="confirmed", basis=kind.basis,
        remedies=tuple(r for r in rule.remedies if r.id == remedy) if isinstance(remedy, str) else (remedy,),
        details={"kind": event["what"], "rows": list(event["rows"]), "model": event.get("model")},
    )  # fmt: skip
