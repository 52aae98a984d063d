"""The packages whose messages are looked at: wheels that were unpacked outside of the project.

`WHEELS` (default /tmp/wheels) holds `src/PACKAGE-VERSION/`, made with `pip download --no-deps --only-binary=:all:
--python-version ... --platform ...` and `unzip *.whl '*.py'`. What the running interpreter has installed counts too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from benchmarks.provoke.templates import Template, templates

INSTALLED = ("tensorflow", "keras", "numpy")
DRAWN = 300


def folders() -> Iterator[tuple[Path, str, str]]:
    """(folder, package, version) of everything that there is to look at."""
    source = Path(os.environ.get("WHEELS", "/tmp/wheels")) / "src"
    for folder in sorted(source.glob("*-*")):
        package, _, version = folder.name.rpartition("-")
        yield folder, "tensorflow" if package.startswith("tensorflow") else package, version
    for package in INSTALLED:
        try:
            one = distribution(package)
        except PackageNotFoundError:
            continue
        yield Path(str(one.locate_file(package))), package, one.version


@cache
def distinct() -> dict[str, Template]:
    """Every template by its id: one of each sentence, of the newest version that has it."""
    known: dict[str, Template] = {}
    for folder, package, version in folders():
        for template in templates(folder, package, version):
            known[template.id] = template
    return known


def draw(count: int = DRAWN) -> list[Template]:
    """The templates whose ids come first in order: a draw by hash, which nobody can steer."""
    return [distinct()[key] for key in sorted(distinct())[:count]]
