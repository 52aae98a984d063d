"""A whole preflight: makes the checks, each on its own, and keeps the answer for as long as nothing changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import xladoctor
from xladoctor import paths, target
from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.experiments import overlay, places
from xladoctor.model.preflight import Check, Preflight
from xladoctor.preflight import cache
from xladoctor.preflight.checks import module, names, runs_steps
from xladoctor.preflight.situation import NotNow, Situation, Unanswered
from xladoctor.preflight.study import Study
from xladoctor.recording.run_folder import stamped, write_json
from xladoctor.workers.elsewhere import differences

if TYPE_CHECKING:
    from xladoctor.cluster.opened import Cluster

Say = Callable[[str], None]
Seen = Callable[[Check], None]


@dataclass(frozen=True)
class Options:
    """Which checks, and how. `timeout` is in seconds, for the rehearsal and for each question to a worker. `on` names
    where steps run, for the answers that are kept.
    """

    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    strict: bool = False
    strict_unchecked: bool = False
    timeout: float = 600.0
    cached: bool = True
    on: str = "local"


def preflight(
    study: Study,
    options: Options,
    say: Say = lambda text: None,
    seen: Seen = lambda check: None,
    elsewhere: Cluster | None = None,
) -> Preflight:
    """Make the checks. `seen` is called with each as soon as it is made. `elsewhere` runs the steps of the study; its
    command is rehearsed here.

    A check that ends with an error is a failed check. A rehearsal that fails is a no-go, and checks that would run its
    steps are skipped. An interruption (Ctrl-C) ends preflight: it returns the checks that ran, and keeps nothing.

    Raises:
        XladoctorError: a name in `options` is not a check; (exit code 3) there is no such command or interpreter.
    """
    wanted = chosen(options)
    _see_that_it_can_start(study)
    listing = overlay.look(paths.here())
    key = cache.key(study, [*wanted, *([options.on] if elsewhere is not None else [])], listing)
    kept = cache.look(key) if options.cached else None
    if kept is not None:
        kept = replace(kept, strict=options.strict, strict_unchecked=options.strict_unchecked)
        for check in kept.checks:
            seen(check)
        return kept
    folder = stamped("preflight")
    started = time.monotonic()
    made: list[Check] = []

    def keep(check: Check) -> None:
        made.append(check)
        seen(check)

    files: dict[str, str] | None = None
    interrupted = False
    situation = Situation(study, folder, listing, options.timeout, say, elsewhere=elsewhere)
    try:
        with situation:
            checked(situation, wanted, keep)
            files = cache.files(situation)
    except KeyboardInterrupt:
        interrupted = True
        for name in wanted[len(made) :]:
            keep(Check(name, str(module(name).TITLE), "skipped", "interrupted"))
    result = replace(
        _result(situation, options, tuple(made)),
        seconds=round(time.monotonic() - started, 1),
        folder=str(folder),
        interrupted=interrupted,
    )
    from xladoctor.report.preflight import to_dict

    write_json(folder / "preflight.json", to_dict(result))
    if not interrupted:
        cache.keep(key, result, files)
    return result


def _result(situation: Situation, options: Options, made: tuple[Check, ...]) -> Preflight:
    """The answer that the checks give together."""
    study = situation.study
    return Preflight(
        study=study.name,
        checks=made,
        plan=situation.plan if situation.has("plan") else (),
        strict=options.strict,
        strict_unchecked=options.strict_unchecked,
        environment={"python": study.python, "device": study.device},
        notes=(*notes(study), *differences(situation.places)),
        there_are=len(names()),
        rehearsed=str(situation.rehearsal.folder) if situation.has("rehearsal") else None,
        tool_version=xladoctor.__version__,
    )


def checked(situation: Situation, wanted: Sequence[str], seen: Seen = lambda check: None) -> tuple[Check, ...]:
    """The checks of these names, in this order, each on its own. Those that run steps may be made while the rehearsal's
    second half is under way; `seen` gets them in order nevertheless.
    """
    made: dict[str, Check] = {}
    left = list(wanted)
    for name, before in _in_turn(situation, wanted):
        check = _made(name, situation, _failed(made))
        made[name] = replace(check, seconds=round(check.seconds + before, 1))
        while left and left[0] in made:
            check = made[left.pop(0)]
            if runs_steps(check.name) and _failed(made) is not None and not situation.study.subjects:
                check = made[check.name] = _skipped(check.name)
            seen(check)
    return tuple(made[name] for name in wanted)


def _in_turn(situation: Situation, wanted: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The names in the order in which the checks are made, with the seconds that each has taken by then: the rehearsal
    is the last where its second half is under way.
    """
    last = []
    for name in wanted:
        started = time.monotonic()
        begun = name == "rehearsal" and _begun(situation)
        seconds = time.monotonic() - started
        if begun:
            last.append((name, seconds))
        else:
            yield name, seconds
    yield from last


