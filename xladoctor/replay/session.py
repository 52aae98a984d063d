"""A whole replay: asks for the parts that are wanted, and keeps everything in a folder of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import xladoctor
from xladoctor.errors import XladoctorError
from xladoctor.replay import vary as varying
from xladoctor.replay.bench import TIMEOUT, Bench
from xladoctor.replay.model import Case, Outcome, Replay, Sweep
from xladoctor.replay.run_folder import DEFAULT_FOLDER, write_json
from xladoctor.replay.subject import Subject
from xladoctor.replay.sweep import Asked, sweep

Say = Callable[[str], None]


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


def replay(subject: Subject, options: Options, say: Say = lambda text: None) -> Replay:
    """Run the subject again in workers, and tell what was learnt.

    Raises:
        XladoctorError: the subject cannot be run as it was asked for.
    """
    folder = _folder(subject, options.resume)
    with Bench(subject, folder, timeout=options.timeout, jobs=options.jobs, say=say, memory=options.memory) as bench:
        asked = _asked(bench, options)
        swept = sweep(bench, asked)
        result = Replay(subject=subject.name, sweep=swept, folder=str(folder), tool_version=xladoctor.__version__)
        case = first_bad(swept)
        result = _parts(bench, case or _any(swept), case is not None, options, result)
    _write(folder, result)
    return result


def first_bad(swept: Sweep) -> Case | None:
    """The smallest case that shows something wrong; None where nothing does."""
    bad = [o for o in swept.outcomes if o.bad]
    return min(bad, key=_size).case if bad else None


def _any(swept: Sweep) -> Case:
    good = [o for o in swept.outcomes if o.state == "passed"]
    return (good or list(swept.outcomes))[-1].case


def _size(outcome: Outcome) -> int:
    return outcome.case.batch or 0


def _parts(bench: Bench, case: Case, bad: bool, options: Options, result: Replay) -> Replay:
    """The other parts, each of which fills one field. `bad`: the case shows something wrong.

    A part is a function of the bench and a case, and is imported where it is asked for.
    """
    return result


def _asked(bench: Bench, options: Options) -> Asked:
    """The sweep that is meant: of the sizes that were given, else of those that the recorded call met."""
    subject = bench.subject
    parameters: list[str] = []
    config: list[str] = []
    if subject.kind == "callable":
        told = bench.ask("describe", Case(None))
        if not told.ok:
            raise XladoctorError(
                f"--subject {subject.name} cannot be run: {told.message}",
                exit_code=3,
                hint=f"It is imported by {subject.python} from {subject.cwd}.",
            )
        parameters, config = list(told.result["parameters"]), list(told.result["config"])
        if not options.sizes:
            raise XladoctorError(
                f"--subject {subject.name}: at which batch sizes?", hint="For example --batch-sizes 1:64"
            )
    sizes: tuple[int | None, ...] = options.sizes or subject.sizes or (None,)
    return Asked(sizes, varying.resolve(options.vary, subject, parameters, config), options.exhaustive)


def _folder(subject: Subject, resume: Path | None) -> Path:
    """A new folder; or the one that is gone on with."""
    if resume is not None:
        if not (resume / "journal.jsonl").is_file():
            raise XladoctorError(f"--resume {resume}: there is no replay in it (no journal.jsonl)")
        return resume.resolve()
    stamp = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.urandom(2).hex()}"
    parent = subject.run / "replays" if subject.run is not None else Path(DEFAULT_FOLDER)
    folder = parent / (stamp if subject.run is not None else f"{stamp}-replay")
    try:
        folder.mkdir(mode=0o700, parents=True)
        ignore = Path(DEFAULT_FOLDER) / ".gitignore"
        if subject.run is None and not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise XladoctorError(f"cannot make {folder}: {error.strerror or error}") from error
    return folder.resolve()


def _write(folder: Path, result: Replay) -> None:
    from xladoctor.report.replay import render, to_dict

    write_json(folder / "replay.json", to_dict(replace(result)))
    (folder / "sweep.csv").write_text(render(result, "csv"), encoding="utf-8")
