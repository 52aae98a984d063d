"""Every real log under every kind of dirt: the same class, op and numbers; and the message alone, as it is pasted."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.xladoctor.logs.dirt import DIRT
from tests.xladoctor.rules.fixtures import Fixture, diagnose, public_fixtures, real_fixtures
from xladoctor.rules import CODES

REAL = real_fixtures()
# Pairs that cannot give the same, and why.
CANNOT = {
    # All of it on one line: that training went on between two errors is told by line numbers.
    ("escaped", "went_on_then_failed"),
    # Times show that training went on below a traceback: that is a warning then.
    *((dirt, "printed_went_on") for dirt in ("progress", "timestamps", "ci", "colour-behind-prefix")),
}


def root(text: str | bytes, slow: bool = False) -> tuple[str, str | None, tuple[object, ...]] | None:
    """The first error; of a compilation that is only `slow`, the first warning."""
    found = [f for f in diagnose(text) if f.level == ("warning" if slow else "error")]
    return (found[0].slug, found[0].op, found[0].dims) if found else None


@cache
def clean_root(fixture: Fixture) -> tuple[str, str | None, tuple[object, ...]] | None:
    """What a log without dirt says: the same for each kind of dirt."""
    return root(fixture.text)


@pytest.mark.slow
@pytest.mark.parametrize("dirt", DIRT)
def test_class_op_and_numbers_survive(dirt: str) -> None:
    wrong = []
    for fixture in REAL:
        expected = clean_root(fixture)
        seen = root(DIRT[dirt](fixture.text).encode("utf-8", "surrogateescape"))
        if seen != expected and (dirt, fixture.name.split("/")[1]) not in CANNOT:
            wrong.append((fixture.name, expected, seen))
    assert wrong == []


@pytest.mark.slow
def test_pairs_that_cannot_are_still_needed() -> None:
    for dirt, name in CANNOT:
        fixtures = [f for f in REAL if f.name.split("/")[1] == name]
        assert [f for f in fixtures if root(DIRT[dirt](f.text).encode()) != root(f.text)]


# A message alone, without its exception, traceback and the lines around it: what an issue's title or a chat holds.
# These do not say enough by themselves.
NOT_ALONE = {
    "branch_structure": "only two numbers",
    "branch_jit": "the conditional stands in the native stack below",
    "keras_functional_shape": "the first line is Keras' frame around another message",
    "keras_model_shape": "the same",
    "reshape_keras_fit": "the same",
    "weights_load": "the first line only counts the objects that could not be loaded",
    "weights_layers": "the same",
    "weights_checkpoint": "one wording for a loss and a checkpoint: the finding says so",
    "jit_kernel_libdevice": "the cause is in the lines above",
    "slow_compile": "the first line is stars",
    "compile_failed_report": "the first line is another program's",
    "devices_too_late": "no fragment of it is looked for: the exception's name finds it",
    "oom_cluster_run": "the first line only counts errors",
    "constant_clustered_28": "the same",
    "constant_evaluated": "the first line is the evaluator's",
    "weights_h5_24": "the first line ends before the shapes",
    "cut_traceback": "the first line is any traceback's",
    "shape_of_missing_axis": "Python's words for any tuple",
    "cudnn_version": "the version is in a line above",
}
# What is outside of XLA and shapes (XD9) is known by its exception's name too.
OUTSIDE = {slug for code, (slug, _) in CODES.items() if code.startswith("XD9")} | {"healthy", "silent", "retracing"}
SPEAKS = [f for f in (*REAL, *public_fixtures()) if f.slug not in OUTSIDE]


@pytest.mark.parametrize("fixture", SPEAKS, ids=lambda f: f.name)
def test_the_message_alone(fixture: Fixture) -> None:
    message = diagnose(fixture.text)[0].evidence[0].text.strip()
    first = re.split(r"\n| \[\[", message)[0].strip()
    seen = root(first + "\n", slow=fixture.slug in ("slow-compile", "no-gradient"))
    if fixture.name.split("/")[1] not in NOT_ALONE:
        assert seen and seen[0] == fixture.slug, first


def test_one_wording_for_two_failures_says_so() -> None:
    [found] = diagnose("ValueError: Shapes (3,) and (4,) are incompatible\n")
    assert found.status == "untested" and len(found.details["between"]) == 2
    assert found.details["decide"][0].startswith("the traceback")


def test_a_cut_log_is_never_called_healthy_nor_anything_else_than_it_shows() -> None:
    """Cut at any place behind the first frame: the true class, or `log-cut`, or what the text so far can mean."""
    for fixture in REAL:
        start = fixture.text.rfind("Traceback (most recent call last)")
        if (
            start < 0
            or fixture.slug in ("healthy", "silent", "retracing", "flag-error", "no-gradient")
            or "went_on" in fixture.name
        ):
            continue
        head = fixture.text[start:]
        first = head.find("\n", head.find('File "')) + 1
        for part in (0.0, 0.5, 0.9):
            cut = head[: first + int((len(head) - first) * part)]
            assert root(cut) is not None, (fixture.name, part)


def test_what_a_cut_log_says() -> None:
    [found] = diagnose('Traceback (most recent call last):\n  File "/home/a/t.py", line 3, in f\n    tf.resh')
    assert (found.slug, found.status, str(found.location)) == ("log-cut", "untested", "/home/a/t.py:3 in f")
    begun = (
        "tensorflow.python.framework.errors_impl.InvalidArgumentError: {{function_node __wrapped__Reshape_device_/job:"
    )
    begun += "localhost/replica:0/task:0/device:CPU:0}} Input to resh"
    [found] = diagnose(begun)
    assert found.slug == "log-cut" and "inside the message of InvalidArgumentError: Input to resh" in found.message
    assert [f.slug for f in diagnose(begun + "\n")] == ["not-xla"]  # the line has its end: nothing shows that it is cut


def test_the_message_alone_in_the_middle_of_a_large_log() -> None:
    """Lines of the program stand right before and behind it; the log is large enough for the search by literals."""
    steps = "".join(f"step {i} time 0.1 value 0.5\n" for i in range(4000))
    missed = []
    for fixture in SPEAKS:
        newest = fixture.name.startswith(("2.21", "public"))
        if newest and fixture.name.split("/")[1] not in NOT_ALONE:
            first = re.split(r"\n| \[\[", diagnose(fixture.text)[0].evidence[0].text.strip())[0].strip()
            seen = root(f"{steps}{first}\n{steps}", slow=fixture.slug in ("slow-compile", "no-gradient"))
            if seen is None or seen[0] != fixture.slug:
                missed.append((fixture.name, seen, first))
    assert missed == []
