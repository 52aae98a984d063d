"""The lower half of the console report: XLA paths, settings, hypotheses, environment, and what to
type next.
"""

from __future__ import annotations

from shlex import quote

from xladoctor.diagnosis.model import Diagnosis, XlaPath
from xladoctor.report import facts, text
from xladoctor.report.page import Page, place
from xladoctor.report.view import View

_VERDICTS = {"confirmed": "red", "refuted": "green", "untested": "yellow"}


def render(page: Page, diagnosis: Diagnosis, view: View) -> None:
    """All tables for which there is something to show. Of a healthy run only `verbose` shows what was recorded."""
    if not diagnosis.findings and not view.verbose:
        if diagnosis.shapes or diagnosis.settings:
            page.para("What was recorded: --verbose", style="dim")
        return
    # Each on its own: the report on a log has neither, and should not wait for them.
    if diagnosis.shapes:
        from xladoctor.report import console_shapes

        console_shapes.render(page, diagnosis.shapes, view)
    _xla_paths(page, diagnosis)
    if diagnosis.settings:
        from xladoctor.report import console_settings

        console_settings.render(page, diagnosis, view)
    _hypotheses(page, diagnosis, view)
    _compilations(page, diagnosis, view)
    _isolated(page, diagnosis)
    _environment(page, diagnosis, view)


def _xla_paths(page: Page, diagnosis: Diagnosis) -> None:
    if not diagnosis.xla_paths:
        return
    page.heading("XLA", "what put it on, and what did not")
    for path in diagnosis.xla_paths:
        word, style = {True: ("on ", "bold"), False: ("off", "dim")}.get(path.effective, ("?  ", "yellow"))  # type: ignore[arg-type]
        page.parts((word, style), ("  ", ""), (path.mechanism, style), (f"  {path.function or ''}", ""), indent=2)
        page.para(xla_words(path), indent=7, style="" if path.effective else "dim")
        if path.location:
            page.parts(("at ", "dim"), (place(path.location), "cyan"), indent=7)


def xla_words(path: XlaPath) -> str:
    """A sentence on one mechanism."""
    said = f"asked for {path.requested}, resolved to {path.resolved}"
    said += f"; governed by {', '.join(map(str, path.governed_by))}" if path.governed_by else "; no switch governs it"
    return f"{said}. {path.note}" if path.note else f"{said}."


def _hypotheses(page: Page, diagnosis: Diagnosis, view: View) -> None:
    if not diagnosis.hypotheses:
        return
    page.heading("Hypotheses", "each with what this run says of it")
    for claim in diagnosis.hypotheses:
        page.parts(
            (f"{text.line(claim.verdict):<10}", _VERDICTS.get(claim.verdict, "")),
            (f" {claim.id}", "bold"),
            (f"  {claim.origin}", "dim"),
            indent=2,
        )
        page.para(claim.title, indent=13)
        for proof in claim.evidence if view.verbose else claim.evidence[:1]:
            where = f" [{proof.where}]" if proof.where else ""
            page.para(f"{proof.text}{where}", indent=13, hang=2, style="dim", first="- ")


def _compilations(page: Page, diagnosis: Diagnosis, view: View) -> None:
    if not (view.verbose and diagnosis.compilations):
        return
    page.heading("Traces and compilations")
    page.table(
        [
            (
                c.kind,
                c.function,
                "XLA" if c.xla else "",
                "" if c.seconds is None else f"{facts.number_text(c.seconds)} s",
                ", ".join(map(str, c.inputs)),
            )
            for c in diagnosis.compilations
        ],
        styles=["", "", "", "dim", "dim"],
        caps=(8, 48, 3, 10),
    )


def _isolated(page: Page, diagnosis: Diagnosis) -> None:
    if diagnosis.isolated:
        page.heading("Isolated")
        page.table(facts.flat(diagnosis.isolated), styles=["dim", ""])
    if diagnosis.reproducer:
        page.parts(("Reproducer  ", "bold"), (diagnosis.reproducer, "cyan"))


def _environment(page: Page, diagnosis: Diagnosis, view: View) -> None:
    rows = facts.flat(diagnosis.environment)
    if not rows:
        return
    shown = rows if view.verbose else facts.foremost(rows)
    page.heading("Environment")
    page.table(shown, styles=["dim", ""], caps=(32,))
    if len(rows) > len(shown):
        page.parts((f"… {len(rows) - len(shown)} more (--verbose)", "dim"), indent=2)


def next_commands(page: Page, diagnosis: Diagnosis, view: View) -> None:
    """Where the recording lies, and the commands that go on from here."""
    rows = []
    if view.run_dir:
        folder = quote(text.line(view.run_dir))
        rows.append((f"xladoctor scan {folder} --verbose", "everything that was recorded"))
        rows.append((f"xladoctor scan {folder} --format markdown", "the report as a document"))
    root = diagnosis.root
    if root:
        rows.append((f"xladoctor explain {quote(text.line(root.code))}", "what this class of failure is"))
    if not rows:
        return
    page.heading("Next")
    for command, why in rows:
        page.parts((command, ""), (f"  # {why}", "dim"), indent=2)
    if view.run_dir:
        page.parts(("The run folder: ", ""), (view.run_dir, "cyan"), indent=2)
