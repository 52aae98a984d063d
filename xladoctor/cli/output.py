"""Where a command's result goes: standard output, or a file that is written whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from xladoctor import paths
from xladoctor.errors import PipeClosed, XladoctorError
from xladoctor.model.frozen import dataclass
from xladoctor.report import FORMATS
from xladoctor.report.exports import EXPORTS

if TYPE_CHECKING:
    from xladoctor.report.page import Page

_OURS = (
    b'"schema": "xladoctor.',
    b"<!-- xladoctor.",
    b"<!DOCTYPE html>\n<!-- xladoctor.",
    b"xladoctor_call,",
    b"batch,varied,state,class",
    b"xladoctor_cause,",
    b"xladoctor_fleet,",
    *(begins for export in EXPORTS.values() for begins in export.begins),
)
_PARQUET, _FOOTER = b"PAR1", 1 << 16
_FILE_WIDTH = 100
# The name of a file says a format by its ending; those of the exports come before those that end alike.
_SUFFIXES = {
    # Code scanning services know SARIF by either name.
    ".sarif.json": "sarif",
    **{export.ending: export.name for export in EXPORTS.values() if export.ending},
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".parquet": "parquet",
}


# A file of one of these kinds would not open with text in it.
_FOREIGN = frozenset({".pdf", ".doc", ".docx", ".odt", ".rtf", ".xls", ".xlsx", ".png", ".svg", ".zip", ".gz"})


@dataclass(frozen=True)
class Output:
    """The destination of one result.

    Made before any work is done, so that a run of hours is not lost to a misspelt folder.
    """

    format: str
    file: Path | None
    color: str

    @classmethod
    def of(
        cls,
        format: str | None,
        file: Path | None,
        force: bool = False,
        color: str = "auto",
        formats: Sequence[str] = FORMATS,
    ) -> Output:
        """The destination, checked. `formats` are those that the command can write.

        Raises:
            XladoctorError: the file cannot be written, or is somebody else's.
        """
        meant = _meant(file) if file else "console"
        if file is not None and format is None and file.suffix.lower() in _FOREIGN:
            raise XladoctorError(
                f"--output {file}: there is no format for {file.suffix}",
                hint=f"Endings that name a format: {', '.join(e for e, f in _SUFFIXES.items() if f in formats)}; "
                "or give --format.",
            )
        chosen = format or (meant if meant in formats else "console")
        if file is not None:
            _check(file, force)
        elif force:
            raise XladoctorError("--force belongs to --output, which is not given")
        return cls(chosen, file, color)

    @property
    def to_stdout(self) -> bool:
        """Whether the result itself is what standard output carries."""
        return self.file is None

    def page(self) -> Page:
        """An empty page as wide as the destination, with colours where they are wanted."""
        from xladoctor.report.page import Page

        here = str(paths.here()) if self.file is None else ""
        if not self._coloured():
            return Page(_FILE_WIDTH) if self.file is not None else Page(_columns(), here=here)
        from rich.console import Console

        width = _FILE_WIDTH if self.file is not None else None
        forced = self.color == "always"
        system: Literal["standard", "auto"] = "standard" if forced else "auto"
        return Page(
            console=Console(
                file=sys.stdout,
                width=width,
                force_terminal=True if forced else None,
                color_system=system,
                force_jupyter=False,
            ),
            here=here,
        )

    def _coloured(self) -> bool:
        if self.color != "auto":
            return self.color == "always"
        asked = any(os.environ.get(name) for name in ("FORCE_COLOR", "TTY_COMPATIBLE"))
        return self.file is None and (asked or sys.stdout.isatty())

    def write(self, text: str | bytes) -> None:
        """Writes the result; bytes only to a file.

        Raises:
            PipeClosed: nobody reads standard output any more.
        """
        if self.file is not None:
            _write_file(self.file, text)
            sys.stderr.write(f"xladoctor: wrote {self.file}\n")
            return
        try:
            sys.stdout.write(text if isinstance(text, str) else text.decode("utf-8", "replace"))
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise PipeClosed from error


def _meant(file: Path) -> str:
    name = file.name.lower()
    return next((format for ending, format in _SUFFIXES.items() if name.endswith(ending)), "console")


def _columns() -> int:
    """The width of the terminal, if any of the standard streams is one; else 80."""
    if os.environ.get("COLUMNS", "").isdigit():
        return int(os.environ["COLUMNS"])
    streams = [stream for stream in (1, 2, 0) if os.isatty(stream)]
    return os.get_terminal_size(streams[0]).columns or 80 if streams else 80


def _check(file: Path, force: bool) -> None:
    if file.is_dir():
        raise XladoctorError(
            f"--output {file} is a folder", hint=f"Name a file in it: --output {file / 'diagnosis.json'}"
        )
    if not file.parent.is_dir():
        raise XladoctorError(f"--output {file}: there is no folder {file.parent}", hint=f"mkdir -p {file.parent}")
    if file.is_file() and not force and not _written_by_us(file):
        raise XladoctorError(
            f"--output {file} exists, and xladoctor did not write it",
            hint="Give another name, or --force to replace it.",
        )
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise XladoctorError(f"--output {file} cannot be written: permission denied")


def _written_by_us(file: Path) -> bool:
    try:
        with file.open("rb") as handle:
            start = handle.read(200)
            if start.startswith(_PARQUET):
                # The names of its columns stand at its end.
                handle.seek(max(handle.seek(0, os.SEEK_END) - _FOOTER, 0))
                return b"xladoctor_fleet" in handle.read()
    except OSError:
        return False
    return not start or start.startswith(_OURS) or (start.startswith(b"{") and _OURS[0] in start)


def _write_file(file: Path, text: str | bytes) -> None:
    data = text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
    if file.exists() and not file.is_file():
        # A device or a pipe (/dev/stdout): there is nothing to replace.
        with file.open("wb") as handle:
            handle.write(data)
        return
    target = file.resolve()
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as handle:
            handle.write(data)
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise XladoctorError(f"--output {file} cannot be written: {error.strerror or error}") from error
