"""What `xladoctor.api.watch` does: record a block of the program that we are in, and diagnose it.

Nothing here may harm the block: what goes wrong costs the recording, and `why_not` says why there is none.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from xladoctor.errors import XladoctorError
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.model.evidence import ProcessOutcome

if TYPE_CHECKING:
    from xladoctor.model.trace import Trace

MAX_SIZE = 1 << 30
_ELSEWHERE = "this program is already recorded as a whole (xladoctor scan, or preflight)"
_OFF = "XLADOCTOR_PROBES=0 switches the recorders off"
_current = threading.Lock()


@dataclass(frozen=True)
class WatchOptions:
    """How a block is to be recorded; as the options of `scan -- CMD`."""

    run_dir: Path | None = None
    only: tuple[str, ...] = ()
    """The recorders to be used (`schema.PROBES`); none named: all of them."""
    capture: Literal["all", "values", "specs", "none"] = "values"
    max_size: int = MAX_SIZE
    command: tuple[str, ...] | None = None
    """What runs the block again; None: the words of this program."""


class Recorded:
    """The recording of a block: `begin`, then `end`, then as many diagnoses as are wanted."""

    def __init__(self, options: WatchOptions) -> None:
        self.options = options
        self.run_dir: Path | None = None
        self.why_not: str | None = None
        """Why nothing was recorded, where nothing was."""
        self._facts: dict[str, Any] = {}
        self._recorder: Any = None
        self._diagnoses: dict[tuple[bool, float | None], Diagnosis] = {}

    @property
    def _command(self) -> Sequence[str]:
        return _own_command() if self.options.command is None else self.options.command

    @property
    def is_open(self) -> bool:
        """Whether the block is being recorded now."""
        return self._recorder is not None

    def begin(self) -> None:
        """Begin to record.

        Raises:
            XladoctorError: another block is recorded now.
        """
        if not _current.acquire(blocking=False):
            raise XladoctorError(
                "another watch is open in this process", hint="Watches do not nest: end that one first."
            )
        try:
            self.why_not = self._begin()
        except XladoctorError as error:
            self.why_not = error.message
        except Exception as error:
            self.why_not = f"{type(error).__name__}: {error}"
        finally:
            if self._recorder is None:
                _current.release()

    def begin_if_possible(self) -> None:
        """Begin to record, or say in `why_not` that another block is recorded now."""
        try:
            self.begin()
        except XladoctorError as error:
            self.why_not = error.message

    def _begin(self) -> str | None:
        import os

        from xladoctor import paths
        from xladoctor.recording import run_folder
        from xladoctor.recording.schema import schema

        unknown = set(self.options.only) - set(schema.PROBES)
        if unknown:
            return f"no such recorder: {', '.join(sorted(unknown))}; there are {', '.join(schema.PROBES)}"
        if os.environ.get(schema.ENV_PROBES) == "0":
            return _OFF
        if paths.RECORDER in sys.modules and sys.modules[paths.RECORDER].records():
            return _ELSEWHERE
        recorder = paths.load_recorder()
        folder = run_folder.new_folder(self.options.run_dir)
        self._facts = {**run_folder.run_facts(self._command), "pid": os.getpid(), "started": time.time(), "block": True}
        run_folder.write_if_possible(folder / "run.json", {**self._facts, "outcome": {"state": "running"}})
        _hand_over_places(folder)
        choice = {
            "recorders": frozenset(self.options.only),
            "capture": self.options.capture,
            "max_size": self.options.max_size,
        }
        self.run_dir = folder
        if not recorder.record_block(folder, choice):
            return "the recorders could not start"
        self._recorder = recorder
        return None

    def entered(self, method: str, model: Any, given: Mapping[str, Any]) -> None:
        """A call of Keras is under way that began before the recording, and was given so much."""
        if self._recorder is not None:
            self._recorder.enter_call(method, model, given)

    def end(self, error: BaseException | None = None, *, failed: bool = False) -> None:
        """End the recording; `error` left the block (`failed`: one that is not at hand, the last that was recorded).
        Does nothing where it has ended.
        """
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        try:
            recorder.end_block(error, failed)
            with suppress(Exception):
                self._write_outcome(error, failed or error is not None)
        finally:
            _current.release()

    def leave(self, error: BaseException | None) -> None:
        """End the recording as the block is left. Never raises."""
        with suppress(Exception):
            self.end(error)

    def fail(self) -> None:
        """End the recording of a block that did not end well. Never raises."""
        with suppress(Exception):
            self.end(failed=True)

    def _write_outcome(self, error: BaseException | None, failed: bool) -> None:
        from xladoctor.recording import mark, run_folder

        assert self.run_dir is not None
        ended = time.time()
        seconds = round(ended - self._facts["started"], 3)
        outcome = _outcome(self._command, error, failed, seconds)
        outcome = run_folder.with_probes(outcome, self.run_dir, True)
        self._facts |= {"ended": ended, "outcome": {k: v for k, v in asdict(outcome).items() if k != "command"}}
        run_folder.write_if_possible(self.run_dir / "run.json", self._facts)
        mark.sign(self.run_dir)

    def diagnosis(self, *, replay: bool, check_budget: float | None) -> Diagnosis:
        """The diagnosis of the block; a worker is asked once.

        Raises:
            XladoctorError: nothing was recorded, or the block has not ended.
        """
        key = (replay, check_budget)
        if key not in self._diagnoses:
            self._diagnoses[key] = self._diagnosed(self._ended_folder(), replay, check_budget)
        return self._diagnoses[key]

    def _ended_folder(self) -> Path:
        if self.is_open:
            raise XladoctorError("the watch is still open: ask for its diagnosis after the block")
        if self.why_not is not None or self.run_dir is None:
            raise XladoctorError(f"nothing was recorded: {self.why_not or 'the watch was never entered'}")
        return self.run_dir

    def _diagnosed(self, folder: Path, replay: bool, check_budget: float | None) -> Diagnosis:
        from xladoctor.commands.scan import write_reports
        from xladoctor.recording import files, mark
        from xladoctor.saved import scan_run

        if replay and not files.is_file(folder, "worker.jsonl"):
            self._ask_workers(folder, check_budget)
            mark.sign_more(folder, "worker.jsonl", "worker.log")
        diagnosis = scan_run(folder, self._facts)
        if not files.is_file(folder, "diagnosis.json"):
            write_reports(diagnosis, folder, int(self._facts.get("outcome", {}).get("code") or 0))
            mark.sign_more(folder, "diagnosis.json", "blocker.md")
        return diagnosis

    def _ask_workers(self, folder: Path, check_budget: float | None) -> None:
        import os

        from xladoctor.diagnosis.attempt import Attempts
        from xladoctor.experiments.analyse import ask_workers
        from xladoctor.saved import recording_of

        with suppress(OSError):  # the program that asks goes on, with the diagnosis of what was recorded
            recording = recording_of(folder, self._facts)
            Attempts().of(ask_workers, False, recording, os.environ, _say(), False, check_budget)

    def trace(self) -> Trace:
        """The shapes at the watched places of the block.

        Raises:
            XladoctorError: as `diagnosis`.
        """
        from xladoctor.saved import trace_run

        return trace_run(self._ended_folder())


def _outcome(command: Sequence[str], error: BaseException | None, failed: bool, seconds: float) -> ProcessOutcome:
    state: Literal["exited", "interrupted"] = "interrupted" if isinstance(error, KeyboardInterrupt) else "exited"
    code = int(failed)
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    return ProcessOutcome(command=tuple(command), state=state, code=code, seconds=seconds)


def _own_command() -> Sequence[str]:
    """The words of this program; none of a kernel, which nobody starts to run a notebook again."""
    words: Sequence[str] = getattr(sys, "orig_argv", sys.argv)
    return [] if any("ipykernel" in word for word in words) else words


def _hand_over_places(folder: Path) -> None:
    """Give the recorders the user's own places; say what is wrong with them."""
    from xladoctor import paths
    from xladoctor.experiments import places
    from xladoctor.report.text import line

    found = places.find(paths.here())
    for problem in found.problems:
        sys.stderr.write(f"xladoctor: {line(problem)}\n")
    places.write(found, folder)


def _say() -> Callable[[str], None]:
    def say(text: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"xladoctor: {text}\n")

    return say
