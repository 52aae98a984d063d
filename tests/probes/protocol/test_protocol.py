"""Every request and every answer survives the wire, and what has another type is refused."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import types
import typing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probes.protocol import answers, codec, requests

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda s: st.lists(s, max_size=3))
_PLAIN = {
    str: st.text(max_size=8),
    int: st.integers(),
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    type(None): st.none(),
}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values that an annotation allows."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return JSON
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return st.builds(kind, **{f.name: values(hints[f.name]) for f in dataclasses.fields(kind)})
    if origin in (types.UnionType, typing.Union):
        return st.one_of([values(one) for one in inner])
    if origin is typing.Literal:
        return st.sampled_from(inner)
    if origin is tuple and inner[1:] == (...,):
        return st.lists(values(inner[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, inner))
    if origin is dict:
        return st.dictionaries(st.text(max_size=5), values(inner[1]), max_size=2)
    return _PLAIN[kind]


def over_the_wire(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))


KINDS = sorted(requests.REQUESTS.values(), key=lambda kind: kind.OP)
# Each of the many operations has its own examples: a few of each are hundreds for the codec.
few = settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
once = settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck))
of_every_operation = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.OP)


@of_every_operation
@few
@given(data=st.data())
def test_a_request_survives(kind, data):
    request = data.draw(values(kind))
    for name in ("capsule", "subject"):
        if getattr(request, name, None) == "":
            request = dataclasses.replace(request, **{name: "somewhere"})
    line = over_the_wire({"id": 1, **request.to_json()})
    assert line["op"] == kind.OP
    assert requests.request_of(line) == request


@of_every_operation
@few
@given(data=st.data())
def test_an_answer_survives(kind, data):
    answer = data.draw(values(kind.ANSWER))
    request = object.__new__(kind)
    assert request.answer(over_the_wire(codec.to_json(answer))) == answer


class Nothing:
    """No value of JSON: no annotation but `Any` allows it."""


@of_every_operation
@once
@given(data=st.data())
def test_a_field_of_another_type_is_refused(kind, data):
    hints = typing.get_type_hints(kind)
    typed = [f.name for f in dataclasses.fields(kind) if hints[f.name] is not Any]
    request = {**data.draw(values(kind)).to_json(), "capsule": "c", "subject": "s"}
    request = {k: v for k, v in request.items() if k == "op" or k in hints}
    for name in typed:
        with pytest.raises(codec.Misfit, match=f"{kind.OP}: {name}"):
            requests.request_of({**request, name: Nothing()})


@given(JSON | st.dictionaries(st.text(max_size=8), JSON))
def test_rubbish_is_a_misfit_and_nothing_else(value):
    with pytest.raises(codec.Misfit):
        requests.request_of(value)
    for kind in (answers.Ways, answers.Agreement, answers.Shapes):
        with contextlib.suppress(codec.Misfit):
            codec.read(kind, value)


def test_every_operation_has_an_answer_type_and_one_name():
    assert all(kind.ANSWER is not None and requests.REQUESTS[kind.OP] is kind for kind in KINDS)
    parents = {requests.Request, requests.OfCapsule, requests.OfSubject, requests.OfSilent}
    every = {v for v in vars(requests).values() if isinstance(v, type) and issubclass(v, requests.Request)}
    assert every - parents == set(KINDS)


def test_what_an_older_worker_left_out_takes_its_default():
    assert codec.read(answers.Agreement, {"result": "agrees", "outputs": 2}) == answers.Agreement("agrees", outputs=2)
    old = {"outcome": "passed", "error": None, "seconds": 0.1, "kept_by_nobody": 1}
    assert codec.read(answers.Outcome, old) == answers.Outcome("passed", seconds=0.1)
