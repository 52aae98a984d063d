"""The lower half of the console report: shapes, XLA paths, hypotheses, what was recorded, and what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from shlex import quote

from xladoctor.model.diagnosis import Diagnosis, Hypothesis, XlaPath
from xladoctor.report import facts, text
from xladoctor.report.page import Page, place
from xladoctor.report.view import View

_VERDICTS = {"confirmed": "bold", "refuted": "dim", "untested": "dim"}
_SHAPES = "XD3"
_CLAIMS = 4
_LABEL = 8
_PLACES = {"places": "Places found", "places_missing": "Places that are not there"}


def render(page: Page, diagnosis: Diagnosis, view: View) -> None:
    """What bears on the findings; with `verbose` everything that was recorded."""
    if not diagnosis.findings and not view.verbose:
        if diagnosis.shapes or diagnosis.settings:
            page.para("What was recorded: --verbose", style="dim")
        return
    # Each on its own: the report on a log has neither, and should not wait for them.
    if diagnosis.shapes:
        from xladoctor.report import console_shapes

        if view.verbose:
            console_shapes.render(page, diagnosis.shapes, view)
        else:
            console_shapes.around(page, diagnosis.shapes)
    tensorflow = facts.uses_tensorflow(diagnosis)
    if tensorflow and diagnosis.xla_paths:
        (_xla_paths if view.verbose else _xla_brief)(page, diagnosis.xla_paths)
    if view.verbose and tensorflow and diagnosis.settings:
        from xladoctor.report import console_settings

        console_settings.render(page, diagnosis)
    if diagnosis.hypotheses:
        (_hypotheses if view.verbose else _hypotheses_brief)(page, diagnosis)
    if view.verbose:
        _compilations(page, diagnosis)
        _isolated(page, diagnosis)
        _environment(page, diagnosis)
    elif diagnosis.reproducer:
        _reproducer(page, diagnosis)


def _xla_brief(page: Page, paths: tuple[XlaPath, ...]) -> None:
    shown = [path for path in paths if path.effective is not False]
    others = len(paths) - len(shown)
    if not shown:
        asked = [p for p in paths if p.resolved.startswith(("on", "asked for")) and "framework" not in p.mechanism]
        word = "was requested, but compiled nothing" if asked else "was off"
        page.heading("XLA", f"{word} ({facts.count(others, 'setting')} checked; --verbose)")
        return
    left = f" ({facts.count(others, 'other setting')} did not; --verbose)" if others else ""
    page.heading("XLA", f"was switched on{left}")
    alike: dict[tuple[str, str, str, str], int] = {}
    for path in shown:
        said = ("on" if path.effective else "?", path.mechanism, path.function or "", _switches(path))
        alike[said] = alike.get(said, 0) + 1
    for (word, mechanism, function, switches), times in alike.items():
        again = f" x{times}" if times > 1 else ""
        again += "  (not known whether XLA compiled it)" if word == "?" else ""
        page.parts((f"{word:<3}", "bold"), (" ", ""), (mechanism, ""), (f"  {function}{again}", ""), indent=2)
        if switches:
            page.para(f"governed by {switches}", indent=6, style="dim")


def _switches(path: XlaPath) -> str:
    switches = [str(switch) for switch in path.governed_by]
    spoke = [switch for switch in switches if not switch.endswith(" unset")] or switches
    return ", ".join(switch.partition(":")[2] if "()" in switch else switch for switch in spoke)


def _xla_paths(page: Page, paths: tuple[XlaPath, ...]) -> None:
    page.heading("XLA", "the settings that switched it on, and those that did not")
    for path in paths:
        word, style = {True: ("on ", "bold"), False: ("off", "dim")}.get(path.effective, ("?  ", "yellow"))  # type: ignore[arg-type]
        page.parts((word, style), ("  ", ""), (path.mechanism, style), (f"  {path.function or ''}", ""), indent=2)
        page.para(xla_words(path), indent=7, style="" if path.effective else "dim")
        if path.location:
            page.parts(("at ", "dim"), (place(path.location), "cyan"), indent=7)


def xla_words(path: XlaPath) -> str:
    """A sentence on one mechanism."""
    if facts.never_traced(path):
        said = f"requested {path.requested}, but nothing was compiled: the function was never traced in this run"
        return f"{said}; governed by {', '.join(map(str, path.governed_by))}." if path.governed_by else f"{said}."
    said = f"requested {path.requested}, resolved to {path.resolved}"
    said += f"; governed by {', '.join(map(str, path.governed_by))}" if path.governed_by else "; no switch governs it"
    return f"{said}. {text.stop(path.note)}" if path.note else f"{said}."


def _hypotheses_brief(page: Page, diagnosis: Diagnosis) -> None:
    claims = diagnosis.hypotheses
    shown = [claim for claim in claims if _bears(claim, diagnosis)][:_CLAIMS]
    page.heading("Hypotheses", facts.WHOSE)
    for claim in shown:
        verdict, title = f"  {text.line(claim.verdict):<9}", text.line(claim.title)
        room = page.width - len(f"{verdict}  {claim.id}  ") - 1
        pieces = ((verdict, _VERDICTS.get(claim.verdict, "")), (f"  {claim.id}", "bold"))
        page.flow(pieces, text.clip(title, max(room, 40)), hang=13)
    others = [claim for claim in claims if claim not in shown]
    for verdict in dict.fromkeys(claim.verdict for claim in others):
        names = ", ".join(str(claim.id) for claim in others if claim.verdict == verdict)
        page.flow(((f"  {text.line(verdict):<9}", "dim"),), f"{names} (--verbose)", hang=13, style="dim")


def _bears(claim: Hypothesis, diagnosis: Diagnosis) -> bool:
    if claim.verdict == "confirmed":
        return True
    place = str(diagnosis.root.details.get("place", "")) if diagnosis.root else ""
    name = place.rpartition(":")[2]
    return bool(name) and any(proof.text.startswith(name) or f" {name}" in proof.text for proof in claim.evidence)


def _hypotheses(page: Page, diagnosis: Diagnosis) -> None:
    page.heading("Hypotheses", facts.WHOSE)
    for claim in diagnosis.hypotheses:
        page.parts(
            (f"{text.line(claim.verdict):<10}", _VERDICTS.get(claim.verdict, "")),
            (f" {claim.id}", "bold"),
            (f"  {claim.origin}", "dim"),
            indent=2,
        )
        page.para(claim.title, indent=13)
        for proof in claim.evidence:
            where = f" [{proof.where}]" if proof.where else ""
            page.para(f"{proof.text}{where}", indent=13, hang=2, style="dim", first="- ")


def _compilations(page: Page, diagnosis: Diagnosis) -> None:
    if not diagnosis.compilations:
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
    _reproducer(page, diagnosis)


def _reproducer(page: Page, diagnosis: Diagnosis) -> None:
    if diagnosis.reproducer:
        page.parts(("Reproducer  ", "bold"), (diagnosis.reproducer, "cyan"))


def _environment(page: Page, diagnosis: Diagnosis) -> None:
    named = {key: diagnosis.environment.get(key) for key in _PLACES}
    places = {key: value for key, value in named.items() if isinstance(value, dict)}
    rows = facts.flat({k: v for k, v in diagnosis.environment.items() if k not in places})
    if rows:
        page.heading("Environment")
        page.table(rows, styles=["dim", ""], caps=(32,))
    for key, value in places.items():
        # Names of places are long and begin alike: never cut.
        page.heading(_PLACES[key])
        page.table(facts.flat(value), styles=["dim", ""])


def _experiments(diagnosis: Diagnosis, folder: str) -> Iterator[tuple[str, str]]:
    """What can be tried on the recorded call, or on the program, beyond what this run has shown."""
    root, again = diagnosis.root, diagnosis.environment.get("command")
    # A broken contract has its shapes on the screen already.
    if root is None or root.level != "error" or root.slug == "contract-violation":
        return
    batch = root.details.get("last_batch")
    if root.details.get("failing_op"):
        sizes = f" --batch-sizes {batch['left']},{batch['size']}" if isinstance(batch, dict) else ""
        yield f"xladoctor replay {folder}{sizes}", "run the failing call again" + (" with both sizes" if sizes else "")
    layers = root.layer and any(str(event.key).startswith("model ") for event in diagnosis.settings)
    if layers and root.code.startswith(_SHAPES) and isinstance(again, list | tuple):
        yield f"xladoctor trace -- {text.line(shlex.join(map(str, again)))}", "the shapes of each layer"


def next_commands(page: Page, diagnosis: Diagnosis, view: View) -> None:
    """The commands that go on from here, where the recording lies, and what ran."""
    rows: list[tuple[str, str]] = []
    root = diagnosis.root
    again = diagnosis.environment.get("command")
    if view.run_dir:
        folder = quote(text.line(view.run_dir))
        if not view.verbose:
            rows.append((f"xladoctor scan {folder} --verbose", "everything that was recorded"))
        if diagnosis.findings or view.verbose:
            long = _LABEL + len(folder) + len("xladoctor report  --output blocker.html") < page.width
            option = "--output" if long else "-o"
            rows.append((f"xladoctor report {folder} {option} blocker.html", "the report as a page"))
    # Edits are chosen by the sizes that do not fit: where a failure names none, none is tried.
    sized = root is not None and (bool(root.dims) or root.constraint is not None)
    if root and root.suspects and sized and "edits" not in root.details and isinstance(again, list | tuple):
        words = text.line(shlex.join(map(str, again)))
        rows.insert(0, (f"xladoctor scan --try-edits -- {words}", "try small edits of these lines, on a copy"))
    if view.run_dir:
        rows += _experiments(diagnosis, quote(text.line(view.run_dir)))
    if root:
        rows.append((f"xladoctor explain {quote(text.line(root.code))}", "what this class is"))
    ran = facts.ran(diagnosis) if diagnosis.findings and not view.verbose else ""
    if rows or ran:
        page.blank()
    for number, (command, why) in enumerate(rows):
        head = "" if number else "Next"
        room = _LABEL + len(command) + len(why) + 4 < page.width
        page.parts((f"{head:<{_LABEL}}", "bold"), (command, ""), (f"  # {why}" if room else "", "dim"))
    if view.run_dir:
        page.parts((f"{'Run':<{_LABEL}}", "bold"), (view.run_dir, "cyan"))
    if ran:
        page.flow((("With  ", "bold"),), ran, hang=_LABEL, style="dim")
