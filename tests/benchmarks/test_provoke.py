"""The laboratory of messages: what is spoiled, what is right, what counts as one message."""

import pytest

from benchmarks.provoke import coverage, literals, ops
from benchmarks.provoke.bases import Call
from benchmarks.provoke.provoked import Said, template
from benchmarks.provoke.truth import right
from benchmarks.provoke.values import BOOL, FLOAT, INT32, STRING, VARIANT, Value
from xladoctor.model.diagnosis import Finding

CALL = Call("Concat", (("axis", Value(INT32, (), "0")), ("values", (Value(FLOAT, (2, 4)),) * 2)), (("N", 2),))


def test_a_call_is_the_same_when_it_is_read_back():
    assert ops.from_json(ops.to_json(CALL)) == CALL


def test_one_thing_is_wrong_in_each_spoiled_call():
    found = list(ops.spoilt(CALL))
    assert {call.spoilt for call in found} == {"rank", "dimension", "index", "dtype"}
    for call in found:
        changed = [a != b for (_, a), (_, b) in zip(CALL.inputs, call.inputs, strict=True)]
        assert sum(changed) == 1
    assert all(call.inputs[1][1][0] == Value(FLOAT, (2, 4)) for call in found)  # of a list, the last


@pytest.mark.parametrize(
    ("value", "kind"),
    [(Value(FLOAT, (2, 2)), "f"), (Value(INT32, (3,), "-98"), "i"), (Value(BOOL, (4,)), "b"), (Value(STRING, ()), "O")],
)
def test_the_elements_of_a_value(value, kind):
    array = value.array()
    assert array.shape == value.shape and array.dtype.kind == kind


def test_a_handle_is_never_spoiled():
    assert not list(ops.spoilt(Call("BatchDataset", (("input", Value(VARIANT, (), "dataset")),), ())))


@pytest.mark.parametrize(
    ("name", "spoilt", "wanted"),
    [
        ("MatMul", "dimension", {"matmul-conv-mismatch", "broadcast-mismatch", "rank-mismatch"}),
        ("ConcatV2", "rank", {"concat-pack-mismatch", "broadcast-mismatch", "rank-mismatch"}),
        ("Add", "dtype", {"dtype-mismatch", "unsupported-op"}),
        ("loss:Huber", "rank", {"keras-input-mismatch", "broadcast-mismatch", "rank-mismatch"}),
        ("fit:named", "key", {"wrong-input-key", "keras-input-mismatch"}),
        ("saved:dense", "weights", {"weight-shape-mismatch", "keras-input-mismatch"}),
    ],
)
def test_which_classes_are_right(name, spoilt, wanted):
    assert right(name, spoilt) == wanted


def test_one_message_is_one_template_however_it_is_passed_on():
    said = "Incompatible shapes: [2,3] vs. [4]"
    name = "tensorflow.python.framework.errors_impl.InvalidArgumentError: "
    head = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\n'
    eager = f"{head}{name}{{{{function_node __wrapped__Mul}}}} {said.replace('2,3', '7,9')} [Op:Mul] name: \n"
    stack = 'Detected at node Mul defined at (most recent call last):\n  File "a.py", line 9, in f\n    a * b\n'
    graph = f"{head}{name}Graph execution error:\n\n{stack}\n{said}\n\t [[{{{{node Mul}}}}]] [Op:__inference_f_7]\n"
    assert template(eager) == template(graph)


@pytest.mark.parametrize(
    ("literal", "said"),
    [
        ("knots must have rank %d, got shape", "knots must have rank 3, got shape [2,3]"),
        ("knots of shape %s are too wide: ", "knots of shape [2,3] are too wide:"),
        ("the knots do not match", "the knots do not match"),
    ],
)
def test_a_literal_is_filled_with_sizes(literal, said):
    assert literals.filled(literal.strip()).startswith(said)


def test_a_literal_was_provoked_where_its_longest_part_was_said():
    assert literals.was_provoked("%s knots must have rank %d", "in x: 7 knots must have rank 3")
    assert not literals.was_provoked("%s knots must have rank %d", "knots must have a rank")


def test_a_row_of_the_coverage_counts_templates_of_shapes_apart():
    shaped = Finding("XD307", "matmul-conv-mismatch", "error", "root", "title", "message")
    said = [
        Said("a", "MatMul", "eager", "dimension", shaped),
        Said("b", "MatMul", "eager", "rank", None),
        Said("c", "MatMul", "eager", "dtype", shaped),
    ]
    assert coverage.row("2.21, ops", said) == "| 2.21, ops | 2 | 1 | 1 (0.500) | 1 of 1 |"
