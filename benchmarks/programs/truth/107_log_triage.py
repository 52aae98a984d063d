"""Triage of old training logs: count the kinds of failure in them."""
import collections
import re
import sys
import pandas as pd
import tensorflow as tf

LOG_A = """\
Epoch 1/3
2024-02-01 10:00:01 E tensorflow/compiler/xla: JIT compilation failed.
Traceback (most recent call last):
  File "train.py", line 88, in <module>
    model.fit(x, y)
tensorflow.python.framework.errors_impl.InvalidArgumentError: Incompatible shapes: [32,10] vs. [32]
"""
LOG_B = """\
slurmstepd: error: Detected 1 oom-kill event(s). Some processes were Killed
Traceback (most recent call last):
  File "infer.py", line 12, in <module>
MemoryError: Unable to allocate 7.3 TiB
Segmentation fault (core dumped)
"""
PATTERNS = {
    "shape": re.compile(r"Incompatible shapes: \[.*\]"),
    "memory": re.compile(r"oom-kill|MemoryError|RESOURCE_EXHAUSTED"),
    "crash": re.compile(r"Segmentation fault|Aborted"),
}


def triage(name, text):
    counts = collections.Counter()
    for line in text.splitlines():
        print(f"{name}> {line}", file=sys.stderr)
        counts.update(kind for kind, pattern in PATTERNS.items() if pattern.search(line))
    return counts


table = pd.DataFrame({n: triage(n, t) for n, t in {"a": LOG_A, "b": LOG_B}.items()}).fillna(0).astype(int)
print(LOG_A + LOG_B, file=sys.stderr)
print(table.to_string())
print("share of memory lines", round(float(tf.reduce_mean(tf.cast(table.loc["memory"].to_numpy() > 0, tf.float32))), 2))
