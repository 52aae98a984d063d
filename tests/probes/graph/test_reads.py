"""Which settings a program reads: watched from the import of their module on, with all who share the dict."""

from __future__ import annotations

import copy
import json
import pickle
import sys

import pytest

from probes.graph import reads


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """A package whose `__init__` already takes the settings of one of its modules."""
    package = tmp_path / "watched_package"
    package.mkdir()
    (package / "__init__.py").write_text("from watched_package.params import cfg as held\n")
    (package / "params.py").write_text("cfg = {'used': 1, 'other': 2, 'third': 3}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [f for f in sys.meta_path if not isinstance(f, reads._Finder)])
    monkeypatch.setattr(reads, "_read", None)
    reads.watch("watched_package.params", "cfg")
    yield "watched_package"
    for name in [n for n in sys.modules if n.startswith("watched_package")]:
        del sys.modules[name]


def test_only_what_was_asked_for(settings):
    assert reads.read() is None
    package = __import__(settings)
    assert package.held is sys.modules[f"{settings}.params"].cfg
    assert reads.read() == []
    package.held["other"] = 5
    assert "third" in package.held and package.held.get("used") == 1 and reads.read() == ["used"]
    assert package.held["other"] == 5 and reads.read() == ["other", "used"]


@pytest.mark.parametrize("take", [dict, copy.copy, lambda d: {**d}, lambda d: list(d.items()), lambda d: d.copy()])
def test_taking_all_is_reading_all(settings, take):
    take(__import__(settings).held)
    assert reads.read() == ["other", "third", "used"]


def test_copies_are_plain(settings):
    held = __import__(settings).held
    for made in (copy.deepcopy(held), pickle.loads(pickle.dumps(held)), held.copy()):
        assert type(made) is dict and made == {"used": 1, "other": 2, "third": 3}
    assert json.loads(json.dumps(held)) == made


def test_what_is_imported_already_is_left_as_it_is(settings, monkeypatch):
    __import__(settings)
    monkeypatch.setattr(reads, "_read", None)
    reads.watch("json", "cfg")
    assert reads.read() is None
