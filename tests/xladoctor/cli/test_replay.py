"""`xladoctor replay` at the command line: mistakes, formats, files, interruption; with a worker that only pretends."""

from __future__ import annotations

import json
import sys

import pandas as pd
import pytest

from tests.xladoctor.experiments import fake
from tests.xladoctor.recordings import collapsed
from xladoctor.__main__ import main
from xladoctor.errors import XladoctorError
from xladoctor.experiments import sizes, vary
from xladoctor.model import replay as model
from xladoctor.workers import subject


@pytest.fixture
def here(tmp_path, monkeypatch):
    fake.probes(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "there is nothing to replay"),
        (["nowhere"], "there is no folder nowhere"),
        (["a.b:c"], "For a callable: xladoctor replay --subject a.b:c"),
        (["."], "neither a run folder nor a capsule"),
        (["--subject", "thing"], "a subject is named module:callable"),
        (["--subject", "fake:pass"], "at which batch sizes?"),
        (["run", "--subject", "fake:pass"], "not both"),
        (["--subject", "fake:pass", "--batch-sizes", "4:1"], "Try 1:4"),
        (["--subject", "fake:pass", "--batch-sizes", "four"], "'four' is no number of rows"),
        (["--subject", "fake:pass", "--batch-sizes", "0"], "at least one row"),
        (["--subject", "fake:pass", "--batch-sizes", "4", "--timeout", "0"], "--timeout 0"),
        (["--subject", "fake:pass", "--batch-sizes", "4", "--vary", "jit"], "a name and its values"),
        (["--subject", "fake:pass", "--batch-sizes", "4", "--vary", "jit=maybe"], "jit is on or off"),
        (["--subject", "fake:pass", "--batch-sizes", "4", "--vary", "gridsiz=1"], "Did you mean gridsize?"),
        (["--resume", "nowhere"], "could be gone on with (there is no such folder)"),
        (["--resume", "."], "could be gone on with (it has no request.json)"),
        (["--target", "tpu"], "known are gpu and cpu"),
        (["-q", "-v"], "exclude each other"),
    ],
)
def test_a_mistake_is_one_helpful_line(here, capsys, args, said):
    assert main(["replay", *args]) == 2
    out = capsys.readouterr()
    assert said in out.err and out.out == "" and "Traceback" not in out.err
    assert not (here / "xladoctor-runs").exists() or args[:1] == ["--subject"]


def test_a_replay(here, capsys):
    status = main(["replay", "--subject", "fake:pass", "--batch-sizes", "1:3", "--python", sys.executable])
    out = capsys.readouterr().out
    assert status == 0 and "passes at every size asked for (1:3)" in out and "Kept in " in out


@pytest.mark.parametrize("format", ["console", "json", "markdown", "csv"])
def test_formats(here, capsys, format):
    main(["replay", "--subject", "fake:rows.4", "--batch-sizes", "1:5", "--python", sys.executable, "-f", format])
    out = capsys.readouterr().out
    assert "silent" in out or format == "console"
    if format == "json":
        told = json.loads(out)
        assert told["schema"] == "xladoctor.replay/1" and told["sweep"]["asked"] == 5
    if format == "csv":
        assert out.splitlines()[0].startswith("batch,varied,state,class,")


def test_what_is_left_in_the_folder(here):
    args = ["--subject", "fake:pass", "--batch-sizes", "1:3", "--python", sys.executable]
    main(["replay", *args, "--vary", "SWITCH=off"])
    (folder,) = (here / "xladoctor-runs").glob("*-replay")
    assert {"replay.json", "sweep.csv", "journal.jsonl", "request.json"} <= {p.name for p in folder.iterdir()}
    table = pd.read_csv(folder / "sweep.csv")
    assert list(table["batch"]) == [1, 2, 3] and set(table["env:SWITCH"]) == {"off"}
    assert folder.stat().st_mode & 0o077 == 0


def test_rows_that_nobody_can_judge_are_told(here, capsys):
    main(["replay", "--subject", "fake:rows.2", "--batch-sizes", "1:4", "--python", sys.executable])
    assert "by_row = True" in " ".join(capsys.readouterr().out.split())


def test_interrupted(here, capsys):
    args = ["--subject", "fake:stop.3", "--batch-sizes", "1:4", "--python", sys.executable]
    assert main(["replay", *args]) == 130
    out = capsys.readouterr().out
    assert "interrupted; this goes on where it was: xladoctor replay --resume xladoctor-runs/" in " ".join(out.split())


# -- what names mean


def test_sizes():
    assert sizes.parse("1,4,15:17, 32") == (1, 4, 15, 16, 17, 32)
    assert sizes.parse("3,1:3") == (1, 2, 3)
    assert model.runs((1, 4, 15, 16, 17, 32, 33)) == ["1", "4", "15:17", "32", "33"]


def meaning(text, kind="callable"):
    one = subject.Subject("s", kind, sys.executable, None)
    ((name, values),) = vary.resolve(vary.parse([text]), one, ["layout", "N"], ["N", "gridsize"])
    return name, values


def test_names_of_what_is_varied():
    assert meaning("jit=on,off") == ("jit", ("on", "off"))
    assert meaning("layout=flat,planar") == ("arg:layout", ("flat", "planar"))
    assert meaning("gridsize=1,2") == ("cfg:gridsize", ("1", "2"))
    assert meaning("USE_XLA=1") == ("env:USE_XLA", ("1",))
    assert meaning("env:gridsize=1") == ("env:gridsize", ("1",))
    assert meaning(r"env:TF_XLA_FLAGS=--a=1\,2,--b") == ("env:TF_XLA_FLAGS", ("--a=1,2", "--b"))
    with pytest.raises(XladoctorError, match="may mean arg:N or cfg:N"):
        meaning("N=64")


def test_a_capsule_has_decided_some_things():
    assert meaning("SWITCH=1", "capsule") == ("env:SWITCH", ("1",))
    for text in ("dtype=float64", "cfg:N=64", "arg:layout=flat", "eager=on"):
        with pytest.raises(XladoctorError, match="a capsule keeps the graph that was traced"):
            meaning(text, "capsule")


# -- which subject is meant


def test_our_own_names_are_short():
    assert subject.find(None, "ptycho:reassemble").callable == "ptycho.subjects:reassemble"


def test_the_call_that_ended_the_run(tmp_path):
    collapsed(16).write(tmp_path / "run")
    (capsule,) = (tmp_path / "run" / "capsules").iterdir()
    found = subject.find(str(tmp_path / "run"), None, python=sys.executable)
    assert found.kind == "capsule" and found.folder == capsule and found.run == tmp_path / "run"
    assert subject.find(str(capsule), None, python=sys.executable).step.why == "failed"


def test_an_interpreter_that_is_not_there_is_no_result(here, capsys):
    args = ["--subject", "fake:pass", "--batch-sizes", "4", "--python", sys.executable, "--vary", "python=/no/python"]
    assert main(["replay", *args]) == 3
    assert "no such interpreter" in capsys.readouterr().err
