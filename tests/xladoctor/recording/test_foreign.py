"""Run folders of strangers: nothing crashes, nothing hangs, nothing outside is read or written."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import resource
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.xladoctor.altered import folder_of
from tests.xladoctor.many_events import calls, environment, lost_rows, overrides, uses
from tests.xladoctor.recordings import Run, collapsed
from xladoctor.commands import report as documents
from xladoctor.errors import XladoctorError
from xladoctor.recording import files
from xladoctor.recording.run import read_run
from xladoctor.recording.run_folder import stamped
from xladoctor.report import render
from xladoctor.saved import scan_run, trace_run
from xladoctor.survey.find import targets_in
from xladoctor.workers.subject import find

ROUNDS = int(os.environ.get("XLADOCTOR_FUZZ_ROUNDS", "40"))
"""How many altered folders are read; `XLADOCTOR_FUZZ_ROUNDS=5000` for a long search."""

SOURCE = ["m.py", 3, "f"]
BIRTH = {
    "node": "a/b", "op": "Reshape", "path": ["x"], "function": "f", "inner_node": "b", "axis": 0, "shape": [1, 5],
    "inputs": [{"tensor": "a:0", "shape": [4, 5], "value": [1]}], "sources": [SOURCE],
}  # fmt: skip
BAKED = {
    "op": "Reshape", "node": "n", "argument": "shape", "from": [{"kind": "input", "name": "x"}], "sources": [SOURCE],
    "recompiles": {"seconds": [1.0, 0.1, 1.0], "again": True},
}  # fmt: skip
FLIP = {
    "name": "env:X", "store": "env", "key": "X", "value": "1", "other": "0", "ended": True,
    "functions": [
        {"function": "f", "capsule": "c", "step": True, "same": same, "compiled": [1, 1], "nodes": [3, 3]}
        for same in (True, False)
    ],
}  # fmt: skip
REPLAY = {
    "schema": "xladoctor.replay/1", "subject": "s", "folder": "f",
    "sweep": {"outcomes": [{"case": {"batch": 4, "vary": [["jit", "on"]]}, "state": "failed", "rows_in": 4,
                            "signature": {"class": "x"}, "message": "m", "run_seconds": 0.1}],
              "rules": [{"kind": "never", "vary": [], "text": "t"}], "asked": 1, "tries": 1},
    "isolated": {"op": "Reshape", "node": "n", "inputs": [{"shape": [4], "dtype": "float32"}], "ops": 3,
                 "signature": None, "message": "m", "mode": "run", "tries": 1, "compilations": 0, "seconds": 1.0,
                 "chain": [{"op": "o", "shape": "f32[2]", "node": "n", "what": "birth"}]},
    "parity": {"ways": ["plain", "xla"],
               "agreements": [{"output": "o", "ways": ["plain", "xla"], "agree": False, "deviation": "NaN",
                               "tolerance": 1e-6, "shapes": [[4], [4]], "rows": [1],
                               "map": {"rows": [[0, 0.1]], "cells": [[0.1]], "shape": [1, 1], "block": 1, "row": 0}}],
               "first_node": {"node": "n", "op": "o", "deviation": 1.0}, "not_comparable": ["x"]},
    "remedies": [{"remedy": "r", "title": "t", "result": "cured", "safety": "safe", "how": "h", "deviation": 0.1,
                  "speed_ratio": 1.0, "message": "m"}],
    "lowering": {"platform": "gpu", "ok": False, "unsupported": ["A"], "message": "m", "seconds": 1.0},
    "repro": {"path": "p", "lines": 3, "reproduced": True, "message": "m"},
}  # fmt: skip


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A recorded run with everything that a folder can hold."""
    run = collapsed()
    for add in (uses, overrides, calls, lost_rows, environment):
        add(run, 8)
    run.worker.append({"capsule": "7-1-step", "request": "birth", "batch": 4, "result": BIRTH})
    run.worker.append({"capsule": "7-1-step", "request": "failing_op", "batch": 4, "result": {**BIRTH, "order": [1]}})
    run.worker.append({"capsule": "7-1-step", "request": "baked", "result": [BAKED]})
    place = {"name": "gears.ops:shift", "contract": "x (B N) -> (B)", "axes": {"N": "m:f()"}}
    run.places = {"schema": "xladoctor.places/1", "file": "p", "places": [place], "problems": ["no"]}
    folder = run.write(tmp_path_factory.mktemp("runs") / "run")
    (folder / "flips.json").write_text(json.dumps({"schema": "xladoctor.flips/1", "flips": [FLIP]}))
    (folder / "replays" / "1").mkdir(parents=True)
    (folder / "replays" / "1" / "replay.json").write_text(json.dumps(REPLAY))
    sources = gzip.compress(json.dumps({"g1": {"b": [SOURCE], "a": [SOURCE]}}).encode())
    (folder / "capsules" / "7-1-step" / "sources.json.gz").write_bytes(sources)
    (folder / "stderr.log").write_text("InvalidArgumentError: Incompatible shapes: [2,3] vs. [4]\n" * 3)
    return folder


