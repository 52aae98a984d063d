"""What the atlas takes for a difference, and how its journals are read."""

import ast
import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks import atlas
from benchmarks.atlas.children import run
from benchmarks.atlas.compare import Outcome, difference
from benchmarks.atlas.defects import DEFECTS
from benchmarks.atlas.edges import edges, with_other_strides
from benchmarks.atlas.entries import _covered, _with_earlier_trials, coverage, entries, merged, read, trials
from benchmarks.atlas.known import CALLS
from benchmarks.atlas.reference import error
from benchmarks.atlas.run import _compared

ONE = np.array([1.0, 2.0, 4.0], np.float32)


def outcome(values, dtype=np.float32):
    return Outcome((np.array(values, dtype),))


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (outcome(ONE), outcome(ONE), ""),
        (outcome(ONE), outcome(ONE * (1 + 1e-6)), "rounding"),
        (outcome(ONE), outcome(ONE * (1 + 1e-4)), "approximation"),
        (outcome(ONE), outcome(ONE * 1.1), "value"),
        (outcome(ONE), outcome([1, np.nan, 4]), "nan"),
        (outcome([1, np.nan]), outcome([1, np.nan]), ""),
        (outcome([1, np.inf]), outcome([1, -np.inf]), "infinity"),
        (outcome([1, np.inf]), outcome([1, 3e38]), "infinity"),
        (outcome([0.0]), outcome([-0.0]), "sign-of-zero"),
        (outcome([1e-40]), outcome([0.0]), "denormal"),
        (outcome([0.0]), outcome([4.9]), "value"),
        (outcome([1, 2], np.int32), outcome([1, 3], np.int32), "value"),
        (outcome(ONE), outcome(ONE[:2]), "shape"),
        (outcome(ONE), outcome(ONE, np.float64), "dtype"),
        (Outcome(error="InvalidArgumentError"), outcome(ONE), "first-raises"),
        (outcome(ONE), Outcome(error="InvalidArgumentError"), "second-raises"),
        (Outcome(error="InvalidArgumentError"), Outcome(error="InternalError"), ""),
    ],
)
def test_kinds_of_differences(first, second, kind):
    assert difference(first, second).kind == kind


def row(dtype, edge, kind="", **more):
    return {"name": "Op", "dtype": dtype, "edge": edge, "argument": "x", "graph": {},
            "xla": {"kind": kind, "size": 0.5, "shown": ["1", "2"]} if kind else {}, **more}  # fmt: skip


def test_entries_join_types_and_leave_rounding_out():
    rows = [row("float32", "nan", "value"), row("float16", "nan", "value"), row("float32", "ties", "rounding")]
    [entry] = entries("2.21.0", rows)
    assert entry["types"] == "float16 float32" and entry["eager"] == "1" and entry["in_graph"] == ""
    around = [
        {**row(of, "nan"), "kind": "value", "holds": ways} for of, ways in (("float32", ["a", "b"]), ("float16", ["b"]))
    ]
    [entry] = entries("2.21.0", rows, trials(around))
    assert (entry["workarounds"], entry["tried"], entry["tried_types"]) == ("b", "a b", "float16 float32")
    [entry] = entries("2.21.0", rows, trials(around[:1]))
    assert (entry["workarounds"], entry["tried_types"]) == ("a b", "float32")
    tried = coverage([*rows, {"name": "Other", "left-out": "resources"}])
    assert (tried["Op"].calls, tried["Op"].why, tried["Other"].why) == (3, "", "resources")


def test_a_call_that_ends_or_stops_its_process_is_tried_once(tmp_path, monkeypatch):
    def messages(name, progress):
        for call in ("a", "ends", "b", "hangs", "c"):
            if not progress.trying(call):
                continue
            if call == "ends":
                os.kill(os.getpid(), signal.SIGKILL)
            if call == "hangs":
                time.sleep(30)
            if call not in {r["call"] for r in progress.rows}:
                yield {"name": name, "call": call}

    monkeypatch.setattr("benchmarks.atlas.children.CALL_LIMIT", 2.0)
    journal = tmp_path / "journal.jsonl"
    run(["Op"], messages, journal)
    rows = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [r.get("call") for r in rows] == ["a", "b", "c", None] and rows[-1]["finished"] == ""
    run(["Op"], messages, journal)
    assert len(journal.read_text().splitlines()) == 4


def test_of_a_call_that_was_made_twice_the_last_row_counts(tmp_path):
    journal = tmp_path / "journal.jsonl"
    journal.write_text("".join(json.dumps(r) + "\n" for r in (row("f", "nan", "value"), row("f", "nan"))))
    assert [r["xla"] for r in read(journal)] == [{}]


def test_what_xla_gives_twice_must_be_the_same():
    one, other = outcome(ONE), outcome(ONE + 1)
    ways = {"eager": one, "again": one, "graph": one, "xla": one, "xla-again": one}
    assert _compared(ways)["xla"] == {}
    assert _compared({**ways, "xla-again": other})["xla"]["kind"] == "unrepeatable"
    assert _compared({**ways, "again": other}) == {"again": True}
    assert _compared({**ways, "xla-again": Outcome(error="hangs")}) == {"xla": {"kind": "hangs"}}


def test_a_program_that_shows_a_defect_is_short():
    assert all(len(defect.program.strip().splitlines()) <= 15 for defect in DEFECTS)


