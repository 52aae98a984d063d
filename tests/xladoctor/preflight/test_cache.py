from types import SimpleNamespace

import pytest

from xladoctor.preflight import cache
from xladoctor.preflight.model import Batches, Check, Preflight
from xladoctor.preflight.study import Study

STUDY = Study(name="s", command=("python", "train.py"))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("x = 1\n")
    return tmp_path


def situation(here):
    events = [{"files": [str(here / "xladoctor-runs/r/work/train.py")]}]
    recording = SimpleNamespace(folder=here / "xladoctor-runs/r", of_kind=lambda kind: events)
    return SimpleNamespace(rehearsal=recording, has=lambda name: True)


def answer(message="well"):
    plan = (Batches("train", 70, 32, "train.py"),)
    return Preflight("s", (Check("sizes", "t", "pass", message, 1.0, None, ("oom",), ("a", "b")),), plan, seconds=9.0)


def test_an_answer_holds_until_a_file_changes(here):
    key = cache.key(STUDY, ["sizes"])
    cache.keep(key, answer(), cache.files(situation(here)))
    kept = cache.look(key)
    assert kept is not None and kept.cached
    assert (kept.checks, kept.plan) == (answer().checks, answer().plan)
    (here / "train.py").write_text("x = 2\n")
    assert cache.look(key) is None


def test_other_questions_have_other_keys(monkeypatch):
    keys = {cache.key(STUDY, ["sizes"]), cache.key(STUDY, ["gpu"])}
    keys.add(cache.key(Study(name="s", command=("python", "train.py"), device="cpu"), ["sizes"]))
    monkeypatch.setenv("TF_XLA_FLAGS", "--tf_xla_auto_jit=2")
    keys.add(cache.key(STUDY, ["sizes"]))
    assert len(keys) == 4


def test_other_contracts_are_another_question(here):
    before = cache.key(STUDY, ["sizes"])
    (here / "pyproject.toml").write_text('[tool.xladoctor.places]\n"ops:f" = "x (B N) -> (B N)"\n')
    assert cache.key(STUDY, ["sizes"]) != before


def test_what_cannot_be_told_to_hold_is_not_kept(here):
    key = cache.key(STUDY, ["sizes"])
    cache.keep(key, answer(), {})
    cache.keep(key, answer(), {str(here / "gone.py"): ""})
    cache.keep(key, answer("the check broke down: ZeroDivisionError"), cache.files(situation(here)))
    assert cache.look(key) is None


def test_a_damaged_file_is_no_answer(here):
    key = cache.key(STUDY, ["sizes"])
    cache.keep(key, answer(), cache.files(situation(here)))
    (file,) = (here / "xladoctor-runs/preflight-cache").glob("*.json")
    file.write_text(file.read_text()[:-40])
    assert cache.look(key) is None
