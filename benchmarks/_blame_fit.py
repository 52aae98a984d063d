"""Fits the weights of `xladoctor/blame/ranking.py`: `python -m benchmarks._blame_fit FOLDER`.

FOLDER holds run folders of labelled programs (`python -m benchmarks.blame --runs FOLDER`). Of each program the lines
that the failure depends on are asked for their features, and a logistic choice among the lines of a program is fitted:
the wrong line, or one of two, should have the largest share. How strongly weights are held back is chosen by
cross-validation; so are the figures that are printed: no program is judged with weights that were fitted with it.
A fold holds the programs of one author where `--by-set` is given, else a tenth of each set. `--truth FOLDER` adds the
programs of truth of which run folders lie there, as NAME/run: every line that their statement allows counts as wrong.
`--packages CASES RUNS` adds packages of several files: CASES/NAME/case.json says which lines are wrong (`lines`,
`also_lines`), RUNS/NAME is the run folder, or the folder below which `scan` left one. It may be given once for each
author; cases that do not fail are left out. `--near` holds the weights near the present ones, so that only those of the
kinds of lines are free: a new kind of feature needs no other weight of its own to change.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import truth as of_truth
from benchmarks.blame import FOLDER, NEAR, names, truth
from xladoctor.blame.engine import evidence
from xladoctor.blame.line_kinds import KINDS
from xladoctor.blame.of_run import case_of
from xladoctor.blame.ranking import WEIGHTS, decisive
from xladoctor.diagnosis.engine import diagnose
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.output import output_of
from xladoctor.rules import literals
from xladoctor.saved import recording_of

Line = tuple[str, int]
AUTHORS = (("visible", 200), ("second", 500), ("third", 560), ("fourth", 999))
"""Whose programs have which numbers, up to the last one: the first author's come first."""
LEAST = 5
"""A feature of fewer programs has no weight."""
FOLDS = 10
HELD = (0.5, 1.0, 2.0, 4.0)
NEARER = 5.0
_NONE: Mapping[str, float] = {}
FIRST_HELD_OUT = frozenset(
    {
        5, 6, 12, 16, 18, 19, 21, 22, 26, 30, 35, 38, 41, 43, 49, 53, 54, 63, 67, 77, 81, 82, 86, 90, 92, 98, 105, 111,
        115,
    }
)  # fmt: skip
"""The programs that were set aside first."""


@dataclass(frozen=True)
class Program:
    """A labelled program: its lines with their features, which of them are wrong, and the line that raised."""

    name: str
    lines: tuple[Line, ...]
    features: tuple[dict[str, float], ...]
    wrong: frozenset[Line]
    raised: Line | None
    set: str
    """Whose set it is of."""


def read(folder: Path, name: str) -> Program | None:
    """A labelled program by its run folder; None where there is none."""
    known, number = truth(name), int(Path(name).name[:3])
    wrong = frozenset((Path(w["file"]).name, w["line"]) for w in [*known["lines"], *known.get("also", [])])
    whose = "first" if number in FIRST_HELD_OUT else next(name for name, last in AUTHORS if number <= last)
    return _program(folder / Path(name).name, Path(name).name, wrong, whose)


def read_true(folder: Path, name: str) -> Program | None:
    """A program of truth by its run folder; None where there is none, or no line to suspect."""
    known = of_truth.truth(name)
    wrong = frozenset((Path(w["file"]).name, w["line"]) for w in (known["line"], *known["line_also"]) if w)
    found = _program(folder / name / "run", name, wrong, "truth") if wrong else None
    return found if found is not None and found.lines else None


def read_packages(cases: Path, runs: Path) -> list[Program]:
    """The packages of one author that fail, and of which there is a run folder with lines to suspect."""
    found = []
    for file in sorted(cases.glob("*/case.json")):
        known, name = json.loads(file.read_text(encoding="utf-8")), file.parent.name
        wrong = frozenset((Path(w["file"]).name, w["line"]) for w in [*known["lines"], *known.get("also_lines", [])])
        inside = sorted((runs / name / "xladoctor-runs").glob("[0-9]*"))
        run = inside[0] if inside else runs / name
        program = _program(run, name, wrong, f"packages {cases}") if known["outcome"] == "failed" else None
        if program is not None:
            found.append(program)
    return found


def _program(run: Path, name: str, wrong: frozenset[Line], whose: str) -> Program | None:
    if not (run / "run.json").exists():
        return None
    recording = recording_of(run, None)
    log = output_of(recording, literals())
    found = diagnose(Evidence(source=str(run), log=log, process=recording.outcome, run=recording))
    at = found.root.location if found.root is not None else None
    raised = (Path(at.file).name, at.line) if at is not None and at.line else None
    case = case_of(found, recording)
    told = evidence(*case) if case is not None else None
    lines = told.lines if told is not None else {}
    return Program(
        name,
        tuple((Path(file).name, line) for file, line in lines),
        tuple(lines.values()),
        wrong,
        raised,
        whose,
    )


def matrix(program: Program, features: Sequence[str]) -> np.ndarray:
    """Its lines by the features."""
    return np.array([[row.get(name, 0.0) for name in features] for row in program.features])


