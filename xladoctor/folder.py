"""What the files of a package are called: rooms in which a new file is all that a new thing needs."""

from __future__ import annotations

import os
from collections.abc import Iterable


def modules(path: Iterable[str]) -> list[str]:
    """The modules of a package by its `__path__`, in order, without those that begin with `_`. None is loaded."""
    files = sorted(file for folder in path for file in os.listdir(folder))  # noqa: PTH208
    return [file[:-3] for file in files if file.endswith(".py") and not file.startswith("_")]
