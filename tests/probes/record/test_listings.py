"""Folders that a line of the program lists, with numbers in names that text puts into another order."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from probes.record.guard import Guard
from probes.record.listings import ListingRecorder, mixed

PROGRAM = """import glob, os
from pathlib import Path
first = sorted(os.listdir(folder))
second = sorted(glob.glob(folder + "/core_*.txt"))
third = sorted(Path(folder).glob("*.txt"))
fourth = [e.name for e in os.scandir(folder)]
"""


@pytest.fixture
def listed():
    """Run a text as a program in a folder; the names that were written, by line."""
    events = []
    guard = Guard(SimpleNamespace(write=lambda kind, **facts: events.append((kind, facts))))
    ListingRecorder(guard)

    def run(folder: Path) -> list[str]:
        file = folder / "main.py"
        exec(compile(PROGRAM, str(file), "exec"), {"folder": str(folder)})
        assert all(kind == "names" and facts["file"] == str(file) for kind, facts in events), events
        return [name for _, facts in events for name in facts["names"]]

    yield run
    guard.hooks.take_back(lambda what, function, *given: function(*given))
    assert type(os.listdir) is type(os.scandir) is type(len)


def test_each_line_that_lists_such_files(listed, tmp_path):
    for n in range(12):
        (tmp_path / f"core_{n}.txt").touch()
        (tmp_path / f"log_{n:03d}.txt").touch()
    assert listed(tmp_path) == [f"@{line} core_#.txt" for line in (3, 4, 5, 6)]


def test_files_in_order_are_nothing(listed, tmp_path):
    for n in range(9):
        (tmp_path / f"core_{n}.txt").touch()
    assert listed(tmp_path) == []


def test_names_that_differ_in_more_than_their_numbers():
    assert list(mixed(["a1", "b10", "c2"])) == []
    assert [kind for kind, _ in mixed(["run_9_a", "run_10_a", "note"])] == ["run_#_a"]


def test_what_asks_for_the_functions_of_the_system_gets_its_answer(listed, tmp_path):
    assert os.scandir in os.supports_fd and os.listdir in os.supports_fd
    with os.scandir(path=tmp_path) as entries:
        assert list(entries) == []
    (tmp_path / "inner").mkdir()
    shutil.rmtree(tmp_path / "inner")
    with pytest.raises(FileNotFoundError):
        os.listdir(tmp_path / "inner")
    assert pickle.loads(pickle.dumps(os.listdir))(str(tmp_path)) == []
    kept = type("Kept", (), {"list": os.listdir})()
    assert kept.list(str(tmp_path)) == []


def test_of_calls_that_no_line_of_the_program_makes_so_many_are_asked_about(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr("probes.record.listings.MAX_LOOKS", 3)
    monkeypatch.setattr("probes.record.listings.user_frames", lambda **given: asked.append(given) or [])
    guard = Guard(SimpleNamespace(write=lambda kind, **facts: None))
    ListingRecorder(guard)
    try:
        for _ in range(9):
            os.listdir(tmp_path)
    finally:
        guard.hooks.take_back(lambda what, function, *given: function(*given))
    assert len(asked) == 3
