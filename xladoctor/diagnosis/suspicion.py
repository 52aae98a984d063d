"""Did a run end in NaN? What Keras logged, the weights at the end, and what the program printed last."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from xladoctor.diagnosis.handling import RUNTIME_LINE
from xladoctor.model.diagnosis import Location
from xladoctor.recording import files
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules.recognise.causes import check_numerics

_TAIL = 256 << 10
_LOGS = ("stdout.log", "stderr.log")
_MEASURES = r"(?:loss|cost|error|objective|elbo|nll|mse|mae|rmse|perplexity|energy|residual|grad(?:ient)?(?:[ _]norm)?)"
_PRINTED = re.compile(
    rf"\b(?P<name>(?:[a-z0-9]{{1,20}}_){{0,3}}{_MEASURES})\b[^\n\w]{{0,12}}(?:is|was|of)?[^\n\w]{{0,4}}"
    r"(?P<value>[-+]?(?:nan|inf(?:inity)?|\d[\d.]{0,24}(?:e[-+]?\d{1,3})?))\b",
    re.IGNORECASE,
)
_NAN = re.compile(r"\b(?:nan|inf(?:inity)?)\b", re.IGNORECASE)
_MOST_EVENTS = 20
"""A recorder writes no more: of a run with so many it is not known which calls were finite."""
_GONE = re.compile(r"^[-+]?(?:nan|inf)", re.IGNORECASE)


@dataclass(frozen=True)
class Suspicion:
    """What is not finite, and since when.

    Attributes:
        what: "logs" of Keras, the "result" of a predict, trainable "weights", what a check that ended the run found
            ("checked"), or what was only "printed".
        name: of the log, the weight or the printed number; `value` is its last value as text.
        epoch: the first epoch (from 1) whose log is not finite; None where that is not known.
        ends: whether the last value is not finite either.
        event: the event that shows it; None for what was printed.
    """

    what: Literal["logs", "result", "weights", "checked", "printed"]
    name: str
    value: str
    epoch: int | None = None
    ends: bool = True
    method: str | None = None
    where: Location | None = None
    event: Event | None = None
    data: tuple[dict[str, Any], ...] = ()

    @property
    def serious(self) -> bool:
        """Whether training was spoilt: a loss or a trainable variable. A metric may have no value by design."""
        return self.ends and (self.what in ("weights", "checked") or (self.what == "logs" and "loss" in self.name))


def suspicion(recording: Recording) -> Suspicion | None:
    """The most telling sign that the run ended in NaN; None where there is none."""
    return recording.once(_of)


def overcome(recording: Recording, sign: Suspicion) -> str | None:
    """What shows that the run ended well after a NaN, as a sentence; None where nothing does.

    A run that ended with 0 and in which a later `fit` or `evaluate` has finite logs, the logs of the same call became
    finite again, or the program went on to print something else after the number that it printed.
    """
    events = recording.of_kind(schema.NOT_FINITE)
    if not ended_well(recording):
        return None
    if sign.what == "printed":
        last = [line for line in recording.last_lines if line]
        on = bool(last) and not any(_NAN.search(line) for line in last[:1])
        return "The program continued and printed other results." if on else None
    if not sign.ends:
        return f"Later values of {sign.name} are finite."
    if sign.event is None or sign.method == "exit":
        return None
    pid, number = sign.event["pid"], sign.event.get("call")
    spoilt = {e.get("call") for e in events if e["pid"] == pid}
    for call in recording.of_kind(schema.CALL):
        later = call["pid"] == pid and isinstance(number, int) and call["call"] > number and call["phase"] == "end"
        if later and call["call"] not in spoilt and call.get("method") in ("fit", "evaluate"):
            return f"A later {call['method']} of the run has finite logs."
    return None


def ended_well(recording: Recording) -> bool:
    """Whether the run ended with 0, and all that it met on the way is known."""
    from xladoctor.diagnosis.weigh import survived

    return survived(recording) and len(recording.of_kind(schema.NOT_FINITE)) < _MOST_EVENTS


def _of(recording: Recording) -> Suspicion | None:
    signs = [s for e in recording.of_kind(schema.NOT_FINITE) for s in _of_event(e)]
    signs += [s for s in [_checked(recording), _printed(recording)] if s is not None]
    if not signs:
        return None
    order = ("logs", "weights", "checked", "printed", "result")
    first = min(signs, key=lambda s: (not s.serious, not s.ends, order.index(s.what), "val_" in s.name))
    if not first.data and first.where is None:
        other = next((s for s in signs if s.where is not None), None)
        if other is not None:
            return Suspicion(first.what, first.name, first.value, first.epoch, first.ends, other.method, other.where,
                             first.event, other.data)  # fmt: skip
    return first


def _of_event(event: Event) -> list[Suspicion]:
    where = location(event.get("where"))
    return [
        Suspicion(
            event["what"] if event["what"] in ("logs", "result", "weights") else "logs",
            name,
            str(row[2]),
            row[0] if event.get("method") == "fit" else None,
            bool(_GONE.match(str(row[2]))),
            event.get("method"),
            where,
            event,
            tuple(event.get("data") or ()),
        )
        for name, row in event["names"].items()
    ]


def _checked(recording: Recording) -> Suspicion | None:
    """What a check of the program's own found, that ended the run: `tf.debugging.check_numerics` and its like."""
    for event in recording.raised:
        found = check_numerics(str(event.get("message") or ""))
        if found is not None and (event["pid"], event["failure"]) in recording.uncaught:
            frames = [location(f) for f in event.get("frames") or () if f.get("user")]
            return Suspicion("checked", *found, method="check_numerics",
                             where=frames[-1] if frames else None, event=event)  # fmt: skip
    return None


def _printed(recording: Recording) -> Suspicion | None:
    """The last measure that the program printed, where that is not finite."""
    for name in _LOGS:
        shown = _last_shown(recording, name)
        if shown is not None and _GONE.match(shown[1]):
            return Suspicion("printed", *shown)
    return None


def last_measure(recording: Recording) -> tuple[str, str] | None:
    """(name, value) of the last loss, error or the like that the program printed, where that is finite."""
    shown = [pair for name in _LOGS if (pair := _last_shown(recording, name)) is not None]
    return shown[0] if shown and not any(_GONE.match(value) for _, value in shown) else None


def _last_shown(recording: Recording, name: str) -> tuple[str, str] | None:
    try:
        with files.opened(recording.folder, name) as log:
            log.seek(max(0, log.seek(0, 2) - _TAIL))
            text = log.read(_TAIL).decode("utf-8", "replace")
    except (OSError, ValueError, files.Unusable):
        return None
    own = "\n".join(line for line in text.splitlines() if not RUNTIME_LINE.match(line))
    shown = list(_PRINTED.finditer(own))
    return (shown[-1]["name"], shown[-1]["value"]) if shown else None
