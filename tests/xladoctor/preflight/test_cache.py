import sys
from types import SimpleNamespace

import pytest

from xladoctor.experiments import overlay
from xladoctor.model.preflight import Batches, Check, Preflight
from xladoctor.preflight import cache
from xladoctor.preflight.study import Study
from xladoctor.recording.schema import schema

STUDY = Study(name="s", command=(sys.executable, "train.py"))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    study = tmp_path / "study"
    study.mkdir()
    monkeypatch.chdir(study)
    (study / "train.py").write_text("x = 1\n")
    (tmp_path / "data.npy").write_text("data")
    return study


def key(study=STUDY, names=("sizes",), *, here):
    return cache.key(study, names, overlay.look(here))


def situation(here, *more, unknown=()):
    opened = [str(here / "xladoctor-runs/r/.work/train.py"), *map(str, more)]
    events = [{"files": opened}, {"unknown": list(unknown), "noted": True}]
    recording = SimpleNamespace(
        folder=here / "xladoctor-runs/r", of_kind=lambda kind: events if kind == schema.REHEARSAL else []
    )
    return SimpleNamespace(rehearsal=recording, has=lambda name: name == "rehearsal", cwd=here)


def answer(message="well", state="pass"):
    plan = (Batches("train", 70, 32, "train.py"),)
    return Preflight("s", (Check("sizes", "t", state, message, 1.0, None, ("oom",), ("a", "b")),), plan, seconds=9.0)


def look(here, study=STUDY):
    return cache.look(key(study, here=here))


def test_an_answer_holds_until_what_the_program_opened_elsewhere_changes(here):
    data = here.parent / "data.npy"
    cache.keep(key(here=here), answer(), cache.files(situation(here, data)))
    kept = look(here)
    assert kept is not None and kept.cached
    assert (kept.checks, kept.plan) == (answer().checks, answer().plan)
    data.write_text("date")
    assert look(here) is None


@pytest.mark.parametrize("change", ["edited", "deleted", "new file", "new file below", "variable", "packages"])
def test_the_folder_the_environment_and_the_interpreter_are_a_part_of_the_question(here, change, monkeypatch):
    python = here.parent / "env" / "bin" / "python"
    site = here.parent / "env" / "lib" / "python3.11" / "site-packages"
    for folder in (python.parent, site, here / "sub"):
        folder.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    study = Study(name="s", command=(str(python), "train.py"))
    cache.keep(key(study, here=here), answer(), cache.files(situation(here)))
    assert look(here, study) is not None
    if change == "edited":
        (here / "train.py").write_text("x = 2\n")
    elif change == "deleted":
        (here / "train.py").unlink()
    elif change == "new file":
        (here / "config.json").write_text("{}")
    elif change == "new file below":
        (here / "sub" / "weights.h5").write_text("")
    elif change == "variable":
        # Any: which ones a program reads is not known.
        monkeypatch.setenv("MY_RATE", "0.5")
    else:
        (site / "keras-3.9.dist-info").mkdir()
    assert look(here, study) is None


def test_results_of_the_doctor_and_the_shells_own_variables_change_nothing(here, monkeypatch):
    before = key(here=here)
    (here / "xladoctor-runs").mkdir(exist_ok=True)
    (here / "xladoctor-runs" / "x").write_text("")
    monkeypatch.setenv("SHLVL", "99")
    assert key(here=here) == before


def test_other_questions_have_other_keys(here, monkeypatch):
    keys = {key(here=here), key(names=["gpu"], here=here)}
    keys.add(key(Study(name="s", command=STUDY.command, device="cpu"), here=here))
    monkeypatch.setenv("TF_XLA_FLAGS", "--tf_xla_auto_jit=2")
    keys.add(key(here=here))
    (here / "pyproject.toml").write_text('[tool.xladoctor.places]\n"ops:f" = "x (B N) -> (B N)"\n')
    keys.add(key(here=here))
    assert len(keys) == 5


def test_what_cannot_be_told_to_hold_is_not_kept(here):
    wanted = key(here=here)
    known = cache.files(situation(here))
    assert cache.files(situation(here, unknown=["read_file"])) is None, "TensorFlow read a file that is not known"
    for paths in (None, {}, {str(here.parent / "gone"): "missing"}, {**known, str(here / "train.py"): "another"}):
        cache.keep(wanted, answer(), paths)
        assert cache.look(wanted) is None
    cache.keep(wanted, answer("the check failed with an error: ZeroDivisionError"), known)
    cache.keep(wanted, answer(state="unchecked"), known)
    cache.keep(None, answer(), known)
    assert cache.look(wanted) is None and cache.look(None) is None


def test_a_folder_that_cannot_be_listed_whole_has_no_key(here, monkeypatch):
    monkeypatch.setattr(overlay, "_MAX_ENTRIES", 0)
    (here / "a" / "b").mkdir(parents=True)
    assert key(here=here) is None


def test_what_the_rehearsal_made_itself_is_no_part_of_it(here):
    made = here / "xladoctor-runs/r/.work/model.h5"
    assert set(cache.files(situation(here, made))) == {str(here / "train.py")}


def test_a_damaged_file_is_no_answer(here):
    wanted = key(here=here)
    cache.keep(wanted, answer(), cache.files(situation(here)))
    (file,) = (here / "xladoctor-runs/preflight-cache").glob("*.json")
    file.write_text(file.read_text()[:-40])
    assert cache.look(wanted) is None
