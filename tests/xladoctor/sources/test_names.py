"""What a call gives the parameters of a function, and what these are without it."""

import ast

import pytest

from xladoctor.sources.names import (
    argument,
    around,
    around_in_statement,
    defaults,
    given,
    nodes_of,
    parameters,
    parents_of,
    positional,
    statements,
    within,
)

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


NESTED = """
def outer(x):
    for row in x:
        try:
            y = [int(row[0])]
        except ValueError:
            y = None
    def inner():
        z = 1
    match y:
        case None:
            w = 2
    return y
"""


def test_what_stands_in_a_function_and_not_in_those_within_it():
    function = parsed(NESTED)
    own = {n.id for n in within(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    assert own == {"row", "y", "w"}
    assert {n.id for n in nodes_of(function, ast.Name) if isinstance(n.ctx, ast.Store)} == {*own, "z"}
    assert [s.lineno for s in statements(function)] == [3, 4, 5, 7, 10, 12, 13]
    simple = [s for s in statements(function) if not isinstance(s, ast.For | ast.Try | ast.Match)]
    assert [s.lineno for s in simple] == [5, 7, 12, 13]


def test_what_a_node_stands_in():
    function = parsed(NESTED)
    call = next(nodes_of(function, ast.Call))
    above = parents_of(function)
    kinds = [type(n).__name__ for n in around(call, above)]
    assert kinds == ["List", "Assign", "Try", "For", "FunctionDef"]
    assert [type(n).__name__ for n in around_in_statement(call, above)] == ["List"]
    assert not list(around(function, above))
