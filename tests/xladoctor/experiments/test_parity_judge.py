"""What measured differences mean; the measuring itself is tested in tests/probes/graph/test_parity.py."""

from __future__ import annotations

from typing import Any

from tests.xladoctor.answered import made
from xladoctor.experiments import parity_judge as judge
from xladoctor.protocol import answers


def agreements(told, node):
    return judge.agreements(made(answers.Ways, told), None if node is None else made(answers.FirstNode, node))


def of_rows(told, way):
    return judge.of_rows(made(answers.Rows, told), way)


def first_node(told):
    return judge.first_node(None if told is None else made(answers.FirstNode, told))


def row(output="output 0", ways=("plain", "xla"), deviation: Any = 1e-7, tolerance=1e-5, **more):
    shapes = more.pop("shapes", [[4, 3], [4, 3]])
    apart = deviation is None and shapes[0] != shapes[1]
    apart = apart or deviation == "inf" or (deviation is not None and deviation > tolerance)
    return {
        "output": output, "ways": list(ways), "deviation": deviation, "tolerance": tolerance, "shapes": shapes,
        "amplitude": None, "phase": None, "rows": [], "apart": apart, "seeded": False, **more,
    }  # fmt: skip


def told(*rows, **ways):
    outcomes = {w: {"outcome": o, "error": None if o == "passed" else error(o)} for w, o in ways.items()}
    return {"ways": outcomes, "agreements": list(rows)}


def error(kind="failed"):
    return {"kind": "InvalidArgumentError", "message": f"{kind}: first line\nsecond line"}


def test_within_the_tolerance_is_agreement():
    (found,), notes = agreements(told(row(), plain="passed", xla="passed"), None)
    assert (found.agree, found.slug, notes) == (True, None, [])


def test_other_shapes_and_other_values_are_two_classes():
    shapes = row(deviation=None, shapes=[[4, 3], [6, 3]])
    node = {"node": {"node": "a/Roll", "op": "Roll"}, "unchecked": []}
    found, _ = agreements(told(shapes, row("b", deviation=0.5), plain="passed", xla="passed"), node)
    assert [f.slug for f in found] == ["wrong-shape-silent", "parity-divergence"]


def test_amplified_rounding_is_no_finding_but_is_said():
    nobody = {"node": None, "checked": 12, "unchecked": [], "error": None}
    (found,), (note,) = agreements(told(row(deviation=0.5), plain="passed", xla="passed"), nobody)
    assert found.agree and found.deviation == 0.5
    assert "amplifies rounding" in note


def test_a_search_that_could_not_look_everywhere_excuses_nothing():
    for lame in ({"node": None, "unchecked": ["loop"], "error": None}, {"node": None, "unchecked": [], "error": "x"}):
        (found,), _ = agreements(told(row(deviation=0.5), plain="passed", xla="passed"), lame)
        assert found.slug == "parity-divergence"


def test_the_search_excuses_xla_only():
    nobody = {"node": None, "unchecked": [], "error": None}
    eager = row(ways=("plain", "eager"), deviation=0.5)
    (found,), _ = agreements(told(eager, plain="passed", eager="passed"), nobody)
    assert found.slug == "parity-divergence"


def test_plain_mode_raises_where_xla_returns_numbers():
    (found,), _ = agreements(told(plain="failed", xla="passed"), None)
    assert (found.slug, found.agree, found.ways) == ("parity-divergence", False, ("plain", "xla"))
    assert "raises InvalidArgumentError: failed: first line; xla returns numbers" in (found.what or "")


def test_a_way_that_fails_is_a_note_and_no_finding():
    found, notes = agreements(told(plain="passed", xla="failed"), None)
    assert found == [] and notes == ["xla: fails: InvalidArgumentError: failed: first line"]
    found, notes = agreements(told(plain="failed", xla="refused"), None)
    assert found == [] and "no way passes" in notes[-1]


def test_random_numbers_of_one_seed_that_differ_under_xla_are_not_comparable():
    node = {"node": {"node": "r", "op": "StatelessRandomUniformV2"}, "unchecked": []}
    found, notes = agreements(told(row(deviation=0.9, seeded=True), plain="passed", xla="passed"), node)
    assert found == [] and "draws other numbers" in notes[0]
    node = {"node": {"node": "r", "op": "Roll"}, "unchecked": []}
    (found,), _ = agreements(told(row(deviation=0.9, seeded=True), plain="passed", xla="passed"), node)
    assert found.slug == "parity-divergence"


def answer_of(*tests, **more):
    return {"batch": 6, "tests": list(tests), "without_rows": [], "failed": [], "depends": [], **more}


def test_rows_that_depend_on_all_others_and_rows_that_follow_the_wrong_one():
    apart = {**row(deviation=0.5), "test": "alone", "rows": [0, 3], "follows": []}
    everybody = [{"output": "output 0", "input": "positions", "row": 0, "rows": list(range(6))}]
    (found,), _ = of_rows(answer_of(apart, depends=everybody), "plain")
    assert (found.slug, found.test, found.rows) == ("wrong-pairing", "alone", (0, 3))
    assert found.what == "a row depends on its neighbours: row 0 of positions changes every row of output 0"
    some = [{"output": "output 0", "input": "positions", "row": 0, "rows": [0, 2]}]
    (found,), _ = of_rows(answer_of({**apart, "follows": [[3, 1]]}, depends=some), "plain")
    assert "follows the wrong row: row 3 gives what row 1 should" in found.what
    assert "paired with the wrong ones: row 0 of positions changes rows 0, 2" in found.what


def test_lost_rows():
    lost = {**row(deviation=None, shapes=[[1, 3], [6, 3]]), "test": "size", "size": 6, "right_at": 2}
    (found,), _ = of_rows(answer_of(lost), "plain")
    assert (found.slug, found.what) == ("wrong-shape-silent", "6 rows in, 1 out; 2 in, 2 out")


def test_one_agreement_a_test_and_what_cannot_be_said():
    good = [{**row(deviation=d), "test": "alone", "follows": []} for d in (0.0, 3e-7, 1e-7)]
    failed = [{"test": "a row alone", "error": error()}]
    (found,), notes = of_rows(answer_of(*good, without_rows=["loss"], failed=failed), "plain")
    assert (found.agree, found.deviation) == (True, 3e-7)
    assert notes[0].startswith("rows (plain): a row alone does not run") and notes[1].startswith("loss: no rows")
    assert of_rows({"skipped": "why"}, "xla") == ([], ["rows (xla): why"])


def test_infinity_survives_json():
    (found,), _ = agreements(told(row(deviation="inf"), plain="passed", xla="passed"), None)
    assert found.slug == "parity-divergence" and found.deviation is not None and found.deviation > 1e300


def test_the_first_node_has_the_users_line():
    node = {"node": {"node": "a/Roll", "op": "Roll", "deviation": 0.1, "sources": [["f.py", 1, "g"], ["h.py", 7, "k"]]}}
    assert first_node(node) == {
        "node": "a/Roll", "op": "Roll", "location": "h.py:7 in k", "deviation": 0.1, "message": None
    }  # fmt: skip
    assert first_node(None) is None and first_node({"node": None}) is None
