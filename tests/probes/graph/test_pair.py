"""Two graphs that should compute the same, in one script."""

from __future__ import annotations

import numpy as np
import pytest

from probes.protocol import requests

pytestmark = pytest.mark.slow


def script_of(*edits):
    return requests.WriteSilentScript(test={}, output="output 0", title="x", edits=edits)


@pytest.fixture
def pair(tmp_path):
    """`pair(one, two)` -> the `Pair` of two functions of the same two arguments."""

    def make(*programs):
        import tensorflow as tf

        from probes.graph.pair import Pair

        from . import patients

        random = np.random.default_rng(0)
        arguments = [random.normal(size=(4, 6)).astype("f"), random.normal(size=(4, 6)).astype("f")]
        one, two = (
            str(patients.capsule(tmp_path / f"c{i}", tf.function(p), arguments, specs="open")[0])
            for i, p in enumerate(programs)
        )
        test = {"kind": "pair", "other": two, "names": ["on", "off"]}
        return Pair(requests.ListSilent(capsule=str(one), batch=4, output="output 0", test=test))

    return make


def shifted(sign):
    def program(x, positions):
        import tensorflow as tf

        part = tf.sin(positions) * 2.0
        twice = tf.cond(tf.reduce_sum(part) < 1e9, lambda: part * 2.0, lambda: part)
        moved = x + sign * (twice + tf.cos(positions))
        return tf.reduce_sum(tf.tanh(moved) + 1.0, axis=1) * 3.0

    return program


def run(text, *arguments):
    """What the assertion says, or None."""
    import sys

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["script.py", *arguments])
        try:
            exec(compile(text, "script.py", "exec"), {})
        except AssertionError as error:
            return str(error)
    return None


def test_where_two_graphs_part_and_what_they_have_in_common(pair):
    from probes.graph.errors import Unsupported

    found = pair(shifted(1.0), shifted(-1.0))
    assert found.node == "mul_1"  # not the sum, in which it shows too
    listed = found.listed()
    assert {r["op"] for r in listed["list"]}.isdisjoint({"Tanh"})
    text = found.script(script_of())
    assert run(text).startswith("parity-divergence: on and off differ by ")
    assert run(text, "control") is None
    assert {"add:0", "cond/Identity:0", "Cos:0"} <= set(listed["by_rows"])
    cut = {"frame": "", "to": "argument", "shape": [4, 6]}
    shorter = found.script(script_of({**cut, "tensor": "add:0"}))
    assert "tf.cond" not in shorter and run(shorter) and run(shorter, "control") is None
    # Both from the positions: drawn each by itself, also what is healthy would differ.
    with pytest.raises(Unsupported, match="both come from positions"):
        found.edited([{**cut, "tensor": t} for t in ("cond/Identity:0", "Cos:0")])


def test_two_that_agree_are_no_script(pair):
    from probes.graph.errors import Unsupported

    with pytest.raises(Unsupported, match="do not differ"):
        pair(shifted(1.0), shifted(1.0))
