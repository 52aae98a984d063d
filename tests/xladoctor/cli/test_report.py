"""`xladoctor report` at the command line: what becomes a document, exit statuses, files and mistakes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.xladoctor.recordings import collapsed, healthy
from tests.xladoctor.report import samples
from tests.xladoctor.report.pages import check_page
from xladoctor.cli.app import run
from xladoctor.cli.report import EPILOG
from xladoctor.errors import XladoctorError
from xladoctor.report import json_

REPLAY = {
    "schema": "xladoctor.replay/1",
    "subject": "the failing fit",
    "sweep": {
        "outcomes": [{"case": {"batch": 15, "vary": []}, "state": "passed"}],
        "rules": [{"kind": "never", "text": "never"}],
        "asked": 1,
        "tries": 1,
    },
}


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    healthy(15).write(tmp_path / "passes")
    collapsed(16).write(tmp_path / "fails")
    return tmp_path


def test_a_run_becomes_markdown(runs, capsys):
    assert run(["report", "fails"]) == 0, "a document was written, whatever it says"
    said = capsys.readouterr()
    assert said.out.startswith("<!-- xladoctor.diagnosis/1 written by xladoctor ")
    assert "# Blocker: shift breaks its contract" in said.out and "the program ended with 1" in said.out
    assert not said.err


def test_the_ending_of_the_file_decides(runs, capsys):
    assert run(["report", "fails", "--output", "b.html"]) == 0
    check_page((runs / "b.html").read_text())
    assert run(["report", "fails", "--output", "b.json"]) == 0
    assert json_.from_json((runs / "b.json").read_bytes()).verdict == "failed"
    assert run(["report", "fails", "--output", "b.txt"]) == 0
    assert (runs / "b.txt").read_text().startswith("<!-- ")
    assert run(["report", "fails", "--output", "b.html"]) == 0, "a page of ours is replaced"
    assert capsys.readouterr().err.count("wrote") == 4


def test_a_diagnosis_and_a_log_will_do(runs, capsys):
    (runs / "diagnosis.json").write_text(json_.render(samples.LOUD))
    assert run(["report", "diagnosis.json"]) == 0
    assert "ReassemblePatchesLayer.call returned 1 row" in capsys.readouterr().out
    (runs / "train.log").write_text("ValueError: Shapes (2,) and (3,) are incompatible\n")
    assert run(["report", "train.log", "--format", "html"]) == 0
    check_page(capsys.readouterr().out)


def test_replays_of_the_run_and_others(runs, capsys):
    folder = runs / "fails" / "replays" / "20260106T101500Z-1"
    folder.mkdir(parents=True)
    (folder / "replay.json").write_text(json.dumps(REPLAY))
    (runs / "other.json").write_text(json.dumps({**REPLAY, "subject": "another"}))
    assert run(["report", "fails", "--replay", "other.json"]) == 0
    said = capsys.readouterr().out
    assert "## Run again 1: the failing fit" in said and "## Run again 2: another" in said and "- never" in said
    (runs / "fails" / "replay.json").write_text("{")
    assert run(["report", "fails"]) == 2, "part of the input could not be read"
    assert "replay.json cannot be read" in capsys.readouterr().out
    with pytest.raises(XladoctorError, match=r"diagnosis\.json: there is no replay"):
        run(["report", "fails", "--replay", "diagnosis.json"])


def test_what_a_replay_tried_stands_at_the_remedy(runs, capsys):
    run(["report", "fails", "--format", "json"])
    first = json.loads(capsys.readouterr().out)["findings"][0]["remedies"][0]
    trial = {"remedy": first["id"], "title": "T", "safety": "safe", "deviation": 1e-7, "speed_ratio": 1.25}
    for result, said in (("no effect", "failed"), ("not applicable", "untested"), ("cured", "verified")):
        tried = [{**trial, "result": result}]
        (runs / "fails" / "replay.json").write_text(json.dumps({**REPLAY, "remedies": tried}))
        assert run(["report", "fails", "--format", "json"]) == 0
        remedies = json.loads(capsys.readouterr().out)["findings"][0]["remedies"]
        told = next(r for r in remedies if r["id"] == first["id"])
        measured = (None, None) if said == "untested" else (1e-7, 1.25)
        assert (told["result"], told["deviation"], told["speed_ratio"]) == (said, *measured)
    assert run(["report", "fails"]) == 0
    assert f"verified: {first['title']}" in capsys.readouterr().out.replace("`", "")


def test_nothing_private_is_left(runs, capsys):
    assert run(["report", "fails", "--redact", "--format", "json"]) == 0
    said = capsys.readouterr().out
    assert str(runs) not in said and "placeholders such as <home>" in said


@pytest.mark.parametrize("format", ["console", "markdown", "html", "json"])
def test_two_runs(runs, capsys, format):
    assert run(["report", "--diff", "passes", "fails", "--format", format]) == 1
    said = capsys.readouterr().out
    assert "contract-violation" in said and "passes" in said
    if format == "html":
        check_page(said)
    if format == "json":
        data = json.loads(said)
        assert (data["schema"], data["differs"]) == ("xladoctor.run-diff/1", True)
        assert data["shapes"]["schema"] == "xladoctor.trace-diff/1"
    assert run(["report", "--diff", "passes", "passes", "--format", format]) == 0


def test_quiet(runs, capsys):
    assert run(["report", "--diff", "passes", "fails", "--quiet"]) == 1
    assert capsys.readouterr().out.rstrip().endswith("They differ in outcome (3), shapes (2).")
    assert run(["report", "fails", "--format", "console", "--quiet"]) == 0
    assert capsys.readouterr().out.count("\n") <= 3


def test_two_runs_redacted(runs, capsys):
    assert run(["report", "--diff", str(runs / "passes"), str(runs / "fails"), "--redact"]) == 1
    said = capsys.readouterr().out
    assert str(runs) not in said and "<cwd>/passes" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "there is no run in xladoctor-runs here"),
        (["fails", "--template", "blockr"], "there is no such template"),
        (["fails", "--template", "fails/run.json"], "its ending must name the format"),
        (["--diff", "fails"], "--diff needs two run folders, not 1"),
        (["--diff", "fails", "passes", "--replay", "x"], "--diff cannot be combined with --replay"),
        (["--diff", "fails", "own.md.j2", "--template", "own.md.j2"], "--diff cannot be combined with --template"),
        (["fails", "--template", "own.md.j2", "--format", "html"], r"own\.md\.j2 makes markdown, not html"),
        (["nowhere"], "there is no file nowhere"),
        (["fails", "--quiet", "--verbose"], "exclude each other"),
    ],
)
def test_mistakes(runs, words, said):
    (runs / "own.md.j2").write_text("x")
    with pytest.raises(XladoctorError, match=said) as told:
        run(["report", *words])
    assert told.value.exit_code == 2


def test_a_template_of_ones_own(runs, capsys):
    (runs / "own.md.j2").write_text("# {{ root.title }}\n\n{{ sections.shapes }}\n")
    assert run(["report", "fails", "--template", "own.md.j2", "--output", "own.md"]) == 0
    assert (runs / "own.md").read_text().startswith("# shift breaks its contract")


def test_the_examples_of_the_help_work_as_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, made in (("xladoctor-runs/20260106T101500-3f2a", collapsed(16)), ("runs/passes", healthy(15)),
                       ("runs/fails", collapsed(16))):  # fmt: skip
        made.write(tmp_path / name)
    (tmp_path / "ours.md.j2").write_text("# {{ root.title }}")
    examples = [line.strip() for line in EPILOG.splitlines() if line.strip().startswith("xladoctor report")]
    assert len(examples) == 5
    for example in examples:
        assert run(shlex.split(example)[1:]) in (0, 1), example
    check_page((tmp_path / "blocker.html").read_text())


def test_every_option_is_described(capsys):
    run(["report", "--help"])
    described = (Path(__file__).resolve().parents[3] / "docs" / "report.md").read_text() + (
        Path(__file__).resolve().parents[3] / "docs" / "cli.md"
    ).read_text()
    options = set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out)) - {"--help"}
    assert options and {option for option in options if option not in described} == set()
