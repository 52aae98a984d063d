"""`--export`: a diagnosis is also logged to the trackers that the user has."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor.folder import modules

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis
    from xladoctor.report.view import View
    from xladoctor.trackers import Destination

_NAMES = modules([str(Path(__file__).parents[1] / "trackers")])
"""As `trackers.names()` has them: this file is loaded with every `scan`, the trackers only where one is asked for."""


@dataclass(frozen=True)
class Exported:
    """Where a diagnosis is logged, besides where it is written."""

    export: Annotated[
        list[str] | None,
        typer.Option(
            "--export",
            metavar="TRACKER",
            show_default=False,
            help=f"Also log page, findings and verdict to a tracker: {', '.join(_NAMES)}. TRACKER:WHERE "
            "says where: tensorboard:LOGDIR, mlflow:URI, wandb:online (docs/trackers.md). Can be repeated. If it "
            "fails, a warning says so, and the exit status stays.",
        ),
    ] = None

    def destinations(self) -> tuple[Destination, ...]:
        """What was asked for, checked before anything runs.

        Raises:
            XladoctorError: it cannot be done.
        """
        if not self.export:
            return ()
        from xladoctor import trackers

        return trackers.destinations(self.export)


def export(to: tuple[Destination, ...], diagnosis: Diagnosis, view: View) -> None:
    """Log a diagnosis to each, and say on standard error what came of it."""
    if not to:
        return
    from xladoctor import secrets
    from xladoctor.report.text import clip, line
    from xladoctor.trackers._parcel import parcel_of
    from xladoctor.trackers._process import send

    def said(text: str) -> str:
        # An address may hold a password, and an error may quote it.
        return clip(line(secrets.of_text(text)), 500)

    parcel = parcel_of(diagnosis, view)
    for one in to:
        try:
            logged = send(one, parcel)
        except KeyboardInterrupt:
            sys.stderr.write(f"xladoctor: interrupted; {one.name} may not have the diagnosis\n")
            return
        if logged.problem is None:
            sys.stderr.write(f"xladoctor: logged to {one.name}: {said(logged.at or '')}\n")
        else:
            sys.stderr.write(f"xladoctor: {one.name} did not take the diagnosis: {said(logged.problem)}\n")
