"""Is there room for what the study writes?"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict

TITLE = "disk for the outputs"
ORDER = 30

_GIB = 1 << 30
_LITTLE = 1.0


def check(situation: Situation) -> Verdict:
    """The file system of the outputs' folder (else of the working directory), and the right to write there."""
    wanted = Path(situation.study.outputs or ".")
    there = next(p for p in (wanted, *wanted.resolve().parents) if p.exists())
    if not os.access(there, os.W_OK):
        return Verdict("fail", f"nothing can be written to {there}", "Name another folder for the outputs.")
    free = shutil.disk_usage(there).free / _GIB
    need = situation.study.outputs_gib
    said = f"{free:.1f} GiB free for {wanted.resolve()}"
    if need is not None and free < need:
        return Verdict("fail", f"{said}, but the study needs {need:g} GiB", "Make room, or name another folder.")
    if need is None and free < _LITTLE:
        return Verdict("warn", said, "Make room, or give the amount that it needs: outputs_gib in the study file.")
    return Verdict("pass", said)
