"""`xladoctor trace` at the command line: what is asked of the session, exit statuses, files and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import xladoctor.commands.scan as commands_scan
from tests.xladoctor.recordings import collapsed, healthy
from xladoctor.__main__ import main
from xladoctor.saved import trace_run


@pytest.fixture
def runs(tmp_path, monkeypatch):
    healthy(15).write(tmp_path / "runs" / "a")
    collapsed(16).write(tmp_path / "runs" / "b")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs"


def test_a_run_folder(runs, capsys):
    before = {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in runs.rglob("*") if p.is_file()}
    assert main(["trace", "runs/a"]) == 0
    assert "CONTRACTS KEPT" in capsys.readouterr().out
    assert main(["trace", "runs/b"]) == 1
    assert "CONTRACT BROKEN" in capsys.readouterr().out
    assert main(["trace", "--diff", "runs/a", "runs/b"]) == 1
    assert main(["trace", "--diff", "runs/a", "runs/a"]) == 0
    assert before == {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in runs.rglob("*") if p.is_file()}


def test_a_damaged_folder_is_said_and_the_rest_is_shown(runs, capsys):
    events = runs / "a" / "events-7.jsonl"
    events.write_bytes(events.read_bytes() + b'{"torn')
    assert main(["trace", "runs/a"]) == 2
    out = capsys.readouterr().out
    assert "1 damaged line" in out and "fit of gears" in out
    assert main(["trace", "--diff", "runs/a", "runs/b"]) == 2


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("t.csv", "xladoctor_call,"),
        ("t.json", "{"),
        ("t.md", "<!-- xladoctor"),
        ("t.html", "<!DOCTYPE"),
        ("t.txt", "xlad"),
    ],
)
@pytest.mark.parametrize("what", [["runs/b"], ["--diff", "runs/a", "runs/b"]])
def test_the_ending_of_the_output_decides_and_it_is_replaced_the_next_time(runs, name, start, what):
    for _ in range(2):
        assert main(["trace", "-o", name, *what]) == 1
        assert Path(name).read_text().startswith(start)


def test_a_trace_does_not_write_the_formats_of_a_scan(runs):
    assert main(["trace", "-o", "d.sarif", "runs/b"]) == 1
    assert Path("d.sarif").read_text().startswith("xladoctor: CONTRACT BROKEN")


def test_a_command(runs, capsys, monkeypatch):
    asked = []

    def trace_command(command, options):
        asked.append((command, options))
        return commands_scan.TraceResult(trace_run(runs / "b"), runs / "b", 1)

    monkeypatch.setattr(commands_scan, "trace_command", trace_command)
    assert (
        main(["trace", "--format", "json", "--run-dir", "r", "--timeout", "2", "--", "python", "x.py", "--diff"]) == 1
    )
    command, options = asked[0]
    assert command == ("python", "x.py", "--diff")
    assert (options.run_dir, options.timeout, options.passthrough) == (Path("r"), 2.0, "stderr")
    assert json.loads(capsys.readouterr().out)["schema"] == "xladoctor.trace/1"
    assert main(["trace", "--", "x"]) == 1
    assert "(the program ended with 1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "said", "hint"),
    [
        ([], "there is nothing to trace", "xladoctor trace -- python train.py"),
        (["runs/a", "runs/b"], "give one run folder, or two with --diff", ""),
        (["--diff", "runs/a"], "not 1", "RUN_A RUN_B"),
        (["--diff", "--", "x"], "--diff is for two run folders", "Trace the command first"),
        (["runs"], "runs is not a run folder", "It holds 2 of them"),
        (["train.log"], "train.log is not a run folder, and a log holds no shapes", "xladoctor trace -- COMMAND"),
        (["nowhere"], "there is no folder nowhere", ""),
        (["runs/a", "--", "x"], "either a run folder (runs/a) or a command after --", ""),
        (["--"], "after --", "xladoctor trace -- python train.py"),
        (["--timeout", "3", "runs/a"], "--timeout is for a command", "xladoctor trace --timeout ... -- python"),
        (["--format", "htm", "runs/a"], "'htm' is none of console, csv, json, markdown, html", "Did you mean html?"),
        (["-q", "-v", "runs/a"], "exclude each other", ""),
    ],
)  # fmt: skip
def test_a_mistake_is_one_helpful_line(runs, capsys, args, said, hint):
    Path("train.log").write_text("x")
    assert main(["trace", *args]) == 2
    captured = capsys.readouterr()
    assert said in captured.err and hint in captured.err and captured.out == ""


def test_a_command_that_cannot_be_started(runs, capsys):
    assert main(["trace", "--", "no-such-program"]) == 3
    assert "no such program" in capsys.readouterr().err
