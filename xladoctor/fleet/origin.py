"""Whose run it was, and on which node: what a log, its name and its owner say.

In a log: the variables of Slurm that a job script printed (`SLURMD_NODENAME=gpu17`), what Slurm itself says of a task
(`srun: error: gpu17: task 0: Killed`, `*** JOB 4711 ON gpu17 CANCELLED AT`), and the usual sentences of job scripts
(`Running on node gpu17`, `hostname: gpu17`). A job that says more than one node has none.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePath
from typing import Any, NamedTuple

HEAD, TAIL = 8192, 4096
"""So much of the beginning and of the end of a log is looked at."""

_NAME = rb"([A-Za-z0-9][\w.-]{0,62})"
_LABEL = rb"(?m)^[ \t#*]{0,8}"
_HOST = _LABEL + rb"(?:HOSTNAME|[Hh]ost(?:name)?)[ \t]{0,3}[:=][ \t]{0,3}" + _NAME + rb"[ \t]{0,3}$"
_NODES = (
    (
        b"SLURM",
        rb"SLURM(?:D_NODENAME|_NODELIST|_JOB_NODELIST)['\"]?[ \t]{0,3}[=:][ \t]{0,3}['\"]?" + _NAME + rb"(?![\w.,\[-])",
    ),
    (b"srun: error: ", rb"(?m)^srun: error: " + _NAME + rb": tasks? \d"),
    (b"slurmstepd: ", rb"(?m)^slurmstepd: error: \*\*\* (?:JOB|STEP) [\d.]{1,20} ON " + _NAME),
    (b"unning on ", _LABEL + rb"[Rr]unning on (?:node|host|machine)s?[ :]{1,3}" + _NAME + rb"[ \t.]{0,3}$"),
    *((mark, _HOST) for mark in (b"ostname", b"HOSTNAME", b"\nHost:", b"\nhost:")),
)
_USER = re.compile(rb"SLURM_JOB_USER['\"]?[ \t]{0,3}[=:][ \t]{0,3}['\"]?([A-Za-z_][\w.-]{0,31})")
_JOB = re.compile(rb"SLURM_(?:ARRAY_)?JOB_?ID['\"]?[ \t]{0,3}[=:][ \t]{0,3}['\"]?(\d{1,12})")
# Of a file that is named after its node (%N). `node1` and `host1` are taken for ranks, as `scan DIR` does.
_IN_NAME = re.compile(r"(?<![A-Za-z0-9])((?:gpu|cn|nid|dgx|hpc)[a-z-]{0,8}\d{1,6})(?![A-Za-z0-9])")
_JOB_IN_NAME = re.compile(r"(?:^|[-_.])(?:slurm|job)[-_.]?(\d{2,12})(?![A-Za-z0-9])")
_DIGITS = re.compile(r"\d+")


class Origin(NamedTuple):
    """Where a run comes from; None is what nothing says. `program` is what its user ran, as far as names tell: runs of
    one program differ in the digits of their logs and folders only.
    """

    user: str | None
    node: str | None
    job: str | None
    program: str


def of_log(path: str, data: bytes, owner: int) -> Origin:
    """Of a log with its beginning and end in `data`, and the number of the user who owns it."""
    head = data if len(data) <= HEAD + TAIL else data[:HEAD] + b"\n" + data[-TAIL:]
    user = _USER.search(head) if b"SLURM_JOB_USER" in head else None
    job = _JOB.search(head) if b"SLURM_" in head else None
    name = user[1].decode() if user else owner_name(owner)
    in_name = _JOB_IN_NAME.search(PurePath(path).name)
    number = job[1].decode() if job else in_name[1] if in_name else None
    return Origin(name, _node(path, head), number, program(name, path))


def _node(path: str, head: bytes) -> str | None:
    found = {match[1] for mark, form in _NODES if mark in head for match in re.finditer(form, head)}
    names = {name.decode().partition(".")[0] for name in found if name != b"localhost"}
    if not names:
        names = set(_IN_NAME.findall(PurePath(path).name))
    return names.pop() if len(names) == 1 else None


def of_run(folder: str, facts: Mapping[str, Any], owner: int) -> Origin:
    """Of a run folder, by the environment that `run.json` has."""
    environment = facts.get("environment")
    known = {k: v for k, v in environment.items() if isinstance(v, str)} if isinstance(environment, Mapping) else {}
    text = "".join(f"{name}={value}\n" for name, value in known.items()).encode("utf-8", "replace")
    return of_log(folder, text, owner)


def program(user: str | None, path: str) -> str:
    """What a user ran, by the names of folder and log without their digits."""
    return f"{user or ''}:{_DIGITS.sub('0', path)}"


@lru_cache(maxsize=4096)
def owner_name(number: int) -> str | None:
    """The name of a user by number; of one that this machine does not know, the number."""
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except (KeyError, OverflowError):
        return str(number)


def owner(path: str) -> int:
    """The number of the user who owns a file, 0 where it is gone."""
    try:
        found: int = os.lstat(path)[stat.ST_UID]
    except OSError:
        return 0
    return found
