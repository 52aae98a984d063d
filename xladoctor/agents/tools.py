"""The questions of an agent that only read. Their docstrings are what the agent reads about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xladoctor.agents import answers, make
from xladoctor.agents.roots import Roots
from xladoctor.errors import XladoctorError

_LAST = "last"


@dataclass(frozen=True)
class Tools:
    """Bound to the folders that may be read."""

    roots: Roots

    def diagnose(self, path: str) -> answers.Diagnosis:
        """Diagnose a run of TensorFlow, Keras or XLA that failed or trained on wrong data.

        path is the log of a run (plain, .gz, .zst, or a notebook with saved output) or a run folder that
        `xladoctor scan --` left; "last" is the newest run folder. Gives the root cause first, the line likely at fault,
        evidence and remedies. Nothing is run.
        """
        from xladoctor.saved import scan_logs, scan_run

        real = self._named(path)
        if real.is_dir():
            return make.diagnosis_answer(scan_run(_run_folder(real, path)), str(real), "run folder")
        return make.diagnosis_answer(scan_logs([real]), str(real), "log")

    def trace(self, path: str) -> answers.Trace:
        """Show the shapes of a recorded run: each layer with its shapes in and out, the tensors at watched functions,
        and how often each function was traced.

        path is a run folder; "last" is the newest one. A log holds no shapes. Nothing is run.
        """
        from xladoctor.saved import trace_run

        real = self._named(path)
        if not real.is_dir():
            raise XladoctorError("a log holds no shapes", hint="Name a run folder: what xladoctor scan -- CMD left.")
        return make.trace_answer(trace_run(_run_folder(real, path)), str(real))

    def explain(self, query: str) -> answers.Explanation:
        """Explain a class of failure: what it is, why it happens, how to tell it apart, what to do.

        query is a code (XD301), a class name (reshape-mismatch), words (libdevice gpu), or an error message.
        """
        from xladoctor.commands import knowledge

        query = query[:4000]
        meant = knowledge.rule_meant(query)
        try:
            found = knowledge.search(query)
        except XladoctorError:
            found = ()
        return make.explanation((meant, *(rule for rule in found if rule is not meant)))

    def lint(self, path: str, assume_jit: bool = False) -> answers.Lint:
        """Find hazards in Python source before anything runs: code that XLA cannot compile or computes differently.

        path is a file, a notebook or a folder. With assume_jit every tf.function and Keras layer counts as compiled by
        XLA. Nothing is run or imported.
        """
        from xladoctor.lint import engine, files
        from xladoctor.lint.settings import settings

        real = self.roots.resolve(path)
        top = self.roots.of_path(real)
        start = real if real.is_dir() else real.parent
        chosen = settings(start, assume_jit=assume_jit or None, top=top)
        linted = engine.lint_sources(files.read([str(real)], chosen.exclude, top), [str(real)], chosen)
        return make.lint_answer(linted, str(real))

    def _named(self, path: str) -> Path:
        if path != _LAST:
            return self.roots.resolve(path)
        from xladoctor.recording import recent
        from xladoctor.recording.run_folder import DEFAULT_FOLDER

        return self.roots.resolve(str(recent.newest(self.roots.folders[0] / DEFAULT_FOLDER)))


def _run_folder(folder: Path, asked: str) -> Path:
    from xladoctor.recording import files

    if files.is_run_folder(folder):
        return folder
    inside = sorted(child.name for child in folder.iterdir() if child.is_dir() and files.is_run_folder(child))
    hint = (
        f"It holds run folders: {', '.join(inside[-5:])}"
        if inside
        else "Name a log, or what xladoctor scan -- CMD left."
    )
    raise XladoctorError(f"{asked} is no run folder", hint=hint)
