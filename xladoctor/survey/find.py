"""Which runs stand behind what a person named: folders are walked, and logs that are parts of one run are put together.

Logs of one run are those in one folder whose names differ only in the stream (`job.out` and `job.err`, `stdout.log` and
`stderr.log`) or in the number of a rank (`rank0.log`, `rank1.log`; `train.worker-2.txt`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from xladoctor.model.survey import Target
from xladoctor.recording import files

ENDINGS = (".log", ".out", ".err", ".txt")
PACKED = (".gz", ".zst")

_STREAM = re.compile(r"(?i)(?<![a-z])(?:std)?(?:out|err)(?![a-z])")
# What the doctor itself did with runs: replays, preflights and their answers.
_OURS = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}-(?:replay|preflight)|preflight-cache")
_RANK = re.compile(r"(?i)(?<![a-z])((?:local_?|global_?)?(?:rank|worker|node|task|proc(?:ess)?|host)[-_.]?)\d{1,6}")


# One of these is in every name of a part; the two patterns above take ten times as long.
_PART = re.compile(r"(?i)out|err|rank|worker|node|task|proc|host")
_RECORDED = re.compile(r"run\.json|events-.*\.jsonl")

# Nobody keeps logs deeper, and to walk a path takes longer with each of its parts.
_DEEPEST = 64


def is_log(name: str) -> bool:
    """Whether a file's name is that of a log. A file that was named by a person needs no such name."""
    lower = name.lower()
    for packed in PACKED:
        lower = lower.removesuffix(packed)
    return lower.endswith(ENDINGS)


def targets_in(folder: Path, *, unlisted: bool = False) -> Iterator[Target]:
    """The runs below a folder: every run folder, and every log that is not in one. Hidden folders are left out, and
    what the doctor's own replays and preflights wrote. `unlisted`: a folder below that cannot be listed comes as a log,
    which cannot be read either.

    Raises:
        OSError: the folder cannot be read.
    """
    inside = folder.resolve()
    waiting = [(str(folder), 0)]
    while waiting:
        here, depth = waiting.pop()
        try:
            with os.scandir(here) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            # Of a folder that cannot be listed, its `run.json` may still be read.
            if files.is_run_folder(Path(here)):
                yield Target("run", (here,))
                continue
            if depth == 0:
                raise
            if unlisted:
                yield Target("logs", (here,))
            continue  # below, one that cannot be read is no reason to read nothing
        if any(_RECORDED.fullmatch(entry.name) for entry in entries) and files.is_run_folder(Path(here)):
            yield Target("run", (here,))
            continue
        yield from _together([entry.path for entry in entries if is_log(entry.name) and _is_inside(entry, inside)])
        # A link to a folder could lead back here.
        if depth < _DEEPEST:
            below = (entry for entry in reversed(entries) if _is_folder(entry) and not _is_ours(entry.name))
            waiting += [(entry.path, depth + 1) for entry in below]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False  # its name is too long for the system, for example


def _is_ours(name: str) -> bool:
    return name.startswith(".") or _OURS.fullmatch(name) is not None


def _is_inside(entry: os.DirEntry[str], folder: Path) -> bool:
    """Whether it is a regular file; a link to one counts where that lies below `folder` too."""
    try:
        if not entry.is_symlink():
            return entry.is_file(follow_symlinks=False)
        return entry.is_file() and Path(entry.path).resolve().is_relative_to(folder)
    except (OSError, RuntimeError):
        return False


def together(logs: Iterable[Path]) -> Iterator[Target]:
    """The logs as runs: parts of one run in one target, in the order of their first parts."""
    return _together([str(log) for log in logs])


def _together(logs: Iterable[str]) -> Iterator[Target]:
    runs: dict[tuple[str, str], list[str]] = {}
    for log in logs:
        folder, _, name = log.rpartition(os.sep)
        # `slurm-4711.out`, as most are called, is its own name already.
        if _PART.search(name, 0, len(name) - 4 if name.endswith(".out") else len(name)):
            name = _STREAM.sub("out", _RANK.sub(r"\g<1>0", name))
        runs.setdefault((folder, name), []).append(log)
    for paths in runs.values():
        yield Target("logs", tuple(dict.fromkeys(paths)))
