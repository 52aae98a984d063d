"""What is said of rows whose numbers show how they were made, and at which line."""

from __future__ import annotations

import ast

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import given_rows as module
from xladoctor.diagnosis import slips
from xladoctor.recording.run import read_run
from xladoctor.sources.backward import Backward
from xladoctor.sources.made_by import DEALT, STATISTIC, line_of_last_layer, line_of_rows

FILE = "/home/ada/train.py"
PROGRAM = """
class Scaler:
    def fit(self, a):
        self.mean, self.std = a.mean(0), a.std(0)
        return self
    def __call__(self, a):
        return (a - self.mean) / self.std
def shifts(depth, lag):
    past = np.lib.stride_tricks.sliding_window_view(depth, lag)[:-1]
    ahead = depth[lag - 1 : -1]  # target-line
    return past.copy(), ahead.copy()
def along(table):
    middle = table.mean(axis=1, keepdims=True)  # row-scale
    return table - middle
whole = (raw - raw.mean()) / raw.std()  # one-scale
each = (raw - raw.mean((0, 2), keepdims=True)) / raw.std((0, 2), keepdims=True)  # step-scale
level = raw.mean(axis=0)
one = raw.std()  # uneven
rough = (raw - level) / one
early = Normalization(axis=1)  # apart-axis
ready_to_go.adapt(raw)  # whole-adapt
past, ahead = shifts(tide[:500], 9)
low = table.mean(axis=0)  # whole-scale
train, test = (table - low)[:400], (table - low)[400:]
ready = Scaler().fit(x_test)(x_test)  # own-scale
order = rng.permutation(len(windows))  # windows
mixed = rng.permutation(len(lags))  # foretold
out = np.zeros(len(x))
for k in range(3):  # unwritten
    out[k * 8 : (k + 1) * 8] = x[k * 8 : (k + 1) * 8]
later = y[1:]  # shifted
back = np.flip(y)  # reversed
risen = np.sort(y)  # ordered
deck = rng.permutation(x)  # other-pairs
codes = LabelEncoder().fit_transform(names)  # renumbered
wide = np.column_stack([x, y])  # target
counts = {c: n / len(y) for c, n in enumerate(np.bincount(y))}  # by-count
def inverse(labels):
    found = labels.value_counts()
    return {k: len(labels) / n for k, n in enumerate(found)}  # dealt
weighed = inverse(y)
def main():
    model.fit(along(raw), y)  # :row-scale
    model.fit(whole, y)  # :one-scale
    model.fit(each, y)  # :step-scale
    model.fit(rough, y)  # :uneven
    model.fit(raw, y)  # :apart-axis
    model.predict(x_test)  # :whole-adapt
    model.fit(past, ahead)  # target-fit
    model.fit(train, y, validation_data=(test, y))  # :whole-scale
    model.evaluate(ready, y)  # :own-scale
    model.evaluate(x=windows[order[450:]], y=y)  # :windows
    model.evaluate(lags[mixed[450:]], y[mixed[450:]])  # :foretold
    model.fit(out, y)  # :unwritten
    model.fit(x, later)  # :shifted
    model.fit(x, back)  # :reversed
    model.fit(x, risen)  # :ordered
    model.fit(deck, y)  # :other-pairs
    model.evaluate(x, codes)  # :renumbered
    model.fit(wide, y)  # :target
    model.evaluate(x[250:], y)  # trained-on :trained-on
    table.merge(shops)  # multiplied :multiplied
    timeseries_dataset_from_array(x, y, 9)  # in-window :in-window
    table["guess"] = pd.Series(p)  # relabelled :relabelled
    model.fit(x, y, class_weight=counts)  # :by-count
    model.fit(x, y, class_weight=weighed)  # :dealt
    model.fit(x, y, class_weight=others)  # no-class :no-class
main()
"""
SLUGS = {
    "own-scale": "unlike-training", "row-scale": "unlike-training", "step-scale": "unlike-training",
    "whole-adapt": "unsound-split", "uneven": "unlike-training",
    "one-scale": "unlike-training", "apart-axis": "unlike-training",
    "trained-on": "unsound-split",
    "whole-scale": "unsound-split", "windows": "unsound-split", "foretold": "unsound-split", "target": "unsound-split",
    "unwritten": "wrong-shape-silent", "multiplied": "wrong-shape-silent",
    "shifted": "wrong-pairing", "ordered": "wrong-pairing", "reversed": "wrong-pairing", "relabelled": "wrong-pairing",
    "in-window": "wrong-pairing", "by-count": "dead-switch", "no-class": "dead-switch",
    "dealt": "wrong-pairing", "other-pairs": "wrong-pairing",
    "renumbered": "wrong-pairing",
}  # fmt: skip
ARGUMENTS = {
    "by-count": "class_weight",
    "no-class": "class_weight",
    "dealt": "class_weight",
    "whole-scale": "validation_data",
    "shifted": "y",
    "ordered": "y",
    "renumbered": "y",
    "reversed": "y",
}


