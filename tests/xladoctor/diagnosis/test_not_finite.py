import ast
import json

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import not_finite
from xladoctor.diagnosis.nan_causes import cause
from xladoctor.diagnosis.suspicion import suspicion
from xladoctor.recording.run import read_run
from xladoctor.saved import scan_run

FIT = {"file": "/home/ada/train.py", "line": 9, "function": "main"}
FINITE = [{"name": "x", "leaf": 0, "finite": True}, {"name": "y", "leaf": 0, "finite": True}]
SPOILT = [{"name": "x", "leaf": 0, "finite": False, "index": [4, 1], "value": "nan", "count": 2, "size": 60}]
DIVISION = {
    "op": "RealDiv", "node": "model/share/truediv", "made": "nan", "value": "nan", "index": [3, 0], "shape": [8, 3],
    "dtype": "float32", "run": 5, "start": 1.0, "reached": "loss", "by": "GradientTape.gradient",
    "inputs": [{"dtype": "float32", "shape": [8, 3], "at": 0.0, "min": 0.0, "max": 4.0},
               {"dtype": "float32", "shape": [8, 1], "at": 0.0, "min": 0.0, "max": 9.0}],
    "frames": [{"file": "/home/ada/layers.py", "line": 21, "function": "call"}, FIT],
    "layer": {"name": "share", "class": "Share"}, "through_gradient": False,
}  # fmt: skip


def noted(what="logs", names=None, data=FINITE, method="fit"):
    run = Run()
    run.event("not-finite", what=what, method=method, call=1, model="m", where=FIT,
              names=names or {"loss": [2, "nan", "nan"]}, data=data)  # fmt: skip
    return run


def scanned(tmp_path, run, found=None, why=None, out=""):
    folder = run.write(tmp_path / "run")
    (folder / "stdout.log").write_text(out)
    if found is not None or why is not None:
        document = {"schema": "xladoctor.first-nan/1", "found": found, "why": why}
        (folder / "first-nan.json").write_text(json.dumps(document))
    return scan_run(folder)


def test_the_op_is_named_with_its_line_layer_value_and_remedy(tmp_path):
    (f,) = scanned(tmp_path, noted(), DIVISION).findings
    assert (f.slug, f.level, f.status, f.basis.kind) == ("not-finite", "error", "confirmed", "tested")
    assert (f.op, f.layer, str(f.location)) == ("RealDiv", "share", "/home/ada/layers.py:21 in call")
    assert f.title == "RealDiv divides 0 by 0 in layer share: the first NaN, at its execution 5"
    assert "loss of fit was nan from epoch 2 on" in f.message
    assert f.remedies[0].id == "guard-values"
    assert "divide_no_nan" in f.remedies[0].how


def test_of_a_gradient_the_line_is_that_of_the_op_that_is_differentiated(tmp_path):
    forward = {"op": "Sqrt", "node": "norm/Sqrt", "frames": [{"file": "/home/ada/norm.py", "line": 3}], "layer": None}
    found = {**DIVISION, "op": "SqrtGrad", "layer": None, "gradient_of": forward}
    (f,) = scanned(tmp_path, noted(), found).findings
    assert (f.op, f.location.place) == ("Sqrt", "/home/ada/norm.py:3")
    assert f.title.startswith("The gradient of Sqrt has no value at 0")
    assert "tf.where" in f.remedies[0].how


def test_data_come_before_the_model(tmp_path):
    (f,) = scanned(tmp_path, noted(data=SPOILT), {"source": "data", "op": "IteratorGetNext", "frames": []}).findings
    assert (f.status, f.op, str(f.location)) == ("confirmed", "input", "/home/ada/train.py:9 in main")
    assert f.title == "x[4, 1] is nan: the data given to fit are not finite"


def test_spoilt_data_alone_are_likely_and_not_confirmed(tmp_path):
    (f,) = scanned(tmp_path, noted(data=SPOILT), why="the checks were switched off").findings
    assert (f.level, f.status, f.basis.kind) == ("error", "untested", "observed")


def test_where_no_row_is_finite_dropping_rows_is_no_remedy(tmp_path):
    whole = [{**part, "rows": [64, 64], "columns": [3]} if not part.get("finite") else part for part in SPOILT]
    (f,) = scanned(tmp_path, noted(data=whole), why="off").findings
    assert f.remedies[0].title.startswith("Check how column 3 of x is made")
    assert "Each of its 64 rows has one: column 3 of x has no finite value" in f.message
    some = [{**part, "rows": [2, 64], "columns": []} if not part.get("finite") else part for part in SPOILT]
    (f,) = scanned(tmp_path / "some", noted(data=some), why="off").findings
    assert f.remedies[0].title.startswith("Drop or fill")


