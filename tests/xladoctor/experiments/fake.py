"""A worker that needs no TensorFlow: what it does is written in the name of its subject, such as `fake:from.16`."""

from __future__ import annotations

import sys
from pathlib import Path

from xladoctor.workers import bench, pool
from xladoctor.workers.subject import Subject

WORKER = r"""
import json, os, sys, time
log = open("asked.log", "a")
for line in sys.stdin:
    request = json.loads(line)
    op, batch = request["op"], request.get("batch")
    print(os.getpid(), op, batch, os.environ.get("SWITCH"), file=log, flush=True)
    result = {"parameters": ["layout"], "config": ["N", "gridsize"], "by_row": None}
    if op == "describe" and ":early" in request["subject"]:
        os.kill(os.getppid(), 2)
        time.sleep(60)
    if op == "call":
        kind, _, number = request["subject"].partition(":")[2].partition(".")
        number = int(number or 0)
        rows, error = batch, None
        if kind == "from" and batch >= number or kind == "switched" and os.environ.get("SWITCH") == "on":
            error = {"kind": "InvalidArgumentError", "message": "Incompatible shapes: [5,3] vs. [4,3] [Op:AddV2]"}
        if kind == "multiple" and batch % number == 0:
            error = {"kind": "InvalidArgumentError", "message": "Incompatible shapes: [5,3] vs. [4,3] [Op:AddV2]"}
        if kind == "open" and batch >= number and not request.get("own"):
            error = {"kind": "ValueError", "message": "only with an open batch"}
        if kind == "die" and batch >= number:
            print("the last words", file=sys.stderr, flush=True)
            os._exit(3)
        if kind == "abort" and batch >= number:
            os.abort()
        if kind == "hang" and batch >= number:
            time.sleep(60)
        if kind == "rows" and batch >= number:
            rows = 1
        if kind == "slow":
            time.sleep(0.2)
        if kind == "stop" and batch >= number:
            os.kill(os.getppid(), 2)
            time.sleep(60)
        result = {
            "outcome": "failed" if error else "passed", "error": error, "compilations": 1,
            "outputs": [] if error else [
                {"output": "output 0", "shape": [rows, 4], "dtype": "float32"},
                {"output": "output 1", "shape": [], "dtype": "float32"},
            ],
            "run_seconds": 0.001 * batch, "shared": batch > 1 and not request.get("own"),
        }
    if op == "capture":
        os.makedirs(request["folder"], exist_ok=True)
        open(os.path.join(request["folder"], "capsule.json"), "w").close()
        result = {"capsule": request["folder"], "xla": False}
    if op not in ("describe", "call", "capture"):
        answer = {"id": request["id"], "ok": False, "error": {"type": "Unsupported", "message": "not this op"}}
    else:
        answer = {"id": request["id"], "ok": True, "result": result}
    print(json.dumps(answer), flush=True)
"""


def probes(folder: Path, monkeypatch) -> None:
    """Put the fake worker in the place of the real one."""
    (folder / "probes" / "graph").mkdir(parents=True)
    (folder / "probes" / "graph" / "worker.py").write_text(WORKER)
    monkeypatch.setattr(pool, "probes_dir", lambda: folder / "probes")


def subject(name: str, cwd: Path) -> Subject:
    """A callable subject that the fake worker knows what to do with."""
    return Subject(name, "callable", sys.executable, cwd, callable=name)


def make_bench(name: str, folder: Path, **options) -> bench.Bench:
    """A bench in a folder of its own."""
    (folder / "replay").mkdir(exist_ok=True)
    return bench.Bench(subject(name, folder), folder / "replay", **options)


def asked(folder: Path) -> list[list[str]]:
    """What the workers were asked: [pid, op, batch, SWITCH]."""
    file = folder / "asked.log"
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []
