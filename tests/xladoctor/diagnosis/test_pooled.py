"""What a worker says is pooled over the rows: a finding where a model predicts with it, and not where it is meant."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.recording import mark
from xladoctor.saved import scan_run

SOURCE = """
class Center(Layer):
    def call(self, x):
        return x - mean(x)

class Bag(Layer):
    by_row = False
    def call(self, x):
        return x - mean(x)

class Corr(keras.losses.Loss):
    def call(self, y, p):
        return y - mean(y)

def helper(x):
    return x - mean(x)

class Accelerated:
    def __call__(self, x):
        return self.fast(x)

class Net(tf.Module):
    def __call__(self, x):
        return helper(x)
"""


def diagnosed(tmp_path, *frames, method="fit", node="net_1/center_1/Mean", by_row=None, mixes=None):
    """The findings, and the results of the checks."""
    file = tmp_path / "train.py"
    file.write_text(SOURCE, encoding="utf-8")
    run = Run(command=["python", str(file)], started=4e9)
    if method is not None:
        call = {"method": method, "call": 1, "model": "net", "rows_in": 8, "batch_size": 4, "by_row": by_row}
        run.event("call", phase="begin", where={"file": str(file), "line": 30}, **call)
    run.trace("c1", "step")
    if method is None:
        run.events[-1]["defined"] = {"file": str(file), "line": 3, "function": "step"}
    else:
        run.events[-1]["inputs"] = ["float32[?,3]"]
        run.event("call", phase="end", capsule="c1", **call)
    sources = [[str(file), line, function] for line, function in frames]
    pooled = {"op": "Mean", "node": node, "sources": sources, "call_sources": [], "shapes": [[7, 3], [3]],
              "over": [7, 3], "meets": {"op": "Sub", "node": "s", "sources": sources}}  # fmt: skip
    result = {"result": "asked", "found": [], "pooled": [pooled]}
    if mixes is not None:
        result = {"result": "asked", "found": [], "mixes": [{**{k: pooled[k] for k in _PLACED}, "op": mixes}]}
    run.worker.append({"capsule": "c1", "request": "pairing", "result": result})
    folder = run.write(tmp_path / "run")
    mark.sign(folder)
    diagnosis = scan_run(folder)
    return [(f.slug, f.level, f.location.line) for f in diagnosis.findings], [c.result for c in diagnosis.checked]


_PLACED = ("node", "sources", "call_sources")


@pytest.mark.parametrize(
    ("frames", "given", "found"),
    [
        ([(4, "Center.call")], {"mixes": "AvgPool"}, True),
        ([(4, "Center.call")], {"mixes": "Conv2D", "method": "predict"}, True),
        ([(4, "Center.call")], {"mixes": "Mean"}, False),
        ([(9, "Bag.call")], {"mixes": "AvgPool"}, False),
        ([(4, "Center.call")], {"mixes": "AvgPool", "by_row": False}, False),
        ([(20, "Net.train_step"), (16, "helper")], {"mixes": "AvgPool", "node": "net_1/AvgPool"}, False),
    ],
)
def test_windows_that_slide_along_the_rows(tmp_path, frames, given, found):
    told, checked = diagnosed(tmp_path, *frames, **given)
    assert told == ([("wrong-pairing", "warning", frames[-1][0])] if found else [])
    assert checked == (["diverges"] if found else ["agrees"])


@pytest.mark.parametrize(
    ("frames", "given", "line"),
    [
        ([(30, "<module>"), (4, "Center.call")], {}, 4),
        ([(30, "<module>"), (4, "Center.call"), (16, "helper")], {}, 16),
        ([(4, "Center.call")], {"method": None}, 4),
        ([(24, "Net.__call__"), (16, "helper")], {"method": None}, 16),
        ([(31, "<lambda>")], {}, 31),
        ([(16, "helper")], {"method": "predict", "node": "x/Mean"}, 16),
        ([(20, "Net.train_step"), (4, "Center.call")], {"node": "x/Mean"}, 4),
    ],
)
def test_a_model_whose_rows_depend_on_one_another_is_a_warning(tmp_path, frames, given, line):
    assert diagnosed(tmp_path, *frames, **given) == ([("wrong-pairing", "warning", line)], ["diverges"])


@pytest.mark.parametrize(
    ("frames", "given"),
    [
        ([(4, "Center.call")], {"by_row": False}),
        ([(9, "Bag.call")], {}),
        ([(13, "Corr.call")], {}),
        ([(16, "helper")], {"method": None}),
        ([(20, "Accelerated.__call__"), (16, "helper")], {"method": None}),
        ([(20, "Net.train_step"), (16, "helper")], {"node": "net_1/Mean"}),
        ([(16, "helper")], {"node": "metrics/Mean"}),
    ],
)
def test_what_is_meant_or_no_part_of_a_prediction_is_none(tmp_path, frames, given):
    assert diagnosed(tmp_path, *frames, **given) == ([], ["agrees"])
