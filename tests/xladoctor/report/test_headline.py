"""The headline of every class that has one of its own: the texts are pinned here and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from xladoctor.model.diagnosis import Diagnosis, Finding, Location, Proof, Remedy, SettingEvent, XlaPath
from xladoctor.model.element_types import byte_words
from xladoctor.report import View, render
from xladoctor.report.excerpt import Excerpt, SourceLine
from xladoctor.report.findings import telling_line
from xladoctor.report.headline import headline, is_first_sentence


def finding(slug, message="The message. More.", title="A title of its own", **fields):
    return Finding("XD000", slug, "error", "root", title, message, **fields)


WORKER = {"inputs": [{"shape": [2, 3]}, {"shape": [2, 4]}]}
HEADLINES = [
    (
        finding("broadcast-mismatch", op="AddV2", dims=(24, 4),
                details={"shapes": [[None, 24, 64], [None, 4, 64]], "layer_class": "SelfAttention"}),
        "Cannot add (None, 24, 64) and (None, 4, 64) in SelfAttention: axis 1 is 24 on the left and 4 on the right",
    ),
    (
        finding("broadcast-mismatch", op="Mul", details={"shapes": [[5, 3], [4]]}),
        "Cannot multiply (5, 3) and (4,): axis -1 is 3 on the left and 4 on the right",
    ),
    (
        finding("broadcast-mismatch", op="Sub", details={"failing_op": WORKER}, layer="a/b"),
        "Cannot subtract (2, 3) and (2, 4) in a/b: axis 1 is 3 on the left and 4 on the right",
    ),
    (
        finding("broadcast-mismatch", op="Sub", dims=(3, 4)),
        "Cannot subtract two tensors: an axis is 3 on the left and 4 on the right",
    ),
    (
        finding("concat-pack-mismatch", op="ConcatV2", details={"shapes": [[2, 8, 3], [2, 7, 3]]}),
        "Cannot join (2, 8, 3) and (2, 7, 3): axis 1 is 8 in the first and 7 in the second",
    ),
    (
        finding("concat-pack-mismatch", op="IteratorGetNext", details={"shapes": [[7], [8]]}),
        "Cannot batch elements of shapes (7,) and (8,): axis 0 is 7 in the first and 8 in the second",
    ),
    # Which of two axes is joined, and may differ, is not known.
    (
        finding("concat-pack-mismatch", op="ConcatV2", details={"shapes": [[2, 8], [3, 7]]}),
        "Cannot join (2, 8) and (3, 7)",
    ),
    (
        finding("concat-pack-mismatch", op="Pack", details={"shapes": [[2], [2, 1]]}),
        "Cannot stack (2,) and (2, 1): the first has 1 axis, the second 2",
    ),
    (
        finding("matmul-conv-mismatch", op="MatMul", dims=(12, 10), details={"shapes": [[8, 12], [10, 4]]}),
        "Cannot multiply matrices (8, 12) and (10, 4): the inner sizes are 12 and 10",
    ),
    (finding("matmul-conv-mismatch", "The input has 3 channels. More.", ""), "The input has 3 channels"),
    (
        finding("reshape-mismatch", details={"have": 144, "want": 140, "target": [4, 5, 7],
                "factors": {"have": [{"shape": [4, 36], "from": "input shapes"}]}}),
        "Cannot reshape (4, 36) to (4, 5, 7): it has 144 elements, the target takes 140",
    ),
    (
        finding("reshape-mismatch", details={"have": 10, "want": 4, "multiple_of": 4}),
        "Cannot reshape 10 elements to the requested shape: the target takes a multiple of 4",
    ),
    (
        finding("oom", device="/job:localhost/replica:0/task:0/device:GPU:0",
                details={"tensor_shape": [400000, 400000, 64], "dtype": "float"}),
        "No memory on GPU:0 for a float32 tensor of shape (400000, 400000, 64): it needs 37.3 TiB",
    ),
    (
        finding("not-xla", details={"kind": "KeyError"}, evidence=(Proof("log", "'rate'\nmore", "x:1"),)),
        "KeyError: 'rate'",
    ),
    (finding("not-xla", "The process was killed. Why?", details={"kind": "killed"}), "The process was killed"),
    (finding("contract-violation", title="L.call breaks its contract: x is (1), not (2)"),
     "L.call breaks its contract: x is (1), not (2)"),
    # The title of the class says nothing of this failure.
    (finding("rank-mismatch", "Rank 2 is wanted, rank 3 was given.", "A tensor with the wrong number of axes"),
     "Rank 2 is wanted, rank 3 was given"),
    (finding("rank-mismatch", "Rank 2 is wanted, rank 3 was given. M.", "A tensor with the wrong number of axes",
             op="MatMul", layer="head"), "MatMul in head: Rank 2 is wanted, rank 3 was given"),
    (finding("dtype-mismatch", "", "Element types that do not match"), "Element types that do not match"),
]  # fmt: skip


@pytest.mark.parametrize(("finding", "text"), HEADLINES, ids=[text[:40] for _, text in HEADLINES])
def test_headline(finding, text):
    assert headline(finding) == text


@pytest.mark.parametrize(
    "details",
    [
        {"shapes": "x"},
        {"shapes": [["a"], ["b", 2]]},
        {"have": "1"},
        {"failing_op": 3},
        {"tensor_shape": [None]},
        {"kind": 3},
    ],
)
@pytest.mark.parametrize("slug", ["broadcast-mismatch", "reshape-mismatch", "oom", "not-xla", "no-such-class"])
def test_unusable_details_give_the_message_or_the_title(slug, details):
    assert headline(finding(slug, details=details)) in ("A title of its own", "The message", "3")


def test_a_headline_is_one_line_of_bounded_length():
    long = headline(finding("not-xla", details={"kind": "E"}, evidence=(Proof("log", "a\x1b[2J" + "b" * 999),)))
    assert "\x1b" not in long and len(long) <= 300


def test_the_first_sentence_is_not_repeated_below_it():
    assert is_first_sentence(finding("rank-mismatch", "Rank 2. More.", "A tensor with the wrong number of axes"))
    assert not is_first_sentence(finding("contract-violation", "Rank 2. More."))


def test_byte_words():
    assert [byte_words(n) for n in (5, 1536, 1 << 20, 1010 << 30)] == ["5 bytes", "1.5 KiB", "1 MiB", "1010 GiB"]
    assert byte_words(10**400) == "more than 1024 EiB"


@pytest.mark.parametrize("form", ["console", "markdown", "html"])
def test_every_page_has_the_headline_the_source_and_the_first_remedy_before_the_evidence(form):
    place = Location("/a/train.py", 11, "call")
    remedy = Remedy("mend", "Make axis 1 agree", "safe", "Print both shapes.")
    proof = Proof("log", "the proof", "log:1")
    root = finding("broadcast-mismatch", op="AddV2", location=place, remedies=(remedy,), evidence=(proof,),
                   details={"shapes": [[2, 3], [2, 4]]}, title="The title of the class")  # fmt: skip
    excerpt = Excerpt(place, (SourceLine(11, "    return ", "x + y"),))
    page = render(Diagnosis("log", "failed", (root,)), form, None, View(excerpts=(excerpt,)))
    at = [page.index(part) for part in ("Cannot add (2, 3) and (2, 4)", "11 |     return x + y", "            ^^^^^",
                                        "Make axis 1 agree", "the proof")]  # fmt: skip
    assert at == sorted(at)
    assert "Cannot add (2, 3) and (2, 4)" in page.split("11 |")[0]


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_xla_that_was_off_and_settings_that_nobody_made_are_one_line(form):
    off = XlaPath("TF_XLA_FLAGS", "auto-clustering", "unset", "off", False)
    read = SettingEvent(0.1, "env", "TF_XLA_FLAGS", "read", None)
    plain = Diagnosis("log", "failed", (finding("oom"),), xla_paths=(off,), settings=(read,),
                      environment={"tensorflow": "2.21.0"})  # fmt: skip
    line = "XLA was off, and nothing that switches it on was set (settings checked: 1)."
    assert line in render(plain, form) and "Settings timeline" not in render(plain, form)
    for other in (replace(plain, settings=(replace(read, value="--x"),)), replace(plain, xla_paths=(
        replace(off, effective=True),))):  # fmt: skip
        assert line not in render(other, form) and "Settings timeline" in render(other, form)


def test_the_evidence_shows_the_line_that_says_something():
    wrapped = (
        "Exception encountered when calling M.call().\n\nCould not automatically infer the output shape of 'm'.\n\nNo."
    )
    assert telling_line(Proof("log", wrapped)) == "No."
    assert telling_line(Proof("log", "Graph execution error:")) == "Graph execution error:"


def test_a_guessed_class_makes_no_sentence_of_its_own():
    said = "`generator` yielded an element of shape (11,) where an element of shape (12,) was expected."
    guessed = Finding(
        "XD302", "broadcast-mismatch", "error", "root", "An element-wise operation", f"{said} Not known.",
        op="PyFunc", dims=(11, 12), details={"general": True, "shapes": [[11], [12]]},
    )  # fmt: skip
    assert headline(guessed) == said.rstrip(".")
    assert "cannot broadcast" in headline(replace(guessed, details={"shapes": [[11], [12]]}))


def of_class(slug: str, dims=(), op=None, message="It failed.", **details):
    from xladoctor.rules import by_slug

    rule = by_slug(slug)
    return Finding(rule.code, rule.slug, "error", "root", rule.title, message, op=op, dims=dims, details=details)


def test_an_index_with_the_rows_that_there_are():
    found = replace(
        of_class("index-out-of-range", (100, 100), message="Index 100 into an axis of 100."), layer="people"
    )
    assert headline(found) == "Index 100 is outside the 100 rows (0 to 99) in people"
    label = of_class("index-out-of-range", (5, 5), message="Label 5 with 5 classes.")
    assert headline(label) == "Label 5 is outside the 5 classes (0 to 4)"


def test_two_types_with_the_verb_of_the_op():
    assert headline(of_class("dtype-mismatch", op="AddV2", types=["uint8", "float"])) == (
        "Cannot add uint8 and float32: cast one of them"
    )


def test_a_join_of_other_ranks_has_both_shapes():
    found = of_class("rank-mismatch", (1, 2), "ConcatV2", "Rank 1 is wanted.", shapes=[[40], [20, 3], []])
    assert headline(found) == "Cannot join (40,) and (20, 3): the first has 1 axis, the second 2"
    found = of_class("rank-mismatch", (2, 3), "MatMul", "Rank 2, and not 3.", shapes=[[2, 2, 3], [3, 5]])
    assert headline(found).endswith("Rank 2, and not 3; the shapes are (2, 2, 3) and (3, 5)")


def test_a_name_that_is_gone():
    found = of_class("removed-name", gone="tensorflow.keras.layers.experimental")
    assert headline(found) == "This version of Keras or TensorFlow has no tensorflow.keras.layers.experimental"


def test_an_exception_is_named_by_what_keras_wraps_and_by_one_sentence_of_it():
    text = (
        "Exception encountered when calling Cell.call().\n\nError encountered:\n\n"
        "Iterating over a symbolic tensor is not allowed in a graph that Keras builds for this layer. You can attempt "
        "the following resolutions to the problem, of which there are many."
    )
    made = finding("not-xla", details={"kind": "TypeError"}, evidence=(Proof("event", text),))
    assert headline(made) == (
        "TypeError: Iterating over a symbolic tensor is not allowed in a graph that Keras builds for this layer"
    )
