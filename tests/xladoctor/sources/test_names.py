"""What a call gives the parameters of a function, and what these are without it."""

import ast

import pytest

from xladoctor.sources.names import argument, defaults, given, parameters, positional

CUT = "def cut(self, rows, /, size=4, *, axis, keep=True, **more): ..."


def parsed(text):
    return ast.parse(text).body[0]


def told(text, call):
    return {name: ast.unparse(value) for name, value in given(parsed(call).value, parsed(text))}


def test_parameters_by_place_by_name_and_with_a_default():
    function = parsed(CUT)
    assert positional(function) == ["rows", "size"]
    assert parameters(function) == ["rows", "size", "axis", "keep"]
    assert {name: ast.unparse(value) for name, value in defaults(function).items()} == {"size": "4", "keep": "True"}
    assert parameters(parsed("def step(batch, self): ...")) == ["batch", "self"]
    assert not parameters(parsed("class Cut: ...")) and not defaults(parsed("x = 1"))


@pytest.mark.parametrize(
    ("call", "gives"),
    [
        ("cut(x, 8, axis=1)", {"rows": "x", "size": "8", "axis": "1"}),
        ("cut(x, *rest, axis=0)", {"rows": "x", "axis": "0"}),
        ("cut(x, size=2, **more)", {"rows": "x", "size": "2"}),
        ("cut(x, 8, 1)", {"rows": "x", "size": "8"}),
    ],
)
def test_what_a_call_gives(call, gives):
    assert told(CUT, call) == gives
    assert argument(parsed(call).value, parsed(CUT), "keep") is None
