"""The decorator under a recorder, without TensorFlow: what comes back, and what is written of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import inspect, sys
probes = sys.modules["_xladoctor_probes"]

@probes.place("x (B N) -> (B)", B="gone:size")
def f(x, *, k=1):
    "What it does."
    return x + k

def make():
    @probes.place("x (B) -> (B)")
    def inner(x):
        return x
    return inner

class C:
    @probes.place("x (B) -> (B)")
    @staticmethod
    def s(x):
        return x

    @probes.place("x (B) -> (B)")
    def m(self, x):
        return x

@probes.place("x (B) -> (B)")
class D:
    pass

assert [make()(3) for _ in range(5)] == [3] * 5
assert (f(2, k=3), C.s(4), C().m(5), D().__class__.__name__) == (5, 4, 5, "D")
assert str(inspect.signature(f)) == "(x, *, k=1)" and f.__doc__ == "What it does." and f.__name__ == "f"
try:
    f()
except TypeError as error:
    assert "missing 1 required positional argument: 'x'" in str(error)
for nonsense in (3, None, "text"):
    assert probes.place("x (B) -> (B)")(nonsense) is nonsense
"""


def test_a_decorated_function_is_the_function_and_is_told_once(tmp_path):
    env = {"PYTHONPATH": str(ROOT / "probes" / "bootstrap"), "XLADOCTOR_RUN_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for file in tmp_path.glob("events-*") for line in file.read_text().splitlines()]
    assert [e for e in events if e["kind"] == "probe-error"] == []
    found = [(e["place"], e["axes"], e["origin"]) for e in events if e["kind"] == "place-found"]
    assert found[0] == ("__main__:f", ["B"], "decorator")
    assert sorted(p for p, *_ in found) == [
        "__main__:C.m",
        "__main__:C.s",
        "__main__:f",
        "__main__:make.<locals>.inner",
    ]
    missing = {e["place"]: e["reason"] for e in events if e["kind"] == "place-missing"}
    assert "a type cannot be watched" in missing["__main__:D"]
