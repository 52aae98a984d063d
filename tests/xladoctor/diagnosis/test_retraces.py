"""TensorFlow's warning of retracing against what was recorded."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

WARNING = (
    "WARNING:tensorflow:5 out of the last 5 calls to <function Trainer.make.<locals>.step at 0x7f> triggered "
    "tf.function retracing. Tracing is expensive.\n"
)


@pytest.mark.parametrize(("owners", "level"), [([1, 2, 3, 3], "note"), ([1] * 6, "warning"), ([], "warning")])
def test_a_warning_of_retracing_is_a_note_where_no_function_was_traced_often(tmp_path, owners, level):
    run = Run()
    for n, owner in enumerate(owners):
        run.trace(f"7-{n}-step", "step", f"g{n}")
        run.events[-1] |= {"owner": owner, "arguments": {}, "defined": {"file": "train.py", "line": 3}}
    path = run.write(tmp_path / "run")
    (path / "stderr.log").write_text(WARNING)
    found = [f for f in scan_run(path).findings if f.slug == "retracing"]
    assert {f.level for f in found} == {level}
    assert {f.status for f in found} == ({"confirmed"} if len(owners) > 4 else {"untested"})
    assert ("more than 2 times" in found[0].message) == (level == "note")
