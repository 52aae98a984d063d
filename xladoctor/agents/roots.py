"""Which files an agent may name: those below the folders that the server was started with."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from xladoctor.agents.clean import one_line
from xladoctor.errors import XladoctorError, did_you_mean


@dataclass(frozen=True)
class Roots:
    """The folders, as real paths. A relative path is one below the first."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: list[Path]) -> Roots:
        """The folders, links followed.

        Raises:
            XladoctorError: one is no folder.
        """
        for folder in folders:
            if not folder.is_dir():
                raise XladoctorError(f"there is no folder {folder}")
        return cls(tuple(dict.fromkeys(folder.resolve() for folder in folders)))

    def resolve(self, path: str) -> Path:
        """The real path of a file or folder that is there.

        Raises:
            XladoctorError: it lies elsewhere, does not exist, or is neither file nor folder.
        """
        shown = one_line(path, 200)
        if not path.strip() or "\0" in path:
            raise XladoctorError("path is empty: name a file or a folder")
        real = Path(os.path.realpath(self.folders[0] / path))
        if self.of_path(real) is None:
            below = ", ".join(map(str, self.folders))
            raise XladoctorError(
                f"{shown} is outside of {below}", hint="What is readable is set with --root when the server is started."
            )
        try:
            mode = real.stat().st_mode
        except OSError as error:
            raise XladoctorError(f"there is no file or folder {shown}", hint=self._near(real)) from error
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise XladoctorError(f"{shown} is neither a file nor a folder")
        return real

    def of_path(self, real: Path) -> Path | None:
        """The folder that a real path lies in."""
        return next((folder for folder in self.folders if real.is_relative_to(folder)), None)

    def _near(self, real: Path) -> str | None:
        parent = real.parent
        if self.of_path(parent) is None or not parent.is_dir():
            return None
        hint = did_you_mean(real.name, [child.name for child in list(parent.iterdir())[:1000]])
        return one_line(hint, 300) if hint else None
