"""`xladoctor preflight`: before a study, go or no-go."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xladoctor.cli import command, options
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError
from xladoctor.report.preflight import FORMATS, render
from xladoctor.report.preflight.words import verdict

if TYPE_CHECKING:
    from xladoctor.model.preflight import Check
    from xladoctor.preflight.study import Study

HELP = f"""{SUMMARIES["preflight"]}

Everything after -- is the command of the study. The doctor rehearses it on a copy of the working directory: in full,
as far as time allows; with XLA, as on a GPU machine; and as it runs here (--device cpu: only as it runs here). The
rehearsal finds the batch sizes and the steps that the other checks run. --study names a file with the same facts, or
with callables, for a program that cannot be rehearsed: see docs/preflight.md."""

EPILOG = """\b
Examples:
  xladoctor preflight -- python -m ptycho.workflows.dose_response --batch-size 32
  xladoctor preflight --study study.toml --format json
  xladoctor preflight --subject mypkg.steps:train_step --train-samples 2000 --batch-size 32
  xladoctor preflight --list

Exit status: 0 go, or not checked (1 with --fail-on unchecked), 1 no-go, 2 wrong usage or an unreadable
study file, 3 the command could not be started,
130 interrupted (the checks that were made are shown, and no answer is kept)."""


def _count(what: str) -> object:
    return typer.Option(min=1, metavar="N", show_default=False, help=f"With --subject: {what}")


@dataclass(frozen=True)
class Asked:
    """Which study it is, and where it runs."""

    study: Annotated[
        Path | None,
        typer.Option("--study", metavar="FILE", show_default=False, help="A study file: .toml, .yaml or .json."),
    ] = None
    subject: Annotated[
        str | None,
        typer.Option("--subject", metavar="M:C", show_default=False, help="A step as module:callable."),
    ] = None
    train_samples: Annotated[int | None, _count("samples of the training.")] = None
    predict_samples: Annotated[int | None, _count("samples of the prediction.")] = None
    batch_size: Annotated[int | None, _count("batch size of the training.")] = None
    predict_batch_size: Annotated[int | None, _count("batch size of the prediction; default 32.")] = None
    device: Annotated[
        str | None,
        typer.Option(
            "--device",
            click_type=options.Choice(("gpu", "cpu")),
            metavar="WHAT",
            show_default=False,
            help='What the study will run on. gpu (the default): jit_compile="auto" of Keras means XLA.',
        ),
    ] = None
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs",
            metavar="DIR",
            show_default=False,
            help="Where the study writes. The rehearsal sees DIR as it is, and changes a copy.",
        ),
    ] = None
    allow_write: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow-write", metavar="DIR", show_default=False, help="Let the rehearsal write into DIR itself."
        ),
    ] = None


@dataclass(frozen=True)
class Checks:
    """Which checks are made, and how."""

    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="CHECK", show_default=False, help="Run only this check; can be repeated."),
    ] = None
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", metavar="CHECK", show_default=False, help="Leave this check out; can be repeated."),
    ] = None
    list_checks: Annotated[bool, typer.Option("--list", help="Show the checks and exit.")] = False
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            click_type=options.Choice(("fail", "warn", "unchecked")),
            metavar="STATE",
            help="The state that gives exit status 1.",
        ),
    ] = "fail"
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Run the checks again even if nothing has changed.")] = (
        False
    )
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", metavar="SECONDS", min=1.0, help="Time limit of the rehearsal, and of each run of a step."
        ),
    ] = 600.0
    python: command.Python = None
    on: options.On = "local"


@dataclass(frozen=True)
class Shown(options.Shown):
    """Where the answer goes, in a format of its own."""

    format: Annotated[str | None, options.formats(FORMATS, ".json, .md")] = None


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command(
        "preflight", cls=command.RunsCommand, help=HELP, epilog=EPILOG, options_metavar="[OPTIONS] [-- CMD...]"
    )(options.spread(preflight))


def preflight(ctx: typer.Context, *, asked: Asked, checks: Checks, shown: Shown) -> int:
    """Sees what the study is, has it checked, and shows the answer."""
    shown.check()
    target = shown.destination(FORMATS)
    page = target.page() if target.format == "console" else None
    from xladoctor.cluster.opened import opened
    from xladoctor.preflight.run import Options, chosen, listed
    from xladoctor.preflight.run import preflight as check_all

    wanted = Options(
        only=tuple(checks.only or ()),
        skip=tuple(checks.skip or ()),
        strict=checks.fail_on == "warn",
        strict_unchecked=checks.fail_on == "unchecked",
        timeout=checks.timeout,
        cached=not checks.no_cache,
        on=checks.on,
    )
    if checks.list_checks:
        target.write("".join(f"{name:<10} {title}\n" for name, title in listed(chosen(wanted))))
        return 0
    told = _study(ctx, asked)
    told = replace(
        told,
        device=asked.device or told.device,
        python=checks.python or told.python,
        outputs=str(asked.outputs) if asked.outputs else told.outputs,
        allow_write=tuple(str(_folder(p)) for p in asked.allow_write or ()),
    )
    progress = _Progress(shown.quiet)
    with opened(checks.on) as cluster:
        result = check_all(told, wanted, progress.say, progress.seen, cluster)
    if shown.quiet and target.format == "console":
        target.write(f"{verdict(result)}\n")
    else:
        target.write(render(result, target.format, page, shown.verbose))
    return result.exit_code


def _study(ctx: typer.Context, asked: Asked) -> Study:
    """The study that the options name.

    Raises:
        XladoctorError: they name none, or two.
    """
    from xladoctor.preflight.study import Study, read
    from xladoctor.recording.environment import redacted_words

    program = command.given(ctx)
    if sum(x is not None for x in (asked.study, asked.subject, program)) != 1:
        raise XladoctorError(
            "name one study: a file (--study), a callable (--subject), or a command after --",
            hint="For example: xladoctor preflight -- python -m ptycho.workflows.dose_response",
        )
    if asked.study is not None:
        return read(asked.study)
    if program is not None:
        command.checked(ctx, program, None, "a study")
        return Study(name=" ".join(redacted_words(program)), command=program)
    return _study_of(str(asked.subject), asked)


def _study_of(subject: str, asked: Asked) -> Study:
    """A study of one callable, with the batches that the options name.

    Raises:
        XladoctorError: they name none.
    """
    from xladoctor.model.preflight import Batches
    from xladoctor.preflight.study import PREDICT_DEFAULT, Phase, Study

    counts = (
        ("train", asked.train_samples, asked.batch_size),
        ("predict", asked.predict_samples, asked.predict_batch_size),
    )
    if all(rows is None for _, rows, _ in counts):
        raise XladoctorError(
            "--subject: how many samples?", hint="--train-samples N and --batch-size N, --predict-samples N"
        )
    phases = []
    for name, rows, size in counts:
        if rows is not None:
            origin = "the command line" if size else "the command line, Keras' default batch size"
            phases.append(Phase(Batches(name, rows, size or PREDICT_DEFAULT, origin), subject))
    return Study(name=subject, phases=tuple(phases))


def _folder(path: Path) -> Path:
    """A folder that is there.

    Raises:
        XladoctorError: it is not.
    """
    if not path.is_dir():
        raise XladoctorError(f"--allow-write {path}: there is no such folder", hint="Make it first.")
    return path


class _Progress:
    """What is under way and what is done, on a terminal only."""

    def __init__(self, quiet: bool) -> None:
        self._on = not quiet and sys.stderr.isatty()

    def say(self, said: str) -> None:
        if self._on:
            sys.stderr.write(f"xladoctor: {said}\n")

    def seen(self, check: Check) -> None:
        self.say(f"{check.name}: {check.state} ({check.seconds:.1f} s)")
