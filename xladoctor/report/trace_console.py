"""A trace, and two traces side by side, for a person at a terminal."""

from __future__ import annotations

from xladoctor.model.trace import StepDiff, Trace, TraceDiff, TracedStep
from xladoctor.report import layer_lines, text, trace_table, trace_words
from xladoctor.report.console import ended
from xladoctor.report.page import Page
from xladoctor.report.page import place as source
from xladoctor.report.view import View

_STYLES = {"broken": "bold red", "kept": "bold green", "empty": "bold yellow"}
_FEW = 16
_NARROW = 100
_WIDE = (44, 36, 28)
_SLIM = (32, 24, 18)


def render(trace: Trace, page: Page, view: View) -> str:
    """Writes the trace on `page`, and returns what is on it."""
    aside = "" if view.target_status is None else f" ({ended(view.target_status, False)})"
    word = trace_words.title(trace)
    page.parts(("xladoctor: ", "bold"), (word, _STYLES[trace.verdict]), (f"  {trace.source}", ""), (aside, "dim"))
    page.para(trace_words.verdict(trace))
    if view.quiet:
        _first(page, trace)
        return page.text()
    page.bullets("Could not be read", trace.problems)
    _layers(page, trace, view)
    _functions(page, trace)
    for number, step in enumerate(trace.steps, 1):
        _step(page, step, f"Call {number} of {len(trace.steps)}", view)
    missing = [p for p in trace.places if not p.found and (p.origin != "built in" or view.verbose)]
    if missing:
        page.heading("Places that are missing")
        page.table([(p.place, p.origin, p.reason or "") for p in missing])
    page.bullets("Notes", trace.notes)
    if view.run_dir:
        page.heading("Next")
        for words, why in (
            (f"trace {view.run_dir} -o shapes.html", "every tensor, to look through"),
            (f"trace --diff {view.run_dir} OTHER_RUN", "beside another run"),
        ):
            room = len(words) + len(why) + 16 < page.width
            page.parts((f"xladoctor {words}", ""), (f"  # {why}" if room else "", "dim"), indent=2)
    return page.text()


def render_diff(diff: TraceDiff, page: Page, view: View) -> str:
    """Writes the comparison on `page`, and returns what is on it."""
    word, style = ("DIFFERENT", "bold yellow") if diff.differs else ("THE SAME", "bold green")
    if diff.empty:
        word, style = "NOTHING TO COMPARE", "bold yellow"
    page.parts(("xladoctor: ", "bold"), (word, style))
    page.table([("A", diff.a), ("B", diff.b)], styles=["bold", ""])
    page.para(trace_words.differs(diff))
    for title, found in (("First difference", diff.first), ("First contract broken", diff.first_broken)):
        if found is None:
            continue
        row = found[1]
        page.heading(title)
        page.para(trace_words.sentence(found), style="bold")
        page.table(
            [
                (name, trace_words.side(side, said), text.line(side.violation or "") if side else "")
                for name, side, said in (("A", row.a, row.named_a), ("B", row.b, row.named_b))
            ],
            indent=4,
            styles=["bold", "", "red"],
        )
        page.parts((f"contract {row.row.contract}", "dim"), indent=4)
    if view.quiet:
        return page.text()
    page.bullets("Could not be read", diff.problems)
    for step in diff.steps:
        _step_diff(page, step, view)
    page.bullets("Notes", diff.notes)
    return page.text()


def _first(page: Page, trace: Trace) -> None:
    for step in trace.steps:
        for row in step.broken[:1]:
            page.parts((f"{trace_words.place(row)} in {step.name}: {row.violation}", ""), indent=2)
            return


def _layers(page: Page, trace: Trace, view: View) -> None:
    if not trace.layers:
        return
    page.heading("Layers", "shapes as traced; None is an open axis")
    shown = layer_lines.folded(trace.layers, len(trace.layers) if view.verbose else layer_lines.MOST)
    table = [("layer", "in", "out", "parameters, batch sizes, lines that made and called it")]
    for one in shown:
        lines = [page.near(source(place)) for place in one.places]
        table.append((one.title, *one.shapes, ", ".join(filter(None, (one.facts, *lines)))))
    caps = _WIDE if page.width > _NARROW else _SLIM
    page.table(table, styles=["bold", "", "", "dim"], caps=caps)
    if any(one.row is None for one in shown):
        page.para("--verbose shows every layer.", style="dim")


def _functions(page: Page, trace: Trace) -> None:
    if not trace.functions:
        return
    page.heading("Functions that TensorFlow traced")
    table = [("function", "inputs", "traces", "defined")]
    for f in trace.functions[:40]:
        place = f.defined or f.called
        name = f"{f.name}{' (XLA)' if f.xla else ''}"
        table.append((name, ", ".join(f.inputs[:4]), str(f.traces), source(place) if place is not None else ""))
    page.table(table, styles=["bold", "", "", "dim"], caps=(40, 40, 6))


def _step(page: Page, step: TracedStep, heading: str, view: View) -> None:
    page.blank()
    outcome = trace_words.OUTCOMES[step.outcome]
    page.parts((heading, "dim"), (f"  {step.name}", "bold"), (f"  {outcome}" if outcome else "", "bold red"))
    if step.location:
        page.parts(("at ", "dim"), (source(step.location), "cyan"), indent=2)
    page.para(trace_words.basis(step), style="dim")
    for note in step.notes:
        page.para(note, hang=2, first="- ")
    if step.shapes:
        trace_table.render(page, step.shapes, view)
    if step.bindings:
        page.parts(("Axes", "bold"), indent=2)
        rows = [(name, f"= {value}", f"bound by {by}") for name, value, by in trace_words.axes(step)]
        page.table(rows, indent=4, styles=["bold", "bold", "dim"])


def _step_diff(page: Page, step: StepDiff, view: View) -> None:
    page.blank()
    page.parts((step.name, "bold"), (f"  {len(step.rows)} differ, {step.same} the same", "dim"))
    for name, side in (("A", step.a), ("B", step.b)):
        if side is not None:
            outcome = trace_words.OUTCOMES[side.outcome]
            page.parts(
                (f"{name}  {trace_words.basis(side)}", "dim"), (f"  {outcome}" if outcome else "", "red"), indent=2
            )
    for note in step.notes:
        page.para(note, hang=2, first="- ")
    shown = step.rows if view.verbose else step.rows[:_FEW]
    if not shown:
        return
    table = [("", "place", "tensor", "A", "B")]
    for found in shown:
        row = found.row
        turn = f" #{row.iteration}" if row.iteration is not None else ""
        table.append(
            (
                ">" if found.first else "!" if "violation" in found.kinds else "",
                trace_words.place(row) + turn,
                f"{row.phase} {row.tensor}",
                trace_words.side(found.a, found.named_a),
                trace_words.side(found.b, found.named_b),
            )
        )
    page.table(table, styles=["bold red", "", "", "", ""], caps=(1, 40, 24, 44))
    if len(step.rows) > len(shown):
        page.parts((f"… {len(step.rows) - len(shown)} more (--verbose)", "dim"), indent=2)
