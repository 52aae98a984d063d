"""The table of differences between eager execution and XLA, and how `explain` shows it."""

import json
from dataclasses import replace
from math import inf

import pytest

from xladoctor.__main__ import main
from xladoctor.rules import CODES, atlas


def test_every_entry_has_words_and_stands_once():
    found = atlas.differences()
    assert len(found) > 50
    assert {d.edge for d in found} <= set(atlas.EDGES) and {d.kind for d in found} <= set(atlas.KINDS)
    assert not {d.kind for d in found} & set(atlas.MINOR)
    keys = [(d.version, d.op, d.edge, d.argument, d.kind) for d in found]
    assert len(set(keys)) == len(keys)


def test_an_index_out_of_range_is_clamped():
    [entry] = [d for d in atlas.of_op("GatherV2", "raises", "2.21.0") if d.edge == "index-too-large"]
    assert entry.workarounds == ("check-indices",)
    assert entry.argument == "indices" and "float32" in entry.types
    assert str(entry) == (
        "with an index that is too large in `indices`, XLA gives numbers where eager execution raises an error"
    )
    assert all(d.kind != "first-raises" for d in atlas.of_op("GatherV2", "values"))


def test_an_op_that_nobody_knows_has_no_entry():
    assert atlas.of_op("NoSuchOp") == () and atlas.of_op(None) == ()


