"""Lines of a notebook: a kernel compiles each cell under the name of a file in /tmp, which no reader knows.

The name is MurmurHash2 (Austin Appleby, public domain) of the cell's text with a seed of ipykernel's. The cells of a
notebook that the command names are hashed alike: a cell whose hash is the name is the one that ran.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from xladoctor.errors import XladoctorError
from xladoctor.model.diagnosis import Location
from xladoctor.model.frozen import dataclass
from xladoctor.patterns import pattern
from xladoctor.recording import files, kernel_cells
from xladoctor.recording.schema import schema

if TYPE_CHECKING:
    from xladoctor.recording.run import Recording

_SEED = 0xC70F6907
_MIX = 0x5BD1E995
_LARGEST = 50_000_000
_NAME = pattern(r"[^\s\"'(,]{0,300}ipykernel_\d{1,10}[/\\](\d{1,20})\.py(?:(?:\", line |:)(\d+))?")
# What blame names by the last part of the path: a hash, and no file that a user calls `3.py`.
_SHORT = pattern(r"(?<![\w/.-])(\d{5,20})\.py:(\d+)")
UNNAMED = "notebook"
"""A kernel does not always know which notebook it runs."""
T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: `number` counts the code cells, as the kernel's prompts do when all are run once."""

    notebook: str
    number: int


def cells(recording: Recording) -> dict[str, Cell]:
    """{name of the kernel's file: cell} for the notebooks that the command names."""
    start = next(iter(recording.of_kind(schema.START)), {})
    words = [str(word) for word in recording.run.get("command") or () if str(word).endswith(".ipynb")]
    found: dict[str, Cell] = {}
    notebook, ran = kernel_cells.of(recording.folder)
    for cell in ran:
        name = _NAME.fullmatch(cell.file)
        if name is not None:
            found.setdefault(name[1], Cell(notebook or UNNAMED, cell.number))
    for word in dict.fromkeys(words):
        for number, text in enumerate(
            code_of(Path(str(start.get("cwd") or recording.run.get("cwd") or ".")) / word), 1
        ):
            found.setdefault(str(file_name(text)), Cell(word, number))
    return found


def in_cells(value: T, known: Mapping[str, Cell]) -> T:
    """The value, a dataclass of the model, with cells and their lines in the place of the kernel's files."""
    if not known:
        return value
    renamed: T = _renamed(value, known)
    return renamed


def file_name(text: str) -> int:
    """What ipykernel names the file of a cell: MurmurHash2 of its text."""
    data = text.encode("utf-8", "replace")
    hashed = _SEED ^ len(data)
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * _MIX & 0xFFFFFFFF
        word = (word ^ word >> 24) * _MIX & 0xFFFFFFFF
        hashed = hashed * _MIX & 0xFFFFFFFF ^ word
    if len(data) > whole:
        hashed = (hashed ^ int.from_bytes(data[whole:], "little")) * _MIX & 0xFFFFFFFF
    hashed = (hashed ^ hashed >> 13) * _MIX & 0xFFFFFFFF
    return hashed ^ hashed >> 15


def code_of(file: Path) -> list[str]:
    """The texts of the code cells; none where the file is no notebook."""
    try:
        found = files.parsed(files.read(file.parent, file.name, _LARGEST, follow=True))["cells"]
        return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]
    except (OSError, XladoctorError, ValueError, TypeError, KeyError, RecursionError):
        return []


def _renamed(value: Any, known: Mapping[str, Cell]) -> Any:
    if isinstance(value, Location):
        match = _NAME.fullmatch(value.file)
        cell = known.get(match[1]) if match is not None else None
        return value if cell is None else replace(value, file=cell.notebook, cell=cell.number)
    if isinstance(value, str):
        if "ipykernel_" in value:
            value = _NAME.sub(lambda match: _in_words(match, known), value)
        return _SHORT.sub(lambda match: _in_words(match, known), value) if ".py:" in value else value
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _renamed(getattr(value, f.name), known) for f in fields(value)})
    if isinstance(value, tuple):
        return tuple(_renamed(item, known) for item in value)
    if isinstance(value, list):
        return [_renamed(item, known) for item in value]
    return {k: _renamed(v, known) for k, v in value.items()} if isinstance(value, dict) else value


def _in_words(match: re.Match[str], known: Mapping[str, Cell]) -> str:
    cell = known.get(match[1])
    if cell is None:
        return match[0]
    return f"{cell.notebook}: cell {cell.number}" + (f", line {match[2]}" if match[2] else "")
