"""Jupyter notebooks: the code cells as one Python text, with the place of each line."""

from __future__ import annotations

import json
import re

from xladoctor.sources.source import Line, Source, Unreadable, parse

_MAGIC = re.compile(r"^(\s*)(?:[%!?]|[\w.]+\?+\s*$)")
_CAPTURED = re.compile(r"^(\s*)([\w,](?:[\w, ]*[\w,])?)\s*=\s*[%!]")


def read(text: str, path: str) -> Source:
    """The code cells of a notebook, in their order, as if they were one module.

    Lines with magics or shell commands become `pass`; a cell whose first line is a cell magic of another language is
    left out.

    Raises:
        Unreadable: it is no notebook, or one of its cells is no Python.
    """
    try:
        cells = json.loads(text)["cells"]
        codes = [
            (number, "".join(cell["source"])) for number, cell in enumerate(cells, 1) if cell["cell_type"] == "code"
        ]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Unreadable(f"{path}: no Jupyter notebook (version 4)") from None
    finder = _Finder(text)
    lines: list[str] = []
    places: list[Line] = []
    for number, code in codes:
        other = code.lstrip().startswith("%%") and not code.lstrip().startswith(("%%time", "%%capture", "%%xladoctor"))
        for at, line in enumerate(code.split("\n"), 1):
            lines.append("" if other else _plain(line))
            places.append(Line(number, at, finder.line(line)))
    return parse("\n".join(lines), path, tuple(places))


def _plain(line: str) -> str:
    if found := _MAGIC.match(line):
        return f"{found[1]}pass"
    if found := _CAPTURED.match(line):
        return f"{found[1]}{found[2]} = None"
    return line


class _Finder:
    """Finds the lines of cells in the notebook's own text, in their order, as editors and version control show them."""

    def __init__(self, text: str) -> None:
        self._lines = [line.strip().rstrip(",") for line in text.split("\n")]
        self._at = 0

    def line(self, code: str) -> int | None:
        for ensure_ascii in (True, False):
            wanted = [json.dumps(code + end, ensure_ascii=ensure_ascii) for end in ("\n", "")]
            for at in range(self._at, len(self._lines)):
                if self._lines[at] in wanted:
                    self._at = at + 1
                    return at + 1
        return None