def test_explain_shows_an_op(capsys):
    assert main(["explain", "GatherV2"]) == 0
    shown = capsys.readouterr().out
    assert "GatherV2 under XLA" in shown and "an index that is too large in `indices`" in shown
    assert main(["explain", "GatherV2", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "xladoctor.atlas/1" and {d["op"] for d in data["differences"]} == {"GatherV2"}


@pytest.mark.parametrize("style", ["console", "markdown"])
def test_explain_shows_all_by_kind_of_input(style, capsys):
    assert main(["explain", "silent-under-xla", "--format", style]) == 0
    shown = capsys.readouterr().out
    assert "an index that is too large" in shown and "GatherV2" in shown and "What to do" in shown


def test_the_version_of_a_run_chooses_its_entries():
    tried = sorted({d.version for d in atlas.differences()})
    assert {d.version for d in atlas.of_op("GatherV2", version="99.0")} <= {max(tried, key=atlas._numbers)}
    assert {d.version for d in atlas.of_op("GatherV2", version="1.15.0")} <= {min(tried, key=atlas._numbers)}
    assert atlas.of_op("NoSuchOp", version="2.21.0") == ()


def test_a_difference_of_several_versions_stands_once():
    [old, new] = (
        atlas.Difference(v, "Op", "nan", "x", "nan", ("float32",), None, v, "", False) for v in ("2.9", "2.10")
    )
    [(one, versions)] = atlas.joined([new, old])
    assert one.eager == "2.10" and versions == ("2.9", "2.10")


def test_every_way_around_has_words():
    found = atlas.differences()
    assert {way for d in found for way in (*d.workarounds, *d.tried)} <= set(atlas.WORKAROUNDS)
    assert all(set(d.workarounds) <= set(d.tried) and set(d.tried_types) <= set(d.types) for d in found)


def test_what_came_of_the_ways_around_is_told():
    [cast, none, unfit, untried] = (
        atlas.Difference("2.21.0", "Op", "nan", "x", "nan", ("float32",), None, "", "", False, helps, tried, types)
        for helps, tried, types in (
            (("float64",), ("float64", "keep-nan"), ("float32",)),
            ((), ("float64",), ("float32",)),
            ((), (), ("float32",)),
            ((), (), ()),
        )
    )
    assert [d.trial for d in (cast, none, unfit, untried)] == ["helps", "no-help", "none-fits", "not-tried"]
    assert atlas.advice(cast).endswith("tried to cast its inputs to float64, and its result back.")
    assert "did not help: to cast its inputs" in atlas.advice(none) and not atlas.advice(untried)


def test_hazards_are_ranked_and_a_mask_counts_for_rows():
    ranked = atlas.hazards({"GatherV2", "AddV2", "Cumsum"})
    assert [op for op, _ in ranked] == ["GatherV2"]
    assert [op for op, _ in atlas.hazards({"GatherV2", "Cumsum", "Where"})] == ["Cumsum", "GatherV2"]


def test_a_program_is_explained_by_its_name_and_by_what_it_is_about(capsys):
    assert {d.op for d in atlas.about("tf.TensorArray")} >= {"composition:array_grows_from_two"}
    assert atlas.about("array") == () and atlas.about("tf.nothing") == ()
    for asked in ("array_grows_from_two", "tf.TensorArray", "composition:array_grows_from_two"):
        assert main(["explain", asked]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert "gives another shape" in shown and "give the TensorArray its full size" in shown


def test_what_only_programs_show_has_words_and_hides_no_class():
    programs = {d.op for d in atlas.differences() if d.edge == atlas.PROGRAM}
    assert all(atlas.what(op) for op in programs)
    names = {slug for slug, _ in CODES.values()}
    asked = {name for one in atlas.compositions().values() for name in (one.name, *one.about)}
    assert not {name.replace("_", "-").rpartition(".")[2].lower() for name in asked} & names


def test_what_only_programs_show_is_known_of_their_function():
    function, found = atlas.of_programs("TensorListReserve", "shape", "2.21.0")
    assert function == "TensorArray" and {d.op for d in found} == {
        "composition:array_grows_from_nothing",
        "composition:array_grows_from_two",
    }
    assert any(d.workarounds for d in found) and {d.kind for d in found} == {"shape"}
    assert [d.op for d in atlas.of_programs("Assert", "raises", "2.21.0")[1]] == ["composition:assert_that_fails"]
    assert atlas.of_programs("MatMul", "value", None) == ("", ()) and atlas.of_programs(None, None, None) == ("", ())


def test_ways_around_that_were_tried_in_another_version_alone():
    tried = {(d.op, d.edge, d.argument, d.kind): d for d in atlas.differences() if d.version == "2.21.0" and d.tried}
    one = next(d for d in atlas.differences() if d.version == "2.19.1" and d.trial == "not-tried"
               and (d.op, d.edge, d.argument, d.kind) in tried)  # fmt: skip
    assert atlas.advice(one) == f"In TensorFlow 2.21.0: {atlas.advice(tried[one.op, one.edge, one.argument, one.kind])}"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("silent-under-xl", "silent-under-xla"), ("gatherv2", "GatherV2"), ("MaxPol", "MaxPool"), ("xd9999", "XD909")],
)
def test_a_page_of_the_atlas_that_is_misspelt_is_asked_for(typed, meant, capfd):
    assert main(["explain", typed]) == 2
    assert f"Did you mean {meant}" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("eager", "xla", "nearer"),
    [
        (0.5, 3000.0, "eager"),
        (inf, 0.0, "xla"),
        (inf, inf, "neither"),
        (300.0, 900.0, "neither"),
        (0.5, 2.0, "both"),
        (None, None, "unknown"),
    ],
)
def test_which_side_is_nearer_to_float64(eager, xla, nearer):
    one = atlas.Difference("2.21.0", "Op", "nan", "x", "nan", ("float32",), None, "", "", False)
    one = replace(one, eager_units=eager, xla_units=xla)
    assert one.nearer == nearer
    wide = replace(one, types=("float32", "float64"))
    assert (wide.nearer, replace(wide, edge="huge").nearer) == ("as-in-float64", nearer)
    assert replace(wide, kind="first-raises").nearer == "unknown", "there are no numbers to compare"
    told = json.loads(json.dumps(atlas.as_data(one), allow_nan=False))
    assert told["nearer"] == nearer and told["xla_units"] == (xla if xla != inf else None)
    assert (nearer == "unknown") == (not atlas.NEARER[one.nearer])
