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


def spec(shape, dtype="float32"):
    return f"TensorSpec(shape={shape}, dtype=tf.{dtype}, name=None)"


def lambda_(n):
    return f"Weakref[<weakref at 0x7fa1{n:08x}; to 'function' at 0x7fa159564040 (<lambda>)>])"


DTYPES = ("int32", "int64", "float16", "bfloat16", "float32", "float64")
TYPES = [spec("(5,)", d) for d in DTYPES]
SHAPES = [spec(f"({n}, 2)") for n in range(3, 9)]
STRUCTURES = [f"List[{', '.join([spec('(3,)')] * n)}]" for n in range(1, 7)]
RANKS = [spec(f"({'2, ' * n}2)") for n in range(1, 7)]
NUMBERS = [f"Literal[{n}]" for n in range(6)]
TEXTS = [f"Literal['{n}']" for n in ("relu", "tanh", "gelu", "elu", "none", "swish")]
DATED = [f"Literal['run-{n}']" for n in range(12)]
NESTED = [f"Dict[['scale', Literal[{n}]], ['shift', Literal[0.5]]]" for n in range(6)]
GRID = [spec(f"({n},)", d) for d in DTYPES[:3] for n in (2, 3, 4)]


def traced(tmp_path, arguments, calls=None, owners=None, ends=100.0, **fields):
    run = Run()
    for n, text in enumerate(arguments):
        run.trace(f"7-{n}-step", "step", f"g{n}")
        run.events[-1] |= {"owner": owners[n] if owners else 1, "arguments": {"x": text}, **fields}
    if calls is not None:
        run.event("end", state="exit", calls={str(owner): calls for owner in owners or [1]})
        run.events[-1]["t"] = ends
    return [f for f in scan_run(run.write(tmp_path / "run")).findings if f.slug == "retracing"]


@pytest.mark.parametrize(
    ("arguments", "calls"),
    [
        (TYPES, 6),
        (TYPES, None),
        (STRUCTURES, 6),
        (RANKS, 6),
        (TEXTS, 6),
        (SHAPES, 60),
        (NUMBERS, 60),
        (GRID[:4], 4),
        (SHAPES, 2 * len(SHAPES)),
    ],
    ids=["types", "types-unknown", "structures", "ranks", "texts", "buckets", "numbers-again", "few", "buckets-twice"],
)
def test_traces_that_are_needed_are_not_warned_of(tmp_path, arguments, calls):
    assert traced(tmp_path, arguments, calls) == []


@pytest.mark.parametrize(("arguments", "warned"), [(SHAPES, False), (NUMBERS, True)])
def test_sizes_that_larger_functions_bring_along_are_theirs(tmp_path, arguments, warned):
    assert bool(traced(tmp_path, arguments, len(arguments), parent="g99")) == warned


@pytest.mark.parametrize(
    ("arguments", "needed", "remedies"),
    [
        (SHAPES, 1, ["relax-shapes"]), (NUMBERS, 1, ["tensors-in"]), (DATED, 1, ["tensors-in"]),
        (NESTED, 1, ["tensors-in"]),
        ([lambda_(n) for n in range(6)], 1, ["keep-object"]),
        (GRID, 3, ["relax-shapes"]), ([spec("(3,)")] * 6, 1, []),
    ],
    ids=["shapes", "numbers", "dated-texts", "nested-numbers", "functions", "types-and-shapes", "alike"],
)  # fmt: skip
def test_wasted_traces_have_the_advice_for_what_changes(tmp_path, arguments, needed, remedies):
    (found,) = traced(tmp_path, arguments, len(arguments))
    assert (found.level, found.details["needed"]) == ("warning", needed)
    assert [r.id for r in found.remedies] == remedies
    # One signature holds one type: it is no advice where the types differ.
    assert ("input_signature" in str(found.remedies)) == (arguments is SHAPES)


@pytest.mark.parametrize(
    ("calls", "method", "warned"), [(1, False, True), (20, False, False), (None, False, True), (1, True, False)]
)
def test_functions_made_anew_are_warned_of_where_none_is_used_again(tmp_path, calls, method, warned):
    defined = {"file": "train.py", "line": 3, **({"method": True} if method else {})}
    found = traced(tmp_path, [spec("(2,)")] * 9, calls, owners=list(range(1, 10)), defined=defined)
    assert [[r.id for r in f.remedies] for f in found] == ([["keep-function"]] if warned else [])


@pytest.mark.parametrize(
    ("arguments", "ends", "warned"),
    [(NUMBERS, 0.8, True), (NUMBERS, 3.0, False), (DATED, 1.5, True), (SHAPES, 0.8, False), (TEXTS, 0.8, False)],
    ids=["each-epoch", "soon-known", "dated-texts", "sizes", "modes"],
)
def test_new_python_values_until_late_in_the_run_are_warned_of_however_many_calls_there_are(
    tmp_path, arguments, ends, warned
):
    found = traced(tmp_path, arguments, calls=1000, ends=ends)
    assert [f.level for f in found] == ["warning"] * warned


def test_what_changes_inside_of_an_argument_is_shown_and_advised_as_such(tmp_path):
    (found,) = traced(tmp_path, NESTED, len(NESTED))
    assert "(Dict[['scale', 0], ['shift', 0.5]], " in found.message
    assert found.remedies[0].title == "Pass what changes in x as tensors"
    assert found.remedies[0].how.startswith("`tf.constant(...)`: a Python value is a constant")
