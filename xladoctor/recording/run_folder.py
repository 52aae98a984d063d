"""The run folder of a command: made once, never written into twice, and what is known of the run besides its events."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xladoctor import paths
from xladoctor.errors import XladoctorError
from xladoctor.model.evidence import ProcessOutcome
from xladoctor.recording import copies, files

if TYPE_CHECKING:
    from xladoctor.recording.run import Recording

DEFAULT_FOLDER = "xladoctor-runs"
IGNORED = {".gitignore": "*\n", ".ignore": "".join(f"{name}/\n" for name in copies.ALL)}
"""What is written into that folder once. ruff heeds `.gitignore` in a repository only, and `.ignore` everywhere."""


def new_folder(wanted: Path | None) -> Path:
    """Make the run folder. One that exists and is not empty is never written into."""
    if wanted is None:
        return stamped(hint="name a place with --run-dir DIR")
    try:
        # The batch and the output of a run are the user's alone.
        wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(wanted.iterdir()):
            raise XladoctorError(
                f"{wanted} is not empty: a run folder is never written into twice",
                hint="name a new folder with --run-dir, or leave it out",
            )
        for above in wanted.absolute().parents:
            if above.name == DEFAULT_FOLDER:
                _ignore(above)  # as in a batch script, which gives each rank its place
    except OSError as error:
        raise XladoctorError(f"cannot make the run folder {wanted}: {error.strerror or error}") from error
    return wanted.resolve()


def stamped(kind: str = "", parent: Path | None = None, hint: str | None = None) -> Path:
    """Make a new folder `<time>-<id>[-<kind>]` below `parent`; without one below `xladoctor-runs` here, with
    `IGNORED` in it.

    Raises:
        XladoctorError: it cannot be made.
    """
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    above = Path(DEFAULT_FOLDER) if parent is None else parent
    folder = above / f"{stamp}-{os.urandom(2).hex()}{f'-{kind}' if kind else ''}"
    try:
        if parent is None:
            above.mkdir(exist_ok=True)
            _ignore(above)
        else:
            # A run folder may be a stranger's: what is called `replays` in it must be a folder, not a link elsewhere.
            files.make_folder(parent.parent, parent.name, new=False)
        # The batch and the output of a run are the user's alone.
        files.make_folder(above, folder.name)
    except OSError as error:
        raise XladoctorError(f"cannot make {above} here: {error.strerror or error}", hint=hint) from error
    return folder.resolve()


def _ignore(folder: Path) -> None:
    for name, text in IGNORED.items():
        with contextlib.suppress(OSError), files.create(folder, name) as ignore:  # it may be there, or not ours
            ignore.write(text.encode())


def run_facts(command: Sequence[str]) -> dict[str, Any]:
    """The first lines of `run.json`: what was run, where, under which settings. Secrets are taken out."""
    import platform

    import xladoctor
    from xladoctor.recording.environment import redacted, redacted_words
    from xladoctor.recording.schema import schema

    return {
        "schema": schema.RUN_SCHEMA,
        "tool_version": xladoctor.__version__,
        "command": redacted_words(command),
        "cwd": str(paths.here()),
        "host": {"system": platform.system(), "machine": platform.machine(), "cpus": os.cpu_count()},
        "environment": redacted(os.environ),
    }


def with_probes(outcome: ProcessOutcome, folder: Path, wanted: bool) -> ProcessOutcome:
    """Say whether the probes recorded, and if not, why."""
    if not wanted:
        return replace(outcome, probes="off", probes_note="--no-probes")
    if files.names(folder, like="events-*.jsonl"):
        return replace(outcome, probes="recorded")
    return replace(outcome, probes="absent", probes_note=_why_absent(outcome.command))


def _why_absent(command: Sequence[str]) -> str:
    name = Path(command[0]).name
    if not name.startswith("python"):
        return f"{name} started no Python that loads sitecustomize from PYTHONPATH"
    for word in command[1:]:
        if not word.startswith("-") or word in ("-m", "-c"):
            break
        if not word.startswith("--"):
            for letter, why in (
                ("I", "isolated mode"),
                ("E", "PYTHON* variables are ignored"),
                ("S", "no site module"),
            ):
                if letter in word[1:]:
                    return f"python -{letter} ({why}) does not load them; run the command without -{letter}"
    return "this interpreter did not load sitecustomize from PYTHONPATH"


def why_foreign(recording: Recording) -> str | None:
    """Why a run is not taken for one of this user, in words; None where it is one, and says still what it said then.

    What was read is compared with what was signed: `run.json`, the events and the answers, not the files as they may
    be by now.
    """
    from xladoctor.recording import mark

    known = mark.listed(recording.folder)
    if known is None:
        return "it was not recorded by you on this machine"
    changed = sorted(name for name, digest in recording.digests.items() if known.get(name) != digest)
    return f"{', '.join(changed[:3])} changed after it was recorded" if changed else None


def foreign_note(recording: Recording) -> str | None:
    """What a reader must know of a run of somebody else; None of one of this user."""
    why = why_foreign(recording)
    if why is None:
        return None
    return (
        f"This run folder is foreign ({why}): replay starts no interpreter that it names, and runs its capsules only "
        "where every op in them is on the list of ops that can do no harm."
    )


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a JSON file whole or not at all, and no secret into it. A link of that name is replaced, not followed."""
    from xladoctor import secrets

    files.replace(path.parent, path.name, (json.dumps(secrets.of_data(value), indent=1) + "\n").encode())


def identity(folder: Path) -> tuple[int, int] | None:
    """What tells the folder from another one of the same name; None where there is none."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def write_if_possible(path: Path, value: dict[str, Any]) -> list[str]:
    """Write a JSON file, also into a run folder that was removed meanwhile; return why it could not be written.

    A full disk is no reason to end, or not to start, the run that is looked at.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_json(path, value)
    except OSError as error:
        return [f"{path.name} could not be written: {error.strerror or error}"]
    return []
