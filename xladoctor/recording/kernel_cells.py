"""The cells of a Jupyter kernel that recorded itself: under which file name each was compiled, and what it held.

A kernel compiles a cell under the name of a file that is nowhere. So the run folder keeps the text: `cells.json`, with
the schema `xladoctor.cells/1`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from xladoctor.model.frozen import dataclass
from xladoctor.recording import files
from xladoctor.recording.typed import misfit, text, whole

FILE = "cells.json"
SCHEMA = "xladoctor.cells/1"
_MOST_TEXT = 5_000_000


@dataclass(frozen=True)
class KernelCell:
    """A cell: the kernel's file name of it, the number of its prompt, and its text, with magics as calls."""

    file: str
    number: int
    text: str


def write(folder: Path, notebook: str, cells: Iterable[KernelCell]) -> None:
    """Keep the cells, the newest first as far as the bound allows. Secrets are taken out.

    Raises:
        OSError: the file cannot be written.
    """
    from xladoctor.recording.run_folder import write_json

    kept: list[KernelCell] = []
    size = 0
    for cell in cells:
        size += len(cell.text)
        if size > _MOST_TEXT:
            break
        kept.append(cell)
    write_json(folder / FILE, {"schema": SCHEMA, "notebook": notebook, "cells": [asdict(cell) for cell in kept]})


def of(folder: Path) -> tuple[str, tuple[KernelCell, ...]]:
    """(the name of the notebook, its cells); no cells of a run that was recorded otherwise."""
    try:
        table = files.read_table(folder, FILE)
    except (OSError, files.Unusable):
        return "", ()
    found: Sequence[Any] = table["cells"] if isinstance(table.get("cells"), list) else ()
    fields = {"file": text, "number": whole, "text": text}
    good = [cell for cell in found if isinstance(cell, dict) and misfit(cell, fields, {}) is None]
    notebook = table.get("notebook")
    cells = tuple(KernelCell(cell["file"], cell["number"], cell["text"]) for cell in good)
    return (notebook if isinstance(notebook, str) else ""), cells
