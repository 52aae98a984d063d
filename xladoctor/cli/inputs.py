"""What a person named on the command line of `scan`: logs, standard input, a run folder, or none of these."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.recording import LAST, files

if TYPE_CHECKING:
    from xladoctor.model.survey import Target

STDIN: Literal["-"] = "-"


def run_folder(targets: Sequence[str]) -> Path | None:
    """The run folder that is to be scanned, or None where the targets are logs.

    Raises:
        XladoctorError: a folder that is no run folder, or a folder among other targets.
    """
    targets = _named(targets)
    folders = [Path(target) for target in targets if target != STDIN and Path(target).is_dir()]
    if not folders:
        return None
    folder = folders[0]
    if len(targets) > 1:
        raise XladoctorError(f"{folder} is a folder; give one run folder, or logs, but not both")
    if files.is_run_folder(folder):
        return folder
    inside = sorted((child for child in folder.iterdir() if child.is_dir() and files.is_run_folder(child)), key=_age)
    if inside:
        hint = f"It holds {len(inside)} of them; the newest: xladoctor scan {inside[-1]}"
    elif files.is_run_folder(folder.resolve().parent):
        hint = f"It lies in one: xladoctor scan {os.path.relpath(folder.resolve().parent)}"
    else:
        hint = "A run folder is what xladoctor scan -- CMD leaves behind; it holds a run.json."
    raise XladoctorError(f"{folder} is not a run folder: it holds neither run.json nor events", hint=hint)


def one_folder(name: str) -> Path:
    """The run folder of that name.

    Raises:
        XladoctorError: it is none, or not there.
    """
    if Path(name).is_file():
        raise XladoctorError(
            f"{name} is not a run folder, and a log holds no shapes",
            hint="Run the command again under the doctor: xladoctor trace -- COMMAND",
        )
    found = run_folder([name])
    if found is None:
        raise XladoctorError(f"there is no folder {name}")
    return found


def runs(targets: Sequence[str]) -> tuple[list[Target], list[str]] | None:
    """The runs behind several targets, or behind a folder that is no run folder, and what is wrong with the others;
    None where one run was named.

    Raises:
        XladoctorError: nothing that was named is there, or it is not meant as logs.
    """
    targets = _named(targets)
    if len(targets) < 2 and not any(_is_folder(target) and not files.is_run_folder(Path(target)) for target in targets):
        return None
    if list(targets).count(STDIN) > 1:
        raise XladoctorError("standard input (-) can be read only once")
    from xladoctor.survey.find import targets_in, together

    found: list[Target] = []
    single: list[Path] = []
    problems: list[str] = []
    for target in dict.fromkeys(targets):
        if target == STDIN:
            found.append(Target("logs", (STDIN,)))
        elif _is_folder(target):
            try:
                below = list(targets_in(Path(target)))
            except OSError as error:
                problems.append(f"{target}: {(error.strerror or str(error)).lower()}")
                continue
            if not below:
                problems.append(f"{target}: holds no log (*.log, *.out, *.err, *.txt, also .gz and .zst) and no run")
            found += below
        elif Path(target).exists():
            single.append(Path(_existing(target, targets)))
        elif target == targets[0] and _is_program(target):
            _existing(target, targets)
        else:
            near = _near(Path(target))
            problems.append(f"there is no file {target}" + (f" ({near})" if near else ""))
    found += together(single)
    if not found:
        if len(targets) == 1:
            run_folder(targets)
        raise XladoctorError("\n".join(problems))
    if not problems and len(found) == 1 and len(single) == len(set(targets)):
        # The streams or ranks of one run, named one by one.
        return None
    return list(dict.fromkeys(found)), problems


def of_one_run(targets: Sequence[str]) -> list[Path | Literal["-"]]:
    """The logs that are said to be of one run, also those below a folder.

    Raises:
        XladoctorError: as `logs`, or a folder holds a recorded run or no log.
    """
    from xladoctor.survey.find import targets_in

    paths: list[str] = []
    for target in targets:
        if not _is_folder(target):
            paths.append(target)
            continue
        below = [run for run in targets_in(Path(target)) if run.kind == "logs"]
        if files.is_run_folder(Path(target)) or not below:
            raise XladoctorError(f"--one-run puts logs together, and {target} holds none")
        paths += [path for run in below for path in run.paths]
    return logs(paths)


def _named(targets: Sequence[str]) -> list[str]:
    """The targets, with the newest run folder in the place of the word for it."""
    if LAST not in targets:
        return list(targets)
    from xladoctor.recording import recent

    return [recent.named(target) for target in targets]


def _is_folder(target: str) -> bool:
    return target != STDIN and Path(target).is_dir()


def logs(targets: Sequence[str]) -> list[Path | Literal["-"]]:
    """The logs, each of which is there.

    Raises:
        XladoctorError: nothing was named, or something that does not exist.
    """
    if not targets:
        raise XladoctorError(
            "there is nothing to scan",
            hint="Name a log or a run folder, - for standard input, or a command after --:\n"
            "  xladoctor scan -- python train.py",
        )
    if list(targets).count(STDIN) > 1:
        raise XladoctorError("standard input (-) can be read only once")
    return [STDIN if target == STDIN else _existing(target, targets) for target in targets]


def _existing(target: str, targets: Sequence[str]) -> Path:
    path = Path(target)
    if path.exists():
        if path.suffix == ".py":
            raise XladoctorError(
                f"{target} is a program, not a log", hint=f"To run it: xladoctor scan -- python {target}"
            )
        return path
    if target == targets[0] and (len(targets) > 1 or path.suffix == ".py") and _is_program(target):
        raise XladoctorError(
            f"there is no file {target}",
            hint=f"To run a command, put -- in front: xladoctor scan -- {' '.join(targets)}",
        )
    raise XladoctorError(f"there is no file {target}", hint=_near(path))


def _is_program(name: str) -> bool:
    import shutil

    return shutil.which(name) is not None


def _near(path: Path) -> str | None:
    if not path.parent.is_dir():
        return f"There is no folder {path.parent} either."
    names = [child.name for child in list(path.parent.iterdir())[:1000]]
    return did_you_mean(path.name, names)


def _age(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
