"""The calls that pass no gradient on, where no variable gets one."""

from __future__ import annotations

import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.blame import of_run
from xladoctor.blame.gradients import SAYS, suspects
from xladoctor.saved import scan_run
from xladoctor.sources.files import Files

PROGRAM = """
    class Policy(keras.Model):
        def call(self, x):
            return self.scores(x)

        def act(self, x):
            SCORES = self(x)
            return CHOICE

    def improve(policy, optimizer, x, y):
        with tf.GradientTape() as tape:
            actions = policy.act(x)
            loss = tf.reduce_mean(tf.gather(COST, actions) * y)
        gradients = tape.gradient(loss, policy.trainable_variables)
        optimizer.apply_gradients(zip(gradients, policy.trainable_variables))

    def show(x):
        print(tf.argmax(x))
    """


def lines(choice):
    text = textwrap.dedent(PROGRAM).replace("SCORES", "scores").replace("CHOICE", choice)
    files = Files(lambda name: text if name == "/p/train.py" else None)
    return [(s.code.strip(), s.reason.partition(" ")[0]) for s in suspects(files, "/p/train.py")]


@pytest.mark.parametrize(
    ("choice", "word"),
    [("tf.argmax(scores, -1)", "argmax"), ("tf.cast(scores, tf.int32)", "A"),
     ("tf.stop_gradient(scores)", "stop_gradient"),
     ("scores.numpy()", "numpy"), ("keras.ops.convert_to_numpy(scores)", "convert_to_numpy"),
     ("tf.cast(scores > 0, dtype='bool')", "A")],
)  # fmt: skip
def test_a_call_that_the_loss_comes_of(choice, word):
    assert lines(choice) == [(f"return {choice}", word)]


@pytest.mark.parametrize("choice", ["tf.nn.softmax(scores)", "tf.cast(scores, tf.float32)"])
def test_a_call_with_a_gradient(choice):
    assert lines(choice) == []


def test_a_loss_that_is_an_object():
    text = textwrap.dedent(PROGRAM).replace("SCORES", "scores").replace("CHOICE", "scores")
    text += textwrap.dedent("""
    class Gain:
        def __call__(self, policy, x):
            return tf.reduce_sum(np.asarray(policy.act(x)))

    gain = Gain()
    with tf.GradientTape() as tape:
        cost = gain(policy, x)
    tape.gradient(cost, policy.trainable_variables)
    """)
    files = Files(lambda name: text if name == "/p/train.py" else None)
    assert [s.code.strip() for s in suspects(files, "/p/train.py")] == [
        "return tf.reduce_sum(np.asarray(policy.act(x)))"
    ]


def test_a_run_that_ended_so_is_told_at_the_one_call_that_passes_none_on(tmp_path, monkeypatch):
    text = textwrap.dedent(PROGRAM).replace("SCORES", "scores").replace("CHOICE", "scores.numpy()")
    monkeypatch.setattr(of_run, "sources_of", lambda recording: SimpleNamespace(scripts=[Path("/p/train.py")]))
    monkeypatch.setattr(of_run, "_files", lambda *given: Files(lambda name: text if name == "/p/train.py" else None))
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    frames = [{"file": "/p/train.py", "line": 15, "function": "improve", "user": True, "tensors": []}]
    run.event("failure", failure=1, state="raised", exception="ValueError", message=f"{SAYS}.", during="p",
              frames=frames, chain=[], capsule=None)  # fmt: skip
    run.event("failure", failure=1, state="uncaught", exception="ValueError")
    root = scan_run(run.write(tmp_path / "run")).root
    assert (root.location.line, root.raised_at.line) == (8, 15)
    assert "numpy passes no gradient on" in root.suspects[0].reason
