"""The tensors that an object of a method holds are noted at a failure, by name and shape."""

from __future__ import annotations

import numpy as np

from probes.record.failures import _tensors


class Scaler:
    def __init__(self) -> None:
        self.mean = np.zeros((18,), "float32")
        self.names = ["a"]
        self._hidden = np.zeros((3,))

    @property
    def loud(self) -> None:
        raise AssertionError("nothing is asked for")


class Slotted:
    __slots__ = ("mean",)

    def __init__(self) -> None:
        self.mean = np.zeros(3)


def test_attributes_of_self_are_noted():
    found = _tensors({"x": np.ones((2, 3), "float32"), "self": Scaler()})
    assert [(t["name"], t["shape"]) for t in found] == [("x", [2, 3]), ("self.mean", [18])]


def test_only_the_objects_own_dict_is_read():
    assert _tensors({"self": Slotted()}) == []

    class Odd:
        @property
        def __dict__(self):
            return {"x": np.ones(3)}

    assert isinstance(_tensors({"self": Odd()}), list)


def test_their_number_is_bounded():
    scaler = Scaler()
    scaler.__dict__ |= {f"a{i}": np.zeros(1) for i in range(1000)}
    assert len(_tensors({"self": scaler})) <= 30
