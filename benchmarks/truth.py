"""What `xladoctor scan` says of programs of which the truth is known: `python -m benchmarks truth`.

Each program of `benchmarks/programs/truth` was run by its author, who did not know the doctor; the JSON beside it says
what is true (its README has the keys). Every claim of the diagnosis is held against it: verdict, class, line, numbers,
switches, what is called confirmed, what is called a remedy. An index out of range of a gather counts as right where
the truth, older than that class, has slice-out-of-bounds. The programs in `held_out` were written last.
`python -m benchmarks.truth --sample` takes programs in the order of their hash while they fit in a minute.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks import _results
from benchmarks._programs import Programs

FOLDER = _results.PROGRAMS / "truth"
TIMEOUT = 300.0
SCHEMA = "xladoctor.benchmarks-truth/1"
_CALLS = ("failing_op", "again", "isolation")
"""Questions to a worker about a call that failed."""
# What the taxonomy calls not-xla in one word, and the doctor more closely.
_CLOSER = re.compile(r"XD9\d\d")
# The same of a class that the taxonomy got after the programs were written: an index is no slice.
_NEWER = {"index-out-of-range": "slice-out-of-bounds"}


@dataclass(frozen=True)
class Row:
    """A program, what is true of it, and what the doctor said.

    `wrong` are claims that are not true, `missing` what it did not say; `again`: a worker had what it takes to run the
    failure once more.
    """

    name: str
    outcome: str
    slug: str | None
    answer: str
    root: str | None
    status: str | None
    line: str | None
    class_right: bool
    line_right: bool | None
    confirmed: bool
    wrong: tuple[str, ...]
    missing: tuple[str, ...]
    seconds: float
    again: bool = False

    @property
    def held_out(self) -> bool:
        """Whether it was set aside."""
        return self.name.startswith("held_out/")


def names() -> list[str]:
    """Every program, by the path of its JSON without the ending."""
    found = [*sorted(FOLDER.glob("[0-9]*.json")), *sorted((FOLDER / "held_out").glob("[0-9]*.json"))]
    return [str(path.relative_to(FOLDER).with_suffix("")) for path in found]


def truth(name: str) -> dict[str, Any]:
    """What is true of a program; a key that its JSON leaves out says nothing."""
    told: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    nothing: dict[str, Any] = {
        "class": None,
        "line": None,
        "op": None,
        "switch": None,
        "also": [],
        "line_also": [],
        "numbers": [],
    }
    return {**nothing, "not_switch": [], "handled": False, **told}


def judge(name: str, timeout: float = TIMEOUT) -> Row:
    """Scan one program in a folder that holds nothing else, and hold what is said against the truth."""
    told = truth(name)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        here = Path(folder)
        source = FOLDER / name
        if source.is_dir():
            shutil.copytree(source, here, dirs_exist_ok=True)
            program = "main.py"
        else:
            shutil.copy(source.with_suffix(".py"), here)
            program = f"{source.name}.py"
        answer = scan([sys.executable, program], here, timeout)
        again = runs_again(here / "run")
    return replace(row(name, told, answer, round(time.monotonic() - started, 1)), again=again)


def runs_again(run: Path) -> bool:
    """Whether a worker could run a failure of a run folder again: the failed call, or the op that was refused, was
    recorded with all that it takes, and a worker answered about it.
    """
    try:
        events = [line for file in run.glob("events-*.jsonl") for line in file.read_text().splitlines()]
        answers = [json.loads(line) for line in (run / "worker.jsonl").read_text().splitlines()]
        failures = [e for e in map(json.loads, events) if e.get("kind") == "failure" and e.get("state") == "raised"]
    except (OSError, ValueError):
        return False
    capsules = {e.get("capsule") for e in failures if e.get("capsule")}
    return any(
        (a.get("request") in _CALLS and a.get("capsule") in capsules and "result" in a)
        or (a.get("request") == "remade" and a.get("result"))
        for a in answers
    )


def scan(command: Sequence[str], folder: Path, timeout: float) -> dict[str, Any]:
    """The diagnosis of a command that is run in a folder, as JSON; the run folder is `run` in it."""
    doctor = str(Path(sys.executable).with_name("xladoctor"))
    output = folder / "answer.json"
    words = [doctor, "scan", "--run-dir", str(folder / "run"), "--output", str(output), "--", *command]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    try:
        subprocess.run(
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
            check=False,
        )  # fmt: skip
        answer: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    except subprocess.TimeoutExpired:
        return {"verdict": "timeout"}
    except (OSError, ValueError) as error:
        return {"verdict": "error", "error": str(error)}
    return answer


def row(name: str, told: dict[str, Any], answer: dict[str, Any], seconds: float) -> Row:
    """An answer held against the truth."""
    findings = answer.get("findings", [])
    root = next((f for f in findings if f["role"] == "root"), None)
    location = (root or {}).get("location") or {}
    line = f"{Path(str(location['file'])).name}:{location['line']}" if location else None
    right = _class_right(told, root)
    lines = [_place(p) for p in (told["line"], *told["line_also"]) if p]
    return Row(
        name=name,
        outcome=told["outcome"],
        slug=told["class"],
        answer=str(answer["verdict"]),
        root=None if root is None else str(root["class"]),
        status=None if root is None else str(root["status"]),
        line=line,
        class_right=right,
        line_right=None if not lines else line in lines,
        confirmed=root is not None and root["status"] == "confirmed",
        wrong=tuple(_untrue(told, answer, root, right)),
        missing=tuple(_unsaid(told, answer, root)),
        seconds=seconds,
    )


def _place(place: dict[str, Any]) -> str:
    return f"{Path(place['file']).name}:{place['line']}"


def _class_right(told: dict[str, Any], root: dict[str, Any] | None) -> bool:
    if root is None:
        return told["class"] is None
    if root["class"] in (told["class"], *told["also"]):
        return True
    if _NEWER.get(str(root["class"])) in (told["class"], *told["also"]) and "Gather" in str(told["op"]):
        return True
    closer = _CLOSER.match(str(root["code"])) is not None and "not-xla" in (told["class"], *told["also"])
    return closer or (told["outcome"] == "healthy" and root["level"] == "note")


def _untrue(
    told: dict[str, Any], answer: dict[str, Any], root: dict[str, Any] | None, class_right: bool
) -> Iterator[str]:
    """Every claim that is false."""
    findings = answer.get("findings", [])
    if answer["verdict"] in ("error", "timeout"):
        yield f"no diagnosis: {answer['verdict']}"
    if told["outcome"] == "healthy":
        yield from (f"error on a healthy program: {f['class']}" for f in findings if f["level"] == "error")
        yield from (f"warning on a healthy program: {f['class']}" for f in findings if f["level"] == "warning")
    elif answer["verdict"] == "healthy":
        yield f"called healthy, and is {told['outcome']}"
    if root is not None and root["status"] == "confirmed" and not class_right:
        yield f"confirmed, and false: {root['class']}"
    true = {told["class"], *told["also"]}
    if told["outcome"] == "warnings" and any(f["level"] == "error" and f["class"] not in true for f in findings):
        yield "a failure, where the program ends well"
    governing = {str(p.get("governed_by") or "") for p in answer.get("xla_paths", [])}
    yield from (f"governed by {s}, which has no influence" for s in told["not_switch"] if _names(governing, s))
    if told["xla"] == "off" and root is not None and told["outcome"] == "failed":
        verified = [r["id"] for r in root.get("remedies", []) if r["result"] == "verified" and "jit" in r["id"]]
        yield from (f"{remedy} verified where XLA was off" for remedy in verified)


def _names(texts: set[str], switch: str) -> bool:
    name = re.split(r"[=: ]", switch)[0]
    return bool(name) and any(name.lower() in text.lower() for text in texts)


def _unsaid(told: dict[str, Any], answer: dict[str, Any], root: dict[str, Any] | None) -> Iterator[str]:
    """What is true, and stands nowhere in the root finding."""
    if told["outcome"] == "healthy" or root is None:
        return
    said = json.dumps(root)
    flat = re.sub(r"[^\w]+", " ", said)
    for number in told["numbers"]:
        digits = " ".join(re.findall(r"\d+", str(number)))
        if digits and f" {digits} " not in f" {flat} " and digits not in " ".join(re.findall(r"\d+", said)):
            yield f"number {number}"
    if told["op"] and told["op"] != root.get("op"):
        yield f"op {told['op']} (says {root.get('op')})"
    if told["switch"] and not _names({json.dumps(answer.get("xla_paths", [])), said}, str(told["switch"])):
        yield f"switch {told['switch']}"


def totals(rows: Sequence[Row]) -> dict[str, int | float]:
    """The figures: of failing programs and of healthy ones, and what is false."""
    healthy = [row for row in rows if row.outcome == "healthy"]
    failing = [row for row in rows if row.outcome != "healthy"]
    lined = [row for row in failing if row.line_right is not None]
    return {
        "programs": len(rows),
        "failing": len(failing),
        "class right": sum(row.class_right for row in failing),
        "line right": sum(bool(row.line_right) for row in lined),
        "with a line": len(lined),
        "root confirmed": sum(row.confirmed for row in failing),
        "run again": sum(row.again for row in failing),
        "of these confirmed": sum(row.again and row.confirmed for row in failing),
        "false confirmed": sum(any(w.startswith("confirmed, and false") for w in row.wrong) for row in rows),
        "called healthy": sum(any(w.startswith("called healthy") for w in row.wrong) for row in failing),
        "healthy": len(healthy),
        "errors on healthy": sum(any(w.startswith("error on") for w in row.wrong) for row in healthy),
        "warnings on healthy": sum(any(w.startswith("warning on") for w in row.wrong) for row in healthy),
        "other false claims": sum(
            any(w.startswith(("governed", "a failure,")) or "verified where" in w for w in row.wrong) for row in rows
        ),
        "no diagnosis": sum(row.answer in ("error", "timeout") for row in rows),
    }


def as_markdown(rows: Sequence[Row]) -> str:
    """What is not right as a row each, and the figures: of all programs, and of those that are held out."""
    heads = ["program", "truth", "root", "line", "false", "not said"]
    cells = [
        [
            row.name,
            row.slug or row.outcome,
            f"{row.root} ({row.status})" if row.root else row.answer,
            f"{row.line or '-'}{'' if row.line_right in (True, None) else ' **no**'}",
            "; ".join(row.wrong),
            "; ".join(row.missing),
        ]
        for row in rows
        if row.wrong or row.missing or not row.class_right or row.line_right is False
    ]
    lines = [_results.table(heads, cells), ""]
    for title, part in (("all", rows), ("held out", [row for row in rows if row.held_out])):
        lines.append(f"{title}: " + ", ".join(f"{key} {value}" for key, value in totals(part).items()))
    return "\n".join(lines)


def as_data(rows: Sequence[Row]) -> dict[str, Any]:
    """What is written into the file of results."""
    held = [row for row in rows if row.held_out]
    return {"totals": totals(rows), "held_out": totals(held), "programs": [asdict(row) for row in rows]}


BENCH = Programs(
    module="benchmarks.truth",
    about=__doc__,
    file="truth.json",
    schema=SCHEMA,
    names=names,
    is_held_out=lambda name: name.startswith("held_out/"),
    judge=judge,
    says=lambda row: f"{row.root or row.answer} {'; '.join(row.wrong)} ({row.seconds:.0f} s)",
    is_false=lambda row: bool(row.wrong),
    as_data=as_data,
    as_markdown=as_markdown,
)
markdown = BENCH.markdown


if __name__ == "__main__":
    raise SystemExit(BENCH.main())
