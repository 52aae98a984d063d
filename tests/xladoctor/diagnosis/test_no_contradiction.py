"""What one report says in two places agrees, and it claims of a failure only what was seen."""

from __future__ import annotations

import pytest

from tests.xladoctor.diagnosis.test_weigh import scanned
from tests.xladoctor.recordings import Run
from tests.xladoctor.rules.fixtures import diagnose
from xladoctor.report import View, render

HERE = {"file": "train.py", "line": 4, "function": "main"}
CONSTANT = (
    "Input 1 to node `Tile` with op Tile must be a compile-time constant.\n\nXLA compilation requires that operator "
    "arguments that represent shapes or dimensions be evaluated to concrete values at compile time."
)


def failing(message: str, capsule: str | None, name: str = "InvalidArgumentError", **fields: object) -> Run:
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.event("first-op", by="operation", devices=["CPU"], where=HERE)
    run.event("xla-path", mechanism="tf.function(jit_compile=)", function="step", requested="True", resolved="True",
              where=HERE)  # fmt: skip
    run.event("failure", failure=1, exception=name, message=message, state="raised", during="step", frames=[],
              module="tensorflow", capsule=capsule, chain=[], **fields)  # fmt: skip
    run.event("failure", failure=1, exception=name, state="uncaught")
    return run


@pytest.mark.parametrize(("capsule", "told"), [("7-1-step", False), ("7-2-other", True)])
def test_a_value_that_xla_does_not_know_is_none_that_it_takes(tmp_path, capsule, told):
    run = failing(CONSTANT, "7-1-step")
    run.trace("7-1-step", "step", xla=True)
    row = {"op": "Tile", "node": "Tile", "argument": "multiples", "from": [{"kind": "argument", "name": "n"}],
           "sources": [["/home/a/train.py", 7, "step"]]}  # fmt: skip
    run.worker.append({"capsule": capsule, "request": "baked", "result": [row]})
    slugs = [f.slug for f in scanned(run, tmp_path).findings]
    assert slugs[0] == "compile-time-constant" and ("value-baked-in" in slugs) is told


@pytest.mark.parametrize(("partial", "resolved"), [("7-1-step", "its trace failed"), (None, "never traced")])
def test_a_function_whose_trace_failed_was_traced(tmp_path, partial, resolved):
    found = scanned(
        failing("'y' is None at the end of the else branch.", None, "ValueError", partial=partial), tmp_path
    )
    path = next(p for p in found.xla_paths if p.function == "step")
    assert resolved in path.resolved and path.effective is False
    text = " ".join(render(found, "console", None, View(verbose=True)).split())
    assert ("never traced" in text) is (partial is None)
    assert "XLA was off" not in " ".join(render(found, "console", None, View()).split())


KERAS = 'Input 0 of layer "stem" is incompatible with the layer: expected ndim=4, found ndim=2. Full shape: (None, 3)'
XLA = "words of the compiler that no rule knows [Op:__inference_step_26]"


@pytest.mark.parametrize(
    ("error", "slug"),
    [
        (f"ValueError: {KERAS}", "keras-input-mismatch"),
        (f"tensorflow.python.framework.errors_impl.InternalError: {XLA}", "not-xla"),
        ("ModuleNotFoundError: No module named 'keras.gone.deep'", "removed-name"),
        ("RuntimeError: the beam is off", "not-xla"),
    ],
)
def test_a_class_says_what_happened_and_not_what_it_is_not(error, slug):
    found = diagnose(f'Traceback (most recent call last):\n  File "/home/a/t.py", line 3, in f\n    g()\n{error}\n')[0]
    assert found.slug == slug
    assert "Neither" not in found.message and "text does not give" not in found.message
    assert "is not installed" not in found.message


def test_who_interrupts_a_run_is_no_cause(tmp_path):
    run = Run(outcome={"state": "exited", "code": 130, "probes": "recorded"})
    run.event("failure", failure=1, exception="KeyboardInterrupt", message="", state="raised", during="program",
              frames=[], module="builtins", capsule=None, chain=[])  # fmt: skip
    run.event("failure", failure=1, exception="KeyboardInterrupt", state="uncaught")
    said = 'Traceback (most recent call last):\n  File "/home/a/t.py", line 3, in f\n    g()\nKeyboardInterrupt\n'
    (found,) = scanned(run, tmp_path, said).findings
    assert (found.level, found.status) == ("warning", "untested") and "not known" in found.message
