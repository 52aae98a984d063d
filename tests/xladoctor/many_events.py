"""Run folders with many events of one kind, as a long run of a large program leaves them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.xladoctor.recordings import SHIFT, Run

WHERE = {"file": "train.py", "line": 5, "function": "main"}
FRAMES = [{"file": "train.py", "line": 5, "function": "main"}, {"file": "model.py", "line": 7, "function": "build"}]


def writes(run: Run, n: int) -> None:
    """One setting, written again and again."""
    for i in range(n):
        run.event("setting", store="params.cfg", key="use_xla", action="write", value=i % 3, where=WHERE)


def overrides(run: Run, n: int) -> None:
    """A setting that a function changes and puts back, over and over, with reads in between."""
    for i in range(n // 4):
        for action, value in (("write", True), ("read", True), ("write", False), ("read", False)):
            run.event("setting", store="params.cfg", key="use_xla", action=action, value=value, where=WHERE, site=i,
                      graph=None if value else f"g{i}", frames=FRAMES)  # fmt: skip


def keys(run: Run, n: int) -> None:
    """Many settings, each written once and read once."""
    for i in range(n // 2):
        run.event("setting", store="params.cfg", key=f"xla_{i}", action="write", value=1, where=WHERE)
        run.event("setting", store="params.cfg", key=f"xla_{i}", action="read", value=1, where=WHERE, site=i,
                  graph=None, frames=FRAMES)  # fmt: skip


def environment(run: Run, n: int) -> None:
    """Flags of TensorFlow, written after it has read them."""
    run.event("first-op", by="operation", devices=["CPU"], where=WHERE)
    for i in range(n):
        value = f"--tf_xla_auto_jit={i % 3}"
        run.event("setting", store="env", key="TF_XLA_FLAGS", action="write", value=value, where=WHERE)


def decisions(run: Run, n: int) -> None:
    """A program that decides about XLA for every function that it makes."""
    for i in range(n // 4):
        run.event("setting", store="env", key="USE_XLA", action="read", value="1", site=1, graph=None, frames=FRAMES,
                  where={**WHERE, "function": "knob"})  # fmt: skip
        run.event("setting", store="decision", key="pkg:knob", action="read", value=True, where=WHERE)
        run.event("xla-path", mechanism="tf.function(jit_compile=)", function=f"step_{i}", requested="True",
                  resolved="True", where={**WHERE, "line": i})  # fmt: skip
        traced(run, i, f"step_{i}", xla=True)


def traced(run: Run, i: int, name: str = "step", **fields: Any) -> None:
    """One trace."""
    run.event("trace", **{"function": f"__inference_{name}_{i}", "python_name": name, "graph": f"g{i}", "parent": None,
              "owner": i // 8, "defined": {"file": "m.py", "line": i // 64}, "xla": False, "inputs": [],
              "arguments": {"x": f"TensorSpec(shape=({i},), dtype=tf.float32, name=None)"}, "seconds": 0.1,
              "where": WHERE, "frames": FRAMES, "capsule": None, **fields})  # fmt: skip


def traces(run: Run, n: int) -> None:
    """A program that traces without end."""
    for i in range(n // 2):
        traced(run, i)
        run.event("graph", graph=f"g{i}", function=f"__inference_step_{i}")


def compiled(run: Run, n: int) -> None:
    """Many functions under XLA, and some failures whose messages name functions."""
    for i in range(n // 2):
        traced(run, i, f"step_{i}", xla=True)
        run.event("graph", graph=f"g{i}", function=f"__inference_step_{i}")
    for i in range(20):
        run.event("failure", failure=i, state="raised", exception="ValueError", message=f"__inference_step_{i} no",
                  frames=[], during="f", capsule=None)  # fmt: skip


def uses(run: Run, n: int) -> None:
    """Functions that are called again after a setting has changed."""
    for i in range(n // 4):
        traced(run, i)
        run.event("setting", store="params.cfg", key="probe.n", action="read", value=i, where=WHERE, site=i,
                  graph=f"g{i}", frames=FRAMES)  # fmt: skip
        run.event("setting", store="params.cfg", key="probe.n", action="write", value=-i, where=WHERE)
        run.event("use", owner=i // 8, graphs=[f"g{i}"], where=WHERE)


def calls(run: Run, n: int) -> None:
    """Keras calls of models that are built anew each time."""
    for i in range(n // 4):
        run.event("model", action="build", name=f"m{i}", inputs=[], outputs=[], where=WHERE)
        run.event("xla-path", mechanism="keras compile(jit_compile=)", function=f"m{i}", requested="'auto'",
                  resolved="False", where=WHERE, accelerators=0, elsewhere="True")  # fmt: skip
        run.begin(i, "fit")
        run.end(i, "7-1-step", "fit")


def lost_rows(run: Run, n: int) -> None:
    """Predictions that lose rows."""
    run.trace("7-1-step")
    for i in range(n // 2):
        run.begin(i, "predict")
        run.event("call", phase="end", call=i, method="predict", model="m", rows_in=8, rows_out=[4], batch_size=4,
                  capsule="7-1-step", shapes_out=[[4, 2]])  # fmt: skip


def failures(run: Run, n: int) -> None:
    """Exceptions that the program catches, each with another text."""
    for i in range(n):
        run.event("failure", failure=i, state="raised", exception="InvalidArgumentError", module="builtins",
                  message=f"Incompatible shapes: [{i},2] vs. [3]", frames=[], chain=[], during="f",
                  capsule=None)  # fmt: skip


def places(run: Run, n: int) -> None:
    """A watched function, entered again and again, in graphs and outside, keeping its contract."""
    run.found("gears.ops:shift", SHIFT)
    for call in range(n // 2):
        graph = f"g{call}" if call % 2 else None
        tensors = [{"arg": arg, "kind": "eager", "tensor": None, "shape": shape, "dtype": "f", "graph": graph}
                   for arg, shape in (("x", [2, 5]), ("k", [2]))]  # fmt: skip
        for phase, given in (("in", tensors), ("out", [{**tensors[0], "arg": "result"}])):
            run.event("place", place="gears.ops:shift", contract=SHIFT, call=call, graph=graph, scope="", axes=[],
                      frames=FRAMES, phase=phase, tensors=given)  # fmt: skip


def broken_places(run: Run, n: int) -> None:
    """The same, breaking its contract each time, in a call that fails."""
    places(run, n)
    for event in run.events:
        if event["kind"] == "place" and event["phase"] == "out":
            event["tensors"][0]["shape"] = [3, 5]
    run.event("failure", failure=1, state="raised", exception="ValueError", message="no", frames=[], during="f",
              capsule=None)  # fmt: skip


def found_places(run: Run, n: int) -> None:
    """Many watched functions, found and missing."""
    for i in range(n // 2):
        run.found(f"gears.ops:shift_{i}", SHIFT, origin="decorator")
        run.event("place-missing", place=f"gears.ops:gone_{i}", reason="no such name", origin="decorator")


def capsules(run: Run, n: int) -> None:
    """Functions with a capsule each, in Keras calls."""
    for i in range(n // 8):
        run.begin(i, "fit")
        run.trace(f"7-{i}-step", graph=f"g{i}")
        run.end(i, f"7-{i}-step")


def answers(run: Run, n: int) -> None:
    """Answers of workers about many capsules."""
    for i in range(n // 8):
        run.trace(f"7-{i}-step", graph=f"g{i}")
        run.event("failure", failure=i, state="raised", exception="E", message=f"no {i} at all, never, ever", frames=[],
                  during="f", capsule=f"7-{i}-step")  # fmt: skip
        run.worker.append({"capsule": f"7-{i}-step", "request": "failing_op", "batch": 4, "result": None})


def imports(run: Run, n: int) -> None:
    """Modules."""
    for i in range(n):
        run.event("import", module=f"m{i}", version="1", file="m.py", where=WHERE)


SHAPES: dict[str, Callable[[Run, int], None]] = {
    f.__name__: f
    for f in (
        writes, overrides, keys, environment, decisions, traces, compiled, uses, calls, lost_rows, failures, places,
        broken_places, found_places, capsules, answers, imports,
    )
}  # fmt: skip


def run_of(folder: Path, kind: str, n: int) -> Path:
    """A run folder with about `n` events, of a program that does one thing all the time."""
    run = Run()
    SHAPES[kind](run, n)
    return run.write(folder)
