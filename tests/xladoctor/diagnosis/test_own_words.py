"""Remedies name what the failure names: index, types, shapes, bytes, keys, the variable that chose a package."""

from __future__ import annotations

from dataclasses import replace

import pytest

from xladoctor.diagnosis.fitting import Situation, fitted
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.rules import by_slug
from xladoctor.rules.successors import successor


def finding(slug: str, dims=(), op=None, text="", **details) -> Finding:
    rule = by_slug(slug)
    made = Finding(rule.code, rule.slug, "error", "root", rule.title, "It failed.", op=op, dims=dims)
    return replace(made, details=details, evidence=(Proof("log", text),), remedies=rule.remedies)


def remedies(found: Finding, known: Situation | None = None) -> dict[str, tuple[str, str]]:
    return {r.id: (r.title, r.how) for r in fitted([found], known or Situation())[0].remedies}


def test_an_index_says_which_are_allowed_and_how_large_the_table_would_be():
    one_more = remedies(finding("index-out-of-range", (100, 100)))
    assert one_more["check-range"][0].endswith("0 to 99 are allowed (do they start at 1?)")
    assert one_more["size-of-table"][0] == "Or, if 100 is right, give the table 101 rows: it has 100"
    padding = remedies(finding("index-out-of-range", (-1, 50)))
    assert "-1" in padding["check-range"][0] and "size-of-table" not in padding, "no table has a row -1"


@pytest.mark.parametrize(
    ("types", "cast"),
    [
        (["uint8", "float32"], ("uint8", "float32")),
        (["float", "int32"], ("int32", "float32")),
        (["double", "float"], ("float64", "float32")),
        (["complex64", "float32"], ("float32", "complex64")),
        (["int32", "int64"], ("int32", "int64")),
        (["float16", "float32"], ("float16", "float32")),
    ],
)
def test_a_cast_names_both_types_and_loses_no_values_but_of_numpys_default(types, cast):
    title, how = remedies(finding("dtype-mismatch", op="AddV2", types=types))["cast"]
    assert title == f"Cast the {cast[0]} operand of AddV2 to {cast[1]}"
    assert ("loses precision" in how) == (cast == ("float64", "float32"))


def test_memory_says_how_much_and_which_axes_pair():
    title, how = remedies(finding("oom", tensor_shape=[400000, 400000, 64], dtype="float"))["check-shape"]
    assert title == "Check whether (400000, 400000, 64) is meant: 37.3 TiB of float32"
    assert "Axes 0 and 1 are both 400000" in how and "One row of axis 0 takes 97.7 MiB" in how
    assert "both" not in remedies(finding("oom", tensor_shape=[9, 8], dtype="float"))["check-shape"][1]


def test_a_join_of_other_ranks_names_the_shapes():
    title, how = remedies(finding("rank-mismatch", (1, 2), "ConcatV2", shapes=[[40], [20, 3], []]))["explicit-axes"]
    assert title == "Give both the same number of axes: (40,) has 1, (20, 3) has 2" and "tf.newaxis" in how


def test_labels_that_start_at_one_are_told_so():
    def said(labels):
        op = {"inputs": [{"shape": [4, 10], "value": None}, {"shape": [4], "value": labels}]}
        found = finding("index-out-of-range", (10, 10), "SparseSoftmaxCrossEntropyWithLogits", failing_op=op)
        return remedies(found)["check-range"][0]

    assert said([10, 3, 1, 7]) == "Subtract 1 from the labels: those of this batch run from 1 to 10"
    assert all(said(labels).endswith("(do they start at 1?)") for labels in ([10, 3, 0, 7], [10, 3, 2, 7], None))


def test_labels_are_counted():
    assert remedies(finding("keras-input-mismatch", row_counts=[52, 64]))["match-data"][0] == (
        "Give each row one label: 52 rows, 64 labels"
    )
    one_hot = remedies(finding("keras-input-mismatch", row_counts=[32, 320]))["match-data"][1]
    assert "320 labels are 10 for each row" in one_hot and "`categorical_crossentropy`" in one_hot


def test_a_key_is_renamed_to_the_one_that_is_missing():
    said = remedies(finding("wrong-input-key", missing="age", keys=["scan", "ages"]))
    assert said["name-the-inputs"][0] == 'Rename the key "ages" to "age"'
    other = remedies(finding("wrong-input-key", missing="age", keys=["x"]))
    assert other["name-the-inputs"][0] == 'Give the data a key "age"'


def test_a_name_that_is_gone_has_a_successor():
    gone = "tensorflow.keras.layers.experimental.preprocessing"
    title, _ = remedies(finding("removed-name", gone=gone))["use-the-new-name"]
    assert title == f"Use keras.layers instead of {gone}"
    assert successor("tensorflow.Session").new == "tf.compat.v1.Session"
    assert successor("keras.layersx") is successor("tensorflow") is None


def test_what_the_failure_does_not_hold_is_not_made_up():
    for slug in ("index-out-of-range", "dtype-mismatch", "oom", "wrong-input-key", "removed-name"):
        rule = by_slug(slug)
        titles = [title for title, _ in remedies(finding(slug)).values()]
        assert set(titles) <= {remedy.title for remedy in rule.remedies}


def test_a_package_that_a_variable_asked_for():
    torch = finding("not-xla", text="No module named 'torch'", kind="ModuleNotFoundError")
    said = remedies(torch, Situation(recorded=True, backend="torch"))["fix-what-is-named"]
    assert said[0] == "Install torch, or choose another backend of Keras" and "KERAS_BACKEND=tensorflow" in said[1]
    assert "KERAS_BACKEND" not in remedies(torch, Situation(recorded=True))["fix-what-is-named"][1]
    legacy = finding("not-xla", text="Keras cannot be imported. Check that it is installed.", kind="ImportError")
    said = remedies(legacy, Situation(recorded=True, legacy_keras=True))["fix-what-is-named"]
    assert said[0] == "Install tf_keras, or use Keras 3" and "TF_USE_LEGACY_KERAS=1" in said[1]


def test_a_program_that_runs_eagerly_is_not_told_to():
    eager = finding("matmul-conv-mismatch", (4, 2), "MatMul", "Matrix size-incompatible: [4,4], [2,4] [Op:MatMul]")
    graph = replace(eager, evidence=(Proof("log", "Matrix size-incompatible [Op:__inference_f_12]"),))
    assert "run-eagerly" in {r.id for r in eager.remedies}, "the class has it"
    assert "run-eagerly" not in remedies(eager) and "run-eagerly" in remedies(graph)


def test_a_size_from_a_condition_is_kept_and_a_loop_is_unrolled_only_where_there_is_one():
    where = remedies(finding("compile-time-constant", origin={"op": "Where"}, in_loop=False))
    assert "mask those" in where["constant-size"][0] and "unroll" not in where
    unique = remedies(finding("compile-time-constant", origin={"op": "UniqueV2"}, in_loop=False))
    assert unique["constant-size"][0].startswith("Call UniqueV2 before")
    assert "unroll" in remedies(finding("compile-time-constant", in_loop=True))
    rule = {r.id: r.title for r in by_slug("compile-time-constant").remedies}
    assert remedies(finding("compile-time-constant"))["constant-size"][0] == rule["constant-size"]
