"""Which line the doctor blames for programs whose wrong line is known: `python -m benchmarks blame`.

Each program of `tests/patients/blame` crashes on a shape; the JSON beside it says which line is wrong, and at most one
more that could be edited as well. Counted are: the root's line exact, the root's or one of the first two suspects',
within three lines, and the traceback's own line. Programs of `healthy` must have no suspects. The programs of
`held_out` are run only with `--held-out`; nobody mends a rule with one of them.
`python -m benchmarks.blame --sample` takes programs in the order of their hash while they fit in a minute.
`--runs FOLDER` keeps the run folders there, and reads those that are there already in place of running the program.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import _results, _spread
from xladoctor.report import json_
from xladoctor.saved import scan_run

FOLDER = _results.ROOT / "tests" / "patients" / "blame"
TIMEOUT = 300.0
NEAR = 3
SCHEMA = "xladoctor.benchmarks-blame/1"
Line = tuple[str, int | None, int]
"""(file name, cell of a notebook, line)."""


@dataclass(frozen=True)
class Row:
    """A program, the lines that are wrong, and those that the doctor named, likeliest first."""

    name: str
    style: str
    kind: str
    wrong: tuple[Line, ...]
    crash: Line | None
    root: Line | None
    suspects: tuple[Line, ...]
    slug: str
    held_out: bool
    seconds: float
    note: str = ""

    @property
    def exact(self) -> bool:
        """The root's line is wrong indeed; of a healthy program: nothing is suspected."""
        return not self.suspects if not self.wrong else self.root in self.wrong

    @property
    def among_two(self) -> bool:
        """The root's line, or one of the first two suspects', is."""
        return self.exact or any(line in self.wrong for line in self.suspects[:2])

    @property
    def near(self) -> bool:
        """The root's line is at most three lines from one that is wrong."""
        root = self.root
        return root is not None and any(root[:2] == w[:2] and abs(root[2] - w[2]) <= NEAR for w in self.wrong)

    @property
    def traceback(self) -> bool:
        """The line of the traceback is wrong itself."""
        return self.crash in self.wrong

    @property
    def false_blame(self) -> bool:
        """The line of the traceback is the wrong one, and the doctor blames another."""
        return self.traceback and not self.exact


def names(part: str = "") -> list[str]:
    """Every program of a part (`""`, `healthy`, `held_out`), by the name of its JSON."""
    ending = "py" if part == "healthy" else "json"
    return [str(path.relative_to(FOLDER).with_suffix("")) for path in sorted((FOLDER / part).glob(f"[0-9]*.{ending}"))]


def truth(name: str) -> dict[str, Any]:
    """What is wrong with the program; nothing of a healthy one."""
    if not (FOLDER / f"{name}.json").exists():
        return {}
    known: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return known


def judge(name: str, timeout: float = TIMEOUT, runs: Path | None = None) -> Row:
    """Run one program under the doctor, in a folder that holds nothing else."""
    known = truth(name)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="blame-") as folder:
        found, note = _diagnosis(name, Path(folder), timeout, runs)
    root: dict[str, Any] = next((f for f in found.get("findings", ()) if f["role"] == "root"), {})
    suspects = tuple(line for s in root.get("suspects", ()) if (line := _line(s.get("location"))) is not None)
    return Row(
        name=name,
        style=str(known.get("style", "")),
        kind=str(known.get("kind", "")),
        wrong=tuple(line for w in [*known.get("lines", []), *known.get("also", [])] if (line := _line(w)) is not None),
        crash=_line(known.get("crash")),
        root=_line(root.get("location")),
        suspects=suspects,
        slug=str(root.get("class", "")),
        held_out=name.startswith("held_out/"),
        seconds=round(time.monotonic() - started, 1),
        note=note,
    )


def _line(place: Any) -> Line | None:
    if not isinstance(place, dict) or not place.get("line"):
        return None
    return (Path(str(place["file"])).name, place.get("cell"), int(place["line"]))


def _diagnosis(name: str, folder: Path, timeout: float, runs: Path | None) -> tuple[dict[str, Any], str]:
    doctor = str(Path(sys.executable).with_name("xladoctor"))
    run = (runs or folder).resolve() / Path(name).name
    words = [doctor, "scan", "--format", "json"]
    if (run / "run.json").exists():
        return json_.to_dict(scan_run(run)), ""
    words += ["--quiet", "--run-dir", str(run), "--", *_command(name, folder)]
    try:
        env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
        at = FOLDER / name if "command" in truth(name) else folder
        done = subprocess.run(words, cwd=at, capture_output=True, text=True, timeout=timeout, env=env, check=False)
        return json.loads(done.stdout), ""
    except subprocess.TimeoutExpired:
        return {}, f"no answer in {timeout:.0f} s"
    except ValueError:
        return {}, f"exit {done.returncode}: {done.stderr[-300:]}"


