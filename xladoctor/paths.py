"""Where we are, and where the probes lie that travel with this doctor."""

from __future__ import annotations

import importlib.util
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

RECORDER = "_xladoctor_probes"
"""The name of the probes in the program that they record."""


def here() -> Path:
    """The working folder. Of one that was removed, in which a program can run all the same, the name that it had."""
    with suppress(FileNotFoundError):
        return Path.cwd()
    with suppress(OSError):
        return Path(os.readlink("/proc/self/cwd").removesuffix(" (deleted)"))  # noqa: PTH115  # a name, not a path that is there
    return Path(os.sep)


def from_here(folder: Path) -> str:
    """The path as a person would type it: relative where it lies below the current folder."""
    at = here()
    return str(folder.relative_to(at) if folder.is_relative_to(at) else folder)


def probes_dir() -> Path:
    """The folder of the probes: `xladoctor/_probes` in a wheel, `probes` beside `xladoctor` in a checkout."""
    package = Path(__file__).resolve().parent
    vendored = package / "_probes"
    return vendored if vendored.is_dir() else package.parent / "probes"


def load_recorder() -> ModuleType:
    """The whole of the probes, under the name that they have in a program that `scan --` runs. Where they are there
    already, those.

    Raises:
        ImportError: the probes are missing from this installation.
    """
    known = sys.modules.get(RECORDER)
    return known if known is not None else _loaded(RECORDER, probes_dir() / "__init__.py", probes_dir())


def load_probes(name: str) -> ModuleType:
    """A module or package of the probes, loaded from its file under a name of ours: a `probes` package of the user's
    can never be taken for it.

    Raises:
        ImportError: the probes are missing from this installation.
    """
    ours = f"_xladoctor_{name.replace('/', '_')}"
    package = probes_dir() / name
    if package.is_dir():
        return _loaded(ours, package / "__init__.py", package)
    return _loaded(ours, package.with_suffix(".py"))


def _loaded(ours: str, file: Path, package: Path | None = None) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        ours, file, submodule_search_locations=[str(package)] if package is not None else None
    )
    if spec is None or spec.loader is None:
        raise ImportError("the probes are missing from this installation of xladoctor")
    module = importlib.util.module_from_spec(spec)
    # The files of a package import each other relatively.
    sys.modules[ours] = module
    spec.loader.exec_module(module)
    return module
