"""Answers that still hold: the same study, in the same environment, made of the same files."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import xladoctor
from xladoctor.errors import XladoctorError
from xladoctor.experiments import overlay, places
from xladoctor.model.preflight import SCHEMA, Batches, Check, Preflight
from xladoctor.preflight import made_of
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.study import Study
from xladoctor.recording import files as foreign
from xladoctor.recording.run_folder import DEFAULT_FOLDER, write_json
from xladoctor.target import with_python

_FOLDER = Path(DEFAULT_FOLDER) / "preflight-cache"
BROKEN_CHECK = "the check failed with an error"
"""How the message of a check begins that raised: its answer is not kept."""


def key(study: Study, names: Sequence[str], listing: overlay.Listing) -> str | None:
    """A digest of everything that decides before the study is looked at: what it is, where, in which environment, with
    which interpreter and packages. None where that cannot be known: the answer is not kept then.
    """
    folder = made_of.of_folder(listing)
    if folder is None:
        return None
    environment = {**os.environ, **study.environment}
    command = with_python(study.command, study.python) if study.command else ()
    program = (command[0] if command else study.python) or "python"
    parts = [
        asdict(replace(study, file=None)),
        made_of.of_environment(environment),
        str(listing.root),
        folder,
        made_of.of_interpreter(shutil.which(program, path=environment.get("PATH"))),
        asdict(places.find(listing.root)),
        list(names),
        xladoctor.__version__,
        # A file that the command line names is one that it reads.
        {word: made_of.of_path(word) for word in command[1:] if Path(word).is_absolute()},
    ]
    return made_of.digest(parts)[:24]


def files(situation: Situation) -> dict[str, str] | None:
    """{path: digest} of what the rehearsed program opened; None where that is not known."""
    if not situation.has("rehearsal"):
        return None
    runs = [situation.rehearsal, *([situation.plain_rehearsal] if situation.has("plain_rehearsal") else [])]
    return made_of.merged(made_of.of_recording(r, situation.cwd) for r in runs if r is not None)


def look(wanted: str | None) -> Preflight | None:
    """The kept answer, if each of its files is as it was."""
    if wanted is None:
        return None
    try:
        data = foreign.read_table(_FOLDER, f"{wanted}.json")
        if data["schema"] != SCHEMA or not made_of.same(data["files"]):
            return None
        return _read(data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, XladoctorError):
        return None


def keep(wanted: str | None, result: Preflight, paths: Mapping[str, str] | None) -> None:
    """Keep an answer, unless it may not hold, is incomplete, or has a check that failed with an error."""
    doubtful = wanted is None or not paths or made_of.MISSING in paths.values() or not made_of.same(paths)
    if doubtful or result.unchecked or any(c.message.startswith(BROKEN_CHECK) for c in result.checks):
        return
    _FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    when = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime())
    write_json(_FOLDER / f"{wanted}.json", {**asdict(result), "cached": when, "files": dict(paths or {})})


def _read(data: dict[str, Any]) -> Preflight:
    def only(cls: Any, told: Mapping[str, Any]) -> dict[str, Any]:
        names = {f.name for f in fields(cls)}
        return {k: tuple(v) if isinstance(v, list) else v for k, v in told.items() if k in names}

    checks = tuple(Check(**only(Check, c)) for c in data["checks"])
    plan = tuple(Batches(**only(Batches, b)) for b in data["plan"])
    return Preflight(**{**only(Preflight, data), "checks": checks, "plan": plan})