def test_without_an_answer_it_says_that_nothing_was_checked(tmp_path):
    (f,) = scanned(tmp_path, noted(data=[]), why="the program is one of several").findings
    assert (f.level, f.status, f.op) == ("error", "untested", None)
    assert "was not checked: the program is one of several" in f.message
    assert "The data were not checked" in f.message
    assert "`np.isfinite(x).all()`, then" in f.remedies[0].how and "xladoctor scan" not in f.remedies[0].how


def test_a_metric_without_a_value_is_no_error(tmp_path):
    found = scanned(tmp_path, noted(names={"f1": [1, "nan", "nan"]}), {**DIVISION, "reached": "variable"})
    assert [f.level for f in found.findings] == ["warning"]
    assert found.verdict == "warnings"


def test_but_it_is_one_where_the_differentiated_loss_was_spoilt(tmp_path):
    found = scanned(tmp_path, noted(names={"objective": [1, "nan", "nan"]}), DIVISION)
    assert found.verdict == "failed"


def test_a_loss_that_came_back_is_no_error(tmp_path):
    found = scanned(tmp_path, noted(names={"loss": [1, "inf", "2.5"]}), why="no NaN came up")
    assert [f.level for f in found.findings] == ["warning"]


def test_what_is_only_printed_needs_a_second_run_that_shows_it(tmp_path):
    assert scanned(tmp_path / "a", Run(), why="no NaN came up", out="step 9 loss nan\n").verdict == "healthy"
    assert scanned(tmp_path / "b", Run(), DIVISION, out="step 9 loss nan\n").verdict == "failed"


@pytest.mark.parametrize(
    ("text", "name"),
    [("step 3: loss nan\n", "loss"), ("epoch 4 | train_loss=nan\n", "train_loss"), ("loss: 0.5\nLoss: inf\n", "Loss"),
     ("mean loss: nan done\n", "loss"), ("loss nan\nloss 0.25\n", None), ("nan loss is a word\n", None),
     ("val_loss nan\nValueError: 3 is too many\n", "val_loss"),
     ("financial loss of nancy\n", None)],
)  # fmt: skip
def test_the_last_printed_measure_counts(tmp_path, text, name):
    folder = Run().write(tmp_path / "run")
    (folder / "stdout.log").write_text(text)
    sign = suspicion(read_run(folder))
    assert (sign.name if sign else None) == name


def of(op, *at, value="nan", made="nan", dtype="float32", **more):
    inputs = [{"at": a, "min": a, "max": a, "shape": [1], "dtype": dtype} for a in at]
    return cause({"op": op, "inputs": inputs, "value": value, "made": made, "dtype": dtype, "run": 1, **more})


@pytest.mark.parametrize(
    ("made", "kind", "words"),
    [
        (of("Log", 0.0, value="-inf", made="inf"), "log", "Log takes the logarithm of 0"),
        (of("Log", -0.5), "log", "Log takes the logarithm of a negative number (-0.5)"),
        (of("RealDiv", 2.0, 0.0, value="inf", made="inf"), "division", "RealDiv divides 2 by 0"),
        (of("Sqrt", -4.0), "sqrt", "Sqrt takes the root of a negative number (-4)"),
        (of("Acos", 1.0000001), "domain", "Acos is not defined at 1.0000001"),
        (of("Pow", 0.0, -0.5, value="inf", made="inf"), "power", "Pow raises 0 to the power -0.5"),
        (of("Softmax", "-inf"), "softmax", "Softmax gets a row in which everything is masked with minus infinity"),
        (of("Mul", 300.0, 300.0, value="inf", made="inf", dtype="float16"), "overflow-float16",
         "Mul of values up to 300 is larger than float16 can hold (65504)"),
        (of("Exp", 900.0, value="inf", made="inf"), "overflow", "Exp of 900 is larger than float32 can hold"),
        (of("Square", 1e25, value="inf", made="inf", run=7, start=3.0), "exploding",
         "Training diverges: Square got values up to 1e+25 at its execution 7, and gave at most 3 at the first"),
        (of("Mul", 1e25, 1e25, value="inf", made="inf", run=7, start=3.0, loop=True), "overflow",
         "Mul is larger than float32 can hold"),
        (of("Det", 1.0), "other", "Det of 1 gives nan"),
    ],
)  # fmt: skip
def test_the_cause_is_told_by_op_and_value(made, kind, words):
    assert (made.kind, made.what) == (kind, words)


def went_on(tmp_path, later, tests=(), code=0):
    run = noted()
    run.run["outcome"]["code"] = code
    run.event("call", phase="end", call=2, method="fit", model="m", rows_in=8, batch_size=4, rows_out=None)
    if later == "nan":
        run.event("not-finite", what="logs", method="fit", call=2, model="m", names={"loss": [1, "nan", "nan"]})
    folder = run.write(tmp_path / "run")
    (folder / "stdout.log").write_text("")
    document = {"schema": "xladoctor.first-nan/1", "found": None, "why": "no", "tests": list(tests)}
    (folder / "first-nan.json").write_text(json.dumps(document))
    return scan_run(folder)


@pytest.mark.parametrize(
    ("later", "tests", "code", "level", "verdict"),
    [
        ("finite", ["/home/ada/train.py:3: isfinite"], 0, "note", "healthy"),
        ("finite", [], 0, "warning", "warnings"),
        ("nan", ["/home/ada/train.py:3: isfinite"], 0, "warning", "warnings"),
        ("nan", [], 0, "error", "failed"),
        ("finite", ["/home/ada/train.py:3: isfinite"], 3, "error", "failed"),
    ],
)
def test_a_nan_after_which_a_fit_ended_well_is_no_failure(tmp_path, later, tests, code, level, verdict):
    found = went_on(tmp_path, later, tests, code)
    assert (found.verdict, found.findings[0].level, found.findings[0].status) == (verdict, level, "untested")
    assert ("tests for such values" in found.findings[0].message) == bool(tests and code == 0)


def trials(tmp_path, *, anew=True, code=0, value="nan", **answer):
    """Three calls of `fit` at one line, of which the last ends in NaN."""
    run = Run()
    run.run["outcome"]["code"] = code
    for call in (1, 2, 3):
        if anew:
            run.event("model", action="compile", name=f"m{call}")
        common = {"call": call, "method": "fit", "model": f"m{call}", "rows_in": 8, "batch_size": 4, "where": FIT}
        run.event("call", phase="begin", **common)
        if call == 3:
            run.event("not-finite", what="logs", method="fit", call=3, model="m3", where=FIT,
                      names={"loss": [1, value, value]}, data=FINITE)  # fmt: skip
        run.event("call", phase="end", **common)
    folder = run.write(tmp_path / "run")
    (folder / "stdout.log").write_text("loss nan\n")
    (folder / "first-nan.json").write_text(
        json.dumps({"schema": "xladoctor.first-nan/1", "found": None, "why": "no", **answer})
    )
    return scan_run(folder)


TESTS, COMPARES = {"tests": ["/home/ada/train.py:12: isnan"]}, {"compares": ["/home/ada/train.py:12: loss < best"]}


@pytest.mark.parametrize(
    ("answer", "anew", "code", "level"),
    [
        (TESTS, True, 0, "note"), (TESTS, False, 0, "warning"), (TESTS, True, 1, "error"),
        (COMPARES, True, 0, "warning"), (COMPARES, False, 0, "error"), (COMPARES, True, 1, "error"),
        ({}, True, 0, "error"),
    ],
    ids=["sweep", "one-model", "ended-with-1", "lost-trial", "epochs-of-one-model", "lost-and-1", "unnoticed"],
)  # fmt: skip
def test_the_last_of_several_trials_may_be_given_up(tmp_path, answer, anew, code, level):
    (found,) = [f for f in trials(tmp_path, anew=anew, code=code, **answer).findings if f.slug == "not-finite"]
    assert (found.level, found.status) == (level, "untested")
    assert (found.details.get("handled") is True) == (level != "error")


@pytest.mark.parametrize(
    ("text", "level"), [("score = tf.where(known, score, np.nan)", "note"), ("score = score / spread", "warning")]
)
def test_a_result_in_which_the_program_puts_a_nan(tmp_path, monkeypatch, text, level):
    monkeypatch.setattr(not_finite, "program_of", lambda recording: {"main.py": ast.parse(text)})
    run = Run()
    run.event("not-finite", what="outputs", method="predict", call=None, model=None, where=None,
              names={"output 0": [None, "nan", "nan"]}, data=[])  # fmt: skip
    folder = run.write(tmp_path / "run")
    (folder / "first-nan.json").write_text(
        json.dumps({"schema": "xladoctor.first-nan/1", "found": None, "why": "no", **TESTS})
    )
    (found,) = scan_run(folder).findings
    assert found.level == level


