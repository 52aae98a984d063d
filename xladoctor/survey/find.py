"""Which runs stand behind what a person named: folders are walked, and logs that are parts of one run are put together.

Logs of one run are those in one folder whose names differ only in the stream (`job.out` and `job.err`, `stdout.log` and
`stderr.log`) or in the number of a rank (`rank0.log`, `rank1.log`; `train.worker-2.txt`).
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from xladoctor.model.survey import Target
from xladoctor.recording import files

ENDINGS = (".log", ".out", ".err", ".txt")
PACKED = (".gz", ".zst")

_STREAM = re.compile(r"(?i)(?<![a-z])(?:std)?(?:out|err)(?![a-z])")
# What the doctor itself did with runs: replays, preflights and their answers.
_OURS = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}-(?:replay|preflight)|preflight-cache")
_RANK = re.compile(r"(?i)(?<![a-z])((?:local_?|global_?)?(?:rank|worker|node|task|proc(?:ess)?|host)[-_.]?)\d{1,6}")


# Nobody keeps logs deeper, and to walk a path takes longer with each of its parts.
_DEEPEST = 64


def is_log(name: str) -> bool:
    """Whether a file's name is that of a log. A file that was named by a person needs no such name."""
    lower = name.lower()
    for packed in PACKED:
        lower = lower.removesuffix(packed)
    return lower.endswith(ENDINGS)


def targets_in(folder: Path) -> Iterator[Target]:
    """The runs below a folder: every run folder, and every log that is not in one. Hidden folders are left out, and
    what the doctor's own replays and preflights wrote.

    Raises:
        OSError: the folder cannot be read.
    """
    inside = folder.resolve()
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        if files.is_run_folder(here):
            yield Target("run", (str(here),))
            continue
        try:
            names = sorted(os.listdir(here))  # noqa: PTH208 - names, not paths
        except OSError:
            if here == folder:
                raise
            continue  # below, one that cannot be read is no reason to read nothing
        yield from together(here / name for name in names if is_log(name) and _is_inside(here / name, inside))
        below = (here / name for name in names if not name.startswith(".") and not _OURS.fullmatch(name))
        # A link to a folder could lead back here.
        if depth < _DEEPEST:
            waiting += reversed([(path, depth + 1) for path in below if _is_kind(path, stat.S_ISDIR)])


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether it is a regular file; a link to one counts where that lies below `folder` too."""
    if _is_kind(path, stat.S_ISREG):
        return True
    try:
        return path.is_symlink() and path.is_file() and path.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):
        return False


def _is_kind(path: Path, kind: Callable[[int], bool]) -> bool:
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False  # its name is too long for the system, for example


def together(logs: Iterable[Path]) -> Iterator[Target]:
    """The logs as runs: parts of one run in one target, in the order of their first parts."""
    runs: dict[tuple[str, str], list[str]] = {}
    for log in logs:
        name = _STREAM.sub("out", _RANK.sub(r"\g<1>0", log.name))
        runs.setdefault((str(log.parent), name), []).append(str(log))
    for paths in runs.values():
        yield Target("logs", tuple(dict.fromkeys(paths)))
