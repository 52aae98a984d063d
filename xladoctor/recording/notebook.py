"""The saved outputs of a notebook as logs: one for each code cell, its exceptions as Python would have printed them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from xladoctor.model.frozen import dataclass
from xladoctor.patterns import pattern

_CODES = pattern(r"\x1b\[[0-9;]*m")
# IPython 8: `Cell In[3], line 6, in fold(x)`, `File /home/a/x.py:12, in f(x)`; older: `<ipython-input-3-0a1b> in f(x)`.
_CELL = pattern(r"^Cell In ?\[(\d+)\], line (\d+)(?:, in ([\w.<>]+))?")
_FILE = pattern(r"^File (\S[^\n:]*?):(\d+)(?:, in ([\w.<>]+))?")
_OLD = pattern(r"^(?:<ipython-input-(\d+)-\w+>|(\S+\.py)) in ([\w.<>]+)")
_ARROW = pattern(r"^-+> ?(\d+) ")
_LARGEST = 200_000_000


@dataclass(frozen=True)
class Outputs:
    """What the code cells of a notebook printed and raised. A cell is `ipykernel_0/NUMBER.py` in the logs."""

    path: str
    logs: tuple[io.BytesIO, ...]
    cells: int


def is_notebook(path: Path) -> bool:
    """Whether a file is named like a notebook."""
    return path.suffix == ".ipynb"


def read_outputs(path: Path) -> Outputs:
    """The saved outputs of a notebook.

    Raises:
        ValueError: it is none, or larger than 200 MB.
    """
    if path.stat().st_size > _LARGEST:
        raise ValueError("is larger than 200 MB")
    try:
        cells = [cell for cell in json.loads(path.read_bytes())["cells"] if cell["cell_type"] == "code"]
        counts = {cell.get("execution_count"): number for number, cell in enumerate(cells, 1)}
        texts = [(number, "".join(_texts(cell, counts))) for number, cell in enumerate(cells, 1)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError("is no Jupyter notebook (version 4)") from None
    logs = tuple(_Named(f"{path}: cell {number}", text) for number, text in texts if text.strip())
    return Outputs(str(path), logs, len(cells))


class _Named(io.BytesIO):
    """A log in memory with the name that findings tell."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text.encode("utf-8", "replace"))
        self.name = name


def _texts(cell: dict[str, Any], counts: dict[Any, int]) -> Iterator[str]:
    for output in cell.get("outputs") or ():
        if output.get("output_type") == "stream":
            yield _joined(output.get("text"))
        elif output.get("output_type") == "error":
            yield "\nTraceback (most recent call last):\n"
            yield from _frames([_CODES.sub("", str(line)) for line in output.get("traceback") or ()], counts)
            yield f"{output.get('ename')}: {_CODES.sub('', str(output.get('evalue')))}\n"


def _frames(traceback: list[str], counts: dict[Any, int]) -> Iterator[str]:
    pending: tuple[str, str] | None = None
    for line in "\n".join(traceback).splitlines():
        if found := _CELL.match(line):
            number = counts.get(int(found[1]))
            if number is not None:
                yield _frame(f"ipykernel_0/{number}.py", found[2], found[3])
        elif found := _FILE.match(line):
            yield _frame(found[1], found[2], found[3])
        elif found := _OLD.match(line):
            number = counts.get(int(found[1])) if found[1] else None
            file = found[2] or (f"ipykernel_0/{number}.py" if number is not None else None)
            pending = (file, found[3]) if file else None
        elif pending is not None and (found := _ARROW.match(line)):
            yield _frame(pending[0], found[1], pending[1])
            pending = None


def _frame(file: str, line: str, function: str | None) -> str:
    return f'  File "{file}", line {line}, in {function or "<module>"}\n'


def _joined(text: object) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")