def line_of(word):
    return next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if word in text.rpartition("#")[2].split())


@pytest.mark.parametrize("kind", SLUGS)
def test_each_is_a_warning_at_the_line_that_made_the_rows(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "program_of", lambda recording: {FILE: ast.parse(PROGRAM)})
    used = {"file": FILE, "line": line_of(f":{kind}"), "function": "main"}
    run, facts = Run(), {"what": kind, "rows": [3, 20], "model": "net", "argument": ARGUMENTS.get(kind, "x")}
    for _ in range(2):
        run.event("split", used=used, where=used, **facts)
    [found] = module.given_rows(read_run(run.write(tmp_path / "run")))
    assert (found.slug, found.level, found.status, found.location.line) == (
        SLUGS[kind], "warning", "confirmed", line_of(kind),
    )  # fmt: skip
    assert found.remedies and found.title and found.details["kind"] == kind


def test_the_target_of_a_window_is_looked_for_in_the_result_that_is_the_target(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "program_of", lambda recording: {FILE: ast.parse(PROGRAM)})
    run, used = Run(), {"file": FILE, "line": line_of("target-fit"), "function": "main"}
    run.event("split", used=used, where=used, what="in-window", rows=[8, 9], model="net", argument="y")
    [found] = module.given_rows(read_run(run.write(tmp_path / "run")))
    assert found.location.line == line_of("target-line")


def test_columns_that_are_only_centred_are_meant_so(tmp_path, monkeypatch):
    text = "spread = raw.std(axis=0)\nx = raw - raw.mean(0)\nmodel.fit(x, y)\n"
    monkeypatch.setattr(module, "program_of", lambda recording: {FILE: ast.parse(text)})
    run, used = Run(), {"file": FILE, "line": 3, "function": "<module>"}
    run.event("split", used=used, where=used, what="uneven", rows=[3, 20], model="net", argument="x")
    assert list(module.given_rows(read_run(run.write(tmp_path / "run")))) == []


PAIRS = """class Batches:
    def __iter__(self):
        x = tf.random.shuffle(self.x)
        y = tf.random.shuffle(self.y)
        yield x, y
def train():
    for a, b in Batches():
        step(a, b)
def shuffled_labels():
    for a, b in Batches():
        step(a, b)
"""


@pytest.mark.parametrize(("line", "argument", "found"), [(8, "x", 4), (8, "y", 4), (11, "x", 4), (11, "y", None)])
def test_labels_of_other_rows_come_from_two_draws_or_are_a_control(line, argument, found, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "program_of", lambda recording: {FILE: ast.parse(PAIRS)})
    run, used = Run(), {"file": FILE, "line": line, "function": "train"}
    run.event(
        "split", what="other-pairs", rows=[199, 200], used=used, where=used, argument=argument, loop=True,
        names=["x", "y"], numbers=[0.01, 0.9], name="a loop of the program", step="step", at=[0, 1],
    )  # fmt: skip
    lines = [f.location.line for f in module.given_rows(read_run(run.write(tmp_path / "run")))]
    assert lines == ([found] if found else [])


# Told by a layer or by the rows of another call, and not by the line that made the rows.
OF_LAYERS_AND_CALLS = {"rescaled", "unadapted", "norm-axis", "other-scale", "elsewhere", "out-of-reach"}


def test_the_last_layer_is_named_by_its_units_or_as_the_last_one():
    text = 'a = Dense(9, activation="relu")\nb = Dense(1, activation="relu")\nc = Dense(4)\nd = Dense(n, "relu")\n'
    back = Backward({FILE: ast.parse(text)})
    assert line_of_last_layer(back, "Dense", 1, "relu") == (FILE, 2)
    assert line_of_last_layer(back, "Dense", 3, "relu") == (FILE, 4)
    assert line_of_last_layer(back, "Dense", 4, "tanh") is None


def test_every_kind_is_here():
    assert set(module._KINDS) == set(SLUGS) | OF_LAYERS_AND_CALLS


@pytest.mark.parametrize("use", ["Scaler()(x)", "scale(x)", "self.scale(x)"])
def test_an_object_that_is_called_is_followed_into_its_class(use, tmp_path, monkeypatch):
    text = f"""class Scaler:
    def __call__(self, a):
        return a / a.std(axis=1, keepdims=True)
scale = Scaler()
self.scale = Scaler()
z = {use}
model.fit(z, y)
"""
    monkeypatch.setattr(module, "program_of", lambda recording: {FILE: ast.parse(text)})
    run, used = Run(), {"file": FILE, "line": 7, "function": "main"}
    run.event("split", what="row-scale", rows=[3, 20], model="net", used=used, where=used, argument="x")
    [found] = module.given_rows(read_run(run.write(tmp_path / "run")))
    assert found.location.line == 3


