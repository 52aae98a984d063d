"""What recording costs a compiled step: its first call, the peak of memory, and steps of 1 ms and of 100 ms.

The first call of a step with 256 MB of variables is kept, so it takes longer and more memory: by how much is shown
beside the same process without probes, on one device and on two under `MirroredStrategy`. Steps are compared in pairs
of processes that take turns, as in `overhead`. The target also tells whether its tensors were let go: a weak reference
to the argument of the first call must be dead after it.
"""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.overhead import Target

ROUNDS = 3
BLOCKS = 40
VARIABLES = 256 << 20
EXTRA = 320.0
"""Megabytes: the values that are kept, and what it takes to write them."""

TARGET = """
import gc, json, resource, sys, time, weakref
import numpy as np
import tensorflow as tf
width, megabytes, devices = (int(word) for word in sys.argv[1:])
if devices > 1:
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * devices)
strategy = tf.distribute.MirroredStrategy([f"CPU:{n}" for n in range(devices)]) if devices > 1 else None
with strategy.scope() if strategy else tf.name_scope("plain"):
    kept = [tf.Variable(tf.zeros((1 << 18,))) for _ in range(megabytes)]
    weights = tf.Variable(tf.random.normal((width, width)) / width)
count = [0]

@tf.function(jit_compile=devices == 1)
def step(x):
    count[0] += 1
    def replica(x):
        weights.assign_sub(1e-3 * tf.matmul(x, tf.tanh(tf.matmul(x, weights)), transpose_a=True))
        return tf.add_n([v[0] for v in kept]) + tf.reduce_sum(weights) if kept else tf.reduce_sum(weights)
    return strategy.run(replica, (x,)) if strategy else replica(x)

x = tf.constant(np.ones((width, width), "float32"))
reference = weakref.ref(x)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begin = time.perf_counter()
step(x)
first = time.perf_counter() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
del x
gc.collect()
dead = reference() is None
x = tf.constant(np.ones((width, width), "float32"))
for _ in range(5):
    step(x)
print(json.dumps({"ready": count[0], "first": first, "peak": peak / 1024, "grown": (peak - before) / 1024,
                  "dead": dead}), flush=True)
for line in sys.stdin:
    begin, spent = time.perf_counter(), time.process_time()
    for _ in range(int(line)):
        step(x)
    passed, spent = time.perf_counter() - begin, time.process_time() - spent
    print(json.dumps({"seconds": passed, "processor": spent, "traces": count[0]}), flush=True)
"""


@dataclass(frozen=True)
class First:
    """The first call of a target: its seconds, the peak of memory in MB, and whether its argument was let go."""

    seconds: float
    peak: float
    dead: bool


def first(folder: Path, run: Path | None, *arguments: str) -> First:
    """Start a target, and end it after its first call."""
    target = Target(_program(folder), run, *arguments)
    target.end()
    return First(float(target.first["first"]), float(target.first["peak"]), bool(target.first["dead"]))


def first_calls(folder: Path, devices: int, rounds: int = ROUNDS) -> list[Figure]:
    """The first call with 256 MB of variables, and the peak of memory, with and without probes."""
    arguments = ("256", str(VARIABLES >> 20), str(devices))
    pairs = []
    for number in range(rounds):
        watched = first(folder, folder / f"first-{devices}-{number}", *arguments)
        pairs.append((watched, first(folder, None, *arguments)))
    where = "one device" if devices == 1 else f"{devices} devices"
    note = "its argument was let go" if all(a.dead for a, _ in pairs) else "ITS ARGUMENT IS HELD"
    seconds, bare = (statistics.median(side) for side in zip(*((a.seconds, b.seconds) for a, b in pairs), strict=True))
    peak, plain = (statistics.median(side) for side in zip(*((a.peak, b.peak) for a, b in pairs), strict=True))
    return [
        Figure(f"first call, {where}", seconds * 1000, "ms", "without probes", bare * 1000, None, note),
        Figure(f"peak of memory, {where}", peak, "MB", "without probes", plain, (plain + EXTRA) / plain, note),
    ]


def steps(folder: Path, name: str, width: int, many: int, blocks: int = BLOCKS) -> Figure:
    """Steps of one size, in pairs of blocks that take turns."""
    program = _program(folder)
    plain = Target(program, None, str(width), "0", "1")
    watched = Target(program, folder / f"steps-{width}", str(width), "0", "1")
    ratios, bare = [], []
    for number in range(blocks):
        order = (plain, watched) if number % 2 else (watched, plain)
        spent = {id(target): target.block(many).seconds for target in order}
        ratios.append(spent[id(watched)] / spent[id(plain)])
        bare.append(spent[id(plain)] * 1000 / many)
    for target in (plain, watched):
        target.end()
    step = statistics.median(bare)
    return Figure(f"step of {name} with probes", step * statistics.median(ratios), "ms", "without probes", step, 1.02)


def _program(folder: Path) -> Path:
    program = folder / "step.py"
    program.write_text(TARGET, encoding="utf-8")
    return program


def figures() -> list[Figure]:
    """All of it; for some minutes on a quiet machine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = [figure for devices in (1, 2) for figure in first_calls(folder, devices)]
        return [*found, steps(folder, "1 ms", 320, 64), steps(folder, "100 ms", 1900, 1)]
