"""What is said of a training that leaves variables as they were, and of slips in the source of a run."""

from __future__ import annotations

import ast

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import slips, unmoved, untrained
from xladoctor.recording.run import read_run


def at(line):
    return {"file": "main.py", "line": line, "function": "step"}


@pytest.fixture
def run(tmp_path):
    made = Run()

    def say(maker=unmoved.unmoved):
        return list(maker(read_run(made.write(tmp_path / f"run{len(list(tmp_path.iterdir()))}"))))

    made.say = say
    return made


STILL = {"variables": ["net/gate"], "count": 1, "steps": 16, "rate": 0.01, "where": at(9)}


def test_a_variable_that_no_step_changes_is_told_once(run):
    run.event("unmoved", given=4, optimizer="Adam", **STILL)
    [found] = run.say()
    assert (found.slug, found.level, found.status, found.location.line) == ("no-gradient", "warning", "confirmed", 9)
    assert "`net/gate` keeps its value through 16 steps" in found.title and "the other 3 variables" in found.message
    run.event("no-gradient", what="missing", variables=["net/gate"], count=1, given=4, where=at(9), stops=None)
    assert run.say() == []


def test_what_may_cancel_out_is_no_matter(run):
    run.event("unmoved", given=4, optimizer="Adam", **{**STILL, "variables": ["critic/dense/bias"]})
    run.event("no-gradient", what="missing", variables=["net/gate"], zeros=["net/gate"], count=1, given=4,
              where=at(9), stops=None)  # fmt: skip
    assert run.say() == run.say(untrained.untrained) == []


def test_gradients_that_are_only_looked_at_are_no_matter(run):
    run.event("unmoved", given=1, optimizer=None, **STILL)
    assert run.say() == []
    run.event("unmoved", given=4, optimizer=None, **STILL)
    assert [f.slug for f in run.say()] == ["no-gradient"]
    run.event("no-gradient", what="none", optimizer="adam", given=3, where=at(9))
    assert run.say() == []


def test_a_loss_with_the_weight_0_is_told_where_it_is_given(run, monkeypatch):
    tree = {"main.py": ast.parse("net.compile(opt, losses,\n            loss_weights=[1.0, 0.0])\n")}
    monkeypatch.setattr(unmoved, "program_of", lambda recording: tree)
    run.event("unmoved", given=4, optimizer="Adam", **STILL)
    assert [(f.slug, f.location.line) for f in run.say()] == [("no-gradient", 2)]
    text = "class M:\n  def a(self):\n    self.b = tf.Variable(0.0)\n  def c(self):\n    self.b = 0.9 * self.b\n"
    tree["main.py"] = ast.parse(text)
    assert [f.location.line for f in run.say()] == [5]
    tree["main.py"] = ast.parse(text.replace("self.b = 0.9", "self.c = 0.9"))
    assert [f.location.line for f in run.say()] == [9]


FACTORS = """class Update(Layer):
  def build(self, shape):
    self.down = self.add_weight(shape=(8, 2), name="thin", initializer="zeros")
    self.up = tf.Variable(tf.zeros((2, 8)))
    self.bias = self.add_weight(shape=(8,), initializer="zeros")
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [(FACTORS, 3), (FACTORS.replace('initializer="zeros")\n    self.up', 'initializer="normal")\n    self.up'), 9)],
)
def test_two_factors_that_begin_with_zeros_are_told_where_they_are_made(run, monkeypatch, text, line):
    monkeypatch.setattr(unmoved, "program_of", lambda recording: {"main.py": ast.parse(text)})
    names = ["update/thin", "update/up:0", "update_1/thin", "update_1/up:0"]
    run.event("unmoved", given=4, optimizer="Adam", **{**STILL, "variables": names, "count": 4})
    [found] = run.say()
    assert (found.slug, found.location.line) == ("dead-switch", line)
    assert ("product of two zeros" in found.message) == (line == 3)


def test_a_rate_of_0_is_told(run, monkeypatch):
    run.event("unmoved", given=1, optimizer="SGD", **{**STILL, "rate": 0.0})
    [found] = run.say()
    assert found.slug == "dead-switch" and "The learning rate is 0." in found.message
    assert [r.id for r in found.remedies] == ["rate-that-moves"] and found.location.line == 9
    tree = {
        "main.py": ast.parse("for k in steps:\n    opt.learning_rate = 0.1 * min(1, k // 100)\n    page = k // 9\n")
    }
    monkeypatch.setattr(unmoved, "program_of", lambda recording: tree)
    assert [f.location.line for f in run.say()] == [2]


def test_a_schedule_that_stays_where_it_is_is_computed(run, monkeypatch):
    text = "class Own:\n    def __call__(self, step):\n        return self.top * (1 - {})\n"
    told = [text.format("step // self.total")]
    monkeypatch.setattr(unmoved, "program_of", lambda recording: {"main.py": ast.parse(told[0])})
    run.event("schedule", of="Own", numbers={"top": 0.1, "total": 40}, steps=40)
    [found] = run.say()
    assert (found.slug, found.status, found.location.line) == ("dead-switch", "confirmed", 3)
    assert "gives 0.1 for each of the 40 steps" in found.title
    for healthy in ("step / self.total", "0.5 * (step // 1000)", "lookup(step)"):
        told[0] = text.format(healthy)
        assert run.say() == []
    told[0] = text.format("(self.total + step) // self.total")
    run.event("unmoved", given=1, optimizer="SGD", **{**STILL, "rate": None})
    assert ["gives 0 for" in f.title for f in run.say()] == [True]


def test_gradients_for_other_variables_are_told_by_line(run):
    for of, to in (("a/kernel", "b/kernel"), ("a/bias", "b/bias")):
        run.event("crossed", of=of, to=to, swapped=False, optimizer="Adam", where=at(12))
    run.event("unmoved", given=2, optimizer=None, **{**STILL, "variables": ["a/kernel", "a/bias"], "count": 2})
    [found] = run.say()
    assert (found.slug, found.location.line) == ("wrong-pairing", 12)
    assert "the gradient of `a/bias` to `b/bias`" in found.message and "keeps its value" in found.message


def test_what_takes_the_place_of_a_variable_or_of_an_optimizer(run):
    run.event("replaced", what="variable", name="temp", of="Net", variable="temp:0", by="EagerTensor", steps=20,
              where=at(3))  # fmt: skip
    run.event("replaced", what="rate", name="adam", of="Adam", variable=None, by=None, steps=16, where=at(4))
    assert [(f.slug, f.location.line) for f in run.say()] == [("no-gradient", 3), ("dead-switch", 4)]


def test_slips_are_told_of_a_run_that_trained_something(run, tmp_path, monkeypatch):
    tree = {"main.py": ast.parse("for k in range(9):\n    rate = 0.1 * (1 - k // 9)\n")}
    monkeypatch.setattr(slips, "program_of", lambda recording: tree)

    def say():
        recording = read_run(run.write(tmp_path / f"own{len(list(tmp_path.iterdir()))}"))
        return list(slips.source_slips(recording))

    assert say() == []
    run.event("no-gradient", what="none", optimizer="adam", given=3, where=at(9))
    [found] = say()
    assert (found.slug, found.level, found.status, found.location.line) == ("dead-switch", "warning", "untested", 2)
    assert [r.id for r in found.remedies] == ["true-division"]
