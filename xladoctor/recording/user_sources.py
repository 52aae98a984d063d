"""The user's own source files of a run: which may be read, and whether they are still as they were.

A log can name any file. So one is opened only for a run folder that this user recorded here, and only where the
recording itself (a frame of the running program, or its command) names it, or where it lies beside the program that was
run and the program's own source led to it. What a log prints decides nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xladoctor.recording import files, kernel_cells, mark

if TYPE_CHECKING:
    from xladoctor.recording.run import Recording

_LARGEST = 5_000_000
_BLOCK = 1 << 20
_READ = frozenset({".py", ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg"})
"""What a program is made of: its sources, and the files of its settings."""


class UserSources:
    """The sources of a run folder that this user recorded on this machine."""

    def __init__(self, folder: Path, known: dict[str, str], facts: dict[str, Any]) -> None:
        self._folder, self._known, self.facts = folder, known, facts
        self.cwd = Path(str(facts.get("cwd") or "."))
        self._texts: dict[tuple[Path, bool], tuple[str | None, str]] = {}
        signed = kernel_cells.FILE in known and known[kernel_cells.FILE] == mark.digest(folder, kernel_cells.FILE)
        self.cells = {cell.file: cell for cell in kernel_cells.of(folder)[1]} if signed else {}
        """The cells of a kernel that recorded itself, by the file names that it gave them."""

    @classmethod
    def of(cls, folder: Path) -> UserSources | None:
        """The sources, or None of a folder that is foreign or was changed."""
        known = mark.listed(folder)
        try:
            if known is None or known.get("run.json") != mark.digest(folder, "run.json"):
                return None
            return cls(folder, known, files.read_table(folder, "run.json"))
        except (OSError, files.Unusable):
            return None

    @property
    def scripts(self) -> list[Path]:
        """The files of Python that the command names."""
        command = self.facts.get("command")
        words = [str(word) for word in command] if isinstance(command, list) else []
        modules = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "-m"][:1]
        named = [path for module in modules for path in self._module(module) if path.is_file()]
        return [*(self.cwd / word for word in words if word.endswith(".py")), *named]

    def _module(self, name: str) -> list[Path]:
        """Where `python -m NAME` may find its module, in the folder of the run."""
        if not all(part.isidentifier() for part in name.split(".")):
            return []
        path = self.cwd.joinpath(*name.split("."))
        return [path.with_suffix(".py"), path / "__main__.py"]

    def text(self, file: Path, followed: bool = False) -> tuple[str | None, str]:
        """(text, "") of a file; (None, why it is not shown). `followed`: the program's own source led to it."""
        key = (file, followed)
        if str(file) in self.cells:
            return self.cells[str(file)].text, ""
        if key not in self._texts:
            self._texts[key] = self._text(file, followed)
        return self._texts[key]

    def _text(self, file: Path, followed: bool) -> tuple[str | None, str]:
        try:
            if not file.is_absolute() or not file.is_file():
                return None, ""
            if not (self._ran(file) or (followed and self._beside(file))):
                return None, ""
            status = file.stat()
            if status.st_size > _LARGEST:
                return None, ""
            if status.st_mtime > float(self.facts.get("started") or 0):
                return None, f"{file.name} changed after the run started: its lines are not shown."
            return file.read_bytes().decode("utf-8", "replace"), ""
        except (OSError, ValueError):
            return None, ""

    def _beside(self, file: Path) -> bool:
        """Whether it lies below the folder of a script of the command, or below that of the run around the script."""
        folders = {script.parent for script in self.scripts}
        folders |= {self.cwd for script in self.scripts if self.cwd in script.parents}
        return file.suffix in _READ and not folders.isdisjoint(file.parents)

    def _ran(self, file: Path) -> bool:
        """Whether the recording names the file as one of the program: in its command, or in a recorded frame."""
        if file in self.scripts:
            return True
        # As the recorder writes it. In a recorded message the quotes would be escaped.
        wanted = f'"file":{json.dumps(str(file))}'.encode()
        names = [name for name in self._known if name.startswith("events-") and name.endswith(".jsonl")]
        return any(wanted in block for name in names for block in self._blocks(name, len(wanted)))

    def _blocks(self, name: str, overlap: int) -> Iterator[bytes]:
        """The bytes of a file of the folder, if they are what was signed; each block begins with the last one's end."""
        try:
            if mark.digest(self._folder, name) != self._known[name]:
                return
            with files.opened(self._folder, name) as stream:
                tail = b""
                while block := stream.read(_BLOCK):
                    yield tail + block
                    tail = (tail + block)[-overlap:]
        except (OSError, files.Unusable):
            return


def sources_of(recording: Recording) -> UserSources | None:
    """The sources of a recording: found once, and each file of them read once, whoever asks."""
    return recording.once(_of_its_folder)


def _of_its_folder(recording: Recording) -> UserSources | None:
    return UserSources.of(recording.folder)
