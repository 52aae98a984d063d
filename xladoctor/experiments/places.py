"""The user's own places: `[tool.xladoctor.places]` of the nearest `pyproject.toml`, checked before the target starts.

What is wrong is told and never fatal: a contract that cannot hold is the contract's fault, and a run of hours must not
be lost to it. The probes get the places as data, in a file of the run folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xladoctor import secrets
from xladoctor.recording import files
from xladoctor.recording.schema import schema

_FILE = "pyproject.toml"
_LARGEST = 4 << 20
_SECTION = re.compile(rb"xladoctor", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*\Z")
_AXIS = re.compile(r"[A-Za-z_]\w*\Z")
_WHERE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*(\(\)|\[\w+\])?\Z")


@dataclass(frozen=True)
class UserPlaces:
    """What was found: the file, the places that can be handed on, and what is wrong, in words."""

    file: Path | None = None
    places: tuple[dict[str, Any], ...] = ()
    problems: tuple[str, ...] = ()


def find(start: Path) -> UserPlaces:
    """The places of the nearest `pyproject.toml` with a section of ours, from `start` upwards."""
    for folder in (start, *start.parents):
        file = folder / _FILE
        try:
            data = files.read(folder, _FILE, _LARGEST, follow=True)
        except (OSError, files.Unusable):
            continue
        # Reading TOML takes longer than looking whether there is anything to read.
        if not _SECTION.search(data):
            continue
        try:
            section = _toml(data)
        except (ValueError, RecursionError) as error:
            return UserPlaces(file, (), (f"{file} cannot be read, so its places are not watched: {error}",))
        if section is not None:
            return _checked(file, section.get("places", {}))
    return UserPlaces()


def write(found: UserPlaces, folder: Path) -> None:
    """Leave them in the run folder for the probes, if there are any."""
    if not found.places and not found.problems:
        return
    data = {
        "schema": schema.PLACES_SCHEMA,
        "file": str(found.file),
        "places": list(found.places),
        "problems": list(found.problems),
    }
    with files.create(folder, schema.PLACES_FILE) as stream:
        stream.write((json.dumps(secrets.of_strings(data), indent=1) + "\n").encode())


def _toml(data: bytes) -> dict[str, Any] | None:
    """`[tool.xladoctor]`, or None where there is none.

    Raises:
        ValueError: it is no TOML.
    """
    import importlib
    import sys

    reader = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    tool = reader.loads(data.decode("utf-8")).get("tool", {})
    section = tool.get("xladoctor") if isinstance(tool, dict) else None
    return section if isinstance(section, dict) else None


def _checked(file: Path, table: Any) -> UserPlaces:
    if not isinstance(table, dict):
        return UserPlaces(file, (), (f"{file}: tool.xladoctor.places is no table of places",))
    places: list[dict[str, Any]] = []
    problems: list[str] = []
    for name, value in table.items():
        place = {"contract": value} if isinstance(value, str) else value
        wrong = list(_wrong(name, place))
        problems += [f"place {name!r} of {file}: {what}" for what in wrong]
        if _NAME.match(name) and isinstance(place, dict) and isinstance(place.get("contract"), str):
            axes = place.get("axes")
            given = {a: w for a, w in axes.items() if isinstance(w, str)} if isinstance(axes, dict) else {}
            places.append({"name": name, "contract": place["contract"], "axes": given})
    return UserPlaces(file, tuple(places), tuple(problems))


def _wrong(name: str, place: Any) -> Iterator[str]:
    from xladoctor.diagnosis.contracts import faults

    if not _NAME.match(name):
        yield "a place is named 'package.module:function' or 'package.module:Class.method'; it is left out"
    if not isinstance(place, dict) or not isinstance(place.get("contract"), str):
        yield "it has no contract, such as 'x (B N), k (B) -> (B N)'; it is left out"
        return
    for key in place:
        if key not in ("contract", "axes"):
            yield f"{key!r} is not known; a place has a contract and axes"
    axes = place.get("axes", {})
    if not isinstance(axes, dict):
        yield "its axes are no table, such as {P = 'mypkg.params:cfg[padded]'}"
        axes = {}
    for axis, where in axes.items():
        if not _AXIS.match(axis) or not isinstance(where, str) or not _WHERE.match(where):
            yield (
                f"axis {axis} is given by {where!r}, which is none of 'module:function()', 'module:mapping[key]' and "
                "'module:name'"
            )
    for fault in faults(place["contract"], set(axes)):
        yield f"the contract is wrong, not the data: {fault}"
