"""What is said of training and validation rows that are not split as they look."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import splits as splits_module
from xladoctor.diagnosis.looked_at import looked_at
from xladoctor.diagnosis.splits import splits
from xladoctor.recording.run import read_run
from xladoctor.sources.source import parse


def line(number):
    return {"file": "/home/ada/train.py", "line": number, "function": "<module>"}


def told(tmp_path, *events, **run):
    made = Run(**run)
    for event in events:
        made.event("split", **{"model": "net", "used": line(9), "where": line(9), **event})
    return list(splits(read_run(made.write(tmp_path / "run"))))


LEAKS = {"what": "reshuffled", "where": line(3), "rows": [150, 50]}
SORTED = {"what": "sorted", "rows": [160, 40], "classes": [4, 1], "unseen": 40}


def test_each_is_a_warning_at_the_line_that_makes_it_so(tmp_path):
    found = told(tmp_path, LEAKS, LEAKS, SORTED)
    assert [(f.code, f.level, f.location.line, f.remedies[0].id) for f in found] == [
        ("XD706", "warning", 3, "split-once"),
        ("XD706", "warning", 9, "shuffle-before-split"),
    ]
    assert "The 150 elements for training and the 50 for validation (/home/ada/train.py:9 in" in found[0].message
    assert "40 of them are of classes that no training row has." in found[1].message


def test_batches_of_one_class_are_a_class_of_their_own(tmp_path):
    batches = {"what": "batches", "where": line(4), "rows": [30, 200], "classes": [1, 5], "buffer": 10, "size": 10}
    [found] = told(tmp_path, batches)
    assert (found.code, found.level, found.location.line) == ("XD707", "warning", 4)
    assert [r.id for r in found.remedies] == ["shuffle-all-rows"]
    assert "shuffled with a buffer of 10. So 30 rows, 3 batches of 10, are all of that class" in found.message


def test_of_two_classes_no_row_needs_to_be_unseen(tmp_path):
    [found] = told(tmp_path, {**SORTED, "classes": [2, 1], "unseen": 0})
    assert found.title == "fit of net: the 40 rows of validation_split are of 1 class"
    assert "The training rows are of more classes than that." in found.message


def test_a_run_that_was_ended_says_nothing_of_it(tmp_path):
    assert told(tmp_path, LEAKS, outcome={"state": "signalled", "signal": "SIGTERM", "probes": "recorded"}) == []


def test_batches_that_were_looked_at_are_among_what_was_checked(tmp_path):
    made = Run()
    for call, (method, number) in enumerate((("fit", 9), ("predict", 12), ("evaluate", 15)), 1):
        common = {"method": method, "call": call, "model": "net"}
        made.event("call", phase="begin", where=line(number), **common)
        made.event("call", phase="end", batches_seen=method != "evaluate", **common)
    made.event("split", model="net", used=line(9), where=line(9), **{**SORTED, "rows": [160, 40]})
    found = looked_at(read_run(made.write(tmp_path / "run")), ())
    assert [(c.what, c.function, c.result, c.location.line) for c in found] == [
        ("batches", "fit of net", "diverges", 9),
        ("batches", "predict of net", "agrees", 12),
    ]


OTHERS = {
    "shared": ({"rows": [38, 50]}, "unsound-split", "split-before", "38 of the 50 validation rows"),
    "apart": (
        {"rows": [140, 60], "classes": [2, 1], "unseen": 60},
        "unsound-split",
        "shuffle-before-split",
        "2 classes",
    ),
    "cached": ({"rows": [0, 0]}, "random-in-compiled", "cache-first", "The cache keeps"),
    "folds": ({"rows": [40, 50]}, "unsound-split", "new-model", "was trained on 40 of them in an earlier fold"),
    "stateful": ({"rows": [0, 0]}, "wrong-pairing", "keep-sequence", "goes on from another sequence"),
    "unnamed": ({"rows": [65, 200]}, "index-out-of-range", "count-from-zero", "65 of 200 rows of the labels"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_what_else_is_wrong_with_the_rows(tmp_path, what):
    facts, slug, remedy, words = OTHERS[what]
    [found] = told(tmp_path, {"what": what, **facts})
    assert (found.slug, found.level, found.location.line, [r.id for r in found.remedies]) == (
        slug, "warning", 9, [remedy],
    )  # fmt: skip
    assert words in found.message


def test_labels_from_1_are_reported_where_they_were_made_one_hot(tmp_path, monkeypatch):
    text = "\n\nhot = tf.one_hot(kinds, 3)\nnet.fit(x, hot)\n"
    monkeypatch.setattr(splits_module, "source_of", lambda recording, file: parse(text, file))
    [found] = told(tmp_path, {"what": "unnamed", "rows": [65, 200]})
    assert found.location.line == 3
