"""What it costs to find the failing op of a Keras train step of ptycho, against trying op by op.

The step has the fault `einsum-homography`, and fails in the gradient of a loop. Trying op by op compiles the first op,
the first two, the first three, up to the one that fails; that takes hours, so some of these prefixes are compiled,
spread evenly over them, and their mean counts for each. Both sides use the same warm worker; the isolation includes the
plain run that comes first, and the text from which the chain is read.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.figure import Figure
from xladoctor.experiments.isolate import isolate
from xladoctor.model.replay import Case
from xladoctor.protocol import requests
from xladoctor.workers.bench import Bench
from xladoctor.workers.subject import find

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = 12


def figures() -> list[Figure]:
    """Compilations and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        run = recorded(Path(folder))
        work = Path(folder) / "work"
        work.mkdir()
        with Bench(find(str(run), None, python=sys.executable, cwd=ROOT), work) as bench:
            case = Case(None)
            bench.ask(requests.CountOps(), case)  # the start of the worker and of TensorFlow is on neither side
            start = time.perf_counter()
            found = isolate(bench, case)
            seconds = time.perf_counter() - start
            if found is None or found.number is None or found.op != "Range":
                raise RuntimeError(f"the failing op was not found: {found}")
            each = one_by_one(bench, case, found.number)
    step = f"failing op of a train step of {found.ops} ops"
    peer = f"op by op ({SAMPLE} of {found.number} measured)"
    return [
        Figure(f"{step}: compilations", found.compilations, "", "op by op", found.number, 0.01),
        Figure(f"{step}: time", seconds, "s", peer, each * found.number, 0.05),
    ]


def recorded(folder: Path) -> Path:
    """The run folder of a study that fails in a jit-compiled train step."""
    study = ["-m", "ptycho.workflows.dose_response", "--fault", "einsum-homography", "--jit-compile", "on"]
    sizes = ["--arms=1", "--nepochs=1", "--ngroups=20", "--ntest=16", "--batch-size=8", "--filters-scale=0.0625"]
    command = [sys.executable, "-m", "xladoctor", "scan", "--quiet", "--", sys.executable, *study, *sizes]
    environment = {**os.environ, "USE_XLA_COMPILE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    runs = sorted((folder / "xladoctor-runs").glob("*"))
    if not runs:
        raise RuntimeError(f"the study left no run folder: {done.stderr[-2000:]}")
    return runs[-1]


def one_by_one(bench: Bench, case: Case, failing: int) -> float:
    """The mean number of seconds for one of the prefixes up to the failing op."""
    spent = 0.0
    numbers = [1 + round(i * (failing - 1) / (SAMPLE - 1)) for i in range(SAMPLE)]
    for number in numbers:
        # Asked in other words: what the isolation has compiled is in the journal already.
        start = time.perf_counter()
        answer = bench.ask(requests.CompilePrefix(ops=number, stage="hlo", save=os.devnull), case)
        spent += time.perf_counter() - start
        if not answer.ok:
            raise RuntimeError(str(answer.message))
    return spent / len(numbers)