@pytest.mark.parametrize(("out", "level"), [("step 4 loss 0.25\nabandoned\n", "note"), ("abandoned\n", "warning")])
def test_weights_of_a_trial_that_the_program_gave_up(tmp_path, out, level):
    run = Run()
    run.event("not-finite", what="weights", method="exit", call=None, model=None, where=None,
              names={"w:0": [None, "nan", "nan"]}, data=[])  # fmt: skip
    folder = run.write(tmp_path / "run")
    (folder / "stdout.log").write_text(out)
    (folder / "first-nan.json").write_text(
        json.dumps({"schema": "xladoctor.first-nan/1", "found": None, "why": "no", **TESTS})
    )
    (found,) = scan_run(folder).findings
    assert (found.level, found.title) == (level, "The weight w:0 was nan, which the program tests for")


@pytest.mark.parametrize(
    ("outcome", "first"),
    [({"state": "exited", "code": 3}, "not-finite"), ({"state": "signalled", "signal": "SIGTERM"}, "not-xla")],
    ids=["a status of its own", "a signal"],
)
def test_a_nan_explains_the_status_with_which_a_program_ends_itself(tmp_path, outcome, first):
    run = Run(outcome={**outcome, "probes": "recorded"})
    run.event("not-finite", what="logs", method="fit", call=1, model="m", where=FIT, names={"loss": [2, "nan", "nan"]},
              data=FINITE)  # fmt: skip
    found = scanned(tmp_path, run, DIVISION)
    assert found.root is not None and found.root.slug == first
    assert {f.slug for f in found.findings if f.level == "error"} >= {"not-finite", "not-xla"}


def test_an_op_that_only_hands_values_on_is_no_origin(tmp_path):
    found = {**DIVISION, "op": "OptionalGetValue", "inputs": [], "reached": "none"}
    (f,) = scanned(tmp_path, noted(names={"share": [1, "nan", "nan"]}), found).findings
    assert (f.level, f.status, f.op) == ("warning", "untested", None)
    assert "the search ended at OptionalGetValue" in f.message


WARNED = "/home/ada/data.py:{line}: RuntimeWarning: {what} encountered in divide\n  return (x - mean) / spread\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (WARNED.format(line=37, what="invalid value"), 37),
        (WARNED.format(line=5, what="divide by zero") + WARNED.format(line=9, what="invalid value"), 5),
        ("/opt/lib/python3.11/site-packages/sklearn/x.py:3: RuntimeWarning: overflow encountered in exp\n", None),
        ("/home/ada/data.py:4: RuntimeWarning: Mean of empty slice\n", None),
    ],
)
def test_of_data_the_line_at_which_numpy_warned_is_suspected(tmp_path, text, line):
    folder = noted(data=SPOILT).write(tmp_path / "run")
    (folder / "stderr.log").write_text(text)
    (f,) = scan_run(folder).findings
    if line is None:
        assert (f.location.line, f.suspects) == (9, ())
        return
    assert (f.location.place, f.raised_at.line) == (f"/home/ada/data.py:{line}", 9)
    assert (f.suspects[0].likeliness, f.status) == ("likely", "untested")


def test_a_check_of_the_programs_own_that_ended_the_run_is_a_sign(tmp_path):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    message = "Graph execution error:\n\nloss of the step : Tensor had NaN values\n\t [[{{node CheckNumerics}}]]"
    frame = {"file": "/home/ada/train.py", "line": 12, "function": "step", "user": True}
    for state in ("raised", "uncaught"):
        run.event("failure", failure=1, exception="InvalidArgumentError", state=state, message=message, frames=[frame])
    folder = run.write(tmp_path / "run")
    sign = suspicion(read_run(folder))
    assert (sign.what, sign.name, sign.value, sign.where.line) == ("checked", "loss of the step", "NaN", 12)
    assert sign.serious
    (folder / "stderr.log").write_text(f"tensorflow.python.framework.errors_impl.InvalidArgumentError: {message}\n")
    root = scan_run(folder).root
    assert (root.slug, root.title) == ("not-finite", "A value became NaN or infinite"), "its own words, as nothing else"
    (folder / "first-nan.json").write_text(
        json.dumps({"schema": "xladoctor.first-nan/1", "found": DIVISION, "why": None})
    )
    root = scan_run(folder).root
    assert (root.op, root.location.line, root.status) == ("RealDiv", 21, "confirmed")
    assert "`check_numerics` found NaN in loss of the step and ended the run." in root.message
