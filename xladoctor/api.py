"""The doctor from Python: `diagnose` saved output, `trace` a recorded run, `watch` a block of this very program.

    from xladoctor import api

    with api.watch() as run:
        model.fit(x, y)
    print(run.report())

Nothing here imports TensorFlow, and importing this module loads nothing but the names below.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from xladoctor.errors import XladoctorError
from xladoctor.model import diagnosis as model

if TYPE_CHECKING:
    from xladoctor.model.trace import Trace

__all__ = ["Diagnosis", "KerasCallback", "Watch", "XladoctorError", "diagnose", "trace", "watch"]

Recorder = Literal["settings", "shapes", "xla", "keras", "failures", "capsules"]
Capture = Literal["all", "values", "specs", "none"]


class Diagnosis(model.Diagnosis):
    """What the doctor says of a log or a run (`xladoctor.model.diagnosis.Diagnosis`), which can show itself.

    `print` gives the words of the command line, a notebook shows the page. `root` is the root cause, `findings` all.
    """

    run_dir: Path | None = None
    """The run folder, where there is one: `xladoctor scan RUN_DIR` and `replay RUN_DIR` go on from it."""

    @classmethod
    def of(cls, diagnosis: model.Diagnosis, run_dir: Path | None = None) -> Diagnosis:
        """The same diagnosis, of the run in this folder."""
        found = cls(**{field.name: getattr(diagnosis, field.name) for field in fields(model.Diagnosis)})
        object.__setattr__(found, "run_dir", run_dir)
        return found

    def render(self, format: str = "console", *, verbose: bool = False) -> str:
        """The diagnosis as text: console, markdown, html, json, or a format of `xladoctor scan --format`.

        Raises:
            ValueError: there is no such format.
        """
        from xladoctor import excerpts
        from xladoctor.report import View, render

        folder = str(self.run_dir) if self.run_dir is not None else None
        view = View(verbose=verbose, run_dir=folder, excerpts=excerpts.of(self, self.run_dir))
        return render(self, format, None, view)

    def __str__(self) -> str:
        return self.render()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What a notebook shows: the page in a frame of its own, which runs no script; else the text."""
        from xladoctor.report.framed import framed

        return {"text/plain": self.render(), "text/html": framed(self.render("html"))}


def diagnose(*sources: str | os.PathLike[str], text: str | None = None) -> Diagnosis:
    """Diagnose saved output, as `xladoctor scan` does.

    Args:
        sources: one run folder; or logs and notebooks (`.ipynb`), read as the output of one run.
        text: output itself, in the place of files.

    Raises:
        XladoctorError: a source cannot be read, or is empty.
        TypeError: neither sources nor text, or both.
    """
    if bool(sources) == (text is not None):
        raise TypeError("diagnose takes files or a text")
    from xladoctor import saved

    if text is not None:
        return Diagnosis.of(saved.scan_text(text))
    paths = [Path(source) for source in sources]
    if len(paths) == 1 and paths[0].is_dir():
        return Diagnosis.of(saved.scan_run(paths[0]), paths[0])
    return Diagnosis.of(saved.scan_logs(paths))


def trace(run_dir: str | os.PathLike[str]) -> Trace:
    """The shapes at the watched places of a recorded run, as `xladoctor trace RUN_DIR` shows them.

    Raises:
        XladoctorError: it is no run folder.
    """
    from xladoctor.saved import trace_run

    return trace_run(Path(run_dir))


class Watch:
    """A block of this program that is recorded, by the recorders that `xladoctor scan -- CMD` uses.

    What goes wrong with the recording never reaches the block: `why_not` then says why nothing was recorded.
    """

    def __init__(
        self,
        run_dir: str | os.PathLike[str] | None = None,
        *,
        only: tuple[Recorder, ...] = (),
        capture: Capture = "values",
    ) -> None:
        from xladoctor.commands.watch import Recorded, WatchOptions

        folder = Path(run_dir) if run_dir is not None else None
        self._recorded = Recorded(WatchOptions(folder, only, capture))

    @property
    def run_dir(self) -> Path | None:
        """The run folder; None where none could be made."""
        return self._recorded.run_dir

    @property
    def why_not(self) -> str | None:
        """Why nothing was recorded, where nothing was."""
        return self._recorded.why_not

    def __enter__(self) -> Watch:
        self._recorded.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self._recorded.leave(error)
        return False

    def diagnosis(self, *, replay: bool = True, check_budget: float | None = None) -> Diagnosis:
        """The diagnosis of the block, after it.

        Args:
            replay: ask a worker process, which imports TensorFlow anew, about calls that failed.
            check_budget: seconds for checks of a block that ended well; None: as many as it allows, 0: none.

        Raises:
            XladoctorError: nothing was recorded, or the block has not ended.
        """
        return Diagnosis.of(self._recorded.diagnosis(replay=replay, check_budget=check_budget), self.run_dir)

    def report(self, *, replay: bool = True, check_budget: float | None = None) -> str:
        """The diagnosis as text, for the `except` of a program: where there is none, one line that says why.

        It raises nothing: an error of ours in the place of the program's own would hide that one.
        """
        return _in_words(lambda: self.diagnosis(replay=replay, check_budget=check_budget))

    def trace(self) -> Trace:
        """The shapes at the watched places of the block.

        Raises:
            XladoctorError: as `diagnosis`.
        """
        return self._recorded.trace()


def watch(
    run_dir: str | os.PathLike[str] | None = None, *, only: tuple[Recorder, ...] = (), capture: Capture = "values"
) -> Watch:
    """Record what runs in the block of a `with` statement; its exception goes on unchanged.

    Args:
        run_dir: a new folder for the recording; without it one below `xladoctor-runs`.
        only: the recorders to be used; none named: all of them.
        capture: what is kept to run a call again: as `scan --capture`.

    Entering raises XladoctorError where another watch is open. Under `xladoctor scan -- CMD` nothing more is recorded.
    """
    return Watch(run_dir, only=only, capture=capture)


def KerasCallback(*, only: tuple[Recorder, ...] = (), capture: Capture = "values") -> Any:
    """A callback for `fit`, `evaluate` and `predict` that watches each call it is given to; a run folder for each.

    It has `run_dir`, `diagnosis()` and `report()` as a `Watch` has, of the call that began last. A watch around the
    call sees more: Keras tells its callbacks nothing of what fails before the first step.

    Raises:
        XladoctorError: Keras is not imported.
    """
    from xladoctor.commands.keras_callback import callback
    from xladoctor.commands.watch import Recorded, WatchOptions

    def view(recorded: Recorded, replay: bool, check_budget: float | None) -> Diagnosis:
        return Diagnosis.of(recorded.diagnosis(replay=replay, check_budget=check_budget), recorded.run_dir)

    return callback(WatchOptions(None, only, capture), view, _in_words)


def _in_words(diagnose: Callable[[], Diagnosis]) -> str:
    try:
        return str(diagnose())
    except Exception as error:
        return f"xladoctor: no diagnosis: {error}"
