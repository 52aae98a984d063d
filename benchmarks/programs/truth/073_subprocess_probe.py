"""Probe optional tools by subprocess and fall back to NumPy."""
import subprocess
import sys
import numpy as np
import tensorflow as tf

CHECKS = {
    "fancy_solver": "import fancy_solver_that_is_not_here",
    "float16 overflow": "import numpy as np; assert np.isfinite(np.float16(1e6))",
    "math": "import math; print(math.pi)",
}


def probe(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1]
        print(f"  probe exited with {done.returncode}: {last}")
    return done.returncode == 0


available = {name: probe(code) for name, code in CHECKS.items()}
print("available:", available)


def solve(a, b):
    if available["fancy_solver"]:
        raise AssertionError("unreachable here")
    return tf.linalg.solve(a, b)


rng = np.random.default_rng(0)
a = tf.constant(rng.normal(size=(5, 5)) + 5 * np.eye(5))
b = tf.constant(rng.normal(size=(5, 1)))
x = solve(a, b)
print("residual below 1e-9:", bool(tf.reduce_max(tf.abs(a @ x - b)) < 1e-9))
