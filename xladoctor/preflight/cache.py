"""Answers that still hold: the same study, in the same environment, made of the same files."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import xladoctor
from xladoctor.errors import XladoctorError
from xladoctor.evidence import files as foreign
from xladoctor.evidence.environment import redacted
from xladoctor.evidence.schema import schema
from xladoctor.preflight.model import SCHEMA, Batches, Check, Preflight
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.study import Study
from xladoctor.replay import places
from xladoctor.replay.run_folder import DEFAULT_FOLDER, write_json

_FOLDER = Path(DEFAULT_FOLDER) / "preflight-cache"


def key(study: Study, names: Sequence[str]) -> str:
    """A digest of everything that decides before the study is looked at: what it is, where, in which environment."""
    told = asdict(replace(study, file=None))
    environment = {**redacted(os.environ), **study.environment}
    own = asdict(places.find(Path.cwd()))
    text = json.dumps(
        [told, sorted(environment.items()), str(Path.cwd()), own, list(names), xladoctor.__version__], default=str
    )
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def files(situation: Situation) -> dict[str, str]:
    """{file: digest} of what the rehearsed program was made of. Empty where that is not known: nothing is kept then."""
    if not situation.has("rehearsal"):
        return {}
    recording = situation.rehearsal
    found = next((e["files"] for e in reversed(recording.of_kind(schema.REHEARSAL)) if e.get("files")), None)
    if found is None:
        return {}
    work = str(recording.folder / "work")
    root = str(Path.cwd())
    # The rehearsal ran in a copy of the working directory; what counts is the original.
    return {name: _digest(name) for name in (f.replace(work, root, 1) if f.startswith(work) else f for f in found)}


def look(wanted: str) -> Preflight | None:
    """The kept answer, if each of its files is as it was."""
    try:
        data = foreign.read_table(_FOLDER, f"{wanted}.json")
        if data["schema"] != SCHEMA or any(_digest(name) != was for name, was in data["files"].items()):
            return None
        return _read(data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, XladoctorError):
        return None


def keep(wanted: str, result: Preflight, made_of: Mapping[str, str]) -> None:
    """Keep an answer; one that cannot be told to hold is not kept, nor is one with a check that broke down."""
    if not made_of or "" in made_of.values() or any("broke down" in c.message for c in result.checks):
        return
    _FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    when = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime())
    write_json(_FOLDER / f"{wanted}.json", {**asdict(result), "cached": when, "files": dict(made_of)})


def _read(data: dict[str, Any]) -> Preflight:
    def only(cls: Any, told: Mapping[str, Any]) -> dict[str, Any]:
        names = {f.name for f in fields(cls)}
        return {k: tuple(v) if isinstance(v, list) else v for k, v in told.items() if k in names}

    checks = tuple(Check(**only(Check, c)) for c in data["checks"])
    plan = tuple(Batches(**only(Batches, b)) for b in data["plan"])
    return Preflight(**{**only(Preflight, data), "checks": checks, "plan": plan})


def _digest(name: str) -> str:
    try:
        return hashlib.sha256(Path(name).read_bytes()).hexdigest()
    except OSError:
        return ""
