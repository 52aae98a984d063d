"""The places that a run watched: which were found, which are missing, which have a contract that is itself wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xladoctor.diagnosis.contracts import faults
from xladoctor.model.trace import WatchedPlace
from xladoctor.recording.run import Recording, location
from xladoctor.recording.schema import schema


def watched_places(recording: Recording) -> tuple[WatchedPlace, ...]:
    """Every place that was found or asked for by the user, in that order; built-in places only where they concern the
    run.
    """
    asked = {str(p.get("name")): p for p in _asked(recording)}
    rows: dict[str, WatchedPlace] = {}
    for event in recording.of_kind(schema.PLACE_FOUND):
        origin = str(event.get("origin") or "built in")
        rows[event["place"]] = WatchedPlace(event["place"], event["contract"], origin, True, None, location(event))
    for event in recording.of_kind(schema.PLACE_MISSING):
        name = str(event["place"])
        known = asked.get(name, {})
        origin = str(event.get("origin") or ("pyproject.toml" if known else "built in"))
        rows.setdefault(name, WatchedPlace(name, known.get("contract"), origin, False, event.get("reason")))
    if recording.events:
        for name, place in asked.items():
            when = "was not imported before the watch ended" if _is_block(recording) else "was never imported"
            reason = f"{name.partition(':')[0]} {when}"
            rows.setdefault(name, WatchedPlace(name, place.get("contract"), "pyproject.toml", False, reason))
    return tuple(rows.values())


def place_notes(recording: Recording) -> tuple[str, ...]:
    """What is wrong with the user's places: a contract that cannot hold for any data, a place that is not there."""
    return tuple(dict.fromkeys(_notes(recording)))


def _notes(recording: Recording) -> Iterator[str]:
    listed = recording.places
    yield from (str(problem) for problem in listed.get("problems") or ())
    asked = {str(p.get("name")): p for p in _asked(recording)}
    axes: dict[str, set[str]] = {name: set(place.get("axes") or ()) for name, place in asked.items()}
    seen: dict[str, set[str]] = {}
    for event in recording.of_kind(schema.PLACE):
        seen.setdefault(event["place"], set()).update(str(a["name"]) for a in event.get("axes") or ())
    for event in recording.of_kind(schema.PLACE_FOUND):
        name = str(event["place"])
        given = {*axes.get(name, ()), *(str(a) for a in event.get("axes") or ())}
        if event.get("origin") is not None and name not in asked:
            # What stands in pyproject.toml was looked at before the run.
            yield from (f"the contract of {name} is wrong, not the data: {f}" for f in faults(event["contract"], given))
        for axis in sorted(given - seen[name] if name in seen else ()):
            where = (asked.get(name, {}).get("axes") or {}).get(axis) or "a value"
            yield f"axis {axis} of {name} is bound to {where}, which was not an integer when the function was called"
    # What a block has not imported, the rest of the program may.
    missing = {str(event["place"]) for event in recording.of_kind(schema.PLACE_MISSING)}
    for place in watched_places(recording):
        if _is_block(recording) and place.place not in missing:
            continue
        if not place.found and place.origin != "built in":
            hint = _main_hint(recording, place) if "never imported" in str(place.reason) else ""
            yield f"the place {place.place} of {place.origin} is missing: {place.reason}{hint}"


def _is_block(recording: Recording) -> bool:
    return bool(recording.of_kind(schema.BLOCK))


def _main_hint(recording: Recording, place: WatchedPlace) -> str:
    """A script's own functions belong to `__main__`, which no import hook sees."""
    module = place.place.partition(":")[0].rpartition(".")[2]
    if f"{module}.py" in recording.once(_names_in_commands):
        return f" ({module}.py was run as a script: mark its functions with the decorator of docs/places.md)"
    return ""


def _names_in_commands(recording: Recording) -> set[str]:
    words = (word for start in recording.of_kind(schema.START) for word in start.get("argv") or ())
    return {str(word).rpartition("/")[2] for word in words}


def _asked(recording: Recording) -> list[dict[str, Any]]:
    places = recording.places.get("places")
    return [p for p in places if isinstance(p, dict)] if isinstance(places, list) else []
