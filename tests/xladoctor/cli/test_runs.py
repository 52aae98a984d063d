import json
from dataclasses import replace

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.cli.app import run
from xladoctor.cli.runs import age
from xladoctor.errors import XladoctorError
from xladoctor.recording import recent

NAMES = ("20260101T101500Z-0001", "20260103T101500Z-0002", "20260102T101500Z-0003")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with three runs; the newest is the second one."""
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        folder = Run().write(tmp_path / "xladoctor-runs" / name)
        (folder / "stdout.log").write_text("x" * 3000)
        said = {"verdict": "failed", "findings": [{"title": f"of {name[-1]}"}]}
        (folder / "diagnosis.json").write_text(json.dumps(said))
    (tmp_path / "xladoctor-runs" / "notes").mkdir()
    (tmp_path / "xladoctor-runs" / "20260109T101500Z-ffff").symlink_to(tmp_path)
    return tmp_path


def test_the_runs_are_listed_newest_first(here, capsys):
    assert run(["runs", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [r["folder"].rpartition("-")[2] for r in said["runs"]] == ["0002", "0003", "0001"]
    first = said["runs"][0]
    assert (first["verdict"], first["title"], first["command"]) == ("failed", "of 2", "python train.py")
    assert first["size"] > 3000


def test_they_are_listed_for_a_person(here, capsys):
    assert run(["runs"]) == 0
    out = capsys.readouterr().out
    assert "failed" in out and "python train.py: of 2" in out


@pytest.mark.parametrize("words", [["scan", "last"], ["report", "last"], ["report"], ["trace", "last"]])
def test_last_is_the_newest_run(here, capsys, words):
    run(words)
    assert NAMES[1] in capsys.readouterr().out


def test_a_file_of_that_name_comes_first(here):
    (here / "last").write_text("")
    assert recent.named("last") == "last"


def test_old_runs_are_removed_and_nothing_else(here, capsys):
    assert run(["runs", "clean", "--keep", "1"]) == 0
    assert "Removed 2 runs" in capsys.readouterr().out
    left = sorted(p.name for p in (here / "xladoctor-runs").iterdir())
    assert left == [NAMES[1], "20260109T101500Z-ffff", "notes"]
    assert (here / "xladoctor-runs" / "20260109T101500Z-ffff").is_symlink()


def test_a_run_that_goes_on_stays(here, monkeypatch):
    folder = here / "xladoctor-runs" / NAMES[0]
    (folder / "run.json").write_text(json.dumps({"outcome": {"state": "running"}}))
    monkeypatch.setattr(recent.time, "time", lambda: recent.describe(folder).time + 60)
    gone, problems = recent.clean(0)
    assert folder.is_dir() and len(gone) == 2
    assert "has not ended" in problems[0]


@pytest.mark.parametrize(
    ("words", "says"),
    [(["runs", "purge"], "does not know 'purge'"), (["runs", "clean"], "needs --keep N"), (["runs", "--keep", "2"],
     "--keep goes with clean")],
)  # fmt: skip
def test_wrong_usage(here, words, says):
    with pytest.raises(XladoctorError, match=says):
        run(words)


def test_without_a_run_it_says_how_to_make_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["runs"]) == 0
    assert "xladoctor scan -- python train.py" in capsys.readouterr().out
    with pytest.raises(XladoctorError, match="there is no run in xladoctor-runs here"):
        run(["scan", "last"])


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--", "python3", "x.py", "a b"], "xladoctor scan -- python3 x.py 'a b'"),
        (["run", "train.py", "--epochs", "2"], "xladoctor scan -- python train.py --epochs 2"),
        (["run", "--", "python3", "a.py"], "xladoctor scan -- python3 a.py"),
        (["run"], "xladoctor scan -- python train.py"),
    ],
)
def test_a_command_without_scan_is_pointed_to_scan(words, hint):
    with pytest.raises(XladoctorError) as error:
        run(words)
    assert error.value.hint.endswith(hint)


@pytest.mark.parametrize(("seconds", "text"), [(-5, "0 s"), (80, "80 s"), (600, "10 min"), (7200, "2 h"), (3e5, "3 d")])
def test_ages(seconds, text):
    assert age(seconds) == text


@pytest.mark.parametrize(
    ("words", "slug"),
    [("nan", "not-finite"), ("Incompatible shapes", "broadcast-mismatch"), ("out of memory", "oom"),
     ("XD301", "reshape-mismatch"), ("retracing", "retracing")],
)  # fmt: skip
def test_explain_knows_what_people_type(capsys, words, slug):
    assert run(["explain", words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rules"][0]["class"] == slug


def test_the_list_has_the_headline_and_not_the_title_of_the_class(here, capsys):
    from xladoctor.model.diagnosis import Diagnosis, Finding
    from xladoctor.report import json_
    from xladoctor.rules import by_slug

    rule = by_slug("broadcast-mismatch")
    finding = Finding(rule.code, rule.slug, "error", "root", rule.title, "Two shapes do not broadcast.")
    finding = replace(finding, op="AddV2", details={"shapes": [[None, 24, 64], [None, 4, 64]]})
    newest = here / "xladoctor-runs" / NAMES[1]
    (newest / "diagnosis.json").write_text(json_.render(Diagnosis("run", "failed", (finding,))))
    assert run(["runs"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Cannot add (None, 24, 64) and (None, 4, 64): axis 1 is 24 on the left" in said and rule.title not in said
