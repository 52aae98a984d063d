"""What is said of datasets whose rows are in no known order, are not all there, or were zipped with others."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import datasets
from xladoctor.diagnosis.datasets import pipelines
from xladoctor.recording.run import read_run
from xladoctor.sources.source import parse


def line(number):
    return {"file": "/home/ada/train.py", "line": number, "function": "<module>"}


def told(tmp_path, *events, **run):
    made = Run(**run)
    for event in events:
        made.event("dataset", **event)
    return [(f.level, f.slug, f.location.line, f.title) for f in pipelines(read_run(made.write(tmp_path / "run")))]


PREDICT = {"method": "predict", "model": "net", "used": line(9)}


def test_each_is_told_once_at_the_line_that_made_it_so(tmp_path):
    dropped = {"what": "dropped", "where": line(8), "rows": [50, 48]}
    found = told(
        tmp_path,
        {"what": "zipped", "where": line(3), "used": line(4), "rows": [50], "shuffled": [True, False]},
        {"what": "reshuffled", "where": line(7), **PREDICT},
        {"what": "reshuffled", "where": line(7), **PREDICT},
        {**dropped, **PREDICT},
        {**dropped, **PREDICT, "where": line(11), "method": "evaluate"},
    )
    assert found == [
        ("warning", "wrong-pairing", 3, "Datasets of 50 elements each are zipped after one of them is shuffled"),
        ("warning", "wrong-pairing", 7, "predict of net gets a dataset that is shuffled again at each pass"),
        ("warning", "wrong-shape-silent", 8, "predict of net sees 48 of 50 rows: the last batch is dropped"),
        ("note", "wrong-shape-silent", 11, "evaluate of net sees 48 of 50 rows: the last batch is dropped"),
    ]


LOOPS = """for x, y in batches:
    p = net.predict_on_batch(x)
for x, y in batches:
    p = net.predict_on_batch(x); net.train_on_batch(x, y)
for x, y in batches:
    step(x, y)
p = [net.predict(x) for x, _ in batches]
"""


def test_of_a_loop_the_source_says_what_it_does(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "source_of", lambda recording, file: parse(LOOPS, file))
    loop = {"what": "dropped", "method": "loop", "rows": [50, 48], "where": None}
    found = [told(tmp_path / str(n), {**loop, "used": line(n)}) for n in (1, 3, 5, 7)]
    title = "{} in a loop sees 48 of 50 rows: the last batch is dropped"
    assert found == [
        [("warning", "wrong-shape-silent", 1, title.format("predict_on_batch"))],
        [],
        [],
        [("warning", "wrong-shape-silent", 7, title.format("predict"))],
    ]


PASSES = """guess = np.concatenate([net(x).numpy() for x, _ in batches])
table = confusion_matrix(labels, guess)
kept = []
for x, y in batches:
    kept.append(net(x))
print(np.mean((np.array(kept) - truth) ** 2), np.mean(np.abs(kept - truth)))
both = [(net(x), y) for x, y in batches]
features = [net(x) for x, _ in batches]
centred = (features - offset) / features.std(0)
for x, y in batches:
    step(x, y)
"""


def test_results_of_a_shuffled_pass_that_are_kept_without_labels(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "source_of", lambda recording, file: parse(PASSES, file))
    one = {"what": "shuffled-pass", "method": "loop", "where": line(20)}
    found = [told(tmp_path / str(n), {**one, "used": line(n)}) for n in (1, 4, 7, 8, 10)]
    title = "Results of a loop over a shuffled dataset are kept without their labels, and put beside others"
    warned = [("warning", "wrong-pairing", 20, title)]
    assert found == [warned, warned, [], [], []]


def test_of_two_loops_over_a_shuffled_dataset_one_predicts(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "source_of", lambda recording, file: parse(LOOPS, file))
    loops = {"what": "reshuffled", "method": "loop", "where": line(20)}
    pairs = ((1, 5), (5, 7), (5, 5), (3, 5))
    found = [told(tmp_path / f"{a}{b}", {**loops, "used": line(a), "other": line(b)}) for a, b in pairs]
    title = "{} in a loop gets a dataset that is shuffled again at each pass"
    assert found == [
        [("warning", "wrong-pairing", 20, title.format("predict_on_batch"))],
        [("warning", "wrong-pairing", 20, title.format("predict"))],
        [],
        [],
    ]


OWN = """net = build_net()
for profile in batches:
    total += apply(net, profile).sum()
for x, y in batches:
    error += apply(net, x) - y
for x in batches:
    fit_one(x)
for x in batches:
    seen += count(x)
def build_net():
    return keras.Sequential([Dense(1)])
def apply(model, x):
    return model(x)
def fit_one(x):
    with tf.GradientTape() as tape:
        loss = net(x)
def count(x):
    return x.shape[0]
