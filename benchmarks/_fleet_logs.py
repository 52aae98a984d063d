"""A fleet of generated logs: what jobs of several people leave behind, half of them failed.

Each log has about 20 kB. Numbers, paths, times, nodes and the order of lines differ in each. What failed is one of the
recorded failures of TensorFlow (`tests/fixtures/logs/real`), with other numbers and paths; what works is a training
with the banners and warnings that TensorFlow prints on a healthy machine.
"""

from __future__ import annotations

import os
import random
import re
from functools import cache
from pathlib import Path

REAL = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "logs" / "real" / "2.21"
SIZE = 20_000
IN_A_FOLDER = 500
USERS = ("ada", "emmy", "grace", "lise", "max", "niels")
NODES = tuple(f"gpu{number:02d}" for number in range(1, 33))
FROM = 1_790_000_000
"""When the first job ended; the others follow within a week."""
_WEEK = 7 * 86_400
_NUMBER = re.compile(r"(?<![\w.:])([1-9]\d+)(?![\w.:])")
# The runtime begins its lines with time and process, of which every job has others.
_HEAD = re.compile(r"(?m)^([IWEF]\d{4} 00:00:)\d{10}\.\d{6} +\d+(?= [\w.]+\.cc:\d+\])")
_BANNERS = (
    "I0000 00:00:{t}.{a:06d} {p:7d} port.cc:153] oneDNN custom operations are on. You may see slightly different "
    "numerical results due to floating-point round-off errors from different computation orders.",
    "I0000 00:00:{t}.{a:06d} {p:7d} cpu_feature_guard.cc:227] This TensorFlow binary is optimized to use available CPU "
    "instructions in performance-critical operations.",
    "To enable the following instructions: AVX2 AVX512F FMA, in other operations, rebuild TensorFlow with the "
    "appropriate compiler flags.",
    "I0000 00:00:{t}.{a:06d} {p:7d} gpu_device.cc:2020] Created device /job:localhost/replica:0/task:0/device:GPU:0 "
    "with {m} MB memory:  -> device: 0, name: A100, pci bus id: 0000:{b:02x}:00.0, compute capability: 8.0",
    "I0000 00:00:{t}.{a:06d} {p:7d} cuda_dnn.cc:529] Loaded cuDNN version {m}",
    "I0000 00:00:{t}.{a:06d} {p:7d} service.cc:152] XLA service 0x7f{a:x} initialized for platform CUDA (this does not "
    "guarantee that XLA will be used). Devices:",
    "I0000 00:00:{t}.{a:06d} {p:7d} device_compiler.h:188] Compiled cluster using XLA!  This line is logged at most "
    "once for the lifetime of the process.",
    "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
    "INFO:study:read {m} patterns of shape [{b}, 64, 64, 4] from /data/{u}/set{p}.npz",
    "INFO:study:configuration: batch_size={b} learning_rate={lr} seed={p}",
)
_LINES = (
    "{s}/{n} ━━━━━━━━━━━━━━━━━━━━ {b}s {m}ms/step - loss: {x:.4f} - mae: {y:.4f}",
    "{h} INFO study step {s} of {n}: loss {x:.5f}",
    "Epoch {e}/50",
    "INFO:study:pattern {s} of shape [{b}, 64, 64, 4] done",
    "[{h}] checkpoint {e} saved to /scratch/{u}/run{p}/ckpt-{e}",
    "{h} INFO study learning rate {lr}, norm of the gradient {y:.4f}",
)


@cache
def _failures() -> tuple[str, ...]:
    """The recorded failures, in the order of their names."""
    files = (file for file in sorted(REAL.glob("*.log")) if not file.name.startswith("healthy"))
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
    return tuple(text for text in texts if len(text) < SIZE // 2)


def text_of(number: int, *, fails: bool) -> str:
    """The log of one job. The same number gives the same text."""
    pick = random.Random(number)
    facts = {
        "t": FROM + pick.randrange(_WEEK), "u": pick.choice(USERS), "lr": f"{pick.random():.2g}", "n": 2000,
        "p": pick.randrange(1000, 999_999), "e": 1, "b": 16,
    }  # fmt: skip
    head = [
        f"SLURM_JOB_ID={1000 + number}",
        f"SLURMD_NODENAME={pick.choice(NODES)}",
        f"SLURM_JOB_USER={facts['u']}",
    ]
    lines = [_filled(line, facts, pick) for line in pick.sample(_BANNERS, len(_BANNERS))]
    tail = _failure(facts, pick) if fails else "training has ended\n"
    size = sum(map(len, (*head, *lines))) + len(tail)
    while size < SIZE:
        lines.append(_filled(pick.choice(_LINES), facts, pick))
        size += len(lines[-1].encode()) + 1
    return "\n".join((*head, *lines)) + "\n" + tail


def _filled(line: str, facts: dict[str, object], pick: random.Random) -> str:
    second = pick.randrange(86_400)
    return line.format(
        **facts | {"b": pick.randrange(1, 256), "e": pick.randrange(1, 51)},
        a=pick.randrange(10**6),
        m=pick.randrange(10, 90_000),
        s=pick.randrange(1, 2000),
        x=pick.random(),
        y=pick.random(),
        h=f"2026-09-{1 + second % 28:02d} {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}",
    )


def _failure(facts: dict[str, object], pick: random.Random) -> str:
    """A recorded failure, in another folder and with other numbers: each by one factor, as of another batch."""
    factor = pick.choice((1, 2, 3, 4, 8))
    text = pick.choice(_failures()).replace("/home/user/project", f"/home/{facts['u']}/study{pick.randrange(100)}")
    text = _NUMBER.sub(lambda found: str(int(found[1]) * factor % 10**9), text)
    return _HEAD.sub(lambda found: f"{found[1]}{facts['t']}.{pick.randrange(10**6):06d} {facts['p']:7d}", text)


def write_one(root: Path, number: int) -> Path:
    """Writes one log; every second one is of a job that failed."""
    folder = root / f"{USERS[number // IN_A_FOLDER % len(USERS)]}-{number // IN_A_FOLDER:04d}"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"slurm-{1000 + number}.out"
    file.write_text(text_of(number, fails=number % 2 == 1), encoding="utf-8")
    ended = FROM + random.Random(number).randrange(_WEEK)
    os.utime(file, (ended, ended))
    return file
