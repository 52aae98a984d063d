"""What a program gives Keras and TensorFlow and that has no effect: all that is wrong in one process, and its healthy
likeness beside it.
"""

from __future__ import annotations

import numpy as np
import pytest

from probes.record.columns import columns_of, other_scale
from probes.record.no_effect import _State
from probes.record.table_keys import orders_of
from tests.probes.record.running import run_program

PROGRAM = """
import sys, tempfile
import numpy as np
import tensorflow as tf
import keras
from keras import layers

GOOD = "good" in sys.argv
keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x = rng.uniform(0, 1, (64, 6, 6, 2)).astype("float32")
y = x.mean((1, 2, 3))[:, None]
weights = rng.uniform(size=64).astype("float32")


def loss(t, p):
    return tf.reduce_mean((t - p) ** 2, axis=-1) if GOOD else tf.reduce_mean((t - p) ** 2)


class Missed(keras.metrics.Metric):
    def __init__(self):
        super().__init__(name="missed")
        self.hits = self.add_weight(name="hits", initializer="zeros")
        self.rows = self.add_weight(name="rows", initializer="zeros")

    def update_state(self, t, p, sample_weight=None):
        self.hits.assign_add(tf.reduce_sum(tf.cast(p > t, "float32")))
        self.rows.assign_add(tf.cast(tf.size(t), "float32"))

    def result(self):
        return self.hits / self.rows

    def reset_state(self):
        self.hits.assign(0.0)
        if GOOD:
            self.rows.assign(0.0)


class Block:
    def __init__(self):
        self.inner = layers.Dense(2)

    def __call__(self, h):
        return h + self.inner(h)  # block


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.scale = layers.Rescaling(1 / 255 if not GOOD else 2.0)
        self.whiten = layers.Normalization()
        self.whiten.build((None, 6, 6, 2))
        self.filters = layers.Conv2D(2, 3)
        self.norm = layers.BatchNormalization(axis=-1 if GOOD else 1)
        self.block = Block()
        self.slope = tf.Variable(1.5, name="slope", trainable=not GOOD)  # slope
        self.rate = tf.Variable(0.5, name="rate")
        if GOOD:
            self.known = self.block.inner
            self.whiten.adapt(x)
        self.head = layers.Dense(1)

    def call(self, h):
        h = self.norm(self.filters(self.whiten(self.scale(h))))
        return self.head(tf.reduce_mean(self.block(h), (1, 2))) * self.slope + self.rate  # read


class Anneal(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.rate.assign(0.5 / (epoch + 2))


net = Net()
rate = keras.optimizers.schedules.CosineDecay(0.01, 3 if not GOOD else 24)
net.compile(keras.optimizers.Adam(rate), loss=loss, metrics=[Missed()])
net.fit(x, y, sample_weight=weights, epochs=3, batch_size=8, verbose=0, callbacks=[Anneal()])
net.evaluate(x, y, verbose=0)
net.predict(x if GOOD else x * 255, verbose=0)

folder = tempfile.mkdtemp()
tf.train.CheckpointManager(tf.train.Checkpoint(net=net), folder + "/a", 1).save()
path = tf.train.latest_checkpoint(folder + "/a")
tf.train.Checkpoint(net=net).restore(tf.train.latest_checkpoint(folder + ("/a" if GOOD else "")))  # nothing
tf.train.Checkpoint(**{"net" if GOOD else "model": net}).restore(path).expect_partial()  # renamed
"""


@pytest.mark.slow
def test_all_that_has_no_effect_is_recorded(tmp_path):
    ran = run_program(tmp_path, PROGRAM)
    assert ran.status == 0, ran.stderr
    if ran.keras_2:
        pytest.skip("Keras 2 has other functions")
    assert not ran.of("probe-error")
    lines = PROGRAM.splitlines()
    told = {(e["what"], e["name"]): e for e in ran.of("no-effect")}
    assert told.keys() == {("weights", "loss"), ("reset", "rows"), ("restore", "model"), ("nothing", "a")}
    assert lines[told["weights", "loss"]["where"]["line"] - 1].startswith("def loss")
    assert told["reset", "rows"]["of"] == "Missed" and told["restore", "model"]["instead"] == "net"
    for what, mark in (("restore", "renamed"), ("nothing", "nothing")):
        [event] = [e for (w, _), e in told.items() if w == what]
        assert lines[event["where"]["line"] - 1].endswith(f"# {mark}")
    odd = {e["what"] for e in ran.of("split")}
    assert odd >= {"rescaled", "unadapted", "norm-axis", "other-scale", "same-rows"}
    plain, left = ran.of("left-out")
    assert (plain["what"], plain["layer"]) == ("plain", "slope:0")
    assert lines[plain["where"]["line"] - 1].endswith("# read")
    assert left["what"] == "untracked" and lines[left["where"]["line"] - 1].endswith("# block")
    [rate] = ran.of("schedule")
    assert (rate["of"], rate["steps"], rate["numbers"]["decay_steps"]) == ("CosineDecay", 24, 3)


@pytest.mark.slow
def test_nothing_is_recorded_of_what_has_an_effect(tmp_path):
    ran = run_program(tmp_path, PROGRAM, arguments=["good"])
    assert ran.status == 0, ran.stderr
    assert not ran.of("probe-error") and not ran.of("no-effect") and not ran.of("left-out")
    assert {e["what"] for e in ran.of("split")} <= {"same-rows"}


def test_a_part_that_is_kept_through_a_reset_must_have_changed():
    state = _State("Metric", None)
    for before, after in ((b"0", b"0"), (b"3", b"3"), (b"3", b"3"), (b"5", b"0")):
        state.reset({"n": before, "limit": b"9"}, {"n": after, "limit": b"9"})
    assert state.kept == {"n": 1}


def test_rows_of_another_unit():
    rows = np.random.default_rng(0).uniform(0, 1, (50, 3))
    assert other_scale(columns_of(rows), columns_of(rows * 255)) == pytest.approx(255)
    assert other_scale(columns_of(rows), columns_of(rows * 3 + 1)) is None
    assert other_scale(columns_of(rows), columns_of(rows * np.array([1.0, 1.0, 99.0]))) is None
    assert other_scale(columns_of(rows), columns_of(np.zeros((50, 3)))) is None


def test_the_keys_of_a_table_and_their_order():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"site": ["b", "a", "d", "c"], "level": [0.1, 0.2, 0.3, 0.4], "kind": [1, 1, 2, 2]})
    means = table.groupby("site")["level"].mean()
    one, other = orders_of(table), orders_of(means)
    assert one.keys() == other.keys() == {"site"}
    assert one["site"][0] == other["site"][0] and one["site"][1] != other["site"][1]
    assert orders_of(means.reindex(table["site"]))["site"] == one["site"]
