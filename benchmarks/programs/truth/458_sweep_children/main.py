"""Sweeps the step size of a stiff reaction solver, one child process per setting.

A child that finds the solver unstable leaves with status 3 and says so; the sweep wants
to know exactly where that begins.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = [0.02, 0.05, 0.08]
UNSTABLE = 3


def child(step):
    cmd = [sys.executable, os.path.join(HERE, "reactor.py"), str(step)]
    done = subprocess.run(cmd, capture_output=True, text=True, timeout=60)
    if done.returncode == UNSTABLE:
        tail = done.stderr.strip().splitlines()[-1]
        sys.stderr.write(f"[step {step}] {tail}\n")
        return None
    done.check_returncode()
    return json.loads(done.stdout.strip().splitlines()[-1])


results = {s: child(s) for s in STEPS}
stable = [s for s, r in results.items() if r is not None]
for s, r in results.items():
    print(f"step {s:.2f}:", "unstable" if r is None else "end state %.5f %.5f" % tuple(r["state"]))
print("largest stable step:", max(stable))
assert stable and len(stable) < len(STEPS)
