"""The lists of a failure's frames whose elements have several shapes."""

from __future__ import annotations

import numpy as np
import pytest

from probes.record import uneven
from probes.record.uneven import UnevenLists, says_so


class Loud:
    @property
    def shape(self):
        raise RuntimeError("of the program's own")


@pytest.mark.parametrize(
    ("value", "shapes"),
    [
        ([np.ones(3), np.ones(3), np.ones(2)], [([3], 2, 0), ([2], 1, 2)]),
        ([[1, 2], [3]], [([2], 1, 0), ([1], 1, 1)]),
        ((1.0, [1, 2]), [([], 1, 0), ([2], 1, 1)]),
        ({"a": np.ones(4), "b": np.ones(5)}, [([4], 1, "a"), ([5], 1, "b")]),
        ({1: np.ones(4), 2: np.ones(5)}, [([4], 1, 0), ([5], 1, 1)]),
        ([np.ones(3), np.ones(3)], None),
        ([np.ones(3), "text"], None),
        ([np.ones(3), Loud()], None),
        (np.ones(3), None),
        ([np.ones(3)], None),
    ],
)
def test_what_is_told(value, shapes):
    told = UnevenLists().of({"rest": 1, "xs": value})
    if shapes is None:
        assert told == []
    else:
        [one] = told
        assert (one["name"], one["length"]) == ("xs", len(value))
        assert [(s["shape"], s["count"], s["first"]) for s in one["shapes"]] == shapes


def test_it_is_bounded(monkeypatch):
    monkeypatch.setattr(uneven, "_MAX_ELEMENTS", 100)
    lists = UnevenLists()
    assert lists.of({"long": [[1]] * 200 + [[]]}) == [] == lists.of({"next": [[1], []]})
    monkeypatch.setattr(uneven, "_MAX_ELEMENTS", 10_000)
    monkeypatch.setattr(uneven, "MAX_SECONDS", -1.0)
    assert UnevenLists().of({"long": [[1]] * 2000 + [[]]}) == []


def test_it_is_asked_only_where_a_message_says_so():
    with pytest.raises(ValueError, match="inhomogeneous") as error:
        np.array([[1, 2], [3]])
    assert says_so(str(error.value)) and not says_so("No such file")
