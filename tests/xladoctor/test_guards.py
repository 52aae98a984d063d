"""Which tests for NaN are about the training that went wrong, and which about something else."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.guards import guards

FIT = "h = model.fit(x, y)\n"
TRIAL = "def trial(rate):\n    m = make(rate)\n    h = m.fit(x, y)\n    return h.history['loss'][-1]\n"
TAPE = "with tf.GradientTape() as tape:\n    loss = measure(w)\ng = tape.gradient(loss, w)\n"


def kinds(code, at=None):
    """The kinds of the guards for the call in the line that begins with `at`; for any training where that is None."""
    line = None if at is None else 1 + next(n for n, text in enumerate(code.splitlines()) if at in text)
    return [g.kind for g in guards({"train.py": ast.parse(code)}, ("train.py", line) if line else None)]


@pytest.mark.parametrize(
    ("code", "at", "expected"),
    [
        (FIT + "if math.isnan(h.history['loss'][-1]):\n    give_up()", "fit", ["asks"]),
        (FIT + "loss = model.evaluate(x, y)\nif loss != loss:\n    give_up()", "fit", ["asks"]),
        (FIT + "if np.isfinite(model.get_weights()[0]).all():\n    save()", "fit", ["asks"]),
        (TRIAL + "for r in rates:\n    loss = trial(r)\n    if not loss == loss:\n        break", "m.fit", ["asks"]),
        (TRIAL + "table = {r: trial(r) for r in rates}\nok = [r for r, v in table.items() if np.isfinite(v)]", "m.fit",
         ["asks"]),
        (TRIAL + "for r in rates:\n    v = trial(r)\n    if v < best:\n        best = v", "m.fit", ["order"]),
        (TRIAL + "for r in rates:\n    v = trial(r)\n    if not v < 1e6:\n        break", "m.fit", ["bound"]),
        (TRIAL + "for r in rates:\n    v = trial(r)\n    if v > 4 * best:\n        break\n    best = v", "m.fit",
         ["limit"]),
        ("class C(Callback):\n    def on_epoch_end(self, epoch, logs=None):\n        self.seen.append(logs['loss'])\n"
         "        if np.isnan(self.seen[-1]):\n            self.model.stop_training = True\n" + FIT, "h = ", ["asks"]),
        ("stop = [keras.callbacks.TerminateOnNaN()]\nmodel.fit(x, y, callbacks=stop)", "fit", ["stops"]),
        ("runs = []\ndef study(rate):\n    runs.append(Result(loss=m.fit(x).history['loss'][-1]))\n"
         "study(1)\nok = [r for r in runs if not math.isnan(r.loss)]", "m.fit", ["asks"]),
        ("def bad(v):\n    return math.isnan(v)\n" + FIT + "if bad(h.history['loss'][0]):\n    give_up()", "fit",
         ["asks"]),
        (TAPE + "if np.isfinite(loss):\n    w.assign_sub(g)", None, ["asks"]),
    ],
)  # fmt: skip
def test_tests_of_the_training(code, at, expected):
    assert kinds(code, at) == expected


@pytest.mark.parametrize(
    ("code", "at"),
    [
        ("if not np.isfinite(x).all():\n    raise ValueError\n" + FIT, "fit"),
        ("x = x[~np.isnan(x)]\n" + TAPE, None),
        ("warm = model.fit(x, y, epochs=1)\nif math.isnan(warm.history['loss'][0]):\n    quit()\n" + FIT, "h ="),
        ("a.fit(x, callbacks=[keras.callbacks.TerminateOnNaN()])\n" + FIT, "h ="),
        (FIT + "if np.isnan(len(h.epoch)):\n    quit()", "h ="),
        ("before = model.evaluate(x, y)\nassert np.isfinite(before)\n" + FIT, "h ="),
        (FIT + "wait = 0\nbest, wait = h.history['loss'][0], wait + 1\nif wait > 3:\n    quit()", "h ="),
    ],
)
def test_tests_of_something_else(code, at):
    assert kinds(code, at) == []
