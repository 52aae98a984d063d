"""The one error that a person sees as a sentence instead of a traceback, and the one that ends a command silently."""

from __future__ import annotations

import os

USAGE = 2
CANNOT_RUN = 3


class XladoctorError(Exception):
    """Something that the person at the terminal can put right.

    Caught once, in `xladoctor.__main__.main`, which prints `message` and `hint` on standard error and exits
    with `exit_code`: 2 for wrong usage or unreadable input, 3 where the target could not be run.
    """

    def __init__(self, message: str, exit_code: int = USAGE, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.hint = hint


class PipeClosed(Exception):
    """The reader of standard output went away. Not an OSError, which typer would take for its own."""


def strict() -> bool:
    """Whether a part of a diagnosis that fails by a bug ends the command (XLADOCTOR_STRICT=1, as the tests run)."""
    return os.environ.get("XLADOCTOR_STRICT") == "1"


def did_you_mean(word: str, known: list[str], cutoff: float = 0.6) -> str | None:
    """A question with the closest known words, or None where nothing is near."""
    from difflib import get_close_matches

    lower = {name.lower(): name for name in known}
    near = [lower[name] for name in get_close_matches(word.lower(), list(lower), n=3, cutoff=cutoff)]
    return f"Did you mean {' or '.join(near)}?" if near else None
