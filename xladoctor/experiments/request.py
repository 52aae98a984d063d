"""What a replay was asked for, written down first: `--resume FOLDER` needs to be told nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from xladoctor import secrets
from xladoctor.errors import XladoctorError
from xladoctor.recording import files, mark
from xladoctor.workers.bench import TIMEOUT
from xladoctor.workers.subject import Subject, find

REQUEST = "request.json"


@dataclass(frozen=True)
class Options:
    """What is wanted of a replay. Without any part, the subject is swept and, where it fails, isolated."""

    sizes: tuple[int, ...] = ()
    vary: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exhaustive: bool = False
    isolate: bool = False
    parity: bool = False
    verify: bool = False
    repro: Path | None = None
    target: str | None = None
    resume: Path | None = None
    jobs: int = 1
    min_good: bool = False
    timeout: float = TIMEOUT
    memory: int | None = None

    @property
    def parts(self) -> bool:
        """Whether any part besides the sweep was asked for."""
        return self.isolate or self.parity or self.verify or self.repro is not None or self.target is not None


def request(subject: Subject, options: Options) -> dict[str, Any]:
    """What was asked for, so that `--resume` needs to be told nothing else."""
    kept = ("sizes", "vary", "exhaustive", "isolate", "parity", "verify", "target", "min_good")
    said = {
        "subject": subject.name,
        "kind": subject.kind,
        "target": None if subject.folder is None else str(subject.folder),
        "python": subject.python,
        "values": subject.values,
        "cwd": str(subject.cwd),
        "options": {name: getattr(options, name) for name in kept},
        "repro": None if options.repro is None else str(options.repro),
    }
    # As JSON will give it back: lists where there are tuples.
    return {**said, "mark": mark.make(json.loads(json.dumps(said)))}


def resumed(folder: Path, options: Options) -> tuple[Subject, Options]:
    """The subject and the options of an interrupted replay; how many jobs and how long a try may take are new.

    Raises:
        XladoctorError: there is none in this folder.
    """
    try:
        said = files.read_table(folder, REQUEST)
        if not mark.holds(said.pop("mark", None), said):
            if secrets.REDACTED in json.dumps(said):
                raise ValueError("a secret value was left out of it: give the whole command once more, with --resume")
            raise ValueError("it was not made by you on this machine, and names what would be started")
        asked = said["options"]
        before = replace(
            options,
            sizes=tuple(int(n) for n in asked["sizes"]),
            vary=tuple((str(name), tuple(map(str, values))) for name, values in asked["vary"]),
            **{name: asked[name] for name in ("exhaustive", "isolate", "parity", "verify", "target", "min_good")},
            repro=None if said["repro"] is None else Path(said["repro"]),
            resume=folder,
        )
        callable_ = said["subject"] if said["kind"] == "callable" else None
        named = None if callable_ else said["target"]
        subject = find(named, callable_, python=said["python"], values=bool(said["values"]), cwd=Path(said["cwd"]))
    except (OSError, ValueError, KeyError, TypeError, files.Unusable) as error:
        raise XladoctorError(
            f"--resume {folder}: there is no replay in it that could be gone on with ({_why(folder, error)})",
            hint="A replay keeps its request.json and journal.jsonl in the folder that it names at its end.",
        ) from error
    return replace(subject, name=said["subject"]), before


def _why(folder: Path, error: Exception) -> str:
    """Why a folder cannot be gone on with, in words."""
    if not folder.is_dir():
        return "it is no folder" if folder.exists() else "there is no such folder"
    if isinstance(error, FileNotFoundError):
        return f"it has no {REQUEST}"
    if isinstance(error, OSError):
        return f"{REQUEST}: {error.strerror or error}"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | KeyError | TypeError):
        return f"its {REQUEST} is not one that a replay wrote"
    return str(error)
