"""The program's own source files, parsed: those that may be read, and are still as they were when it ran."""

from __future__ import annotations

import ast
from pathlib import Path

from xladoctor.recording.run import Recording, location
from xladoctor.recording.schema import schema
from xladoctor.recording.user_sources import sources_of
from xladoctor.sources.files import Files, package_root, program_trees
from xladoctor.sources.source import Source


def source_of(recording: Recording, file: str) -> Source | None:
    """A file of the program of a run; None where it must not or cannot be read, or was changed since."""
    return files_of(recording).source(file)


def files_of(recording: Recording) -> Files:
    """The files of the program of a run, of which each is read and parsed once."""
    return recording.once(_files)


def program_of(recording: Recording, *more: str) -> dict[str, ast.Module]:
    """The syntax trees of the scripts of the command, of `more` files, and of what these import of the user's own."""
    return dict(recording.once(_program, *more))


def _program(recording: Recording, *more: str) -> dict[str, ast.Module]:
    sources = sources_of(recording)
    scripts = [str(script) for script in sources.scripts] if sources is not None else []
    return program_trees(files_of(recording), list(dict.fromkeys([*scripts, *more])))


def _files(recording: Recording) -> Files:
    sources = sources_of(recording)
    if sources is None:
        return Files(lambda name: None)
    scripts = [Path(script) for script in sources.scripts]
    # A script may put the folder of its package on sys.path: what was recorded of the package shows which one.
    ran = {Path(str(e["file"])) for e in recording.of_kind(schema.NAMES)}
    ran |= {Path(at.file) for e in recording.of_kind(schema.CALL) if (at := location(e.get("where"))) is not None}
    roots = [*(s.parent for s in scripts), *(package_root(f) for f in (*scripts, *sorted(ran)))]
    return Files(
        lambda name: sources.text(Path(name), followed=True)[0], tuple(dict.fromkeys(str(root) for root in roots))
    )
