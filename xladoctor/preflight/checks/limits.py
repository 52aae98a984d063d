"""Does a limit of the process end the study? A shell, a login node or a container can set one, and nobody sees it."""

from __future__ import annotations

import resource

from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict

TITLE = "limits of the process (ulimit)"
ORDER = 35

_GIB = 1 << 30
_FILES = 256
"""TensorFlow opens its libraries, a pipe a worker and a file a shard; below this an input pipeline runs out of them."""


def check(situation: Situation) -> Verdict:
    """The limits that a run of hours meets and a rehearsal may not: time, size of a file, open files, address space."""
    said: list[str] = []
    largest = _limit(resource.RLIMIT_FSIZE)
    if largest is not None:
        said.append(f"no file may become larger than {largest / _GIB:.2f} GiB (ulimit -f)")
    seconds = _limit(resource.RLIMIT_CPU)
    if seconds is not None:
        said.append(f"the process is ended after {seconds} s of processor time, all threads together (ulimit -t)")
    files = _limit(resource.RLIMIT_NOFILE)
    if files is not None and files < _FILES:
        said.append(f"only {files} files may be open at once (ulimit -n)")
    memory = _limit(resource.RLIMIT_AS)
    if memory is not None:
        said.append(f"the address space ends at {memory / _GIB:.1f} GiB, which CUDA alone can exceed (ulimit -v)")
    if said:
        todo = "If the study needs more, raise it in the shell that starts it (ulimit), or ask who set it."
        return Verdict("warn", said[0], todo, details=tuple(said))
    return Verdict("pass", "none that would end a long run")


def _limit(kind: int) -> int | None:
    """The limit that the study would have; None where there is none."""
    soft, _ = resource.getrlimit(kind)
    return None if soft == resource.RLIM_INFINITY else soft
