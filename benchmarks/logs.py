"""How fast a log of 1 GB is read, against ripgrep with the same literals on the same file, in turn.

`rg` (Debian's package `ripgrep`) searches with `-F -f LITERALS`, once to count lines and once to print them to
/dev/null: the faster way counts. Of each program the best round counts. `rg` uses one thread for one file; the doctor
uses as many as there are processors, at most four (one of its figures is with one thread). The doctor's time is that of
`read_log`: search, line numbers, and all that is made of the hits; not the 0.1 to 0.2 s that Python takes to start,
which the last figure has.

ripgrep 13 slows down with the number of literals: with 24 of them it read the same log in a sixth of the CPU time that
it takes for all, which is half of what the doctor takes. The doctor needs them all: each stands in a message that it
must not miss.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.startup import ERROR

SIZE = 10**9
ROUNDS = 5
LIMIT = 1 / 1.5
WARNINGS = (
    "W0000 00:00:1767694500.{a:06d} {b:7d} gpu_device.cc:2344] failed call to cuInit: UNKNOWN ERROR ({c})\n",
    "WARNING:tensorflow:{a} out of the last {b} calls triggered tf.function retracing. Tracing is expensive\n",
    "2026-01-06 10:15:{c:02d}.{a:06d}: W tensorflow/core/framework/op_kernel.cc:99] Failed precondition: attempt {b}\n",
)
EVERY = 100


def _lines(pick: random.Random, count: int, warnings: bool) -> bytes:
    out = []
    for number in range(count):
        step = pick.randrange(1, 2000)
        if warnings and number % EVERY == EVERY - 1:
            text = pick.choice(WARNINGS)
            out.append(text.format(a=pick.randrange(10**6), b=pick.randrange(10**4), c=pick.randrange(60)))
            continue
        out.append(
            pick.choice(
                (
                    f"{step}/2000 ━━━━━━━━━━━━━━━━━━━━ {pick.random():.0f}s 12ms/step - loss: {pick.random():.4f}\n",
                    f"2026-01-06 10:15:{step % 60:02d}.123456: I external/local_xla/xla/service/service.cc:168] XLA "
                    f"service 0x7f{step:x} initialized for platform Host\n",
                    f"Epoch {step % 50}/50\n",
                    f"INFO study: pattern {step} of shape [{step % 32}, 64, 64, 4] done\n",
                )
            )
        )
    return "".join(out).encode()


def write_log(file: Path, size: int, warnings: bool) -> None:
    """A training log with a failure every 100 MB and at its end; `warnings`: a harmless one on every 100th line."""
    pick = random.Random(6)
    parts = [_lines(pick, 20_000, warnings) for _ in range(24)]
    error = ERROR.encode()
    written, failed = 0, 0
    with file.open("wb") as handle:
        while written < size - len(error):
            written += handle.write(pick.choice(parts))
            if written // 100_000_000 > failed:
                failed += 1
                written += handle.write(error)
        handle.write(error)


def _best(tries: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The shortest wall-clock time of each, run in turn so that all meet the same machine; the first round warms up."""
    times: dict[str, list[float]] = {name: [] for name in tries}
    for number in range(rounds + 1):
        for name, run in tries.items():
            start = time.perf_counter()
            run()
            if number:
                times[name].append(time.perf_counter() - start)
    return {name: min(spent) for name, spent in times.items()}


def _silent(command: list[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1) or done.stderr:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-300:]}")


def figures(rounds: int = ROUNDS, size: int = SIZE) -> list[Figure]:
    """Both logs, with all threads and with one; and the whole command on the second."""
    from xladoctor.logs import read_log
    from xladoctor.logs.literals import LITERALS

    ripgrep = shutil.which("rg")
    if ripgrep is None:
        sys.stderr.write("benchmarks: rg is not installed (Debian: apt-get install ripgrep): nothing to compare with\n")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        literals, log = Path(folder) / "literals", Path(folder) / "train.log"
        literals.write_bytes(b"\n".join(LITERALS) + b"\n")
        for name, warnings in (("few failures", False), ("a warning on every 100th line", True)):
            write_log(log, size, warnings)
            same = ["-F", "-f", str(literals), str(log)]
            tries: dict[str, Callable[[], object]] = {
                "all": lambda: read_log(log),
                "one": lambda: read_log(log, threads=1),
                "command": lambda: _silent([sys.executable, "-m", "xladoctor", "scan", str(log)]),
            }
            if ripgrep:
                tries["count"] = partial(_silent, [ripgrep, "-c", *same])
                tries["print"] = partial(_silent, [ripgrep, *same])
            times = _best(tries, rounds)
            peer = min(times.get("count", float("nan")), times.get("print", float("nan"))) * 1000
            rg = "rg -F -f (same literals)" if ripgrep else "rg: NOT INSTALLED"
            of = f"{size / 1e9:.3g} GB log, {name}"
            limit = LIMIT if ripgrep else None
            cores = len(os.sched_getaffinity(0))
            found += [
                Figure(f"{of}", times["all"] * 1000, "ms", rg, peer, limit, f"read_log, {min(cores, 4)} threads"),
                Figure(f"{of}, one thread", times["one"] * 1000, "ms", rg, peer, None, "read_log, 1 thread"),
                Figure(f"{of}, the whole command", times["command"] * 1000, "ms", rg, peer, None, "xladoctor scan"),
            ]
    return found