def fitted(
    programs: Sequence[Program], features: Sequence[str], held: float, present: Mapping[str, float] = _NONE
) -> np.ndarray:
    """The weights with the largest likelihood of the wrong lines; `held` holds them back, those that have a `present`
    weight near it, and `NEARER` times as strongly.
    """
    known = []
    for program in programs:
        wrong = np.array([line in program.wrong for line in program.lines], dtype=bool)
        if wrong.any():
            known.append((matrix(program, features), wrong))
    before = np.array([present.get(name, 0.0) for name in features])
    back = held * np.array([NEARER if name in present else 1.0 for name in features])
    weights: np.ndarray = before.copy()
    for _ in range(30):
        slope, bend = -back * (weights - before), np.diag(back)
        for rows, wrong in known:
            share = _shares(rows @ weights)
            own = np.where(wrong, share, 0.0) / share[wrong].sum()
            slope += rows.T @ (own - share)
            mean = share @ rows
            bend += (rows * share[:, None]).T @ rows - np.outer(mean, mean)
        step = np.linalg.solve(bend, slope)
        weights += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-9))
        if float(np.abs(step).max()) < 1e-6:
            break
    return weights


def _shares(scores: np.ndarray) -> np.ndarray:
    parts = np.exp(scores - scores.max())
    shares: np.ndarray = parts / parts.sum()
    return shares


def judged(program: Program, features: Sequence[str], weights: np.ndarray) -> Counter[str]:
    """What the doctor would say of a program with these weights."""
    shares = _shares(matrix(program, features) @ weights) if program.lines else np.zeros(0)
    known = dict(zip(program.lines, program.features, strict=True))
    order = sorted(zip(program.lines, map(float, shares), strict=True), key=lambda item: -item[1])
    root = order[0][0] if decisive(order, program.raised, known) else program.raised
    exact = root in program.wrong
    near = root is not None and any(root[0] == w[0] and abs(root[1] - w[1]) <= NEAR for w in program.wrong)
    at_traceback = program.raised in program.wrong
    return Counter(
        {
            "programs": 1,
            "exact": int(exact),
            "among two": int(exact or any(line in program.wrong for line, _ in order[:2])),
            "within three lines": int(near),
            "traceback alone": int(at_traceback),
            "false blame": int(at_traceback and not exact),
        }
    )


def used(programs: Sequence[Program]) -> list[str]:
    """The features that enough programs have."""
    counts = Counter(name for p in programs for name in {n for row in p.features for n in row})
    return sorted(name for name, count in counts.items() if count >= LEAST)


def crossed(
    programs: Sequence[Program], held: float | None, by_set: bool = False, present: Mapping[str, float] = _NONE
) -> dict[str, Counter[str]]:
    """The figures of each set, each program judged by weights that were fitted without its fold. Without `held`, that
    is chosen within the programs that are not of the fold.
    """
    found: dict[str, Counter[str]] = {}
    for fold in _folds(programs, by_set):
        rest = [p for p in programs if p not in fold]
        features = used(rest)
        weights = fitted(rest, features, held if held is not None else chosen(rest, present), present)
        for program in fold:
            found.setdefault(program.set, Counter()).update(judged(program, features, weights))
    return found


def chosen(programs: Sequence[Program], present: Mapping[str, float] = _NONE) -> float:
    """How strongly to hold weights back: with the most programs exact, and among two."""

    def score(held: float) -> int:
        counts = sum(crossed(programs, held, present=present).values(), Counter())
        return counts["exact"] + counts["among two"] - counts["false blame"]

    return max(HELD, key=score)


def _folds(programs: Sequence[Program], by_set: bool) -> list[list[Program]]:
    if by_set:
        # The first two sets are one author's.
        author = {"visible": "first"}
        whose = {p.name + p.set: author.get(p.set, p.set) for p in programs}
        return [[p for p in programs if whose[p.name + p.set] == one] for one in sorted(set(whose.values()))]
    order = sorted(programs, key=lambda p: (p.set, hashlib.sha256(p.name.encode()).hexdigest()))
    return [order[i::FOLDS] for i in range(FOLDS)]


def main() -> int:
    """Print the figures and the weights."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks._blame_fit", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--by-set", action="store_true", help="leave one author's programs out, not a tenth")
    parser.add_argument("--truth", type=Path, help="run folders of programs of truth")
    parser.add_argument(
        "--packages", type=Path, nargs=2, action="append", default=[], metavar=("CASES", "RUNS"),
        help="packages of several files, and their run folders",
    )  # fmt: skip
    parser.add_argument("--near", action="store_true", help="stay near the present weights, but for the kinds of lines")
    options = parser.parse_args()
    present = {name: w for name, w in WEIGHTS.items() if name not in KINDS} if options.near else _NONE
    programs = [p for name in (*names(), *names("held_out")) if (p := read(options.folder, name)) is not None]
    if options.truth is not None:
        programs += [p for name in of_truth.names() if (p := read_true(options.truth, name)) is not None]
    programs += [p for cases, runs in options.packages for p in read_packages(cases, runs)]
    print(f"{len(programs)} programs below {FOLDER}; the wrong line is among those that are ranked in "
          f"{sum(bool(p.wrong & set(p.lines)) for p in programs)}")  # fmt: skip
    for name, counts in sorted(crossed(programs, None, options.by_set, present).items()):
        print(f"{name}: {json.dumps(counts)}")
    features = used(programs)
    held = chosen(programs, present)
    weights = dict(zip(features, fitted(programs, features, held, present), strict=True))
    print(f"held back by {held}")
    print(json.dumps({name: round(float(w), 2) for name, w in weights.items()}, indent=4))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
