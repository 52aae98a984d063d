"""Programs that tests start begin and end in half the time: with this folder on their path (`sitecustomize.py`)."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def path(*folders: Path | str | None) -> str:
    """PYTHONPATH of a program: the folders that there are, then this one."""
    return os.pathsep.join([*(str(folder) for folder in folders if folder), str(HERE)])