"""


def test_a_loop_predicts_with_a_function_of_the_program(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "source_of", lambda recording, file: parse(OWN, file))
    loop = {"what": "dropped", "method": "loop", "rows": [50, 48], "where": None}
    found = [told(tmp_path / str(n), {**loop, "used": line(n)}) for n in (2, 4, 6, 8)]
    assert [[f[2] for f in each] for each in found] == [[2], [], [], []]
    assert told(tmp_path / "order", {**loop, "what": "reshuffled", "used": line(2), "other": line(2)}) == []


KEPT = """for x, y in batches:
    kept.append(net(x, training=False)[:, 0].numpy()); labels.append(y.numpy())
for x, y in batches:
    scores.update_state(y, net(x, training=False))
for x, y in batches:
    kept.append(net(x, training=True)); labels.append(y)
out = [net(x, training=False) for x, _ in batches]
"""


@pytest.mark.parametrize(("rows", "lines"), [([500, 384], [[1], [], [], [7]]), ([500, 480], [[], [], [], [7]])])
def test_many_rows_that_a_loop_beside_labels_leaves_out(tmp_path, monkeypatch, rows, lines):
    monkeypatch.setattr(datasets, "source_of", lambda recording, file: parse(KEPT, file))
    loop = {"what": "dropped", "method": "loop", "rows": rows, "where": None}
    found = [told(tmp_path / str(n), {**loop, "used": line(n)}) for n in (1, 3, 5, 7)]
    assert [[f[2] for f in each] for each in found] == lines


NAMED = """for x, y in batches:
    scores = net(x, training=False)
    guess = tf.argmax(scores, axis=-1)
    kept.append(guess.numpy()); labels.append(y.numpy())
for x, y in batches:
    scores = net(x, training=False)
    rows += len(y); kept.append(scores[:1])
for x, y in batches:
    right += count(y, model(x))
for x, y in batches:
    kept.append(judge(x)); labels.append(y)
"""
APART = """def rows(x, training):
    data = tf.data.Dataset.from_tensor_slices(x)
    if training:
        data = data.shuffle(99)
    return data.batch(9, drop_remainder=True)
def plain(x, size):
    return tf.data.Dataset.from_tensor_slices(x).batch(size, drop_remainder=True)
for x, y in rows(test, False):
    right += count(y, model(x))
"""
STATEFUL = APART + "layer = LSTM(4, stateful=True)"


def test_results_that_a_loop_keeps_under_other_names(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "source_of", lambda recording, file: parse(NAMED, file))
    loop = {"what": "dropped", "method": "loop", "rows": [247, 192], "where": None}
    found = [told(tmp_path / str(n), {**loop, "used": line(n)}) for n in (1, 5, 8, 10)]
    assert [[f[2] for f in each] for each in found] == [[1], [], [], []]


@pytest.mark.parametrize(
    ("text", "at", "rows", "levels"),
    [
        (APART, 5, [247, 192], ["warning", "warning"]),
        (APART, 7, [247, 192], ["note"]),
        (APART, 5, [4000, 3968], ["note"]),
        (STATEFUL, 5, [247, 192], ["note"]),
    ],
)
def test_a_function_that_treats_training_apart_and_drops_all_the_same(tmp_path, monkeypatch, text, at, rows, levels):
    source = parse(text, "/home/ada/train.py")
    monkeypatch.setattr(datasets, "source_of", lambda recording, file: source)
    monkeypatch.setattr(datasets, "program_of", lambda recording: {"/home/ada/train.py": source.tree})
    dropped = {"what": "dropped", "where": line(at), "rows": rows}
    found = [
        *told(tmp_path / "loop", {**dropped, "method": "loop", "used": line(8)}),
        *told(tmp_path / "evaluate", {**dropped, **PREDICT, "method": "evaluate"}),
    ]
    assert [f[0] for f in found] == levels


HELPERS = """def always(data, n, seed):
    return data.shuffle(len(data), seed=seed).batch(n)
def asked(data, training):
    if training:
        data = data.shuffle(99)
    return data.batch(9)
def sized(data, buffer):
    return data.shuffle(buffer).batch(9)
"""


def test_a_helper_that_always_shuffles_is_at_fault_and_not_its_caller(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "source_of", lambda recording, file: parse(HELPERS, file))
    event = {"what": "reshuffled", "where": line(20), **PREDICT}
    found = [told(tmp_path / str(n), {**event, "made": line(n)}) for n in (2, 5, 8)]
    assert [[f[2] for f in each] for each in found] == [[2], [20], [20]]


def test_without_a_line_of_its_own_it_is_told_where_it_is_used(tmp_path):
    assert told(tmp_path, {"what": "reshuffled", "where": None, **PREDICT})[0][2] == 9


def test_a_run_that_was_ended_says_nothing_of_it(tmp_path):
    outcome = {"state": "signalled", "signal": "SIGTERM", "probes": "recorded"}
    assert told(tmp_path, {"what": "reshuffled", "where": line(7), **PREDICT}, outcome=outcome) == []
