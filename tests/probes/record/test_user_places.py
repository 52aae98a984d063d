"""The user's places inside the target: read quietly; values by name; the decorator where nothing records."""

from __future__ import annotations

import json
import sys
import types

import numpy as np
import pytest

import probes
from probes import profile
from probes.record import user_places
from probes.record.outside import lookup


@pytest.mark.parametrize(
    "content",
    [
        None, "", "{", "[]", "3", "null", '{"places": 3}', '{"places": null}', '{"places": [1, null, "x", [], {}]}',
        '{"places": [{"name": 3, "contract": "x"}]}', '{"places": [{"name": "a:f", "contract": null}]}',
        '{"places": [{"name": "a b:f", "contract": "x"}]}', '{"places": [{"name": "f", "contract": "x"}]}', "\x00\xff",
    ],
)  # fmt: skip
def test_nonsense_is_quiet(tmp_path, content):
    if content is not None:
        (tmp_path / "places.json").write_bytes(content.encode("latin-1"))
    assert user_places.read(tmp_path) == []


def test_what_can_be_read_is_used(tmp_path):
    entries = [
        None,
        {"name": "a.b:C.call", "contract": "x (B) -> (P)", "axes": {"P": "a:p()", "Q": 3}},
        {"name": "a:f"},
    ]
    (tmp_path / "places.json").write_text(json.dumps({"places": entries}))
    assert user_places.read(tmp_path) == [
        profile.Place("a.b:C.call", "x (B) -> (P)", (("P", "a:p()"),), "pyproject.toml")
    ]


def test_the_user_s_word_counts_where_both_name_a_place():
    mine = profile.Place(profile.PTYCHO_PLACES[0].name, "x (B) -> (B)", (), "pyproject.toml")
    all_places = user_places.merged(profile.PTYCHO_PLACES, [mine])
    assert len(all_places) == len(profile.PTYCHO_PLACES)
    assert all_places[0] == mine


@pytest.fixture
def module(monkeypatch):
    made = types.ModuleType("gears_of_a_test")
    made.cfg = {"padded": 7, "text": "7", "flag": True}
    made.size = np.int64(9)
    made.holder = types.SimpleNamespace(inner=types.SimpleNamespace(n=3))
    made.padded = lambda: 5
    made.fails = lambda: 1 // 0
    made.tensor = type("Tensor", (), {"__index__": lambda self: pytest.fail("an op would run")})()
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made.__name__


@pytest.mark.parametrize(
    ("where", "value", "source"),
    [
        ("cfg[padded]", 7, "gears_of_a_test.cfg['padded']"),
        ("padded()", 5, "padded()"),
        ("size", 9, "gears_of_a_test.size"),
        ("holder.inner.n", 3, "gears_of_a_test.holder.inner.n"),
    ],
)
def test_values_by_name(module, where, value, source):
    assert lookup("P", f"{module}:{where}") == {"name": "P", "value": value, "source": source}


@pytest.mark.parametrize(
    "where",
    ["cfg[text]", "cfg[flag]", "cfg[gone]", "gone", "gone()", "fails()", "tensor", "cfg", "a + b", "__import__('os')"],
)
def test_no_value_is_none(module, where):
    assert lookup("P", f"{module}:{where}") is None


def test_the_decorator_without_a_recorder_gives_the_function_itself():
    def f(x):
        return x

    assert probes.place("x (B) -> (B)", P="m:p()", contract="m:c()")(f) is f
