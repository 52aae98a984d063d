"""What a language server lints: open files as they stand in the editor, the others of their folder from the disk."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from xladoctor.errors import XladoctorError
from xladoctor.lint import engine, files
from xladoctor.lint.engine import Spot
from xladoctor.lint.fix import Fix
from xladoctor.lint.rewrite import NotFixable, rewritten
from xladoctor.lint.settings import Settings, settings
from xladoctor.sources.source import LARGEST, Source, Unreadable, decode, parse

_LIST_AGAIN = 5.0
"""Seconds after which a workspace is listed again, or twenty times what listing it took."""
MOST_FILES = 300
"""Files of a workspace that are read from the disk. In a larger one only the files beside the open ones are."""


@dataclass
class Workspace:
    """A folder that is open in an editor, or none; files that have not changed are parsed once."""

    folder: Path | None
    _parsed: dict[str, tuple[tuple[int, int], Source]] = field(default_factory=dict)
    _listed: tuple[float, tuple[str, ...], list[str]] = (0.0, (), [])

    def lint(self, texts: Mapping[str, str]) -> dict[str, list[Spot]]:
        """The findings of each open file, by its path; `texts` are their texts. A file that is no Python has none.

        Raises:
            XladoctorError: the settings in pyproject.toml are wrong.
        """
        chosen = self._settings(texts)
        sources = [source for path, text in texts.items() if (source := _parse(text, path)) is not None]
        # Files that could not be parsed stay in the editor: their saved text is another one.
        sources += [s for p in self._others(texts, chosen) if (s := self._from_disk(p)) is not None]
        found: dict[str, list[Spot]] = {path: [] for path in texts}
        for spot in engine.lint_sources(files.Read(tuple(sources), ()), list(texts), chosen).spots:
            if spot.source.path in found:
                found[spot.source.path].append(spot)
        return found

    def _settings(self, texts: Mapping[str, str]) -> Settings:
        start = self.folder or next((Path(path).parent for path in texts), None)
        return settings(start) if start is not None and start.is_dir() else Settings()

    def _others(self, texts: Mapping[str, str], chosen: Settings) -> list[str]:
        """The paths of the files that are not open."""
        found = self._in_folder(chosen.exclude) if self.folder is not None else []
        if not found:
            beside = sorted({str(Path(path).parent) for path in texts})
            found = [str(file) for folder in beside for file in sorted(Path(folder).glob("*.py"))][:MOST_FILES]
        known = {os.path.realpath(path) for path in texts}
        return [path for path in found if path.endswith((".py", ".pyw")) and os.path.realpath(path) not in known]

    def _in_folder(self, exclude: tuple[str, ...]) -> list[str]:
        """The files of the folder, as they were a moment ago; none where they are too many."""
        due, known_exclude, known = self._listed
        begin = time.monotonic()
        if begin < due and exclude == known_exclude:
            return known
        found = list(itertools.islice(files.paths_in(str(self.folder), exclude), MOST_FILES + 1))
        found = found if len(found) <= MOST_FILES else []
        now = time.monotonic()
        self._listed = (now + max(_LIST_AGAIN, 20 * (now - begin)), exclude, found)
        return found

    def _from_disk(self, path: str) -> Source | None:
        try:
            status = Path(path).stat()
            state = (status.st_mtime_ns, status.st_size)
            if path in self._parsed and self._parsed[path][0] == state:
                return self._parsed[path][1]
            if status.st_size > LARGEST:
                return None
            source = _parse(decode(Path(path).read_bytes(), path), path)
        except (OSError, Unreadable):
            return None
        if source is not None:
            self._parsed[path] = (state, source)
        return source


def _parse(text: str, path: str) -> Source | None:
    try:
        return parse(text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"), path)
    except Unreadable:
        return None


def is_sound(fix: Fix, source: Source) -> bool:
    """Whether a source with the fix is the same program."""
    try:
        rewritten(source.text.encode(), source, [fix])
    except (NotFixable, XladoctorError):
        return False
    return True