def read_in_every_way(folder: Path) -> None:
    """What commands do with a run folder, without a worker. Errors of ours are answers."""
    for look in (_scan, _trace, _report, lambda f: find(str(f), None)):
        with contextlib.suppress(XladoctorError):
            look(folder)


def _scan(folder: Path) -> None:
    found = scan_run(folder)
    for form in ("json", "markdown", "sarif", "junit", "csv"):
        render(found, form, None)


def _trace(folder: Path) -> None:
    from xladoctor.report.trace import render as render_trace

    render_trace(trace_run(folder), "json", None)


def _report(folder: Path) -> None:
    document = documents.redacted(documents.of_run(folder))
    render(document.diagnosis, "html", None, document.view)
    render(document.diagnosis, "markdown", None, document.view)


def test_the_original_has_nothing_wrong(original):
    assert scan_run(original).problems == ()


@pytest.mark.parametrize("seed", range(4))
def test_altered_folders_are_read_without_a_crash(original, tmp_path, seed):
    for number in range(seed, ROUNDS, 4):
        # Its name in the traceback says which round it was.
        read_in_every_way(folder_of(original, tmp_path / str(number), random.Random(number)))


# What is there in the place of a file. -------------------------------------------------------------------------------

NAMES = [
    "run.json", "events-7.jsonl", "worker.jsonl", "places.json", "flips.json", "stdout.log", "stderr.log",
    "replays/1/replay.json", "capsules/7-1-step/capsule.json", "capsules/7-1-step/recipe.json",
    "capsules/7-1-step/sources.json.gz", "marks.json",
]  # fmt: skip


def _nested(file: Path) -> None:
    file.write_text("[" * 200_000 + "]" * 200_000)


def _nested_object(file: Path) -> None:
    file.write_text('{"seq":1,"t":0.1,"kind":"start","environment":' * 3000 + "1" + "}" * 3000)


def _pipe(file: Path) -> None:
    os.mkfifo(file)


def _endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


def _secret(file: Path) -> None:
    file.symlink_to(file.parents[len(file.parts) - 1 - file.parts.index("run")].parent / "secret")


def _folder(file: Path) -> None:
    file.mkdir()


def _round(file: Path) -> None:
    file.symlink_to(file.name)


def _empty(file: Path) -> None:
    file.touch()


