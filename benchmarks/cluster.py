"""Whether a cluster gives the answers of this machine: sweep, isolation and parity of real capsules of TensorFlow.

`python -m benchmarks cluster [--on dask:ADDRESS]`. Two programs of the tests are recorded here; what is in their
capsules is then replayed here, and on the cluster (without `--on`: two processes of this machine under a dask
scheduler). Times, folders and what the floating-point noise of two processes decides are left out of the comparison.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._results import ROOT, table, write

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from xladoctor.model.replay import Replay

OPTIONS = True
SCHEMA = "xladoctor.benchmark-cluster/1"
PROGRAMS = ("partial_batch", "values_baked_in")
_LEFT_OUT = frozenset({"seconds", "run_seconds", "compile_seconds", "folder", "folders", "tool_version", "environment"})


def recorded(program: str, folder: Path) -> Path:
    """The run folder of a program of the tests.

    Raises:
        RuntimeError: there is none.
    """
    from tests import quick

    run = folder / program
    words = [sys.executable, "-m", "xladoctor", "scan", "--check-budget", "0", "--run-dir", str(run), "--quiet", "--"]
    done = subprocess.run(
        [*words, sys.executable, str(ROOT / "tests" / "patients" / f"{program}.py")],
        cwd=folder, env={**os.environ, "PYTHONPATH": quick.path(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not (run / "run.json").is_file():
        raise RuntimeError(f"{program}: {done.stderr[-2000:]}")
    return run


@contextlib.contextmanager
def cluster(on: str | None, folder: Path) -> Iterator[Executor]:
    """The named cluster, or one of this machine."""
    from xladoctor.cluster.on_dask import OnDask
    from xladoctor.cluster.opened import opened

    if on is not None:
        with opened(on) as there:
            assert there is not None, "--on local is what the bench compares with"
            yield there.executor
        return
    import distributed

    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, local_directory=str(folder)) as local,
        distributed.Client(local) as client,
    ):
        yield OnDask(client)


def replayed(run: Path, executor: Executor | None) -> tuple[Replay, float]:
    """A replay with isolation and parity, and how long it took."""
    from xladoctor.experiments.request import Options
    from xladoctor.experiments.session import replay
    from xladoctor.workers.subject import find

    start = time.perf_counter()
    options = Options(isolate=True, parity=True, jobs=1 if executor is None else 2)
    found = replay(find(str(run), None), options, executor=executor)
    return found, time.perf_counter() - start


def answers(value: Any) -> Any:
    """A replay as plain data, without what may differ between two runs of the same."""
    if isinstance(value, dict):
        return {name: answers(item) for name, item in value.items() if name not in _LEFT_OUT}
    if isinstance(value, (list, tuple)):
        return [answers(item) for item in value]
    return float(f"{value:.3g}") if isinstance(value, float) else value


def main(arguments: list[str]) -> int:
    """Compares, prints a table, and returns 1 where an answer differs."""
    from dataclasses import asdict

    parser = argparse.ArgumentParser(prog="python -m benchmarks cluster", description=__doc__)
    parser.add_argument("--on", metavar="WHERE", help="dask:ADDRESS or slurm; without it, a dask of this machine")
    asked = parser.parse_args(arguments)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place, cluster(asked.on, Path(place)) as executor:
        for program in PROGRAMS:
            run = recorded(program, Path(place))
            (here, alone), (there, spread) = replayed(run, None), replayed(run, executor)
            one, other = answers(asdict(here)), answers(asdict(there))
            differs = [name for name in one if one[name] != other[name]]
            rows.append(
                {
                    "program": program,
                    "isolated": here.isolated.op if here.isolated else None,
                    "agreements": len(here.parity.agreements) if here.parity else 0,
                    "differs": differs,
                    "seconds_here": alone,
                    "seconds_there": spread,
                }
            )
    heads = list(rows[0])
    print(table(heads, ([str(row[head]) for head in heads] for row in rows)))
    write("cluster.json", SCHEMA, {"rows": rows})
    return int(any(row["differs"] for row in rows))


def markdown() -> str:
    """The table, with a dask of this machine."""
    return "" if main([]) == 0 else "An answer differs."
