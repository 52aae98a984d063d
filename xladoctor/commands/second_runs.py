"""What `scan -- CMD` does with a command that has run: it is run again, on copies, for answers that need that.

What goes wrong in one of these costs its own answer, not the diagnosis.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from xladoctor.errors import XladoctorError, strict
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.recording import mark
from xladoctor.recording.schema import schema
from xladoctor.saved import recording_of, scan_run

if TYPE_CHECKING:
    from xladoctor.experiments.overlay import Listing

T = TypeVar("T")


@dataclass(frozen=True)
class Ran:
    """A command that has run: its run folder, what `run.json` holds of it, and what says that a long step begins."""

    folder: Path
    facts: dict[str, Any]
    command: Sequence[str]
    say: Callable[[str], None]


def ask_workers(ran: Ran, every: bool, budget: float | None) -> None:
    """Ask workers about the steps that were recorded."""
    from xladoctor.experiments import analyse

    def ask() -> None:
        analyse.ask_workers(recording_of(ran.folder, ran.facts), os.environ, ran.say, every, budget)

    _by_itself("the diagnosis has no run-time shapes", ask)


def first_nan(ran: Ran, budget: float | None) -> None:
    """Look for the op that made the first NaN."""
    from xladoctor.experiments.first_nan import look

    def search() -> None:
        look(recording_of(ran.folder, ran.facts), ran.command, os.environ, ran.say, budget)

    _by_itself("the diagnosis does not name the op that made the first NaN", search)


def flip(ran: Ran, switches: tuple[str, ...], listing: Listing, values: bool) -> None:
    """Rehearse the command with switches flipped; `values` keeps those of its steps."""
    from xladoctor.experiments import flip as flips
    from xladoctor.recording.run import read_run

    def rehearse() -> None:
        flips.flip(
            read_run(ran.folder),
            switches,
            command=ran.command,
            listing=listing,
            environment=os.environ,
            say=ran.say,
            values=values,
        )

    _by_itself("the diagnosis has no rehearsals", rehearse)


def retrace(ran: Ran, listing: Listing) -> None:
    """Run the command again and look at each line."""
    from xladoctor.experiments import retrace as second
    from xladoctor.experiments.edits import Program

    ran.say("running the command again on a copy, to record the shapes after each line; Ctrl-C skips that")

    def look() -> None:
        run = recording_of(ran.folder, ran.facts)
        why = second.retrace(run, Program.of(ran.command, listing, os.environ))
        if why is not None:
            raise XladoctorError(why)

    _by_itself("no shapes of a second run", look)
    mark.sign_more(ran.folder, schema.RETRACE_FILE)


def edit(diagnosis: Diagnosis, ran: Ran, listing: Listing, seconds: float) -> Diagnosis:
    """The diagnosis with the edits that were tried."""
    from xladoctor.experiments import edits

    def try_them() -> Diagnosis:
        program = edits.Program.of(ran.command, listing, os.environ)
        tried = edits.try_edits(diagnosis, recording_of(ran.folder, ran.facts), program, ran.say, seconds)
        edits.write(ran.folder, tried)
        if not tried:
            _tell("no edit was tried: the failure is not one of shapes, or its source is not in this folder")
        mark.sign_more(ran.folder, schema.EDITS_FILE, "rehearsals")
        return scan_run(ran.folder, ran.facts)

    return _by_itself("the diagnosis has no tried edits", try_them) or diagnosis


def _by_itself(without: str, part: Callable[[], T]) -> T | None:
    """What a part gives; None if it goes wrong. The user then reads what the diagnosis is `without`."""
    try:
        return part()
    except KeyboardInterrupt:
        _tell(f"interrupted; {without}")
    except XladoctorError as error:
        _tell(f"{without}: {error}" + (f" ({error.hint})" if error.hint else ""))
    except OSError as error:
        _tell(f"{without}: {error.strerror or error}")
    except Exception as error:
        if strict():
            raise
        _tell(f"{without}: the doctor itself failed ({type(error).__name__}: {error}), which is a bug in xladoctor")
    return None


def _tell(text: str) -> None:
    from xladoctor.report.text import line

    sys.stderr.write(f"xladoctor: {line(text)}\n")
