"""How long a person waits for the doctor: start-up, help, and a log of 1 MB, against importing typer and
rich.

Each round runs every command once, in turn, so that whatever else the machine does hits all of them alike;
the median of the rounds counts.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figure import Figure

ROUNDS = 15
PEER = [sys.executable, "-c", "import typer, rich"]
ERROR = """\
Traceback (most recent call last):
  File "/home/ada/study/train.py", line 88, in <module>
    model.fit(dataset, epochs=2)
  File "/home/ada/.venv/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py", line 122, in error_handler
    raise e.with_traceback(filtered_tb) from None
  File "/home/ada/study/ptycho/projective_warp_xla.py", line 182, in projective_warp_xla
    return tf.reshape(mask, [batch, height, width])
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Input to reshape is a tensor with 778752 values, but the requested shape has 24336
\t [[{{node padded_objs_with_offsets_1/translation_36_1/Reshape_4}}]] [Op:__inference_one_step_on_data_38575]
"""


def write_log(file: Path, size: int = 1_000_000) -> None:
    """A training log of `size` bytes: progress bars, TensorFlow's banners, warnings, and an error at the end."""
    pick = random.Random(2)
    lines = []
    written = len(ERROR)
    while written < size:
        step = pick.randrange(1, 2000)
        lines.append(
            pick.choice(
                (
                    f"{step}/2000 ━━━━━━━━━━━━━━━━━━━━ {pick.random():.0f}s 12ms/step - loss: {pick.random():.4f}\n",
                    f"2026-01-06 10:15:{step % 60:02d}.123456: I external/local_xla/xla/service/service.cc:168] XLA "
                    f"service 0x7f{step:x} initialized for platform Host\n",
                    f"Epoch {step % 50}/50\n",
                    f"WARNING:tensorflow:{step} out of the last {step} calls triggered tf.function retracing.\n",
                    f"INFO study: pattern {step} of shape [{step % 32}, 64, 64, 4] done\n",
                )
            )
        )
        written += len(lines[-1].encode())
    file.write_text("".join(lines) + ERROR, encoding="utf-8")


def seconds(command: Sequence[str]) -> float:
    """The wall-clock time of one run, whose output is thrown away.

    Raises:
        RuntimeError: the command ended in a way that it should not (a benchmark of a crash is worth nothing).
    """
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=_environment(), check=False)
    spent = time.perf_counter() - start
    if done.returncode not in (0, 1) or done.stderr:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    return spent


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}


def figures(rounds: int = ROUNDS) -> list[Figure]:
    """The three ratios."""
    doctor = [sys.executable, "-m", "xladoctor"]
    script = Path(sys.executable).with_name("xladoctor")
    if script.exists():
        doctor = [str(script)]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "train.log"
        write_log(log)
        commands = {
            "peer": PEER,
            "--version": [*doctor, "--version"],
            "--help": [*doctor, "--help"],
            "scan of a 1 MB log": [*doctor, "scan", str(log)],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, command in commands.items():
                spent = seconds(command)
                # The first round fills the caches (and compiles to bytecode).
                if number:
                    times[name].append(spent)
    median = {name: statistics.median(spent) * 1000 for name, spent in times.items()}
    limits = {"--version": 1.0, "--help": 1.2, "scan of a 1 MB log": 2.0}
    return [
        Figure(f"xladoctor {name}", median[name], "ms", "import typer, rich", median["peer"], limit)
        for name, limit in limits.items()
    ]
