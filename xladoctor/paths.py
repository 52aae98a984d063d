"""Where we are, and where the probes lie that travel with this doctor."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def here() -> Path:
    """The working folder. Of one that was removed, in which a program can run all the same, the name that it had."""
    with suppress(FileNotFoundError):
        return Path.cwd()
    with suppress(OSError):
        return Path(os.readlink("/proc/self/cwd").removesuffix(" (deleted)"))  # noqa: PTH115  # a name, not a path that is there
    return Path(os.sep)


def probes_dir() -> Path:
    """The folder of the probes: `xladoctor/_probes` in a wheel, `probes` beside `xladoctor` in a checkout."""
    package = Path(__file__).resolve().parent
    vendored = package / "_probes"
    return vendored if vendored.is_dir() else package.parent / "probes"
