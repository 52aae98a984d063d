"""A program that writes to absolute paths, rehearsed: no TensorFlow in it."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from xladoctor.experiments import outside, overlay
from xladoctor.experiments.outside import named, stores
from xladoctor.preflight.checks import rehearsal
from xladoctor.preflight.refused import Refused, refused_path
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.study import Study
from xladoctor.recording.schema import schema

PROGRAM = """
import sys, pathlib
out = pathlib.Path(sys.argv[1].rpartition("=")[2] if len(sys.argv) > 1 else {elsewhere!r})
out.mkdir(parents=True, exist_ok=True)
(out / "result").write_text("new")
print(sorted(p.name for p in out.iterdir()))
"""


@pytest.fixture
def place(tmp_path):
    """A study's folder with its program, and a folder elsewhere that holds an older result."""
    work, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    work.mkdir()
    elsewhere.mkdir()
    (elsewhere / "result").write_text("old")
    (elsewhere / "other").write_text("old")
    (work / "train.py").write_text(PROGRAM.format(elsewhere=str(elsewhere)))
    return SimpleNamespace(work=work, elsewhere=elsewhere, run=work / "xladoctor-runs" / "run")


def looked(place, *words, **study):
    told = Study(name="s", command=(sys.executable, "train.py", *words), **study)
    with Situation(told, place.run, overlay.look(place.work), 60.0, lambda text: None) as situation:
        verdict = rehearsal.check(situation)
        return verdict, situation.rehearsal


def laid_over(recording):
    """Whether this system let the rehearsal have its own view; not all do."""
    (begun,) = [e for e in recording.of_kind(schema.REHEARSAL) if "redirected" in e]
    assert begun["redirected"]
    return all(why is None for why in begun["redirected"].values())


@pytest.mark.parametrize("form", ["{}", "--output-dir={}"])
def test_what_goes_to_an_absolute_path_of_the_command_line_lands_in_a_copy(place, form):
    verdict, recording = looked(place, form.format(place.elsewhere))
    assert (place.elsewhere / "result").read_text() == "old"
    if laid_over(recording):
        assert (recording.folder / "stdout.log").read_text() == "['other', 'result']\n"
        assert [p.read_text() for p in recording.folder.rglob("changes/result")] == ["new"]
    else:
        assert str(place.elsewhere / "result") in verdict.message and "--allow-write" in verdict.todo


def test_a_folder_that_is_not_there_yet(place):
    verdict, recording = looked(place, str(place.work / "results" / "first"))
    assert not (place.work / "results").exists()
    if laid_over(recording):
        assert (recording.folder / "stdout.log").read_text() == "['result']\n"
    else:
        assert "--allow-write" in verdict.todo


def test_a_path_that_only_the_program_knows_is_laid_over_in_a_second_try(place):
    verdict, recording = looked(place)
    assert (place.elsewhere / "result").read_text() == "old"
    assert verdict.state == "unchecked", "there is no step of TensorFlow in it"
    if laid_over(recording):
        assert recording.folder.name == "rehearsal-1"
        assert (recording.folder / "stdout.log").read_text() == "['other', 'result']\n"
    else:
        assert str(place.elsewhere / "result") in verdict.message
        assert f"--allow-write {place.elsewhere}." in verdict.todo


def test_an_older_result_that_is_too_large_to_copy_is_written_in_a_copy(place):
    model = place.work / "model.bin"
    model.write_bytes(b"o" * (2 << 20))
    (place.work / "train.py").write_text("open('model.bin', 'w').write('new'); print(open('model.bin').read())")
    _, recording = looked(place)
    assert model.stat().st_size == 2 << 20
    assert recording.folder.name == "rehearsal-1"
    assert not laid_over(recording) or (recording.folder / "stdout.log").read_text() == "new\n"


def test_outputs_names_it(place):
    _, recording = looked(place, outputs=str(place.elsewhere))
    assert (place.elsewhere / "result").read_text() == "old"
    assert not laid_over(recording) or (recording.folder / "stdout.log").read_text() == "['other', 'result']\n"


def test_it_may_be_allowed_to_write_there(place):
    _, recording = looked(place, allow_write=(str(place.elsewhere),))
    assert (recording.folder / "stdout.log").read_text() == "['other', 'result']\n"
    assert (place.elsewhere / "result").read_text() == "new"


def test_where_no_view_could_be_had_the_reason_is_told(place):
    events = {
        schema.REHEARSAL: [{"confined": "landlock", "redirected": {"/data": "Operation not permitted"}}],
        schema.FAILURE: [
            {"pid": 1, "failure": 1, "state": "raised", "message": "/data/x/model.h5; Permission denied"},
            {"pid": 1, "failure": 1, "state": "uncaught"},
        ],
    }
    recording = SimpleNamespace(folder=place.run, of_kind=lambda kind: events[kind])
    refused = refused_path(recording)
    assert refused == Refused(Path("/data/x/model.h5"), "Operation not permitted") and refused.folder == Path("/")
    events[schema.FAILURE].pop()
    assert refused_path(recording) is None, "the program caught it"


def test_folders_that_a_command_line_names(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "data.npz").write_text("")
    (tmp_path / "c").mkdir()
    script = tmp_path / "c" / "train.py"
    script.write_text("")
    words = [
        str(script),
        f"--in={tmp_path}/a/data.npz",
        f"{tmp_path}/a/b/new",
        "relative/x",
        "-o",
        "--x=/dev/null",
        "/",
    ]
    assert named(words) == [tmp_path / "a"]
    assert named([], [str(tmp_path / "c" / "new")]) == [tmp_path / "c"]


def test_changes_lie_where_the_folder_itself_is_not(tmp_path, monkeypatch):
    run = tmp_path / "study" / "run"
    run.mkdir(parents=True)
    other = tmp_path / "other"
    with stores([other], run) as pairs:
        assert pairs == [(str(other), str(run / "outside" / "1"))]
    with stores([tmp_path / "study"], run) as pairs:
        ((_, where),) = pairs
        assert Path(where).is_dir() and not Path(where).is_relative_to(tmp_path)
    assert not Path(where).exists()
    monkeypatch.setattr(outside, "_OTHERS", ())
    monkeypatch.setenv("HOME", str(Path(where).parent))
    with stores([Path(where).parent], run) as pairs:
        assert pairs == [(str(Path(where).parent), "")], "the run lies in it, and so would its changes"
