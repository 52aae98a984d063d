"""One line of progress on a terminal, written over by the next."""

from __future__ import annotations

import shutil
from typing import TextIO

from xladoctor.report.text import clip, line


class Line:
    """Call it with what is done now; `end` takes the line away. Does nothing where `on` is False."""

    def __init__(self, stream: TextIO, on: bool) -> None:
        self._stream = stream
        self._on = on

    def __call__(self, text: str) -> None:
        """Show what is done now."""
        if self._on:
            width = shutil.get_terminal_size().columns
            self._stream.write(f"\r\x1b[K{clip(f'xladoctor: {line(text)}', width - 1)}")
            self._stream.flush()

    def end(self) -> None:
        """Take the line away, so that what comes next starts at its beginning."""
        if self._on:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
