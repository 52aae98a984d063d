"""What makes the programs of tests begin quickly gives what Python's own functions give."""

from __future__ import annotations

import functools
import inspect
import typing

import pytest

from tests.quick import sitecustomize

# Python's own, which the wrapped one has in its closure.
OWN = inspect.getclosurevars(inspect.getfullargspec).nonlocals["getfullargspec"]
CHECK = inspect.getclosurevars(typing._type_check).nonlocals["check"]  # type: ignore[attr-defined]


def nothing(): ...


def everything(a, b: int, /, c=1, *more: str, d, e: list[int] | None = None, **rest) -> tuple[int, ...]: ...


def named(a=(), *, b, c=3): ...


class Holder:
    def method(self, x=1): ...

    part = functools.partialmethod(method, x=2)


def told(x): ...


told.__signature__ = inspect.signature(everything)


@functools.wraps(everything)
def wraps(*words): ...


@pytest.mark.parametrize(
    "given",
    [nothing, everything, named, told, wraps, Holder, Holder.method, Holder().method, Holder.part, len, lambda *, x: x],
)
def test_the_arguments_of_a_function(given):
    def said(read):
        try:
            return read(given)
        except TypeError as error:
            return str(error)

    assert said(inspect.getfullargspec) == said(OWN)


def test_the_arguments_of_every_function_of_some_modules():
    functions = [f for module in (inspect, typing, functools, pytest) for f in vars(module).values() if callable(f)]
    plain = [f for f in functions if inspect.isfunction(f)]
    assert len(plain) > 100
    assert [f for f in plain if inspect.getfullargspec(f) != OWN(f)] == []


def test_a_type_of_tensorflow_is_one_reference_and_another_name_is_none():
    check = sitecustomize.once(CHECK)
    assert check("_atypes.Half", "") is check("_atypes.Half", "") == CHECK("_atypes.Half", "")
    assert check("Half", "") is not check("Half", "") and check(int, "") is int
