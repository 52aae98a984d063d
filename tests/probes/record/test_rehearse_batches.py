"""Which batches a rehearsal runs when its time is over: one program with all kinds of data, in one process."""

from __future__ import annotations

import json
import os
import sys

import pytest

from xladoctor.experiments import overlay
from xladoctor.experiments.rehearse import rehearse
from xladoctor.preflight.plan import plan, unseen
from xladoctor.recording.schema import schema

pytestmark = pytest.mark.slow

PROGRAM = """
import json, math
import keras, numpy as np, tensorflow as tf

class Seen(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.batches, self.epochs = 0, 0
    def on_train_batch_end(self, batch, logs=None):
        self.batches += 1
    def on_epoch_end(self, epoch, logs=None):
        self.epochs += 1
        assert "val_loss" in logs

class Sequence(keras.utils.PyDataset):
    def __len__(self):
        return 3
    def __getitem__(self, i):
        return x[i * 8 : min(20, i * 8 + 8)], y[i * 8 : min(20, i * 8 + 8)]

def batches():
    for n in (8, 8, 8, 3):
        yield np.full((n, 4), 0.5, "float32"), np.ones((n, 1), "float32")

x, y = np.full((1000, 4), 0.5, "float32"), np.ones((1000, 1), "float32")
x[700] = 2.0
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
net.compile("sgd", "mse", jit_compile=False)
told = {}
seen = Seen()
history = net.fit(x, y, epochs=3, validation_split=0.1, shuffle=False, callbacks=[seen], verbose=0)
told["arrays"] = seen.batches, seen.epochs, len(history.history["loss"])
data = tf.data.Dataset.from_tensor_slices((x[:100], y[:100])).batch(32)
seen = Seen()
net.fit(data, validation_data=Sequence(), callbacks=[seen], verbose=0)
told["tf.data"] = seen.batches
net.fit(batches(), verbose=0)
net.evaluate(x[:70], y[:70], verbose=0)
told["predict"] = net.predict(data, verbose=0).shape[0]
loop = tf.data.Dataset.from_tensor_slices(x[650:740]).batch(16)
told["loop"] = [[[len(a), float(tf.reduce_max(a))] for a in loop] for _ in range(2)]
try:
    bad = np.full((320, 4), 0.5, "float32")
    bad[300] = float("nan")
    net.fit(bad, y[:320], verbose=0, shuffle=False)
finally:
    print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory):
    work = tmp_path_factory.mktemp("work")
    (work / "train.py").write_text(PROGRAM)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    budget = {"call": 0.0, "total": 0.0}
    folder = tmp_path_factory.mktemp("runs") / "run"
    run = rehearse(
        (sys.executable, "train.py"),
        listing=overlay.look(work),
        folder=folder,
        environment=environment,
        budget=budget,
        timeout=300.0,
    )
    return run, json.loads((folder / "stdout.log").read_text())


def test_what_is_new_is_run_and_all_epochs_end(rehearsed):
    run, told = rehearsed
    assert run.of_kind(schema.PROBE_ERROR) == []
    # The first batch, the one with the largest number, and the partial one; then one of each epoch.
    assert told["arrays"] == [3 + 1 + 1, 3, 3]
    assert told["tf.data"] == 2
    assert told["predict"] == 100, "the program goes on with all of it"
    assert told["loop"] == [[[16, 0.5], [16, 2.0], [10, 0.5]], [[16, 0.5]]]


def test_the_plan_says_what_there_is_and_what_was_run(rehearsed):
    run, _ = rehearsed
    seen = {(b.phase, b.origin.split(", ")[1]): (b.rows, b.size, b.full, b.last, b.ran) for b in plan(run)}
    assert seen["train", "arrays"] == (320, 32, 10, 0, 2)
    first = plan(run)[0]
    assert (first.phase, first.rows, first.full, first.last, first.ran, first.epochs) == ("train", 900, 28, 4, 3, 3)
    assert seen["validation", "arrays"][:4] == (100, 32, 3, 4)
    assert seen["train", "tf.data"] == (100, 32, 3, 4, 2)
    assert seen["validation", "PyDataset"][:4] == (20, 8, 2, 4)
    assert seen["train", "generator"][:4] == (27, 8, 3, 3)
    assert seen["evaluate", "arrays"][:4] == (70, 32, 2, 6)
    assert seen["predict", "tf.data"] == (100, 32, 3, 4, 4)
    assert seen["loop", "loop over tf.data"][:4] == (90, 16, 5, 10)
    assert unseen(run) == []


def test_a_loss_that_is_no_number_is_told_with_its_batch(rehearsed):
    run, _ = rehearsed
    (event,) = [e for e in run.of_kind(schema.REHEARSAL) if e.get("not_finite")]
    assert (event["not_finite"], event["value"], event["epoch"]) == ("the loss of fit", "nan", 1)
