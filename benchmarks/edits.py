"""How often `scan --try-edits` mends a program: `python -m benchmarks.edits --programs 40`.

The programs are those of `tests/patients/blame`, in the order of their hash. *Ran*: the first edit that the doctor
proposes let the program run. *Fixed*: it ran, and what Keras built, took and gave then has the shapes that the author
of the program states for it, or that it has with the author's own edit; or it is that edit. *Right line*: the edit is
of a line that the author says is wrong. Of a program without Keras no shapes are recorded: there only the author's own
edit counts as fixed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import _results
from benchmarks.blame import FOLDER, names, truth
from xladoctor.recording.schema import schema
from xladoctor.saved import recording_of

SCHEMA = "xladoctor.benchmarks-edits/1"
BUDGET = 120.0
Shapes = Counter[tuple[str, tuple[int | None, ...]]]


@dataclass(frozen=True)
class Row:
    """A program, and what came of its edits."""

    name: str
    slug: str
    tried: tuple[str, ...]
    """The result of each edit that was tried."""
    ran: bool
    fixed: bool
    right_line: bool
    edit: str
    seconds: float
    note: str = ""


def chosen(count: int) -> list[str]:
    """So many programs, in the order of their hash; no notebooks, which `--try-edits` does not edit."""
    known = [n for n in (*names(), *names("held_out")) if "shapes" in truth(n)]
    every = [n for n in known if not (FOLDER / n).with_suffix(".ipynb").exists()]
    return sorted(every, key=lambda n: hashlib.sha256(Path(n).name.encode()).hexdigest())[:count]


def placed(name: str, folder: Path) -> str:
    """Copy a program into a folder of its own; the file that starts it."""
    path = FOLDER / name
    if path.is_dir():
        shutil.copytree(path, folder, dirs_exist_ok=True)
        return "main.py"
    shutil.copy(path.with_suffix(".py"), folder)
    return path.with_suffix(".py").name


def mend(name: str, folder: Path) -> None:
    """Write the author's own edit into a copy."""
    known = truth(name)
    fix = known["fix"]
    at = fix if isinstance(fix, dict) else {**known["lines"][0], "text": fix}
    file = folder / at["file"]
    rows = file.read_text(encoding="utf-8").split("\n")
    rows[at["line"] - 1] = at["text"]
    file.write_text("\n".join(rows), encoding="utf-8")


def shapes_of(run: Path) -> Shapes:
    """What Keras built, took and gave in a run: shapes without their rows, each as often as it came."""
    found: Shapes = Counter()
    recording = recording_of(run, None)
    for event in recording.of_kind(schema.MODEL):
        for made in event.get("outputs") or ():
            if isinstance(made, dict) and isinstance(made.get("shape"), list):
                found["output", tuple(made["shape"][1:])] += 1
    for event in recording.of_kind(schema.CALL):
        for given in event.get("inputs") or ():
            if event.get("phase") == "begin" and isinstance(given, dict) and isinstance(given.get("shape"), list):
                found["input", tuple(given["shape"][1:])] += 1
        for shape in event.get("shapes_out") or ():
            if event.get("phase") == "end" and shape:
                found["output", tuple(shape[1:])] += 1
    return found


def has_stated(shapes: Shapes, known: dict[str, Any]) -> bool:
    """Whether the stated output is among the shapes of a run, and the target where it is stated."""
    stated = known["shapes"].get("output")
    return isinstance(stated, list) and ("output", tuple(stated[1:])) in shapes


def is_authors(new: str, known: dict[str, Any]) -> bool:
    """Whether a line is what the author writes there, or in the other place that is wrong."""
    fixes = [known["fix"], known.get("also_fix")]
    texts = [fix["text"] if isinstance(fix, dict) else fix for fix in fixes if fix]
    return any(_plain(new) == _plain(text) for text in texts)


def _plain(text: str) -> str:
    return "".join(text.split()).replace("'", '"').rstrip(",")


