"""How training and validation rows are split: what is recorded of a `fit`, of datasets and of sorted labels.

The same process runs trainings with idle layers and the like: to start TensorFlow takes longer than all of them.
"""

from __future__ import annotations

import re

import pytest

from tests.probes.record.running import run_program
from tests.probes.record.trainings import TRAININGS

pytestmark = pytest.mark.slow

PROGRAM = """
import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(2)
rng = np.random.default_rng(2)
N = 200
x = rng.normal(size=(N, 3)).astype("float32")
y = np.arange(N) * 5 // N  # sorted: 0 to 4
mixed = rng.permutation(y)
flags = (np.arange(N) >= 100).astype("float32")[:, None]
rows = tf.data.Dataset.from_tensor_slices((x, mixed))


def fit(name, *given, units=5, loss="sparse_categorical_crossentropy", **more):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(units, activation="softmax")], name=name)
    model.compile("sgd", loss)
    model.fit(*given, verbose=0, **more)  # fit


def cut(name, data, further=lambda d: d):
    fit(name, further(data.take(150)).batch(32), validation_data=data.skip(150).batch(32))


anew = rows.shuffle(N)  # leaks
cut("leaks", anew)
cut("seeded", rows.shuffle(N, seed=3))  # seeded
cut("mapped", rows.shuffle(N).map(lambda a, b: (2 * a, b)), lambda d: d.shuffle(50))  # mapped
fit("swapped", anew.skip(50).batch(32), validation_data=anew.take(50).batch(32))

cut("kept", rows.shuffle(N, reshuffle_each_iteration=False))
cut("after", rows, lambda d: d.shuffle(N))
cut("cached", rows.shuffle(N).cache())
still = rows.shuffle(N, reshuffle_each_iteration=False)
for whole in (still, rows.shuffle(N).cache(), rows):
    fit("halves", whole.take(120).batch(32))
    sum(1 for _ in whole.skip(120).batch(32))
    sum(1 for _ in whole.take(1))
again = rows.shuffle(N)  # again
kept, left = again.take(120).shuffle(9).batch(32), again.skip(120).batch(32)
for _ in range(2):
    sum(1 for _ in kept)
sum(1 for _ in left)  # measured
fit("apart", anew.take(150).batch(32), validation_data=rows.skip(150).batch(32))
fit("nothing", rows.take(0).batch(32))
fit("parts", anew.take(150).batch(32), validation_data=anew.skip(190).batch(32))

fit("sorted", x, y, validation_split=0.2)
fit("hot", x, keras.utils.to_categorical(y), validation_split=0.2, loss="categorical_crossentropy")
fit("flags", x, flags, validation_split=0.2, units=1, loss=keras.losses.BinaryCrossentropy())

fit("permuted", x, mixed, validation_split=0.2)
fit("unsplit", x, y)
fit("numbers", x, y.astype("float32")[:, None], validation_split=0.2, units=1, loss="mse")
ordered = tf.data.Dataset.from_tensor_slices((x, y))
fit("late", ordered.batch(10).shuffle(20))  # late
fit("small", ordered.map(lambda a, b: (a, b)).shuffle(10).batch(10))  # small
fit("standing", x, y, shuffle=False, batch_size=10)
fit("whole", ordered.shuffle(N).batch(10))
fit("enough", ordered.shuffle(30).batch(10))
fit("random", rows.batch(10))
fit("arrays", x, y, batch_size=10)
for _ in rows.batch(60, drop_remainder=True).prefetch(1):  # loop
    list(rows.batch(50, drop_remainder=True))
import trainings
standard = [(part - part.mean(0)) / part.std(0) for part in (x[:150], x[150:])]
fit("own", standard[0], mixed[:150], validation_data=(standard[1], mixed[150:]))
half = np.where(np.arange(N)[:, None] < 130, x, 0)
fit("half", tf.data.Dataset.from_tensor_slices((half, mixed)).batch(20))
import pandas as pd
table = pd.DataFrame({"key": mixed, "value": x[:, 0]}).sort_values("value")
table.merge(pd.DataFrame({"key": [0, 0, 1, 2, 3, 4], "more": range(6)}), on="key")  # merge
table.merge(pd.DataFrame({"key": range(5), "more": range(5)}), on="key")
table["guess"] = pd.Series(np.zeros(N))  # column
table["right"] = pd.Series(np.zeros(N), index=table.index)
fit("mostly", x, (np.arange(N) % 20 == 7).astype("int64"), validation_split=0.05)

def strands(name, *given, **more):
    rows, state = keras.Input(batch_shape=(10, 4, 1)), keras.layers.SimpleRNN(1, stateful=True)
    model = keras.Sequential([rows, state], name=name)
    model.compile("sgd", "mse")
    model.fit(*given, batch_size=None if len(given) == 1 else 10, verbose=0, **more)  # strands


series = np.arange(80.0, dtype="float32").reshape(20, 4, 1)
strands("tossed", series, series[:, 0])
strands("kept", series, series[:, 0], shuffle=False)
strands("dealt", tf.data.Dataset.from_tensor_slices((series, series[:, 0])).batch(10))
strands("given", ((series[:10], series[:10, 0]) for _ in range(2)), steps_per_epoch=2)
normal = keras.layers.BatchNormalization(name="normal")
normal.build((None, 3))
normal(x[:1], training=True)
normal(x, training=False)
normal(x, training=True)  # moved
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    ran = run_program(tmp_path_factory.mktemp("splits"), PROGRAM, files={"trainings.py": TRAININGS})
    assert ran.status == 0, ran.stderr[-2000:]
    assert not ran.of("probe-error")
    return ran


def marked(number):
    return PROGRAM.splitlines()[number - 1].rpartition("# ")[2]


def trained(where):
    assert where["file"].endswith("trainings.py")
    return TRAININGS.splitlines()[where["line"] - 1].rpartition("# ")[2]


def test_a_layer_that_is_frozen_or_thawed_after_its_step_was_traced(ran):
    found = [(e["what"], e["model"], e["count"], trained(e["where"])) for e in ran.of("trainable")]
    assert found == [("frozen", "late", 2, "frozen"), ("thawed", "late", 2, "thawed"), ("frozen", None, 2, "kept")]


def test_layers_that_were_in_their_mode_for_inference_all_the_time(ran):
    found = {e["what"]: e["layers"] for e in ran.of("idle-layer")}
    assert found == {"batch-normalization": ["norm", "lazy"], "dropout": ["drop"], "after-training": ["normal"]}
    [after] = [e for e in ran.of("idle-layer") if e["what"] == "after-training"]
    assert marked(after["made"]["line"]) == "moved"


def test_losses_that_get_what_they_do_not_take(ran):
    events = [e for e in ran.of("loss-input") if e["where"]["file"].endswith("trainings.py")]
    found = [(e["what"], e["loss"], e["op"], trained(e["where"])) for e in events]
    assert found == [
        ("logits", "binary_crossentropy", "BiasAdd", "fit"),
        ("alone", "binary_crossentropy", "Softmax", "fit"),
        ("probabilities", "sparse_softmax_cross_entropy_with_logits", None, "loss"),
        ("probabilities", "sigmoid_cross_entropy_with_logits", None, "fit"),
        ("alone", "categorical_crossentropy", None, "fit"),
        ("equal", "Accuracy", "Sigmoid", "fit"),
        ("cut", "MeanIoU", "Sigmoid", "fit"),
        ("logits", "AUC", "BiasAdd", "fit"),
    ]


def test_changes_that_are_cached_and_rows_on_both_sides(ran):
    events = [e for e in ran.of("split") if e["what"] in ("cached", "shared")]
    assert [(e["what"], trained(e["where"]), e["rows"]) for e in events] == [
        ("cached", "cached", [0, 0]),
        ("shared", "shared", [16, 32]),
    ]


def test_folds_that_share_a_model(ran):
    [found] = [e for e in ran.of("split") if e["what"] == "folds"]
    assert (found["model"], trained(found["where"]), found["rows"]) == ("kept", "folds", [16, 16])


def test_settings_that_say_something_else(ran):
    found = [(e["name"], e["meant"], e["of"], trained(e["where"])) for e in ran.of("misnamed")]
    assert found == [("lr", "learning_rate", "Adam", "lr"), ("trainabel", "trainable", "Dense", "trainabel")]
    [mode] = [e for e in ran.of("monitor") if e.get("mode")]
    assert (mode["mode"], trained(mode["made"])) == ("min", "mode") and mode["least"] < mode["most"]
    assert [e["epochs_run"] for e in ran.of("call") if e["phase"] == "end" and e["model"] == "odd"][-1] == 0
    [step] = [e for e in ran.of("no-gradient") if e.get("regularized")]
    assert (step["regularized"], trained(step["where"])) == (1, "step")


def test_an_optimizer_for_each_step(ran):
    [found] = ran.of("turnover")
    assert (found["optimizer"], found["optimizers"], found["steps"], trained(found["where"])) == ("Adam", 6, 6, "step")


def test_gradients_that_are_applied_to_other_variables(ran):
    found = [(e["of"], e["to"], e["swapped"], trained(e["where"])) for e in ran.of("crossed")]
    assert found == [
        ("swapped_a:0", "swapped_b:0", True, "apply"),
        ("swapped_b:0", "swapped_a:0", True, "apply"),
        *((f"other_{n}:0", f"right_{n}:0", False, "apply") for n in "abc"),
    ]


def test_variables_that_no_step_changes(ran):
    found = [(e["variables"], e["given"], e["optimizer"]) for e in ran.of("unmoved")]
    [alone, *found] = found
    # A softmax of one; whether its bias moves depends on how the processor rounds.
    assert (alone[0][0], *alone[1:]) == ("numbers/dense_18/kernel", 2, "SGD")
    assert found == [
        (["other_a:0", "other_b:0", "other_c:0"], 3, None),
        (["zero_c:0"], 3, "SGD"),
    ]
    stops = [s for e in ran.of("no-gradient") if e.get("variables") == ["zero_c:0"] for s in e["stops"] or ()]
    assert [(c["why"], trained(c["frames"][0])) for s in stops for c in s["cuts"]] == [("numpy", "zero")]


def test_what_takes_the_place_of_a_variable_or_of_an_optimizer(ran):
    # Keras 3.15 numbers optimizers, 3.12 does not.
    found = [(e["what"], re.sub(r"_\d+$", "", e["name"]), trained(e["where"])) for e in ran.of("replaced")]
    assert found == [("variable", "c", "told"), ("rate", "adam", "left")]


def test_a_layer_that_is_frozen_beside_its_clone_or_made_trainable_after_the_list(ran):
    found = [
        (e["what"], e["layer"], trained(e["where"]))
        for e in ran.of("left-out")
        if e["what"] not in ("loaded", "saved-early")
    ]
    assert found == [("frozen", "first", "beside"), ("thawed", "thawed", "thawed layer")]


def test_weights_that_are_written_before_the_training(ran):
    found = [(e["layer"], e["instead"], trained(e["where"])) for e in ran.of("left-out") if e["what"] == "saved-early"]
    assert found == [("early_file_", "last_file_", "early")]


def test_weights_that_are_loaded_into_a_model_that_nothing_uses(ran):
    found = [(e["layer"], e["instead"], trained(e["where"])) for e in ran.of("left-out") if e["what"] == "loaded"]
    assert found == [("old_lost", "new_lost", "loaded")]


def test_an_empty_dataset_is_recorded_with_the_call_that_got_it(ran):
    events = [e for e in ran.of("dataset") if e["method"] != "loop"]
    found = [(e["what"], e["method"], e["model"], e["used"]["function"]) for e in events]
    assert found == [("empty", "fit", "nothing", "fit")]


def test_a_loop_of_the_program_over_a_dataset_that_drops_rows_is_noted(ran):
    loops = [e for e in ran.of("dataset") if e["method"] == "loop"]
    assert {e["what"] for e in loops} == {"dropped", "shuffled-pass"}
    [loop] = [e for e in loops if e["what"] == "dropped"]
    assert (loop["what"], loop["rows"], marked(loop["used"]["line"])) == ("dropped", [200, 180], "loop")


def test_what_leaks_and_what_is_sorted_is_recorded_with_its_line_and_nothing_else(ran):
    at = {"reshuffled": "where", "sorted": "used"}
    splits = [e for e in ran.of("split") if e["what"] in at]
    found = [(e["what"], e["model"], marked(e[at[e["what"]]]["line"]), e["rows"]) for e in splits]
    assert found == [
        ("reshuffled", "leaks", "leaks", [150, 50]),
        ("reshuffled", "seeded", "seeded", [150, 50]),
        ("reshuffled", "mapped", "mapped", [150, 50]),
        ("reshuffled", "swapped", "leaks", [150, 50]),
        ("reshuffled", None, "again", [120, 80]),
        ("sorted", "sorted", "fit", [160, 40]),
        ("sorted", "hot", "fit", [160, 40]),
        ("sorted", "flags", "fit", [160, 40]),
    ]


def test_rows_that_are_shuffled_before_layers_that_keep_their_state(ran):
    assert [e["model"] for e in ran.of("split") if e["what"] == "stateful"] == ["tossed"]


def test_rows_whose_numbers_say_how_they_were_made(ran):
    kinds = ("own-scale", "whole-scale", "unwritten", "windows", "row-scale", "multiplied", "relabelled")
    events = [e for e in ran.of("split") if e["what"] in kinds]
    assert [(e["what"], e["model"], e["rows"], e["argument"]) for e in events if "model" in e] == [
        ("own-scale", "own", [50, 150], "validation_data"),
        ("unwritten", "half", [70, 200], "x"),
    ]
    assert [(e["what"], marked(e["where"]["line"])) for e in events if "model" not in e] == [
        ("multiplied", "merge"),
        ("relabelled", "column"),
    ]


def test_what_the_names_of_the_program_hold_at_the_end(ran):
    names = {e["file"].rpartition("/")[2]: e["names"] for e in ran.of("names") if e["function"] == "<module>"}
    held = names["program.py"]
    assert held["N"] == {"kind": "number", "value": 200} and held["half"]["rest"] == 70
    assert (held["x"]["shape"], held["x"]["dtype"], held["table"]["index"]) == ([200, 3], "float32", "permuted")
    functions = {e["function"] for e in ran.of("names")}
    assert "fit" in functions


def test_the_labels_are_counted(ran):
    told = {e["model"]: (e["classes"], e["unseen"]) for e in ran.of("split") if e["what"] == "sorted"}
    assert told == {"sorted": ([4, 1], 40), "hot": ([4, 1], 40), "flags": ([2, 1], 0)}


def test_batches_of_one_class_are_recorded_where_no_shuffle_can_mix_them(ran):
    """40 rows of the first class, then those of the others; a buffer moves a row so many places at most."""
    found = [(e["model"], marked(e["where"]["line"]), e["rows"], e["buffer"]) for e in ran.of("split")
             if e["what"] == "batches"]  # fmt: skip
    assert found == [
        ("late", "late", [40, 200], 0),
        ("small", "small", [30, 200], 10),
        ("standing", "fit", [40, 200], 0),
    ]
