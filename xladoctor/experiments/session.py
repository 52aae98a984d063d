"""A whole replay: asks for the parts that are wanted, and keeps everything in a folder of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import xladoctor
from xladoctor import paths, secrets
from xladoctor.errors import XladoctorError
from xladoctor.experiments import vary as varying
from xladoctor.experiments.judge import undecided
from xladoctor.experiments.outcome import words
from xladoctor.experiments.request import REQUEST, Options, request
from xladoctor.experiments.sweep import Asked, sweep
from xladoctor.model.replay import Case, Outcome, Replay, Sweep
from xladoctor.protocol import answers, requests
from xladoctor.recording import files, mark
from xladoctor.recording.run_folder import stamped, write_json
from xladoctor.workers.bench import Bench
from xladoctor.workers.classify import gist
from xladoctor.workers.elsewhere import differences
from xladoctor.workers.subject import Subject

Say = Callable[[str], None]

_UNDECIDED = (
    "a result does not have as many rows as the batch, and no two sizes show that it should. If it should, set "
    "by_row = True as an attribute of the callable"
)
_FOREIGN = (
    "the capsule is foreign: it was not recorded by you on this machine, or was changed since. It runs only if "
    "every op in it is on the list of harmless ops, and no interpreter that its folder names is started"
)
_ADD_PARITY = "add --parity"


def replay(
    subject: Subject, options: Options, say: Say = lambda text: None, executor: Executor | None = None
) -> Replay:
    """Run the subject again in workers, and tell what was learnt. `executor` runs tries elsewhere.

    Raises:
        XladoctorError: the subject cannot be run as it was asked for.
    """
    if subject.kind == "callable" and not options.sizes:
        raise XladoctorError(f"--subject {subject.name}: at which batch sizes?", hint="For example --batch-sizes 1:64")
    if options.repro is not None and options.resume is None:
        from xladoctor.experiments.repro import refuse_existing

        refuse_existing(options.repro)
    folder = _folder(subject, options.resume)
    write_json(folder / REQUEST, request(subject, options))
    memory = options.memory or (_all_memory() if subject.foreign else None)
    notes = (_FOREIGN,) if subject.foreign else ()
    result = Replay(subject=subject.name, folder=str(folder), tool_version=xladoctor.__version__, notes=notes)
    settings: dict[str, Any] = {"timeout": options.timeout, "jobs": options.jobs, "memory": memory}
    with Bench(subject, folder, say=say, executor=executor, **settings) as bench:
        try:
            asked = _asked(bench, options)
            swept = sweep(bench, asked)
            notes = (*notes, _UNDECIDED) if undecided(swept.outcomes, asked.by_row) else notes
            result = replace(result, sweep=swept, notes=notes)
            if not swept.complete:
                raise KeyboardInterrupt
            case = first_bad(swept)
            if options.min_good and case is not None:
                result = _with_nearest(bench, swept, case, result)
            result = _parts(bench, case or _any(swept), case is not None, options, result)
        except KeyboardInterrupt:
            note = f"interrupted; this goes on where it was: xladoctor replay --resume {paths.from_here(folder)}"
            result = replace(result, interrupted=True, notes=(*result.notes, note))
        result = replace(result, notes=(*result.notes, *differences(bench.places)))
    _write(folder, result)
    if subject.run is not None and folder.parent == subject.run.resolve() / "replays":
        mark.sign_more(subject.run, f"replays/{folder.name}")
    return result


def _with_nearest(bench: Bench, swept: Sweep, bad: Case, result: Replay) -> Replay:
    """The passing case that is nearest to the smallest failing one, with a capsule of it."""
    good = [o for o in swept.outcomes if o.state == "passed" and o.case.vary == bad.vary]
    if not good:
        return replace(result, notes=(*result.notes, "no case that was tried passes, so there is no nearest good one"))
    nearest = min(good, key=lambda o: abs((o.case.batch or 0) - (bad.batch or 0)))
    captured = bench.capture(nearest.case)
    where = captured.result.capsule if captured.ok else f"none ({captured.message})"
    note = f"nearest passing case: {words(nearest.case)}; its capsule: {where}"
    return replace(result, nearest=nearest, notes=(*result.notes, note))


def _all_memory() -> int:
    """The machine's memory in bytes: a program from elsewhere may not make it swap."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def first_bad(swept: Sweep) -> Case | None:
    """The smallest case that shows something wrong; None where nothing does."""
    bad = [o for o in swept.outcomes if o.bad]
    return min(bad, key=_size).case if bad else None


def _first_error(swept: Sweep | None) -> Case | None:
    """The smallest case that ended with an error: an op can be to blame for it. A silent one has none that fails."""
    errors = [o for o in swept.outcomes if o.bad and o.state != "silent"] if swept else []
    # A crash or a time-out has no message to tell one op's failure from another's by.
    chosen = [o for o in errors if o.state == "failed"] or errors
    return min(chosen, key=_size).case if chosen else None


def _any(swept: Sweep) -> Case:
    good = [o for o in swept.outcomes if o.state == "passed"]
    return (good or list(swept.outcomes))[-1].case


def _size(outcome: Outcome) -> int:
    return outcome.case.batch or 0


