"""The codec: what a dataclass says is written and read back; what is of another type is refused, and says where."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from probes.protocol.codec import Misfit, from_json, read, to_json


@dataclass(frozen=True)
class Leaf:
    size: int
    name: str | None = None


@dataclass(frozen=True)
class Tree:
    state: Literal["small", "large"]
    leaves: tuple[Leaf, ...]
    origin: Leaf | None
    far: float = 0.0
    pair: tuple[str, int] | None = None
    by_name: dict[str, tuple[int, ...]] = field(default_factory=dict)
    from_: str = field(default="", metadata={"key": "from"})
    tags: list[str] = field(default_factory=list)
    whatever: Any = None


WHOLE = Tree("small", (Leaf(1), Leaf(2, "b")), None, math.inf, ("a", 3), {"x": (1, 2)}, "here", ["t"], {"a": [1]})


def test_a_field_that_holds_its_default_is_left_out_and_one_without_a_default_never_is():
    assert to_json(Tree("small", (), None)) == {"state": "small", "leaves": [], "origin": None}
    # 0 is no False, and 0.0 no 0: what is left out comes back as it was.
    assert to_json(Tree("small", (), None, far=0)) == {"state": "small", "leaves": [], "origin": None, "far": 0}


def test_it_comes_back_from_the_text_of_json_that_every_reader_knows():
    text = json.dumps(to_json(WHOLE), allow_nan=False)
    assert '"far": "inf"' in text and '"from": "here"' in text
    assert read(Tree, json.loads(text), strict=True) == WHOLE
    assert math.isnan(from_json(float, to_json(math.nan)))


def changed(**fields: Any) -> dict[str, Any]:
    return {**to_json(WHOLE), **fields}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "'3' stands where Tree is expected"),
        (changed(state="odd"), "state: 'odd' stands where"),
        (changed(leaves=[{"size": 1}, {"size": True}]), "leaves[1].size: 'True' stands where int is expected"),
        (changed(leaves=[{"name": "a"}]), "leaves[0]: Leaf needs 'size'"),
        (changed(origin={"size": "1"}), "origin.size: '1' stands where int is expected"),
        (changed(origin=[]), "origin: '[]' stands where"),
        (changed(far="wide"), "far: 'wide' stands where float is expected"),
        (changed(far=True), "far: 'True' stands where float is expected"),
        (changed(far=10**400), "far: '1000000"),
        (changed(pair=["a"]), "pair: \"['a']\" stands where"),
        (changed(by_name={"x": [1, None]}), "by_name.x[1]: 'None' stands where int is expected"),
        (changed(by_name={1: []}), "by_name: '{1: []}' stands where"),
        (changed(tags=("a", 1)), "tags[1]: '1' stands where str is expected"),
    ],
)
def test_what_is_of_another_type_is_refused_and_named(value, message):
    with pytest.raises(Misfit) as caught:
        read(Tree, value)
    assert message in str(caught.value)


def test_a_field_that_is_not_known_is_left_out_or_where_that_is_wanted_refused():
    value = {"size": 1, "colour": "red"}
    assert read(Leaf, value) == Leaf(1)
    with pytest.raises(Misfit, match="there is no 'colour'"):
        read(Leaf, value, strict=True)
    with pytest.raises(Misfit, match="leaves"):
        read(Tree, {"state": "small", "leaves": [value], "origin": None}, strict=True)