def _begun(situation: Situation) -> bool:
    try:
        return bool(module("rehearsal").begin(situation))
    except Exception:  # the check itself says what it trips over
        return False


def _failed(made: Mapping[str, Check]) -> Check | None:
    """The check of the rehearsal, if it was made and failed."""
    rehearsal = made.get("rehearsal")
    return rehearsal if rehearsal is not None and rehearsal.state == "fail" else None


def _skipped(name: str) -> Check:
    return Check(name, str(module(name).TITLE), "skipped", "the rehearsal failed")


def _see_that_it_can_start(study: Study) -> None:
    """Not every check starts the study, and none is a go for one that cannot be.

    Raises:
        XladoctorError: (exit code 3) there is no such command or interpreter.
    """
    environment = {**os.environ, **study.environment}
    if study.python is not None:
        target.resolve((study.python,), environment)
    # With an interpreter named, a bare `python` of the command is that one.
    if study.command and (study.python is None or not study.command[0].startswith("python")):
        target.resolve(study.command, environment)


def notes(study: Study) -> tuple[str, ...]:
    """What a reader must know of how it was looked at."""
    if not study.command:
        return ("no command was given, so the order of settings was not checked",)
    found = places.find(paths.here()).problems
    if study.subjects:
        callables = ", ".join(study.subjects)
        told = (
            f"its steps are the callables {callables}; the command is rehearsed, and none of its own steps is run again"
        )
        return (told, *found)
    return found


def chosen(options: Options) -> tuple[str, ...]:
    """The names of the checks that are to be made.

    Raises:
        XladoctorError: one is not known, or none is left.
    """
    for name in (*options.only, *options.skip):
        if name not in names():
            near = did_you_mean(name, list(names()))
            raise XladoctorError(f"there is no check {name!r}", hint=near or f"Checks: {', '.join(names())}.")
    wanted = tuple(n for n in names() if (not options.only or n in options.only) and n not in options.skip)
    if not wanted:
        raise XladoctorError("no check is left", hint=f"Checks: {', '.join(names())}.")
    return wanted


def _made(name: str, situation: Situation, failed: Check | None) -> Check:
    title = str(module(name).TITLE)
    if failed is not None and runs_steps(name) and not situation.study.subjects:
        return _skipped(name)
    started = time.monotonic()
    try:
        verdict = module(name).check(situation)
        check = Check(name, title, verdict.state, verdict.message, 0.0, verdict.todo, verdict.slugs, verdict.details)
    except Unanswered as why:
        check = Check(name, title, "unchecked", str(why))
    except NotNow as why:
        check = Check(name, title, "skipped", str(why))
    except XladoctorError as error:
        check = Check(name, title, "fail", str(error), todo=error.hint)
    except Exception as error:
        # Whatever a check trips over, the others are made; and what could not be looked at is no pass.
        check = Check(name, title, "fail", f"{cache.BROKEN_CHECK}: {type(error).__name__}: {error}"[:400])
    return replace(
        check,
        message=situation.own(check.message),
        todo=check.todo and situation.own(check.todo),
        details=tuple(map(situation.own, check.details)),
        seconds=round(time.monotonic() - started, 1),
    )


def listed(checks: Sequence[str]) -> list[tuple[str, str]]:
    """(name, what it asks) of the checks."""
    return [(name, str(module(name).TITLE)) for name in checks]