def _parts(bench: Bench, case: Case, bad: bool, options: Options, result: Replay) -> Replay:
    """The other parts, each of which fills one field. `bad`: the case shows something wrong.

    A part is a function of the bench and a case, and is imported where it is asked for.
    """
    if options.target is not None:
        from xladoctor.experiments.lowering import lower

        result = replace(result, lowering=lower(bench, case, options.target))
    if options.parity:
        from xladoctor.experiments.parity import over_sizes

        cases = [o.case for o in result.sweep.outcomes] if result.sweep else [case]
        worst = case if bad else None
        result = replace(result, parity=over_sizes(bench, cases, worst, options.exhaustive, options.sizes))
    error = _first_error(result.sweep)
    silent = result.parity is not None and any(not a.agree for a in result.parity.agreements)
    wants_op = options.repro is not None and not (silent and error is None)
    if options.isolate or wants_op or (error is not None and not options.parts):
        result = _with_op(bench, case, error, result)
        if options.isolate and error is None and result.isolated is None:
            result = replace(result, notes=(*result.notes, f"no op was isolated: {_no_error(case, bad, result)}"))
    if options.verify:
        from xladoctor.experiments.remedies import test_remedies

        # What is silent has no op that fails.
        if error is not None and result.isolated is None:
            result = _with_op(bench, case, error, result)
        tested, notes = test_remedies(bench, case, result.sweep, result.isolated)
        result = replace(result, remedies=tested, notes=(*result.notes, *notes))
    if options.repro is not None:
        script = (options.repro, options.resume is not None)
        result = _with_script(bench, case, bad, error or case, script, result)
    return result


def _with_op(bench: Bench, case: Case, error: Case | None, result: Replay) -> Replay:
    """With the op that fails, or why there is none."""
    from xladoctor.experiments.isolate import isolate

    result = replace(result, isolated=isolate(bench, error or case))
    if error is None or result.isolated is not None:
        return result
    captured = bench.capture(error)
    if not captured.ok:
        why = _first_line(captured.message)
        if captured.kind == "BuildFailed":
            why = f"the callable makes its call itself, and raises: {why}"
        why = f"there is no graph of {words(error)} ({why})"
    elif any(o.case == error and o.state != "failed" for o in (result.sweep.outcomes if result.sweep else ())):
        why = f"{words(error)} ends without a message that names an op"
    else:
        why = f"of the graph of {words(error)} no op could be shown to fail"
    return replace(result, notes=(*result.notes, f"no op was isolated: {why}"))


def _no_error(case: Case, bad: bool, result: Replay) -> str:
    """Why there is no op that fails, where nothing ended with an error."""
    if not bad:
        return "none of the cases fails"
    more = "" if result.parity is not None else f": {_ADD_PARITY}, to compare how it can be run, and the rows it gives"
    return f"{words(case)} is wrong without an error, so no op fails{more}"


def _with_script(
    bench: Bench, case: Case, bad: bool, failing: Case, script: tuple[Path, bool], result: Replay
) -> Replay:
    """The finding of parity as a script, if there is one, else the op that fails. `script`: the file, and whether it
    may have been written before.
    """
    path, again = script
    parity = result.parity
    if parity is not None and any(not a.agree for a in parity.agreements):
        from xladoctor.experiments.repro_silent import write_assertion

        swept = [o.case for o in result.sweep.outcomes] if result.sweep and not bad else []
        compared = next((c for c in swept if c.batch == parity.batch), case)
        result = replace(result, repro=write_assertion(bench, compared, parity, path, again=again))
        if result.isolated is None or (result.repro is not None and result.repro.reproduced):
            return result
    from xladoctor.experiments.repro import write_repro

    if result.isolated is None:
        why = "no op was found that fails"
        if bad and parity is None and _first_error(result.sweep) is None:
            why = f"{words(case)} is wrong without an error; {_ADD_PARITY}, and the script shows what does not agree"
        return replace(result, notes=(*result.notes, f"no script was written to {path}: {why}"))
    return replace(result, repro=write_repro(bench, failing, result.isolated, path, again=again))


def _asked(bench: Bench, options: Options) -> Asked:
    """The sweep that is meant: of the sizes that were given, else of those that the recorded call met."""
    subject = bench.subject
    described = bench.ask(requests.DescribeCallable(), Case(None)) if subject.kind == "callable" else None
    facts = bench.ask(requests.ReadFacts(), Case(None)) if described is None else None
    told = described or facts
    if told is not None and not told.ok:
        raise XladoctorError(
            f"{subject.name} cannot be run: {_first_line(told.message)}",
            exit_code=2 if subject.kind == "capsule" and told.state == "refused" else 3,
            hint=f"It is run by {subject.python} from {subject.cwd}; --python names another interpreter.",
        )
    known = described.result if described is not None else answers.Description((), (), None)
    return Asked(
        options.sizes or subject.sizes or (None,),
        varying.resolve(options.vary, subject, known.parameters, known.config),
        options.exhaustive,
        by_row=True if subject.by_row else known.by_row,
        fixed=facts.result.fixed if facts is not None else None,
    )


def _first_line(message: str | None) -> str:
    return gist(message) or "no answer"


def _folder(subject: Subject, resume: Path | None) -> Path:
    """A new folder; or the one that is gone on with."""
    if resume is not None:
        return resume.resolve()
    return stamped("replay") if subject.run is None else stamped(parent=subject.run / "replays")


def _write(folder: Path, result: Replay) -> None:
    from xladoctor.report.replay import render, to_dict

    write_json(folder / "replay.json", to_dict(replace(result)))
    files.replace(folder, "sweep.csv", render(secrets.of_record(result), "csv").encode("utf-8", "replace"))
