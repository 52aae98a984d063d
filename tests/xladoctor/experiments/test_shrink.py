"""Which simplifications keep a failure, against oracles whose answer is known."""

from __future__ import annotations

import pytest

from tests.xladoctor.answered import made
from xladoctor.experiments.shrink import constants, cuts, greedy, jumps, shapes
from xladoctor.protocol import answers
from xladoctor.recording.hlo import read_hlo


def row(node, op, inputs=(), dtype="float32", **more):
    return made(answers.Editable, {"node": node, "op": op, "inputs": inputs, "dtypes": [dtype], **more})


@pytest.mark.parametrize("needed", [set(), {3}, {0, 9}, set(range(10))])
def test_greedy_drops_all_but_what_is_needed(needed):
    """An edit of a needed op takes the failure away."""
    edits = [{"tensor": i} for i in range(10)]
    tried = []

    def keeps(found):
        tried.append(found)
        return not any(e["tensor"] in needed for e in found)

    found = greedy(keeps, [], edits, budget=40)
    assert {e["tensor"] for e in found} == set(range(10)) - needed
    assert len(tried) <= 40


def test_greedy_ends_with_its_budget():
    tried = []
    assert greedy(lambda found: bool(tried.append(found)), [], [{"tensor": i} for i in range(100)], budget=5) == []
    assert len(tried) == 5


TEXT = """HloModule m

ENTRY e {
  %a = f32[8,4] add(%p, %p), metadata={op_type="AddV2" op_name="a"}
  %b = f32[<=8,4] set-dimension-size(%a, %n), dimensions={0}, metadata={op_type="StridedSlice" op_name="b"}
  %c = f32[<=8,4] negate(%b), metadata={op_type="Neg" op_name="c"}
  %d = f32[<=8,4] negate(%c), metadata={op_type="Neg" op_name="d"}
  ROOT %e = c64[<=8,4] convert(%d), metadata={op_type="Cast" op_name="e"}
}
"""
ROWS = [
    row("p", "Placeholder", argument=0),
    row("a", "AddV2", ["p:0", "p:0"]),
    row("n", "Size", ["a:0"], "int32"),
    row("b", "StridedSlice", ["a:0", "n:0"]),
    row("i", "Identity", ["b:0"]),
    row("c", "Neg", ["i:0"]),
    row("d", "Neg", ["c:0"]),
    row("e", "Cast", ["d:0"], "complex64", behind=True),
]


def test_what_may_be_simplified():
    known = shapes(read_hlo(TEXT), ROWS)
    assert known["", "i:0"] == "f32[<=8,4]"
    assert cuts(ROWS, known) == [{"frame": "", "tensor": "a:0", "to": "argument", "shape": [8, 4]}]
    assert constants(ROWS, {" n:0": 8}) == [{"frame": "", "tensor": "n:0", "to": "value", "value": 8}]
    found = {e["tensor"]: e["with"] for e in jumps(ROWS, known)}
    # Of the same shape the first one; where there is none, what an op was given.
    assert found == {"d:0": "b:0", "c:0": "b:0", "b:0": "a:0", "a:0": "p:0"}
