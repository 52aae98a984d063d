"""Reassembly at B and at four times B: time per group, and the peak of memory beyond images and result.

Linear means that the time per group stays the same; bounded means that the memory of stitching a whole object stays the
same, and that of merging the groups of one batch is a fixed amount a group (predictions come 32 groups at a time).
Each measurement is a process of its own, because a peak of memory never falls again. N = 64, gridsize 2.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import Any

from benchmarks.figure import Figure

SIZES = {"stitching": 2048, "groups": 256}
#: largest growth that is allowed, per group, and of the bounded peak: that of a noisy machine
LINEAR = BOUNDED = 1.5
ROUNDS = 5


def figures(sizes: dict[str, int] | None = None) -> list[Figure]:
    """Time per group and memory, at four times B against B."""
    found = []
    for kind, few in (sizes or SIZES).items():
        many = 4 * few
        small, large = (in_a_process(kind, B) for B in (few, many))
        times = [1e6 * each["seconds"] / B for each, B in ((large, many), (small, few))]
        found.append(Figure(f"{kind}, {many}: time per group", times[0], "us", f"{few}", times[1], LINEAR))
        peaks = [large["megabytes"], small["megabytes"]]
        if kind == "groups":
            peaks = [peaks[0] / many, peaks[1] / few]
        what = "peak of memory" + (" per group" if kind == "groups" else " beyond images and result")
        found.append(Figure(f"{kind}, {many}: {what}", peaks[0], "MB", f"{few}", peaks[1], BOUNDED))
    return found


def in_a_process(kind: str, B: int) -> dict[str, float]:
    """`measure` in a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.reassembly", kind, str(B)], check=True, capture_output=True, text=True
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def measure(kind: str, B: int) -> dict[str, float]:
    """Seconds of the fastest round, and megabytes by which the peak of memory rose above what was held before."""
    import numpy as np

    rng = np.random.default_rng(0)
    run = {"stitching": stitching, "groups": groups}[kind]
    run(rng, 64)()  # compiles
    call = run(rng, B)
    before = peak()
    result = call()
    megabytes = (peak() - before) / 1e6
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    if kind == "stitching":
        megabytes -= sum(each.numpy().nbytes for each in result[:2]) / 1e6
    return {"seconds": min(times), "megabytes": megabytes}


def stitching(rng: Any, B: int) -> Any:
    """Whole objects out of the central squares of B groups, spread over an object of fixed size."""
    import numpy as np

    from ptycho import tf_helper

    objects = np.full((B, 40, 40, 1), 1 + 1j, np.complex64)  # in place: nothing lifts the peak before it is measured
    offsets = rng.uniform(0, 400, (B, 1, 2, 1)).astype(np.float32)
    offsets[:2] = [[[0], [0]]], [[[400], [400]]]
    return lambda: tf_helper.reassemble_position(objects, offsets)


def groups(rng: Any, B: int) -> Any:
    """The reassembly layer on one batch of B groups."""
    import numpy as np
    import tensorflow as tf

    from ptycho import params
    from ptycho.custom_layers import ReassemblePatchesLayer

    params.cfg.update(params.DEFAULTS, N=64, gridsize=2)
    held = (
        tf.fill((B, 64, 64, 4), tf.constant(1 + 1j, tf.complex64)),
        tf.constant(rng.uniform(-5, 5, (B, 1, 2, 4)).astype(np.float32)),
    )
    merge = tf.function(ReassemblePatchesLayer())
    return lambda: merge(held)


def peak() -> float:
    """Largest resident memory of this process so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