LOOPS = """x_test = (raw - raw.mean(0)) / raw.std(0)
train = tf.data.Dataset.from_tensor_slices((x, y)).batch(9)
test = tf.data.Dataset.from_tensor_slices((x_test, y_test)).batch(9)
for xb, yb in train:
    with tf.GradientTape() as tape:
        loss = lossy(xb, yb)
for xb, yb in test:
    error += lossy(xb, yb)
"""


@pytest.mark.parametrize(("line", "wanted"), [(7, [1]), (4, [])], ids=["a test", "another training"])
def test_rows_that_a_loop_goes_through(line, wanted, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "program_of", lambda recording: {FILE: ast.parse(LOOPS)})
    used = {"file": FILE, "line": line, "function": "<module>"}
    run, facts = Run(), {"name": "a loop of the program", "loop": True, "argument": "x", "rows": [3, 20]}
    run.event("split", what="own-scale", model=None, used=used, where=used, **facts)
    found = list(module.given_rows(read_run(run.write(tmp_path / "run"))))
    assert [f.location.line for f in found] == wanted


def test_without_the_source_the_call_is_named(tmp_path):
    run, used = Run(), {"file": FILE, "line": 9, "function": "main"}
    run.event("split", what="own-scale", rows=[3, 20], model="net", used=used, where=used, argument="x")
    [found] = module.given_rows(read_run(run.write(tmp_path / "run")))
    assert (found.location.line, found.location.function) == (9, "main")


def test_what_is_written_is_read_with_what_the_names_held(tmp_path, monkeypatch):
    tree = ast.parse("def turned(block):\n    return block.reshape(5, 3)\nx = turned(data)\n")
    monkeypatch.setattr(slips, "program_of", lambda recording: {FILE: tree})
    held = {"data": {"kind": "array", "shape": [3, 5], "dtype": "float32"}}
    run = Run()
    run.event("names", file=FILE, function="<module>", names=held)
    recording = read_run(run.write(tmp_path / "run"))
    [found] = slips.slips_with_names(recording, ())
    assert (found.slug, found.level, found.status, found.location.line) == ("wrong-pairing", "warning", "untested", 2)
    assert list(slips.slips_with_names(recording, [found])) == []


def test_rows_that_no_call_of_keras_got_are_known_by_their_name(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "program_of", lambda recording: {FILE: ast.parse(PROGRAM)})
    run, used = Run(), {"file": FILE, "line": None, "function": "<module>"}
    run.event("split", what="own-scale", rows=[3, 20], used=used, name="ready")
    run.event("split", what="whole-scale", rows=[3, 20], used=used, name="out")
    own, whole = module.given_rows(read_run(run.write(tmp_path / "run")))
    assert (own.location.line, own.title) == (
        line_of("own-scale"), "3 rows for ready are scaled by their own statistics, and not by those of the training",
    )  # fmt: skip
    assert whole.location.line == line_of("unwritten") + 1


GROUPS = """
def parts(keys, rng):
    drawn = rng.permutation(np.unique(keys))
    return np.isin(keys, drawn[:9])
def main():
    windows, subject = cut(series)
    keys = np.arange(len(windows))
    held = parts(keys, rng)
    model.evaluate(windows[held], y)
main()
"""


def test_groups_that_are_dealt_out_lead_to_their_keys():
    for text, line in ((GROUPS, 7), (GROUPS.replace("np.unique(keys)", "len(keys)"), 3)):
        back = Backward({FILE: ast.parse(text)})
        assert line_of_rows(back, FILE, 9, "x", DEALT) == (FILE, line)


def test_a_name_is_followed_from_the_line_that_holds_it():
    text = (
        "def main():\n    test = a[9:]\n    test = (test - test.mean(0)) / test.std(0)\n    for _ in a:\n        step()"
    )
    assert line_of_rows(Backward({FILE: ast.parse(text)}), FILE, 5, "test", STATISTIC) == (FILE, 3)


STEPS = """fresh = (raw - raw.mean(0)) / raw.std(0)
late = (raw - raw.mean(0)) / raw.std(0)
for epoch in range(9):
    for k in range(0, 90, 9):
        loss = update(0.1, jnp.asarray(fresh[k : k + 9]))
guess = np.ravel(self.net(late, training=False))
"""


@pytest.mark.parametrize(("line", "step", "at", "made"), [(5, "update", [1, -1], 1), (6, "", [0, -1], 2)])
def test_rows_of_the_functions_and_models_of_a_program(line, step, at, made, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "program_of", lambda recording: {FILE: ast.parse(STEPS)})
    run, used = Run(), {"file": FILE, "line": line, "function": "<module>"}
    facts = {"rows": [3, 20], "model": None, "name": "a loop of the program", "loop": True, "argument": "x"}
    run.event("split", what="own-scale", used=used, where=used, step=step, at=at, **facts)
    [found] = module.given_rows(read_run(run.write(tmp_path / "run")))
    assert found.location.line == made
