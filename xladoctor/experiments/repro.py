"""One small script that fails in the same way, handed over only if it does so in a fresh process."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.experiments import shrink
from xladoctor.experiments.isolate import quick
from xladoctor.model.replay import Case, Isolation, Repro, Signature
from xladoctor.protocol import answers, requests
from xladoctor.recording.hlo import read_hlo
from xladoctor.workers.bench import Answer, Bench
from xladoctor.workers.classify import signature
from xladoctor.workers.environment import worker_environment

_TIMEOUT = 300.0

Attempts = Iterator[tuple[str, Repro]]


def write_repro(
    bench: Bench,
    case: Case,
    isolated: Isolation,
    path: Path,
    again: bool = False,
) -> Repro:
    """Write the script to `path` if a fresh process shows the failure of `isolated`; `Repro.message` says why not.

    `again`: the replay is resumed, and may have written this very script before.

    Raises:
        XladoctorError: there is a file already, or none can be written.
    """

    def attempts() -> Attempts:
        for text in _scripts(bench, case, isolated):
            if isinstance(text, Repro):
                yield "", replace(text, path=str(path))
            else:
                yield text, _tried(bench, case, isolated, text, path)

    return first_shown(bench, path, attempts(), "the failing op cannot be written as a script", again)


def first_shown(bench: Bench, path: Path, attempts: Attempts, none: str, again: bool) -> Repro:
    """Write the first script that shows what it should to `path`; what came of the last one where none does, or `none`
    where there was none. Each attempt is (the text, what a fresh process made of it), and made when it is its turn.

    Raises:
        XladoctorError: there is a file already (unless `again`), or none can be written.
    """
    if not again:
        refuse_existing(path)
    started, tries = time.monotonic(), bench.tries
    last = Repro(str(path), 0, False, message=none)
    for text, last in attempts:
        if last.reproduced:
            _hand_over(path, text)
            break
    return replace(last, tries=bench.tries - tries, seconds=round(time.monotonic() - started, 3))


def _hand_over(path: Path, text: str) -> None:
    """Write the file; raises XladoctorError where it cannot be, or where another is there."""
    try:
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise XladoctorError(f"--repro {path}: there is another file already")
        path.write_text(text, encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise XladoctorError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def refuse_existing(path: Path) -> None:
    """Raises XladoctorError where there is such a file, or no folder for it: said before any work is done."""
    if path.exists():
        raise XladoctorError(f"--repro {path}: there is such a file already")
    if not path.parent.is_dir():
        raise XladoctorError(f"--repro {path}: there is no folder {path.parent}")


def _scripts(bench: Bench, case: Case, isolated: Isolation) -> Any:
    """Scripts, the smallest first; a Repro that tells why there is none."""
    title = _title(isolated)
    if isolated.mode == "trace":
        way: requests.Way = "xla" if dict(case.vary).get("jit") == "on" else "graph"
        told = bench.ask(requests.WriteTraceScript(title=title, way=way), case)
        none = f"there is no graph that a script could be cut from, as the trace ended at {isolated.op}: {told.message}"
        yield told.result if told.ok else Repro("", 0, False, message=none)
        return
    if isolated.mode == "run":
        told = bench.ask(requests.WriteRunScript(title=title), case)
        yield told.result if told.ok else Repro("", 0, False, message=told.message)
        return
    if isolated.number is None:
        return
    stage: requests.Stage = "hlo" if isolated.stage == "hlo" else "optimized_hlo"
    small = _Small(bench, case, isolated.number, stage, isolated.signature)
    for edits in small.steps():
        told = bench.ask(requests.WriteCoreScript(ops=isolated.number, edits=tuple(edits), title=title), small.case)
        yield told.result if told.ok else Repro("", 0, False, message=told.message)
    if small.why is not None:
        yield Repro("", 0, False, message=small.why)


class _Small:
    """The simplifications that keep the failure of one op under XLA."""

    def __init__(self, bench: Bench, case: Case, number: int, stage: requests.Stage, wanted: Signature | None) -> None:
        self._bench = bench
        self.case = quick(bench, case, stage)
        self._number = number
        self._stage = stage
        self._wanted = wanted
        self._tries = 0
        self.why: str | None = None

    def steps(self) -> list[list[shrink.Edit]]:
        """Lists of edits, the smallest graph first."""
        first = self._reduce(requests.ReduceCore(ops=self._number, stage=self._stage, listed=True))
        if not first.ok or not self._same(first):
            self.why = "the op and what it depends on do not fail by themselves as they did in the step"
            return []
        file = self._bench.folder / f"core-{self._number}.hlo"
        self._reduce(requests.ReduceCore(ops=self._number, stage="hlo", before=True, save=str(file)))
        module = read_hlo(file.read_text(encoding="utf-8") if file.is_file() else "")
        rows = first.result.listed
        known = shrink.shapes(module, rows)
        return shrink.smaller(
            self._look,
            rows,
            [lambda left: shrink.cuts(left, known), lambda left: shrink.jumps(left, known), self._constants],
        )

    def _constants(self, rows: Sequence[shrink.Row]) -> list[shrink.Edit]:
        asked = [
            (r.frame, f"{r.node}:{i}")
            for r in rows
            for i, d in enumerate(r.dtypes)
            if d.startswith("int") or d == "bool"
        ]
        told = self._bench.ask(requests.ReadValues(ops=self._number, tensors=tuple(asked)), self.case)
        return shrink.constants(rows, told.result) if told.ok else []

    def _look(self, edits: Sequence[shrink.Edit]) -> tuple[bool, int, Container[str]]:
        request = requests.ReduceCore(ops=self._number, stage=self._stage, edits=tuple(edits), names=True)
        answer = self._reduce(request)
        left = answer.result if answer.ok else None
        return self._same(answer), (left.nodes or 0) if left else 0, frozenset(left.names if left else ())

    def _reduce(self, request: requests.ReduceCore) -> Answer[answers.Compiled]:
        self._tries += 1
        self._bench.say(f"making the script smaller (try {self._tries})")
        return self._bench.ask(request, self.case)

    def _same(self, answer: Answer[answers.Compiled]) -> bool:
        if not answer.ok or answer.result.error is None:
            outcome = answer.result.outcome if answer.ok else answer.state
            return self._wanted is not None and self._wanted.slug == outcome
        error = answer.result.error
        return answer.result.outcome == "failed" and signature(error.kind, error.message) == self._wanted


def _tried(bench: Bench, case: Case, isolated: Isolation, text: str, path: Path) -> Repro:
    """The script run in a fresh process of the target's interpreter."""
    lines = len(text.splitlines())
    done = run_script(bench, case, text)
    if isinstance(done, Repro):
        return replace(done, path=str(path), lines=lines)
    if done.returncode == 0:
        return Repro(str(path), lines, False, message="the script passes in a fresh process")
    found = Signature("crashed") if done.returncode < 0 else of_output(done.stderr)
    same = isolated.signature is not None and found.slug == isolated.signature.slug
    same = same and (found.op in (None, isolated.signature.op) if isolated.signature else False)
    last = last_line(done.stderr)
    why = None if same else f"the script fails in another way: {found.slug}" + (f": {last}" if last else "")
    return Repro(str(path), lines, same, found, why or last)


def run_script(
    bench: Bench, case: Case, text: str, arguments: Sequence[str] = ()
) -> subprocess.CompletedProcess[bytes] | Repro:
    """A script run in a fresh process of the subject's interpreter; a Repro that says why it did not end."""
    bench.say("running the script in a fresh process")
    file = bench.folder / "repro.py"
    file.write_text(text, encoding="utf-8")
    python = dict(case.vary).get("python", bench.subject.python)
    command = [python, str(file), *arguments]
    env = worker_environment(os.environ, bench.subject.cwd if bench.subject.kind == "callable" else None)
    try:
        return subprocess.run(command, cwd=bench.folder, env=env, capture_output=True, timeout=_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        why = f"the script did not end within {_TIMEOUT:g} s"
        return Repro(str(file), 0, False, Signature("timed-out"), why)
    except OSError as error:
        return Repro(str(file), 0, False, message=f"{python} cannot be started: {error.strerror or error}")


def of_output(output: bytes) -> Signature:
    """The failure in a traceback, by the rules by which `scan` reads a log."""
    text = output.decode("utf-8", "replace")
    at = text.rfind("Traceback (most recent call last)")
    match = re.search(r"^([\w.]+(?:Error|Exception|Interrupt)): (.*)", text[max(at, 0) :], re.MULTILINE | re.DOTALL)
    if match is None:
        return Signature("unknown")
    return signature(match[1].rpartition(".")[2], match[2])


def last_line(output: bytes) -> str:
    """The line of a traceback that names the exception."""
    lines = [
        line for line in output.decode("utf-8", "replace").splitlines() if re.match(r"^[\w.]+(Error|Exception): ", line)
    ]
    return lines[-1][:300] if lines else ""


def _title(isolated: Isolation) -> str:
    """What the script shows, in characters that cannot end its docstring."""
    slug = isolated.signature.slug if isolated.signature else "fails"
    how = {"xla": "compiled by XLA", "run": "run", "trace": "put into a graph"}[isolated.mode]
    return re.sub(r"[^\w .,:()-]", "", f"{isolated.op} {how}: {slug}.")
