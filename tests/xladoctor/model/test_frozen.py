"""What `model.frozen` makes behaves as what `dataclasses` makes."""

import dataclasses
import pickle

import pytest

from xladoctor.model.diagnosis import Proof
from xladoctor.model.frozen import dataclass


class _Fields:
    name: str
    sizes: tuple[int, ...] = ()
    details: dict[str, int] = dataclasses.field(default_factory=dict)
    seen: int = dataclasses.field(default=0, compare=False, repr=False)


def _both(**methods):
    own = {name: value for name, value in vars(_Fields).items() if name not in ("__dict__", "__weakref__")}
    namespace = {**own, **methods}
    return [make(frozen=True)(type("Value", (), namespace)) for make in (dataclass, dataclasses.dataclass)]


def _answer(action, value):
    try:
        return action(value)
    except (AttributeError, TypeError) as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    "action",
    [
        repr,
        str,
        hash,
        dataclasses.asdict,
        lambda value: setattr(value, "name", "b"),
        lambda value: setattr(value, "other", "b"),
        lambda value: delattr(value, "name"),
        lambda value: dataclasses.replace(value, sizes=(2,)).sizes,
        lambda value: value == dataclasses.replace(value, seen=4),
        lambda value: value == dataclasses.replace(value, name="c"),
        lambda value: value == ("a", (1,), {}),
        lambda value: type(value)(),
        lambda value: type(value).__match_args__,
    ],
)
@pytest.mark.parametrize("methods", [{}, {"__hash__": lambda self: 7, "__str__": lambda self: self.name}])
def test_the_same_as_of_dataclasses(action, methods):
    ours, theirs = (_answer(action, kind("a", (1,), {"b": 2}, 3)) for kind in _both(**methods))
    assert ours == theirs


def test_values_of_two_classes_are_never_equal():
    assert _both()[0]("a") != _both()[0]("a")


def test_a_value_can_be_hashed_pickled_and_put_together_after_init():
    proof = Proof("log", "text")
    assert {proof, pickle.loads(pickle.dumps(proof))} == {proof}
    (ours, theirs) = _both(__post_init__=lambda self: object.__setattr__(self, "seen", 9))
    assert ours("a").seen == theirs("a").seen == 9
