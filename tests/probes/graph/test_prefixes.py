"""The first k ops as a program of their own: in loops, branches and calls, as XLA sees them."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


def prefixes(folder):
    from probes.graph import load, step
    from probes.graph.prefixes import Prefixes

    return Prefixes(step.prepare(load.load(folder), calls=False, strict=True))


def first_failing(found, stage, part):
    """The smallest k whose prefix fails with this in its message, by bisection."""
    low, high = 0, found.outline()["ops"]
    while high - low > 1:
        middle = (low + high) // 2
        told = found.compile(middle, stage)
        if told["outcome"] == "failed" and part in told["error"]["message"]:
            high = middle
        else:
            low = middle
    return high


def test_every_prefix_of_a_nest_compiles(plain):
    """A cond in a loop in a cond; also where the cut goes through the condition of the loop."""
    found = prefixes(plain("nested", specs="open")[0])
    listed = found.outline(listed=True)["list"]
    assert max(len(path) for path, *_ in listed) == 3
    assert {"StatelessIf", "StatelessWhile"} <= {op for *_, op in listed}
    for number in range(1, len(listed) + 1):
        told = found.compile(number, "hlo")
        assert told["outcome"] == "passed", (number, listed[number - 1], told)


def test_the_op_in_the_body_of_a_loop(plain):
    found = prefixes(plain("tile_in_loop", specs="open")[0])
    number = first_failing(found, "hlo", "must be a compile-time constant")
    op = found.describe(number)
    assert (op["op"], op["nesting"]) == ("Tile", 2)
    assert op["inner_node"].endswith("again")
    assert [i["dtype"] for i in op["inputs"]] == ["float32", "int32"]
    assert op["sources"][-1][2] == "body"
    # Not because of the cut: with everything before it, it compiles.
    assert found.compile(number - 1, "hlo")["outcome"] == "passed"


def origins(folder, node):
    """Where the last input of a node comes from: (kind, op, function of the user's line) each."""
    from probes.graph.origins import origins as origins_of

    found = prefixes(folder)
    listed = found.outline(listed=True)["list"]
    number = next(i for i, (_, name, _) in enumerate(listed, 1) if name.rpartition("/")[2] == node)
    told = origins_of(found.step, found.spot(number), [1])
    return [(o["kind"], o["op"], o["sources"][-1][2] if o["sources"] else None) for o in told]


def test_where_a_value_comes_from_that_is_no_constant(plain):
    """Through a stack, a branch and a call to what was drawn; sizes are known, and what decides the branch counts."""
    found = origins(plain("tile_by_chance", specs="open")[0], "again")
    assert ("random", "RandomUniformInt", "drawn") in found
    assert {kind for kind, *_ in found} == {"random", "argument"}


def test_a_value_of_the_loops_own(plain):
    assert {kind for kind, *_ in origins(plain("tile_in_loop", specs="open")[0], "again")} == {"loop"}


def test_what_the_compiler_refuses_shows_at_the_later_stage_only(plain, tmp_path):
    found = prefixes(plain("fft_of_a_mask", specs="open")[0])
    last = found.outline()["ops"]
    assert found.compile(last, "hlo", save=tmp_path / "text")["outcome"] == "passed"
    assert "set-dimension-size" in (tmp_path / "text").read_text()
    number = first_failing(found, "optimized_hlo", "Asked to propagate a dynamic dimension")
    assert found.describe(number)["op"] == "FFT"


def test_a_train_step_as_it_stands(patient):
    """All of a Keras step that works: optimizer, gradients and nested calls; and its first half."""
    found = prefixes(patient("fit", broken=False, jit=True)[0])
    count = found.outline()["ops"]
    assert count > 150
    assert [found.compile(n, "hlo")["outcome"] for n in (count // 2, count)] == ["passed", "passed"]


def test_what_cannot_be_asked(plain):
    from probes.graph.errors import Unsupported

    found = prefixes(plain("nested", specs="open")[0])
    with pytest.raises(Unsupported, match="there are ops 1 to"):
        found.compile(10_000, "hlo")
    with pytest.raises(Unsupported, match="known are hlo, optimized_hlo"):
        found.compile(1, "ptx")
