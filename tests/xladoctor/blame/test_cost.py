"""The work of following a program grows with its length, and not faster."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

from xladoctor.blame import suspicion
from xladoctor.blame.crash import Crash, Frame
from xladoctor.blame.engine import blame
from xladoctor.blame.follow import Follower
from xladoctor.model.diagnosis import Finding, Location
from xladoctor.sources.files import Files

MAIN = "/work/deep.py"


def deep(blocks: int) -> str:
    """A functional model of blocks of ten layers, with a residual that does not fit at its end."""
    lines = ["from tensorflow import keras", "from tensorflow.keras import layers", "x = keras.Input((32,))"]
    for _ in range(blocks):
        lines += ["y = x", *["y = layers.Dense(32)(y)"] * 9, "x = layers.Add()([x, y])"]
    return "\n".join([*lines, "x = layers.Add()([x, layers.Dense(31)(x)])", ""])


@cache
def follow(blocks: int) -> tuple[Follower, int]:
    text = deep(blocks)
    line = len(text.splitlines())
    run = Follower(Files({MAIN: text}.get), Crash((Frame(MAIN, line, "<module>"),), sizes=(31, 32)), {})
    run.run(MAIN)
    return run, line


def test_expressions_grow_with_the_program():
    few, many = follow(10)[0].steps, follow(100)[0].steps
    assert many < 11 * few
    assert follow(100)[0].arrivals[-1].clashes


def test_a_chain_of_origins_is_bounded():
    run, _ = follow(100)
    side = run.arrivals[-1].clashes[0].sides[0]
    assert len(list(suspicion.chain(side.origin, 10_000))) <= 400


def seconds(blocks: int, tensors_in_sight: int) -> float:
    """Processor time to blame the residual, which is found."""
    text = deep(blocks)
    line = len(text.splitlines())
    tensors = [{"name": f"t{i}", "shape": [32, i], "dtype": "float32"} for i in range(tensors_in_sight)]
    frame: dict[str, Any] = {"file": MAIN, "line": line, "function": "<module>", "user": True, "tensors": tensors}
    finding = Finding("XD3", "x", "error", "root", "t", "m", dims=(31, 32), location=Location(MAIN, line))
    started = time.process_time()
    found = blame(finding, {"frames": [frame], "message": ""}, Files({MAIN: text}.get), MAIN)
    assert found is not None and "Dense(31)" in found.suspects[0].code
    return time.process_time() - started


def test_fifty_blocks_and_five_thousand_locals_take_no_more_than_their_share():
    """Against a tenth of both: so a busy machine, on which everything takes longer, does not fail it."""
    assert seconds(50, 5_000) < 11 * seconds(5, 500)
