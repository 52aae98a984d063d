"""The other position of a switch, read from the source."""

from __future__ import annotations

import pytest

from xladoctor.sources.positions import reading
from xladoctor.sources.source import parse


def read(source, key="SWITCH"):
    return reading(parse("import os\n" + source, "main.py"), key)


@pytest.mark.parametrize(
    ("source", "value", "other"),
    [
        ("S = os.environ.get('SWITCH', '1') == '1'\nif S: pass", None, "0"),
        ("S = os.environ.get('SWITCH', '1') != '0'\nif S: pass", None, "0"),
        ("S = os.getenv('SWITCH', 'no').lower() in ('1', 'yes')\nif S: pass", "yes", "1"),
        ("S = int(os.environ.get('SWITCH', '8'))\nif S: pass", None, "0"),
        ("S = int(os.environ.get('SWITCH', '8'))\nif S: pass", "0", "1"),
        ("if os.environ.get('SWITCH'): pass", None, "1"),
        ("if os.environ.get('SWITCH'): pass", "0", ""),
        ("if os.environ.get('SWITCH', 'fast') == 'fast': pass", None, "not-fast"),
        ("N = int(os.environ.get('SWITCH', '1'))\nfor i in range(N): pass", None, None),
        ("N = os.environ.get('SWITCH', 'somewhere')\nopen(N)", None, None),
    ],
)
def test_the_other_position(source, value, other):
    assert read(source).other(value) == other


def test_a_word_that_the_program_writes_itself_is_a_position():
    assert read("if os.environ.get('SWITCH', 'fast') == 'fast': pass").other(None, ["exact"]) == "exact"


def test_two_functions_with_the_same_arguments_are_alternatives():
    found = read("S = os.environ.get('SWITCH') == '1'\ndef f(x):\n    return slow(x, 2) if S else quick(x, 2)\n")
    assert found.alternatives == (4,)
    found = read(
        "S = os.environ.get('SWITCH') == '1'\ndef f(x):\n    if S:\n        return slow(x)\n    return quick(x)\n",
    )
    assert found.alternatives == (4,)
    found = read(
        "S = os.environ.get('SWITCH') == '1'\ndef f(x):\n    if S:\n        x = augment(x)\n    return quick(x)\n",
    )
    assert (found.alternatives, found.uses) == ((), (4,))


def test_a_function_that_hands_the_value_on_is_followed():
    source = (
        "def kind():\n    return os.environ.get('SWITCH', 'a')\ndef f(x):\n    return g(x) if kind() == 'a' else h(x)\n"
    )
    assert read(source).uses == (5,)


def test_a_promise_in_a_comment_beside_it_is_read():
    assert read("# Makes it faster.\nS = os.environ.get('SWITCH') == '1'\nif S: pass").claims == "Makes it faster."
    assert read("# Adds noise.\nS = os.environ.get('SWITCH') == '1'\nif S: pass").claims is None


def test_a_file_that_does_not_read_it_says_nothing():
    assert read("SWITCH = 1\n") is None
