"""Logging in a process of its own: whatever a library does there (waits, prints, ends the process, imports
TensorFlow), the doctor goes on, and ends as it would have without it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING, Any

from xladoctor.trackers import Destination, tracker

if TYPE_CHECKING:
    from xladoctor.trackers._parcel import Parcel

SECONDS = 120.0
"""What a tracker may take: a server that does not answer must not hold a batch job up."""
_START = (
    "import json, sys; given = json.load(sys.stdin); sys.path[:] = given['path']; "
    "from xladoctor.trackers._process import answer; answer(given)"
)


@dataclass(frozen=True)
class Logged:
    """What came of one destination: where the diagnosis is, or why it is not there."""

    to: Destination
    at: str | None = None
    problem: str | None = None


def send(to: Destination, parcel: Parcel) -> Logged:
    """Log a parcel, and say what came of it. Raises nothing but KeyboardInterrupt."""
    asked = {"path": [p for p in sys.path if p], "to": asdict(to), "parcel": asdict(parcel)}
    env = {**tracker(to.name).environment, **os.environ}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        given.write(json.dumps(asked).encode("ascii"))
        given.seek(0)
        try:
            # In files, not pipes: a process that a library leaves behind would hold a pipe open. A session of its
            # own: all that a library starts ends with it.
            child = subprocess.Popen(
                [sys.executable, "-c", _START], stdin=given, stdout=out, stderr=errors, env=env, start_new_session=True
            )
        except OSError as error:
            return Logged(to, problem=f"it could not be started: {error.strerror or error}")
        late = _wait(child, SECONDS)
        return _answered(to, _lines(out), _lines(errors), late)


def _wait(child: subprocess.Popen[bytes], seconds: float) -> str | None:
    """See the process end, at the latest after so many seconds; what is to be said if it did not by itself."""
    try:
        child.wait(seconds)
        return None
    except subprocess.TimeoutExpired:
        return f"it gave no answer within {seconds:g} s"
    finally:
        if child.returncode is None:
            with contextlib.suppress(OSError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _lines(file: IO[bytes]) -> list[str]:
    file.seek(0)
    return [line for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]


def _answered(to: Destination, out: Sequence[str], errors: Sequence[str], late: str | None) -> Logged:
    # What was logged is there, also where the library then did not find its end.
    try:
        told = json.loads(out[-1]) if out else {}
    except ValueError:
        told = {}
    if told.get("at") is not None:
        return Logged(to, at=str(told["at"]))
    said = told.get("problem") or late or (errors[-1] if errors else None)
    return Logged(to, problem=str(said or "its process ended without an answer"))


def answer(given: dict[str, Any]) -> None:
    """In the process that logs: do it, and answer in one line on what standard output was."""
    from xladoctor.trackers._parcel import Parcel

    stdout = os.dup(1)
    os.dup2(2, 1)  # what libraries print is none of the answer
    told: dict[str, str] = {}
    try:
        to = Destination(**given["to"])
        told["at"] = tracker(to.name).log(Parcel.of(given["parcel"]), to.where)
    except (Exception, SystemExit) as error:
        words = str(error).strip()
        told["problem"] = f"{type(error).__name__}: {words}" if words else type(error).__name__
    os.write(stdout, json.dumps(told).encode("ascii") + b"\n")