def _command(name: str, folder: Path) -> list[str]:
    """The command of a program. It is run where it lies, a package that has a command of its own in its folder; a
    notebook in a copy, since the kernel writes beside it.
    """
    path = FOLDER / name
    if path.with_suffix(".ipynb").exists():
        shutil.copy(path.with_suffix(".ipynb"), folder)
        return [str(Path(sys.executable).with_name("jupyter")), "execute", path.with_suffix(".ipynb").name]
    if path.is_dir():
        return [sys.executable, *truth(name).get("command", [str(path / "main.py")])]
    return [sys.executable, str(path.with_suffix(".py"))]


def totals(rows: Sequence[Row]) -> dict[str, int]:
    """How many of each."""
    sick = [row for row in rows if row.wrong]
    return {
        "programs": len(sick),
        "exact": sum(row.exact for row in sick),
        "among two": sum(row.among_two for row in sick),
        "within three lines": sum(row.near for row in sick),
        "traceback alone": sum(row.traceback for row in sick),
        "false blame": sum(row.false_blame for row in sick),
        "healthy": len(rows) - len(sick),
        "healthy with suspects": sum(not row.exact for row in rows if not row.wrong),
    }


def as_markdown(rows: Sequence[Row]) -> str:
    """One row a class, and the sums below it."""
    heads = ["class", "programs", "exact", "among two", "within three lines", "traceback alone", "false blame"]
    by_class: dict[str, list[Row]] = {}
    for row in rows:
        if row.wrong:
            by_class.setdefault(row.slug or "(none)", []).append(row)
    cells = []
    for slug, part in sorted(by_class.items(), key=lambda item: -len(item[1])):
        counts = totals(part)
        cells.append([slug, *(str(counts[head]) for head in heads[1:])])
    sums = totals(rows)
    cells.append(["all", *(str(sums[head]) for head in heads[1:])])
    healthy = f"healthy: {sums['healthy']} programs, {sums['healthy with suspects']} with suspects"
    return "\n".join([_results.table(heads, cells), "", healthy])


def as_data(rows: Sequence[Row]) -> dict[str, Any]:
    """What is written into the file of results."""
    return {"totals": totals(rows), "programs": [{**asdict(row), "exact": row.exact} for row in rows]}


def measure(
    programs: Sequence[str],
    report: Callable[[str], None] = lambda line: None,
    runs: Path | None = None,
    jobs: int = 1,
    on: str = "local",
) -> list[Row]:
    """Run each of the programs."""

    def say(row: Row) -> None:
        word = "exact" if row.exact else "among two" if row.among_two else "no"
        report(f"{row.name}: {word} ({row.root} of {row.wrong}, {row.seconds:.0f} s) {row.note}")

    return _spread.judged("benchmarks.blame", [(name, TIMEOUT, runs) for name in programs], say, jobs=jobs, on=on)


def sample(report: Callable[[str], None] = lambda line: None) -> list[Row]:
    """Programs in the order of their hash, as many as a minute allows."""
    judged = _results.within_a_minute(names(), lambda name, left: measure([name], report))
    return [row for rows in judged for row in rows if not row.note]


def markdown() -> str:
    """Run the programs that anybody may look at, write the results, and make the table."""
    rows = measure([*names(), *names("healthy")])
    _results.write("blame-programs.json", SCHEMA, as_data(rows))
    return as_markdown(rows)


def main() -> int:
    """The named programs, a sample, or all of a part; only a whole part is written."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blame", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PROGRAM", help="its file name, or the beginning of it")
    parser.add_argument("--sample", action="store_true", help="chosen by hash; at most a minute")
    parser.add_argument("--held-out", action="store_true", help="only the programs that are held out")
    parser.add_argument("--runs", type=Path, help="a folder for run folders, which are read again if they are there")
    _spread.add_options(parser)
    options = parser.parse_args()

    def report(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    part = names("held_out") if options.held_out else [*names(), *names("healthy")]
    programs = [n for n in part if not options.names or any(Path(n).name.startswith(w) for w in options.names)]
    if options.runs:
        options.runs.mkdir(parents=True, exist_ok=True)
    rows = sample(report) if options.sample else measure(programs, report, options.runs, options.jobs, options.on)
    print(as_markdown(rows))
    if rows and not options.sample and programs == part:
        file = "blame-held-out.json" if options.held_out else "blame-programs.json"
        print(f"written to {_results.write(file, SCHEMA, as_data(rows))}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