def judge(name: str, budget: float = BUDGET) -> Row:
    """Scan a program with `--try-edits`, then run it with its author's edit."""
    started, known = time.monotonic(), truth(name)
    with tempfile.TemporaryDirectory(prefix="edits-") as place:
        folder, run = Path(place) / "program", Path(place) / "run"
        folder.mkdir()
        script = placed(name, folder)
        found, note = _scan(folder, run, script, ["--try-edits", "--edit-budget", str(budget)], 60 + 3 * budget)
        root: dict[str, Any] = next((f for f in found.get("findings", ()) if f["role"] == "root"), {})
        tried = [e for e in root.get("details", {}).get("edits", ()) if isinstance(e, dict)]
        first = next((e for e in tried if e["result"] == "ran"), None)
        wrong = {(w["file"], w["line"]) for w in [*known["lines"], *known.get("also", [])]}
        fixed = False
        if first is not None:
            with_edit = shapes_of(run / "rehearsals" / f"edit-{tried.index(first) + 1}")
            fixed = is_authors(first["new"], known) or has_stated(with_edit, known)
            fixed = fixed or (bool(with_edit) and with_edit == _with_fix(name, Path(place)))
    return Row(
        name,
        str(root.get("class", "")),
        tuple(e["result"] for e in tried),
        first is not None,
        fixed,
        first is not None and (os.path.relpath(first["file"], folder), first["line"]) in wrong,
        f"{first['line']}: {first['old'].strip()} -> {first['new'].strip()}" if first is not None else "",
        round(time.monotonic() - started, 1),
        note,
    )


def _with_fix(name: str, place: Path) -> Shapes:
    folder, run = place / "fixed", place / "fixed-run"
    folder.mkdir()
    script = placed(name, folder)
    mend(name, folder)
    _scan(folder, run, script, ["--check-budget", "0"], 300.0)
    return shapes_of(run) if (run / "run.json").exists() else Counter()


def _scan(folder: Path, run: Path, script: str, options: Sequence[str], timeout: float) -> tuple[dict[str, Any], str]:
    words = [sys.executable, "-m", "xladoctor", "scan", "--format", "json", "--quiet", "--run-dir", str(run), *options]
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONPATH": str(_results.ROOT)}
    try:
        done = subprocess.run(
            [*words, "--", sys.executable, script],
            cwd=folder, capture_output=True, text=True, timeout=timeout, env=env, check=False,
        )  # fmt: skip
        return json.loads(done.stdout), ""
    except subprocess.TimeoutExpired:
        return {}, f"no answer in {timeout:.0f} s"
    except ValueError:
        return {}, f"exit {done.returncode}: {done.stderr[-300:]}"


def as_markdown(rows: Sequence[Row]) -> str:
    """One row a class, and the sums below it."""
    heads = ["class", "programs", "an edit was tried", "ran", "fixed", "right line"]
    cells = []
    for slug in [*sorted({r.slug for r in rows}), ""]:
        part = [r for r in rows if not slug or r.slug == slug]
        counts = [
            len(part),
            *(sum(map(bool, c)) for c in zip(*((r.tried, r.ran, r.fixed, r.right_line) for r in part), strict=True)),
        ]
        cells.append([slug or "all", *map(str, counts)])
    return _results.table(heads, cells)


def main() -> int:
    """Judge some programs; what was judged is written down after each, and read again."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.edits", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PROGRAM", help="the beginning of its file name")
    parser.add_argument("--programs", type=int, default=40, help="how many")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds for the trials of one program")
    parser.add_argument("--kept", type=Path, help="a file with a line of JSON for each program that was judged")
    options = parser.parse_args()
    done = {}
    if options.kept is not None and options.kept.exists():
        done = {r["name"]: r for r in map(json.loads, options.kept.read_text(encoding="utf-8").splitlines())}
    rows = []
    for name in chosen(1000 if options.names else options.programs):
        if options.names and not any(Path(name).name.startswith(word) for word in options.names):
            continue
        row = (
            Row(**{**done[name], "tried": tuple(done[name]["tried"])}) if name in done else judge(name, options.budget)
        )
        rows.append(row)
        print(f"{name}: {', '.join(row.tried)} fixed={row.fixed} {row.edit} ({row.seconds:.0f} s) {row.note}",
              file=sys.stderr, flush=True)  # fmt: skip
        if options.kept is not None and name not in done:
            with options.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row)) + "\n")
    print(as_markdown(rows))
    if rows and not options.names:
        print(f"written to {_results.write('edits.json', SCHEMA, {'programs': [asdict(row) for row in rows]})}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
