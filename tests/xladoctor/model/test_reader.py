"""A replay that was written as JSON is read back as it was; what is none is refused."""

from __future__ import annotations

import json
import math

import pytest

from xladoctor.errors import XladoctorError
from xladoctor.model.replay import (
    Agreement,
    Case,
    DeviationMap,
    Isolation,
    Link,
    Lowering,
    Outcome,
    Parity,
    Replay,
    Repro,
    Rule,
    Signature,
    Sweep,
    Tested,
)
from xladoctor.model.replay_reader import replay_of
from xladoctor.report.replay import render

SIGNATURE = Signature("reshape-mismatch", "Reshape", (0, 1))
OUTCOME = Outcome(Case(16, (("jit", "on"),)), "failed", SIGNATURE, "m", dims=(1, "<=8"), leading=(2, None))
WHOLE = Replay(
    subject="thing",
    sweep=Sweep((OUTCOME,), (Rule("from", "fails", 16, (("jit", "on"),), (15, 16)),), 1, 1, seconds=1.5),
    nearest=OUTCOME,
    isolated=Isolation(
        "Reshape", "a/b", ({"tensor": "x:0", "shape": ["<=8", 4]},), SIGNATURE, "m", "xla", 3, 2, 1, 0.5,
        path=("call",), chain=(Link("If", None, "f32[<=8]", "birth"),),
    ),
    parity=Parity(
        ("plain", "xla"),
        (
            Agreement("y", ("plain", "xla"), False, ([2], None), deviation=0.1, slug="wrong-pairing",
                      map=DeviationMap(((0, math.inf),), 1, 0, (1, 2), ((0.0, math.inf),))),
        ),
        first_node={"node": "n"}, batch=2,
    ),
    remedies=(Tested("jit-off", "Off", "cured", "slower", deviation=0.0, signature=SIGNATURE),),
    lowering=Lowering("gpu", False, 1.0, unsupported=("FakeParam",)),
    repro=Repro("file.py", 40, True),
    notes=("a note",),
    environment={"python": "3.11"},
    folder="folder",
    tool_version="1",
)  # fmt: skip


def written(replay):
    return json.loads(render(replay, "json"))


def test_all_of_it_comes_back():
    assert replay_of(written(WHOLE)) == (WHOLE, ())
    assert replay_of(written(Replay("thing"))) == (Replay("thing"), ())


def test_numbers_that_json_does_not_know():
    found, _ = replay_of(written(Replay("x", remedies=(Tested("r", "t", "cured", "safe", math.inf),))))
    assert found.remedies[0].deviation == math.inf


def test_what_is_missing_or_not_known():
    told = written(WHOLE)
    del told["notes"], told["isolated"]["chain"]
    told["of a later version"] = 1
    found, problems = replay_of(told)
    assert not problems
    assert found.notes == () and found.isolated is not None and found.isolated.chain == ()


@pytest.mark.parametrize(
    ("change", "part", "said"),
    [
        (lambda d: d.update(remedies=3), "remedies", "'3' stands where"),
        (lambda d: d["sweep"].update(tries="many"), "sweep", "'many' stands where int is expected"),
        (lambda d: d["sweep"]["outcomes"][0].update(state="odd"), "sweep", "'odd' stands where"),
        (lambda d: d["sweep"].update(tries=True), "sweep", "'True' stands where int is expected"),
        (lambda d: d["parity"].pop("ways"), "parity", "ways"),
    ],
)
def test_a_part_that_is_damaged_costs_no_other(change, part, said):
    told = written(WHOLE)
    change(told)
    found, (problem,) = replay_of(told)
    assert said in problem and f"the replay's {part} cannot be read" in problem
    assert getattr(found, part) == getattr(Replay("thing"), part)
    rest = {"sweep", "nearest", "isolated", "parity", "remedies", "lowering", "repro"} - {part}
    assert all(getattr(found, name) == getattr(WHOLE, name) for name in rest)


@pytest.mark.parametrize(
    "told", [[], 3, {}, {**written(WHOLE), "schema": "xladoctor.replay/9"}, {"schema": "xladoctor.replay/1"}]
)
def test_what_is_no_replay(told):
    with pytest.raises(XladoctorError, match="replay"):
        replay_of(told)