def test_a_composition_is_short_and_says_what_it_does():
    folder = Path(atlas.__file__).parent / "compositions"
    functions = [
        node
        for name in ("flow.py", "chance.py", "states.py", "rows.py")
        for node in ast.parse((folder / name).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert len(functions) > 80
    assert all(node.end_lineno - node.lineno < 15 for node in functions)
    assert all(ast.get_docstring(node) for node in functions if node.name != "_")


def test_further_calls_stand_beside_those_of_the_table_or_in_their_place():
    tried = [{**row("float32", "nan"), "kind": "nan", "tried": ["a"], "holds": []}]
    table = entries("2.21.0", [row("float32", "nan", "nan"), row("int8", "ties", "value")], trials(tried))
    more = [row("float16", "nan", "nan"), row("int8", "ties"), row("float32", "zeros", "value")]
    found = {(r["edge"], r["kind"]): r for r in merged(table, more, "2.21.0", {})}
    assert set(found) == {("nan", "nan"), ("zeros", "value")}
    assert found["nan", "nan"]["types"] == "float16 float32"
    assert (found["nan", "nan"]["tried"], found["nan", "nan"]["tried_types"]) == ("a", "float32")
    assert len(merged(table, [row("int8", "ties", "shape")], "2.19.1", {})) == 3
    before = {"types": "float32", "calls": "10", "not_compared": "1", "why": ""}
    [one] = coverage(more[:1]).values()
    assert _covered("2.21.0", "Op", one, before)["calls"] == "11"
    assert _covered("2.21.0", "Op", coverage([row("float32", "nan")])["Op"], before)["calls"] == "10"


def test_what_came_of_the_ways_around_is_kept_for_a_difference_that_is_measured_again():
    new = {"types": "float32 int8", "workarounds": "", "tried": "", "tried_types": ""}
    old = {"types": "float32 float64", "workarounds": "float64", "tried": "float64 keep-nan", "tried_types": "float32"}
    _with_earlier_trials(new, old)
    assert new == {**new, "workarounds": "float64", "tried": "float64 keep-nan", "tried_types": "float32"}
    other = {"types": "int8", "workarounds": "", "tried": "", "tried_types": ""}
    _with_earlier_trials(other, old)
    _with_earlier_trials(other, None)
    assert not other["tried"], "of other types nothing is known"
    both = {"types": "float32 int8", "workarounds": "check-indices", "tried": "check-indices", "tried_types": "int8"}
    _with_earlier_trials(both, old)
    assert (both["workarounds"], both["tried_types"]) == ("", "float32 int8"), "what holds in all types"
    program = {"types": "", "workarounds": "", "tried": "", "tried_types": ""}
    _with_earlier_trials(program, {**program, "workarounds": "outside", "tried": "outside"})
    assert program["workarounds"] == "outside"


@pytest.mark.parametrize(
    ("wide", "narrow", "units"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 2.0], [1.0, 2.0 * (1 + 2**-20)], 8.0),
        ([1.0, 1e300], [1.0, np.inf], 0.0),
        ([1.0, np.nan], [1.0, 2.0], np.inf),
        ([1.0, 2.0], [1.0, np.inf], np.inf),
        ([np.inf], [-np.inf], np.inf),
        ([2.0**-149], [0.0], 1.0),
        ([1.0, 2.0], [1.0], np.inf),
        ([], [], 0.0),
    ],
)
def test_units_from_the_result_in_float64(wide, narrow, units):
    assert error(outcome(wide, np.float64), outcome(narrow)) == units


def test_nothing_is_said_of_a_result_that_is_no_wider_of_integers_or_of_an_error():
    assert error(outcome(ONE), outcome(ONE)) is None
    assert error(outcome([1], np.int64), outcome([1], np.int32)) is None
    assert error(outcome(ONE, np.float64), Outcome(error="InvalidArgumentError")) is None


def test_entries_tell_the_most_units_of_all_types():
    near, far = {"eager": "0.5", "xla": "300.0"}, {"eager": "2.0", "xla": "inf"}
    rows = [row("float32", "huge", "value", units=near), row("float16", "huge", "value", units=far)]
    [entry] = entries("2.21.0", [*rows, row("int8", "huge", "value")])
    assert (entry["eager_units"], entry["xla_units"]) == ("2", "inf")
    [entry] = merged(entries("2.21.0", rows[:1]), [rows[1]], "2.21.0", {})
    assert (entry["eager_units"], entry["xla_units"]) == ("2", "inf")


def test_strides_go_back_beyond_the_end_and_nowhere():
    call = CALLS["TensorStridedSliceUpdate"]
    kinds = {e.kind: e.arrays for e in edges(call) if e.argument == "strides"}
    table = dict(call.inputs)["input"].array()
    for kind, rows in (("stride-negative", 2), ("stride-long", 1), ("stride-long-negative", 1)):
        begin, end, stride = (int(kinds[kind][name][0]) for name in ("begin", "end", "strides"))
        assert (
            len(table[slice(begin, end if end >= -len(table) else None, stride)]) == rows == len(kinds[kind]["value"])
        )
    assert int(kinds["stride-zero"]["strides"][0]) == 0
    windows = [dict(other.attributes)["strides"] for other, _ in with_other_strides(CALLS["Conv2D"])]
    assert windows == [[1, 97, 97, 1], [1, -1, -1, 1]]
    assert not list(with_other_strides(CALLS["Where"]))
