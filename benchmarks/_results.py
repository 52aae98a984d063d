"""What the benches that judge the doctor share: the commit, the order of a sample, the file of results."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "benchmarks" / "programs"
RESULTS = ROOT / "benchmarks" / "results"
MINUTE = 60.0

Answer = TypeVar("Answer")


def commit() -> str:
    """The commit that is measured; with `+` where files that git knows were changed since."""
    return _git("rev-parse", "HEAD") + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def by_hash(names: Iterable[str]) -> list[str]:
    """The names in the order of the SHA-256 of the commit and the name: each commit has a sample of its own, which
    nobody chose and anybody can repeat.
    """
    salt = commit().rstrip("+")
    return sorted(names, key=lambda name: hashlib.sha256(f"{salt} {name}".encode()).hexdigest())


def within_a_minute(names: Iterable[str], judge: Callable[[str, float], Answer | None]) -> Iterator[Answer]:
    """What `judge` says of a name within the seconds that are left, in the order of their hash, as many as a minute
    allows. The first that does not end in time (None) ends it.
    """
    deadline, longest = time.monotonic() + MINUTE, 0.0
    for name in by_hash(names):
        started = time.monotonic()
        if longest and deadline - started < longest:
            return
        answer = judge(name, deadline - started)
        if answer is None:
            return
        longest = max(longest, time.monotonic() - started)
        yield answer


def write(name: str, schema: str, data: dict[str, Any]) -> Path:
    """Write a file of results, with the commit and the machine."""
    RESULTS.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    path = RESULTS / name
    whole = {"schema": schema, "commit": commit(), "machine": machine, **data}
    path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    return path


def table(heads: list[str], rows: Iterable[list[str]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(cell.replace('|', '/').replace(chr(10), ' ') for cell in row)} |" for row in rows]
    return "\n".join(lines)
