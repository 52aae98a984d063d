"""Rehearsals: the user's command once more, only as far as a question needs, with settings held at a value.

A rehearsal runs in a copy of the working directory and may write nowhere else (`probes.record.confine`), so that it
cannot touch what the real run wrote. What it recorded is read like any other run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from xladoctor import target
from xladoctor.experiments import overlay, places
from xladoctor.experiments.analyse import target_environment
from xladoctor.experiments.outside import stores
from xladoctor.recording import copies, mark, run_folder
from xladoctor.recording.run import Recording, read_run
from xladoctor.recording.schema import schema


def rehearse(
    command: Sequence[str],
    *,
    listing: overlay.Listing,
    folder: Path,
    environment: Mapping[str, str],
    force: Mapping[str, Any] | None = None,
    batches: int | None = 1,
    budget: Mapping[str, float] | None = None,
    jit: bool | None = None,
    until: Mapping[str, Any] | None = None,
    flip: Mapping[str, Any] | None = None,
    hunt: bool = False,
    returns: bool = False,
    retrace: bool = False,
    outside: Sequence[Path] = (),
    write: Sequence[Path] = (),
    timeout: float | None = None,
    capture: str = "specs",
    prepare: Callable[[Path], None] | None = None,
    stop: target.Stop | None = None,
) -> Recording:
    """Run `command` as a rehearsal into the run folder `folder` and read back what it recorded.

    `force` holds settings by name ("env:NAME" or "cfg:KEY"). `batches` is how many of each epoch of `fit` and
    `evaluate` are run; a `budget` in its place gives seconds (`probes.record.rehearsal_budget`; empty: its defaults).
    `jit` is what Keras' "auto" is to be (None: as on this machine). `until` ends it: at a number of traces
    ({"traces": n}), or
    once each Keras method has come to its end ({"calls": [...]}; with {"grace": seconds} it may go on so long), and
    with {"seconds": n} so long after its first trace in any case. `flip` has the steps traced once more with each
    switch that they read in its other position (`probes.record.twins`). `hunt` looks for the first NaN
    (`probes.record.nan_hunt`), and opens no connection. `returns` has it record what calls give
    (`probes.record.returns`), `retrace` the shapes after each line (`probes.record.retrace`). Its output goes to the
    folder alone. Folders `outside` of its own are laid over for it, where the system allows that
    (`probes.record.redirect`); those of `write` it may really write to. `prepare` is called with the folder when the
    copy is made, before the start. `stop` ends it from another thread.

    Raises:
        XladoctorError: (exit code 3) the command could not be started.
        KeyboardInterrupt: a signal came to the doctor meanwhile, or `stop` was called. The command was killed, and what
            it recorded says nothing of it.
    """
    work, temporary = _copied(folder, listing)
    if prepare is not None:
        prepare(folder)
    # The contracts of the user's own places hold in a rehearsal, too.
    places.write(places.find(listing.root), folder)
    told = _told(
        force, batches, budget, jit, until, flip, hunt, returns, retrace, (folder, "/dev", "/proc", *write), folder
    )
    env = _environment(environment, folder, work, temporary, told["force"])
    env[schema.ENV_CAPTURE] = capture
    with stores(outside, folder) as pairs:
        env[schema.ENV_REHEARSE] = json.dumps({**told, "redirect": pairs})
        run = target.run(
            _from_here(command), env=env, folder=folder, timeout=timeout, stdout=None, stderr=None, cwd=work,
            detached=True, stop=stop,
        )  # fmt: skip
        run.written_down()
    return _read_back(command, run, folder)


def _from_here(command: Sequence[str]) -> list[str]:
    """The command with its program as it is found from here: a path such as `../env/bin/python` leads elsewhere from
    the copy.
    """
    program = Path(command[0])
    return [str(program.absolute()) if len(program.parts) > 1 else command[0], *command[1:]]


def _copied(folder: Path, listing: overlay.Listing) -> tuple[Path, Path]:
    """The run folder, with the copy of the working directory and the place for temporary files in it."""
    folder.mkdir(mode=0o700, parents=True)
    work, temporary = folder / copies.WORK, folder / copies.TEMPORARY
    overlay.make(listing, work)
    temporary.mkdir()
    return work, temporary


def _told(
    force: Mapping[str, Any] | None,
    batches: int | None,
    budget: Mapping[str, float] | None,
    jit: bool | None,
    until: Mapping[str, Any] | None,
    flip: Mapping[str, Any] | None,
    hunt: bool,
    returns: bool,
    retrace: bool,
    write: Sequence[Path | str],
    keep: Path,
) -> dict[str, Any]:
    """The orders for the probes, as `probes.record.rehearse` reads it."""
    return {
        "force": dict(force or {}),
        "batches": batches if budget is None else None,
        "budget": None if budget is None else dict(budget),
        "jit": jit,
        "until": dict(until or {}),
        "flip": dict(flip or {}),
        "hunt": {"nan": True} if hunt else None,
        "returns": returns,
        "retrace": retrace,
        "write": list(map(str, write)),
        "keep": [str(keep)],
    }


def _environment(
    environment: Mapping[str, str], folder: Path, work: Path, temporary: Path, held: Mapping[str, Any]
) -> dict[str, str]:
    """The environment of the command, with the settings that are held in it."""
    env = target_environment(environment, folder)
    for name, value in held.items():
        if name.startswith("env:"):
            env[name[4:]] = str(value)
    return env | {
        "PYTHONUNBUFFERED": "1",
        "PWD": str(work),
        "TMPDIR": str(temporary),
        # Libraries keep caches in the home directory, where nothing may be written now.
        "MPLCONFIGDIR": str(temporary),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _read_back(command: Sequence[str], run: target.Run, folder: Path) -> Recording:
    """What the rehearsal recorded, after its facts were written down beside it.

    Raises:
        KeyboardInterrupt: a signal came to the doctor meanwhile.
    """
    if run.outcome.state == "interrupted":
        raise KeyboardInterrupt
    outcome = run_folder.with_probes(run.outcome, folder, True)
    facts = {
        **run_folder.run_facts(command),
        "rehearsal": True,
        "pid": run.pid,
        "started": run.started,
        "ended": run.ended,
        "outcome": {k: v for k, v in asdict(outcome).items() if k != "command"},
    }
    run_folder.write_json(folder / "run.json", facts)
    mark.sign(folder)
    return read_run(folder)


def came_to_its_end(recording: Recording) -> bool:
    """True where the rehearsal was stopped because it had seen enough, or the program ended by itself without error."""
    ended = any(e.get("state") == "rehearsed" for e in recording.of_kind(schema.END))
    outcome = recording.outcome
    return ended or (outcome is not None and outcome.state == "exited" and outcome.code == 0)
