"""From files to a `Diagnosis`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xladoctor import __version__
from xladoctor.lint import comments, files, jit
from xladoctor.lint.baseline import Baseline
from xladoctor.lint.checks import every
from xladoctor.lint.fix import Fix, Position
from xladoctor.lint.frames import Entry, Event
from xladoctor.lint.hazard import Hazard
from xladoctor.lint.interpret import Interpreter
from xladoctor.lint.project import Function, Project
from xladoctor.lint.settings import Settings
from xladoctor.model.diagnosis import Diagnosis, Finding, Location, Proof, Verdict
from xladoctor.model.shapes import count
from xladoctor.rules import by_code
from xladoctor.sources.source import Source

_LEVELS = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True)
class Spot:
    """Where a finding of the diagnosis stands in its source, in lines from 1 and columns from 0, and its safe fix.

    Of a notebook these are lines of the joined cells (`Source.map`).
    """

    finding: Finding
    source: Source
    start: Position
    end: Position
    fix: Fix | None


@dataclass(frozen=True)
class Linted:
    """The diagnosis with a spot for each of its findings, and the findings before a baseline was taken off (what a new
    baseline is made of).
    """

    diagnosis: Diagnosis
    all_findings: tuple[Finding, ...]
    spots: tuple[Spot, ...] = ()


def lint(paths: Sequence[str], settings: Settings, baseline: Baseline | None = None, verbose: bool = False) -> Linted:
    """Lint files, folders and standard input (`-`).

    Raises:
        XladoctorError: a path does not exist, or nothing in all of them is Python.
    """
    return lint_sources(files.read(paths, settings.exclude), paths, settings, baseline, verbose)


def lint_sources(
    read: files.Read,
    paths: Sequence[str],
    settings: Settings,
    baseline: Baseline | None = None,
    verbose: bool = False,
) -> Linted:
    """Lint sources that were read already; `paths` says where they came from."""
    project = Project(read.sources)
    hazards, cut = hazards_of(project, settings.assume_jit)
    told = [hazard for hazard in hazards if settings.wants(hazard.code)]
    kept, about = comments.apply(read.sources, told, unused=verbose)
    kept += [hazard for hazard in about if settings.wants(hazard.code)]
    spots = [_spot(hazard) for hazard in sorted(kept, key=_order)]
    findings = tuple(spot.finding for spot in spots)
    left, known, gone = baseline.without(findings) if baseline is not None else (findings, 0, ())
    notes = [f"{count(len(read.sources), 'file')} read."]
    notes += (
        [f"{count(len(told) - len(kept) + len(about), 'finding')} ignored by comments."]
        if len(kept) - len(about) < len(told)
        else []
    )
    notes += [f"{count(known, 'finding')} in the baseline."] if known else []
    notes += [f"In the baseline, but not found any more: {what}" for what in gone]
    notes += [f"{function.name} ({where}): too much code to follow to the end." for function, where in cut]
    new = {id(finding) for finding in left}
    new_spots = tuple(spot for spot in spots if id(spot.finding) in new)
    return Linted(_diagnosis(paths, left, notes, read.problems), findings, new_spots)


def hazards_of(project: Project, assume_jit: bool = False) -> tuple[list[Hazard], list[tuple[Function, str]]]:
    """All hazards of a project, each once; and the entries that were too much to follow."""
    found: dict[tuple[str, str, int, int], Hazard] = {}

    def keep(hazards: Iterable[Hazard]) -> None:
        for hazard in hazards:
            before = found.get(hazard.key)
            if before is None or _LEVELS[hazard.level] < _LEVELS[before.level]:
                found[hazard.key] = hazard

    def see(event: Event) -> None:
        for check in every.FOLLOWED:
            keep(check(event))

    for whole in every.WHOLE:
        keep(whole(project))
    interpreter = Interpreter(project, see)
    sites = jit.sites(project)
    entries = [*jit.entries(project, sites, assume_jit), *_with_floats(project)]
    cut = [(entry.function, entry.where) for entry in entries if not interpreter.run(entry)]
    return list(found.values()), cut


def _with_floats(project: Project) -> list[Entry]:
    """Functions that make constants, in a project that has both float widths: what XLA compiles or not."""
    if not any("float64" in module.source.text for module in project.modules):
        return []
    made: dict[Function, Entry] = {}
    for module in project.modules:
        if not module.mentions:
            continue
        for call, inside in module.calls:
            name = module.full(call.func) if inside is not None else None
            if inside is not None and name in (
                "tensorflow.constant",
                "tensorflow.Variable",
                "tensorflow.convert_to_tensor",
            ):
                made.setdefault(inside, Entry(inside, "", module.source.at(inside.line)))
    return list(made.values())


def _order(hazard: Hazard) -> tuple[int, str, int, str]:
    return _LEVELS[hazard.level], hazard.module.source.path, getattr(hazard.node, "lineno", 1), hazard.code


def _spot(hazard: Hazard) -> Spot:
    source, node = hazard.module.source, hazard.node
    line = getattr(node, "lineno", 1)
    last = getattr(node, "end_lineno", None) or line
    start = _position(source, line, getattr(node, "col_offset", 0))
    end = _position(source, last, getattr(node, "end_col_offset", None) or 0)
    return Spot(_finding(hazard), source, start, end, hazard.fix)


def _position(source: Source, line: int, column: int) -> Position:
    """A place of the tree, whose columns count bytes of UTF-8, in characters."""
    text = source.lines[line - 1] if 0 < line <= len(source.lines) else ""
    return line, len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))


def _finding(hazard: Hazard) -> Finding:
    rule = by_code(hazard.code)
    source = hazard.module.source
    line = getattr(hazard.node, "lineno", 1)
    details = {"leads_to": hazard.leads_to, "column": getattr(hazard.node, "col_offset", 0) + 1, **hazard.details}
    in_file: int | None = line
    if source.map:
        place = source.map[min(line, len(source.map)) - 1]
        details |= {"cell": place.cell, "cell_line": place.line}
        in_file = place.in_file
    where = f"{source.path}:{in_file}" if in_file else source.path
    if hazard.fix is not None:
        details["fix"] = hazard.fix.title
    evidence = [Proof("source", source.line(line), where), *(Proof("source", text) for text in hazard.because)]
    return Finding(
        code=rule.code,
        slug=rule.slug,
        level=hazard.level,
        role="root",
        title=rule.title,
        message=hazard.message,
        op=hazard.op,
        location=Location(source.path, in_file, hazard.function),
        evidence=tuple(evidence),
        status="confirmed" if hazard.level == "note" and hazard.code == "XD810" else "untested",
        remedies=rule.remedies,
        details=details,
    )


def _diagnosis(
    paths: Sequence[str], findings: tuple[Finding, ...], notes: Sequence[str], problems: Sequence[str]
) -> Diagnosis:
    levels = {finding.level for finding in findings}
    verdict: Verdict = "failed" if "error" in levels else "warnings" if "warning" in levels else "healthy"
    source = " ".join("<stdin>" if path == files.STDIN else path for path in paths)
    return Diagnosis(
        source=source,
        verdict=verdict,
        findings=findings,
        notes=tuple(notes),
        problems=tuple(problems),
        tool_version=__version__,
    )
