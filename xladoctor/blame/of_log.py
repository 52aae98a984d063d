"""The root finding of a saved log with what is to blame for it, where the folder of its sources is at hand.

A log can name any file, and decides nothing: only files below the folder that the user named are read. A frame's file
is found by the end of its path, and believed where the line is the one that the log prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from xladoctor import secrets
from xladoctor.blame.engine import blame
from xladoctor.blame.of_run import OF_SHAPES, blamed
from xladoctor.model.diagnosis import Diagnosis, Finding, Location
from xladoctor.model.evidence import ErrorRecord, Frame
from xladoctor.sources.files import Files, package_root
from xladoctor.sources.setting_trees import is_settings

_LARGEST = 5_000_000
CHANGED = "A line of {} is not the one that the log prints: the sources were not followed."


class Tree:
    """The Python files below a folder, by the paths that a log prints for them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._known: dict[str, Path | None] = {}

    def find(self, printed: str) -> Path | None:
        """The file whose path ends most like the printed one."""
        if printed not in self._known:
            self._known[printed] = self._found(printed)
        return self._known[printed]

    def _found(self, printed: str) -> Path | None:
        parts = [part for part in printed.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        for start in range(len(parts)):
            file = self.folder.joinpath(*parts[start:])
            if self.text(str(file)) is not None:
                return file.resolve()
        return None

    def text(self, name: str) -> str | None:
        """The text of a file of Python, or of settings, below the folder."""
        try:
            file = Path(name).resolve()
            if not (file.suffix == ".py" or is_settings(name)) or self.folder not in file.parents or not file.is_file():
                return None
            return file.read_bytes().decode("utf-8", "replace") if file.stat().st_size <= _LARGEST else None
        except (OSError, ValueError):
            return None


def with_blame(diagnosis: Diagnosis, records: Sequence[ErrorRecord], folder: Path) -> Diagnosis:
    """The diagnosis with suspects at its root, where the failure is one of shapes and the folder has its sources."""
    root = diagnosis.root
    record = _record(root, records) if root is not None else None
    if root is None or record is None or root.slug not in OF_SHAPES or root.location is None:
        return diagnosis
    tree = Tree(folder)
    frames = [(frame, file) for frame in record.frames if frame.user and (file := tree.find(frame.file)) is not None]
    if not frames:
        note = f"None of the files that the log names is below {folder}."
        return replace(diagnosis, notes=(*diagnosis.notes, note))
    changed = next((file for frame, file in frames if not _is_printed(frame, file, tree)), None)
    if changed is not None:
        return replace(diagnosis, notes=(*diagnosis.notes, CHANGED.format(changed.name)))
    calls = [
        {"file": str(file), "line": frame.line, "function": frame.function or "", "user": True}
        for frame, file in frames
        if frame.line
    ]
    at = tree.find(root.location.file)
    place = replace(root.location, file=str(at)) if at is not None else Location(str(frames[-1][1]), frames[-1][0].line)
    main = str(frames[0][1])
    roots = dict.fromkeys([*(str(package_root(f)) for _, f in frames), str(tree.folder), str(Path(main).parent)])
    finding = replace(root, location=place)
    try:
        found = blame(finding, {"frames": calls, "message": record.text}, Files(tree.text, tuple(roots)), main)
    except Exception as error:
        # It follows programs of any kind by guesses: what it stumbles over costs the suspects, not the diagnosis.
        note = f"The source could not be followed to suspects ({type(error).__name__})."
        return replace(diagnosis, notes=(*diagnosis.notes, note))
    return diagnosis.with_finding(root, secrets.of_record(blamed(finding, found))) if found is not None else diagnosis


def _record(root: Finding, records: Sequence[ErrorRecord]) -> ErrorRecord | None:
    """The error that the root is about."""
    places = {proof.where for proof in root.evidence if proof.where}
    own = [record for record in records if record.where in places and record.frames]
    ended = [record for record in records if record.ended_run and record.frames]
    return next(iter([*own, *reversed(ended)]), None)


def _is_printed(frame: Frame, file: Path, tree: Tree) -> bool:
    """Whether the file has the line that the log prints, or the log prints none."""
    if not frame.code or not frame.line:
        return True
    lines = (tree.text(str(file)) or "").splitlines()
    return frame.line <= len(lines) and lines[frame.line - 1].strip() == frame.code.strip()