def _no_text(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00\x80" * 99)


GROUPS = 3
"""So many folders, each with the next few names replaced: what is read instead must be there in another one."""
WHATS = [_nested, _nested_object, _pipe, _endless, _secret, _folder, _round, _empty, _no_text]


@pytest.mark.parametrize("what", WHATS)
def test_what_stands_in_the_place_of_a_file_does_no_harm(original, tmp_path, what):
    (tmp_path / "secret").write_text('{"schema": "xladoctor.run/1", "command": ["TOP-SECRET"], "x": "TOP-SECRET"}\n')
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    for number in range(GROUPS):
        folder = tmp_path / str(number) / "run"
        shutil.copytree(original, folder)
        for name in NAMES[number::GROUPS]:
            (folder / name).unlink(missing_ok=True)
            what(folder / name)
        read_in_every_way(folder)
        assert "TOP-SECRET" not in render(scan_run(folder), "json", None)
    assert time.process_time() - began < 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 700 << 10


def test_packed_sources_that_unpack_to_gigabytes_are_left(original, tmp_path, monkeypatch):
    monkeypatch.setattr("xladoctor.recording.run._LARGEST_SOURCES", 1 << 20)
    folder = shutil.copytree(original, tmp_path / "run")
    assert read_run(folder).sources("7-1-step")
    bomb = json.dumps({"g1": {"b": [["x" * (32 << 20), 3, "f"]]}}).encode()
    (folder / "capsules/7-1-step/sources.json.gz").write_bytes(gzip.compress(bomb, 1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert read_run(folder).sources("7-1-step") == {}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 << 10


@pytest.mark.parametrize("link", ["capsules", "capsules/7-1-step", "replays"])
def test_folders_that_are_links_are_not_read(original, tmp_path, link):
    elsewhere = shutil.copytree(original, tmp_path / "elsewhere")
    folder = shutil.copytree(original, tmp_path / "run")
    shutil.rmtree(folder / link)
    (folder / link).symlink_to(elsewhere / link)
    recording = read_run(folder)
    if link == "replays":
        assert "remedies were tried" not in render(scan_run(folder), "json", None)
    else:
        assert not recording.capsule("7-1-step").known and recording.sources("7-1-step") == {}
        with pytest.raises(XladoctorError, match=r"symbolic link|no capsule"):
            find(str(folder), None)


def test_nothing_is_written_through_a_link(original, tmp_path):
    folder = shutil.copytree(original, tmp_path / "run")
    shutil.rmtree(folder / "replays")
    (tmp_path / "elsewhere").mkdir()
    (folder / "replays").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(XladoctorError, match="symbolic link"):
        stamped(parent=folder / "replays")
    (folder / "out.json").symlink_to(tmp_path / "elsewhere" / "file")
    with pytest.raises(FileExistsError):
        files.create(folder, "out.json")
    files.replace(folder, "out.json", b"{}")
    assert not (folder / "out.json").is_symlink() and list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["../run.json", "/etc/passwd", "a/../../b", "", ".", "a\0b", "\ud800"])
def test_names_lead_nowhere_else(tmp_path, name):
    with pytest.raises(files.Unusable):
        files.read(tmp_path, name)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(files.Unusable, match="is larger than 64 MiB"):
        files.read(tmp_path, "large")


def test_bounds_of_json(tmp_path):
    assert files.parsed(b'{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}
    assert files.parsed(b"[" * 60 + b"]" * 60)
    for text in (b"[" * 66 + b"]" * 66, b"[" + b"1," * 5_000_000 + b"1]", b"\xff", b"", b"{"):
        with pytest.raises(ValueError):
            files.parsed(text)
    assert files.parsed(b'["\\ud800", "\\ud83d\\ude00"]') == ["\ufffd", "\U0001f600"]
    assert files.parsed(b"[1" + b"0" * 400 + b"]") == [float("inf")]


def test_unfit_events_are_left_out_and_counted(tmp_path):
    run = Run()
    for value in ({"store": 3}, {"key": []}, {"where": {"line": "x"}}, {"frames": [1]}, {"t": None}):
        fields = {"store": "env", "key": "K", "action": "write", "value": "1", **value}
        run.event("setting", **{k: v for k, v in fields.items() if k != "t"})
        if "t" in value:
            run.events[-1]["t"] = None
    run.event("setting", store="env", key="K", action="write", value="2", extra={"kept": [1]})
    run.event("of a newer recorder", anything=[1])
    recording = read_run(run.write(tmp_path / "run"))
    [setting] = recording.of_kind("setting")
    assert setting["extra"] == {"kept": [1]} and len(recording.of_kind("of a newer recorder")) == 1
    assert recording.problems == (
        "events-7.jsonl: 5 events left out whose fields are not what they should be (setting.store, setting.key, "
        "setting.where); the rest was used",
    )


def test_deep_and_strange_trees_are_walked(original, tmp_path):
    here = tmp_path / "tree"
    here.mkdir()
    descriptor = os.open(here, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    shutil.copytree(original, here / "a run")
    (here / "back").symlink_to(here)
    os.mkfifo(here / "pipe.log")
    (here / "zero.log").symlink_to("/dev/zero")
    (tmp_path / "outside.log").write_text("secret")
    (here / "outside.log").symlink_to(tmp_path / "outside.log")
    (here / "run.log").write_text("x")
    (here / "latest.log").symlink_to("run.log")
    walked = sorted(path for target in targets_in(here) for path in target.paths)
    assert walked == [str(here / "a run"), str(here / "latest.log"), str(here / "run.log")]
    # Python's own way of removing a tree calls itself for each level.
    subprocess.run(["rm", "-rf", str(here / "d")], check=True)
