"""What `xladoctor report` does, without a command line: a document of a run, two runs side by side, nothing secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xladoctor import excerpts, paths
from xladoctor.errors import XladoctorError
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.report.view import View

if TYPE_CHECKING:
    from xladoctor.model.replay import Replay
    from xladoctor.model.run_diff import RunDiff, Seen
    from xladoctor.report.redact import Machine


@dataclass(frozen=True)
class Document:
    """What a document is made of."""

    diagnosis: Diagnosis
    view: View


def of_run(folder: Path, replays: Sequence[Path] = ()) -> Document:
    """The document of a run folder, with the replays in it, and others that are named. Writes nothing.

    Raises:
        XladoctorError: (exit code 2) it is no run folder, or a named replay is none.
    """
    from xladoctor.recording import replays as kept
    from xladoctor.recording.run import read_run
    from xladoctor.saved import scan_run

    diagnosis = scan_run(folder)
    found, _ = kept.of_run(folder)
    diagnosis, named = _with_named(diagnosis, replays)
    outcome = read_run(folder).outcome
    status = None if outcome is None else _status(outcome.code, outcome.signal)
    known = excerpts.of(diagnosis, folder)
    return Document(
        diagnosis, View(run_dir=str(folder), target_status=status, replays=(*found, *named), excerpts=known)
    )


def of_logs(logs: Sequence[Path | str], replays: Sequence[Path] = ()) -> Document:
    """The document of saved output.

    Raises:
        XladoctorError: (exit code 2) a log cannot be read, or a named replay is none.
    """
    from xladoctor.saved import scan_logs

    diagnosis, named = _with_named(scan_logs(logs), replays)
    return Document(diagnosis, View(replays=named, excerpts=excerpts.of(diagnosis)))


def of_diagnosis(file: Path, replays: Sequence[Path] = ()) -> Document:
    """The document of a diagnosis that was written as JSON.

    Raises:
        XladoctorError: (exit code 2) it cannot be read, or is larger than any diagnosis.
    """
    from xladoctor.recording import files
    from xladoctor.report import json_

    try:
        told = files.parsed(files.read(file.parent, file.name, follow=True))
    except ValueError as error:
        raise XladoctorError(f"{file}: this is not the JSON of a diagnosis: {error}") from None
    except OSError as error:
        raise XladoctorError(f"{file} cannot be read: {error.strerror or error}") from None
    diagnosis, named = _with_named(json_.from_dict(told), replays)
    return Document(diagnosis, View(replays=named, excerpts=excerpts.of(diagnosis)))


def _with_named(diagnosis: Diagnosis, paths: Sequence[Path]) -> tuple[Diagnosis, tuple[Replay, ...]]:
    """(the diagnosis, which says what of the named replays cannot be read; these replays)."""
    from xladoctor.recording import replays

    found = [replays.named(path) for path in paths]
    problems = [problem for _, parts in found for problem in parts]
    return replace(diagnosis, problems=(*diagnosis.problems, *problems)), tuple(replay for replay, _ in found)


def differences(a: Path, b: Path) -> RunDiff:
    """Two runs side by side. Writes nothing.

    Raises:
        XladoctorError: (exit code 2) one of them is no run folder.
    """
    from xladoctor.diagnosis.run_diff import diff
    from xladoctor.saved import diff_runs

    return diff(_seen(a), _seen(b), diff_runs(a, b))


def redacted_differences(found: RunDiff) -> RunDiff:
    """The same with homes, users, hosts, working folders and secrets replaced by placeholders."""
    from xladoctor.report.redact import NOTE, Redactor

    hidden = Redactor(machine(), found).value(found)
    return replace(hidden, notes=(*hidden.notes, NOTE))


def _seen(folder: Path) -> Seen:
    from xladoctor.model.run_diff import Seen
    from xladoctor.recording.run import read_run
    from xladoctor.report.console import ended
    from xladoctor.saved import scan_run

    recording = read_run(folder)
    outcome = recording.outcome
    status = None if outcome is None else _status(outcome.code, outcome.signal)
    end = "how it ended is not known" if status is None else ended(status, False)
    return Seen(scan_run(folder), recording.run, end, bool(recording.events))


def redacted(document: Document) -> Document:
    """The same with homes, users, hosts, working folders and secrets replaced by placeholders."""
    from xladoctor.report.redact import NOTE, Redactor

    diagnosis, view = document.diagnosis, document.view
    redactor = Redactor(machine(diagnosis.environment.get("cwd")), diagnosis, view)
    hidden = redactor.value(diagnosis)
    return Document(replace(hidden, notes=(*hidden.notes, NOTE)), redactor.value(view))


def machine(*folders: Any) -> Machine:
    """What this machine and the run's say of themselves, to be hidden."""
    import os
    import socket

    from xladoctor.report.redact import Machine, of_environment

    home = os.path.expanduser("~")  # noqa: PTH111  # Path.home() raises where there is none
    users = {os.environ.get(name) for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")}
    hosts = {socket.gethostname(), os.environ.get("HOSTNAME"), os.environ.get("SLURMD_NODENAME")}
    hosts |= {host.partition(".")[0] for host in hosts if host}
    return Machine(
        folders=tuple(dict.fromkeys(str(f) for f in (*folders, paths.here()) if f)),
        homes=(home,) if home != "~" else (),
        users=tuple(sorted(user for user in users if user)),
        hosts=tuple(sorted(host for host in hosts if host)),
        secrets=tuple(of_environment(os.environ)),
    )


def _status(code: int | None, signal_name: str | None) -> int | None:
    """How a process ended, as a number; negative for a signal."""
    import signal

    if code is not None or signal_name is None:
        return code
    found = getattr(signal, signal_name, None)
    return -int(found) if isinstance(found, signal.Signals) else None
