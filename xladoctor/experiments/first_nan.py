"""After a run that ended in NaN: the command is rehearsed once, with every op's output checked, until the first NaN.

The rehearsal stops at the op that made it (`probes.record.nan_hunt`). It runs in a copy of the working directory
without what the run itself wrote there, may write nowhere else, and opens no connection.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from xladoctor import secrets
from xladoctor.diagnosis.own_source import program_of
from xladoctor.diagnosis.reckoned import tests_that_meet
from xladoctor.diagnosis.suspicion import Suspicion, ended_well, suspicion
from xladoctor.errors import XladoctorError
from xladoctor.experiments import overlay
from xladoctor.experiments.rehearse import rehearse
from xladoctor.recording import copies, files
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema
from xladoctor.sources.guards import Guard, guards

SECONDS = 30.0
"""The most that the checks after a run may take (`check.budget`), without the time that the program takes to start."""
_NAME = "first-nan"
_MULTI = ("TF_CONFIG", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")


def look(
    recording: Recording,
    command: Sequence[str],
    environment: Mapping[str, str],
    say: Callable[[str], None],
    seconds: float | None,
) -> bool:
    """Rehearse the command if its run ended in NaN, and write `first-nan.json`. True if there was a reason to.

    Raises:
        KeyboardInterrupt: a signal came to the doctor meanwhile.
    """
    sign = suspicion(recording)
    if sign is None:
        return False
    met = tests_that_meet(guards_of(recording, sign), recording, sign) if ended_well(recording) else {}
    why = "the program tests for such values, and went on" if any(met.values()) else _refused(environment, seconds)
    found: dict[str, Any] | None = None
    if why is None:
        say("looking for the op that made the first NaN; Ctrl-C skips it")
        found, why = _rehearsed(recording, command, environment, SECONDS if seconds is None else seconds)
    document = {"schema": schema.FIRST_NAN_SCHEMA, "found": found, "why": why, **met}
    with files.create(recording.folder, schema.FIRST_NAN_FILE) as file:
        file.write((json.dumps(secrets.of_strings(document), indent=1) + "\n").encode())
    return True


def guards_of(recording: Recording, sign: Suspicion) -> list[Guard]:
    """Where the program's own source tests the values of the training that went wrong; none where the source cannot be
    read.
    """
    at = sign.where
    return guards(program_of(recording), (at.file, at.line) if at is not None and at.line is not None else None)


def _refused(environment: Mapping[str, str], seconds: float | None) -> str | None:
    if seconds is not None and seconds <= 0:
        return "the checks after the run were switched off (--check-budget 0)"
    for name in _MULTI:
        if environment.get(name, "") not in ("", "1"):
            return f"the program is one of several that run together ({name} is set)"
    return None


def _rehearsed(
    recording: Recording, command: Sequence[str], environment: Mapping[str, str], seconds: float
) -> tuple[dict[str, Any] | None, str | None]:
    """What the rehearsal found, or why it found nothing."""
    root = Path.cwd()
    folder = recording.folder / "rehearsals" / _NAME
    listing = without_news(overlay.look(root), recording.run.get("started"))
    try:
        again = rehearse(
            command,
            listing=listing,
            folder=folder,
            environment=environment,
            batches=None,
            until={"seconds": seconds},
            hunt=True,
            timeout=3 * _start(recording) + seconds + 60.0,
            capture="none",
        )
    except (XladoctorError, OSError) as error:
        return None, f"the program could not be run again: {error}"
    finally:
        shutil.rmtree(folder / copies.WORK, ignore_errors=True)
    told = next((e["nan"] for e in again.of_kind(schema.REHEARSAL) if isinstance(e.get("nan"), dict)), None)
    if told is not None and "none" not in told:
        return _in_place(told, str(folder / copies.WORK), str(root)), None
    return None, _why(again, told, seconds)


def without_news(listing: overlay.Listing, started: object) -> overlay.Listing:
    """Without the files that the run itself wrote: a program that finds a checkpoint goes on from it."""
    if not isinstance(started, int | float):
        return listing

    def old(name: str) -> bool:
        try:
            return (listing.root / name).stat().st_ctime < started or name.endswith(".py")
        except OSError:
            return False

    return replace(listing, files=tuple(name for name in listing.files if old(name)))


def _start(recording: Recording) -> float:
    """Seconds until the program had traced or called its first function."""
    times = [float(e["t"]) for kind in (schema.TRACE, schema.CALL) for e in recording.of_kind(kind)[:1]]
    outcome = recording.outcome
    return min(times) if times else min(120.0, (outcome.seconds if outcome is not None else None) or 30.0)


def _why(again: Recording, told: Any, seconds: float) -> str:
    stopped = next((e.get("stopped") for e in again.of_kind(schema.REHEARSAL) if e.get("stopped")), None)
    if stopped == "seconds":
        return f"no NaN occurred within {seconds:g} s of a second run (--check-budget gives it more)"
    failed = [e for e in again.of_kind(schema.FAILURE) if e.get("state") == "uncaught"]
    if failed:
        return f"a second run ended with {failed[-1].get('exception')} before it came to a NaN"
    if told is not None:
        return "a second run, without XLA, ended without a NaN in its loss or its variables"
    return "a second run ended before it came to a NaN"


def _in_place(value: Any, work: str, root: str) -> Any:
    """Paths in the copy as paths in the working directory."""
    if isinstance(value, dict):
        return {k: _in_place(v, work, root) for k, v in value.items()}
    if isinstance(value, list):
        return [_in_place(v, work, root) for v in value]
    if isinstance(value, str) and (value == work or value.startswith(work + os.sep)):
        return root + value[len(work) :]
    return value
