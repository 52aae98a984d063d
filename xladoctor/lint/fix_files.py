"""`lint --fix`: safe fixes made in the files that were named, and in no other."""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from xladoctor.lint import engine, files
from xladoctor.lint.baseline import Baseline
from xladoctor.lint.fix import Fix, compatible
from xladoctor.lint.rewrite import NotFixable, Text, rewritten
from xladoctor.lint.settings import Settings
from xladoctor.sources.source import LARGEST, Source

_PASSES = 20
"""One fix can make room for another. More than a few passes would be a mistake of ours."""


@dataclass(frozen=True)
class Fixed:
    """What is left to be told after all safe fixes (`linted`), the files that they change, and how many they are."""

    linted: engine.Linted
    files: tuple[FixedFile, ...]
    problems: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many fixes were made in all files."""
        return sum(len(file.titles) for file in self.files)


@dataclass(frozen=True)
class FixedFile:
    """One file: its bytes before and after, and the texts in it that change (a notebook has one a cell)."""

    path: str
    before: bytes
    after: bytes
    texts: tuple[Text, ...]
    titles: tuple[str, ...]

    def diff(self) -> str:
        """The changes as unified diffs, with line ends of one kind: they are there to be read."""
        parts = []
        for text in self.texts:
            before, after = text.before.splitlines(), text.after.splitlines()
            parts += [*difflib.unified_diff(before, after, text.name, text.name, lineterm="")]
        return "".join(f"{line}\n" for line in parts)


def fix(paths: Sequence[str], settings: Settings, baseline: Baseline | None = None, verbose: bool = False) -> Fixed:
    """All safe fixes of the findings that would be told, not yet written.

    Raises:
        XladoctorError: a path does not exist, or nothing in all of them is Python.
    """
    read = files.read(paths, settings.exclude)
    work: dict[str, FixedFile] = {}
    problems: dict[str, str] = {}
    for _ in range(_PASSES):
        linted = engine.lint_sources(read, paths, settings, baseline, verbose)
        fixes: dict[str, list[Fix]] = {}
        for spot in linted.spots:
            if spot.fix is not None and spot.source.path not in problems:
                fixes.setdefault(spot.source.path, []).append(spot.fix)
        if not fixes:
            break
        sources = {source.path: source for source in read.sources}
        for path, found in fixes.items():
            made = _with(work.get(path), sources[path], compatible(found), paths)
            if isinstance(made, str):
                problems[path] = f"{path}: not fixed: {made}"
            else:
                work[path], sources[path] = made
        read = replace(read, sources=tuple(sources.values()))
    return Fixed(linted, tuple(work.values()), tuple(problems.values()))


def _with(
    file: FixedFile | None, source: Source, fixes: Sequence[Fix], paths: Sequence[str]
) -> tuple[FixedFile, Source] | str:
    """The file with more fixes, and its source; or why it is left as it was."""
    try:
        before = file or _untouched(source, paths)
        rewrite = rewritten(before.after, source, fixes)
    except (NotFixable, OSError) as error:
        return str(error.strerror or error) if isinstance(error, OSError) else str(error)
    first = {text.name: text.before for text in before.texts}
    texts = {text.name: text for text in before.texts}
    for text in rewrite.texts:
        texts[text.name] = replace(text, before=first.get(text.name, text.before))
    titles = (*before.titles, *(fix.title for fix in fixes))
    return replace(before, after=rewrite.data, texts=tuple(texts.values()), titles=titles), rewrite.source


def _untouched(source: Source, paths: Sequence[str]) -> FixedFile:
    if source.path == "<stdin>":
        data = source.text.encode()
        return FixedFile(source.path, data, data, (), ())
    real = Path(os.path.realpath(source.path))
    named = [Path(os.path.realpath(path)) for path in paths if path != files.STDIN]
    if not any(real == one or real.is_relative_to(one) for one in named):
        raise NotFixable(f"it is a link to {real}, outside the given paths")
    with real.open("rb") as handle:
        data = handle.read(LARGEST + 1)
    return FixedFile(source.path, data, data, (), ())


def write(file: FixedFile) -> None:
    """Put a file in the place of the one that was read, whole or not at all.

    Raises:
        OSError: it cannot be written.
        NotFixable: it has changed since it was read.
    """
    real = Path(os.path.realpath(file.path))
    if real.read_bytes() != file.before:
        raise NotFixable("it has changed since it was read")
    if not os.access(real, os.W_OK):
        raise PermissionError(13, "permission denied")
    part = real.with_name(f".{real.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as handle:
            handle.write(file.after)
        shutil.copymode(real, part)
        part.replace(real)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise
