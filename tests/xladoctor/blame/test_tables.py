"""Blame where two things were made apart that go together: columns, counts, rows, batches, settings of one name."""

from __future__ import annotations

import pytest

from xladoctor.model.blame import Blame

from .programs import blamed, lines

MIXED = "Incompatible shapes: [{},{}] vs. [{},{}]"


def failed(source: str, piece: str, message: str, *dims: int, **more: str) -> Blame | None:
    """The blame of a program whose line with this piece fails in a function of its own."""
    last = ("score", "return x @ w") if "return x @ w" in source else ("<module>", piece)
    calls = [("<module>", piece), last] if last[0] == "score" else [last]
    return blamed(source, *calls, dims=dims, message=message, slug=more.get("slug", "matmul-conv-mismatch"))


def first(found: Blame | None) -> str:
    """The first suspect."""
    return lines(found)[0]


PREPARED = """
import pandas as pd
import tensorflow as tf
from data import read
def prepared(table):
    {}
    return tf.constant(columns.to_numpy("float32"))
def score(x, w):
    return x @ w
train, test = prepared(read("train")), prepared(read("test"))
w = tf.zeros([train.shape[1], 1])
score(test, w)
"""


@pytest.mark.parametrize(
    ("line", "blames"),
    [
        ('columns = pd.get_dummies(table[["ward"]])', True),
        ("columns = OneHotEncoder().fit_transform(table)", True),
        ('columns = table.pivot_table(index="day", columns="ward", values="stay")', True),
        ('columns = pd.get_dummies(table[["ward"]]).reindex(columns=KNOWN, fill_value=0)', False),
        ('columns = table[["age", "stay"]]', False),
    ],
)
def test_categories_that_each_table_has_for_itself(line: str, blames: bool) -> None:
    found = failed(PREPARED.format(line), "score(test", "In[0]: [8,13], In[1]: [14,1]", 13, 14)
    said = [s.reason for s in found.suspects if "by itself" in s.reason] if found is not None else []
    assert bool(said) is blames
    assert not blames or first(found) == line


VOCABULARY = """
import tensorflow as tf
from texts import words, encoded
class Vocabulary:
    def __init__(self, words, specials=("<pad>", "<unk>")):
        self.words = sorted(set(words))
        self.specials = list(specials)
        self.index = {}
    def __len__(self):
        return {}
table = Vocabulary(words())
hot = tf.one_hot(encoded(table), max(table.index.values()) + 1)
logits = tf.zeros([8, len(table)])
loss = hot * logits
"""


@pytest.mark.parametrize(
    ("index", "count", "blames"),
    [
        ("{w: i for i, w in enumerate(self.specials + self.words)}", "len(self.words)", True),
        ("{w: i for i, w in enumerate(self.words, start=1)}", "len(self.words)", True),
        ("{w: i + 1 for i, w in enumerate(self.words)}", "len(self.words)", True),
        ("{w: i for i, w in enumerate(self.words)}", "len(self.words)", False),
        ("{w: i for i, w in enumerate(self.words, start=1)}", "len(self.words) + 1", False),
    ],
)
def test_a_count_without_what_is_numbered_as_well(index: str, count: str, blames: bool) -> None:
    source = VOCABULARY.replace("= {}\n    def", f"= {index}\n    def").replace("return {}", f"return {count}")
    found = failed(source, "loss = hot", MIXED.format(8, 10, 8, 8), 10, 8, slug="broadcast-mismatch")
    said = [s.code for s in found.suspects if "ids are given" in s.reason] if found is not None else []
    assert said == ([f"return {count}"] if blames else [])


@pytest.mark.parametrize(
    ("first_line", "second_line", "wrong"),
    [
        ('clean = table[table["age"] > 0]', 'weights = table["weight"].to_numpy()', 1),
        ("clean = table.dropna()", 'weights = table["weight"].to_numpy()', 1),
        ('weights = table["weight"].to_numpy()', "table = clean = table.dropna()", 0),
        ("clean = table.dropna()", 'weights = clean["weight"].to_numpy()', None),
        ('keep = table["age"] > 0\nclean = table[keep]', 'weights = table[keep]["weight"].to_numpy()', None),
    ],
)
def test_rows_that_are_dropped_on_one_side(first_line: str, second_line: str, wrong: int | None) -> None:
    source = f"""
import tensorflow as tf
from data import read
table = read("stays.csv")
{first_line}
{second_line}
loss = tf.constant(clean["loss"].to_numpy()) * tf.constant(weights)
"""
    found = failed(source, "loss = tf", "Incompatible shapes: [90] vs. [100]", 90, 100, slug="broadcast-mismatch")
    said = [s.code for s in found.suspects if "takes all rows" in s.reason] if found is not None else []
    assert said == ([] if wrong is None else [(first_line, second_line)[wrong]])


@pytest.mark.parametrize(
    ("line", "blames"),
    [
        ('whole = people.merge(measured, on="id", how="left")', True),
        ('whole = people.assign(pulse=people["id"].map(measured))', False),
    ],
)
def test_a_merge_that_makes_several_rows_of_one(line: str, blames: bool) -> None:
    source = f"""
import tensorflow as tf
from data import read
people, measured = read("people.csv"), read("measured.csv")
{line}
loss = tf.constant(whole["pulse"].to_numpy()) * tf.constant(people["risk"].to_numpy())
"""
    found = failed(source, "loss = tf", "Incompatible shapes: [220] vs. [200]", 220, 200, slug="broadcast-mismatch")
    said = [s.code for s in found.suspects if "a row for each match" in s.reason] if found is not None else []
    assert said == ([line] if blames else [])


def test_a_last_batch_of_rows_that_nobody_counted() -> None:
    source = """
import tensorflow as tf
from texts import rows
data = tf.data.Dataset.from_tensor_slices(rows()){}.batch(32)
state = tf.zeros([32, 48])
for x in data:
    both = tf.concat([state, x], axis=1)
"""
    said = "ConcatOp : Dimension 0 in both shapes must be equal: shape[0] = [32,48] vs. shape[1] = [11,16]"
    found = failed(source.format(""), "both = tf", said, 32, 11, slug="concat-pack-mismatch")
    assert first(found).startswith("data = ")
    assert found is not None and "The last batch has 11 rows of 32" in found.suspects[0].reason
    endless = failed(source.format(".repeat()"), "both = tf", said, 32, 11, slug="concat-pack-mismatch")
    assert endless is None or not any("last batch" in s.reason for s in endless.suspects)


def test_one_name_that_two_settings_set_apart() -> None:
    source = """
import json
import tensorflow as tf
from net import run
one, other = json.load(open("first.json")), json.load(open("second.json"))
run(tf.zeros([5, one["width"]]), other["width"])
"""
    net = "import tensorflow as tf\ndef run(x, n):\n    return tf.matmul(x, tf.zeros([n, 3]))\n"
    more = {
        "/work/net.py": net,
        "/work/first.json": '{\n"width": 9}',
        "/work/second.json": '{\n"depth": 2,\n"width": 8}',
    }
    calls = (("<module>", "run(tf.zeros"), ("run", "return tf.matmul"))
    found = blamed(source, *calls, dims=(9, 8), more=more, slug="matmul-conv-mismatch")
    assert found is not None
    places = [(s.location.file, s.location.line) for s in found.suspects[:3]]
    assert {("/work/first.json", 2), ("/work/second.json", 3)} <= set(places)
    assert "second.json:3 sets it to 8" in next(
        s.reason for s in found.suspects if s.location.file.endswith("first.json")
    )


@pytest.mark.parametrize(
    ("lines_of_types", "wrong"),
    [
        ("basis = np.linspace(0, 1, 9)\nkernel = tf.constant(basis)\nx = tf.zeros([9])", "kernel = tf.constant(basis)"),
        ("kernel = tf.zeros([9], tf.float64)\nx = tf.cast(read(), tf.float32)", None),
    ],
)
def test_what_takes_over_the_type_of_numpy(lines_of_types: str, wrong: str | None) -> None:
    source = f"import numpy as np\nimport tensorflow as tf\nfrom data import read\n{lines_of_types}\ny = x * kernel\n"
    said = "cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a double tensor"
    found = failed(source, "y = x", said, slug="dtype-mismatch")
    assert found is not None
    assert wrong is None or first(found) == wrong
    assert not any(s.code.startswith("x = tf.cast") and s.likeliness == "likely" for s in found.suspects)


def test_the_last_layer_of_a_model_of_mixed_precision() -> None:
    source = """
import keras
import tensorflow as tf
from data import read
keras.mixed_precision.set_global_policy("mixed_float16")
inputs = keras.Input((8,))
outputs = keras.layers.Dense(3)(inputs)
model = keras.Model(inputs, outputs)
x = tf.cast(read(), tf.float32)
y = tf.matmul(model(x), tf.zeros([3, 2]))
"""
    said = "cannot compute MatMul as input #1(zero-based) was expected to be a half tensor but is a float tensor"
    found = failed(source, "y = tf", said, slug="dtype-mismatch")
    assert first(found) == "outputs = keras.layers.Dense(3)(inputs)"


def test_a_slice_that_asks_for_more_than_there_is() -> None:
    source = """
import tensorflow as tf
MODES = 12
STEPS = 9
spectrum = tf.zeros([4, STEPS])
low = spectrum[:, :MODES]
out = low * tf.zeros([4, MODES])
"""
    found = failed(source, "out = low", MIXED.format(4, 9, 4, 12), 9, 12, slug="broadcast-mismatch")
    assert found is not None
    reasons = {s.code: s.reason for s in found.suspects}
    assert reasons["MODES = 12"] == "12 are asked of 9."
    assert reasons["low = spectrum[:, :MODES]"].startswith("12 are asked of 9: a slice")
    enough = source.replace("STEPS = 9", "STEPS = 13").replace("[4, MODES])", "[4, 9])")
    other = failed(enough, "out = low", MIXED.format(4, 12, 4, 9), 12, 9, slug="broadcast-mismatch")
    assert other is None or not any("are asked of" in s.reason for s in other.suspects)


def test_a_list_that_nobody_counted_is_stacked_once() -> None:
    source = """
import numpy as np
import tensorflow as tf
from scenes import windows
x = np.stack([np.zeros([8, 8, 3]) for w in windows()])
model = tf.keras.Sequential([tf.keras.Input((8, 8, 4)), tf.keras.layers.Flatten()])
model.predict(x)
"""
    said = "expected shape=(None, 8, 8, 4), found shape=(32, 8, 8, 3)"
    found = failed(source, "model.predict", said, 4, 3, slug="keras-input-mismatch")
    assert found is not None and found.constraint is not None
    assert [o.size for o in found.constraint.operands] == [3, 4]


def test_what_a_model_is_given_by_a_pipeline_that_nobody_can_follow() -> None:
    source = """
import keras
from pipeline import batches
FRAMES = 31
inputs = keras.Input((FRAMES, 24))
model = keras.Model(inputs, keras.layers.Flatten()(inputs))
model.fit(batches(), epochs=2)
"""
    said = "expected shape=(None, 31, 24), found shape=(None, 30, 24)"
    found = failed(source, "model.fit", said, 31, 24, 30, slug="keras-input-mismatch")
    assert found is not None and found.constraint is not None
    assert [o.size for o in found.constraint.operands] == [30, 31]


@pytest.mark.parametrize(
    ("rows", "samples"), [("[series[i:i + 22] for i in range(170)]", False), ("[np.zeros([22, 4])]", True)]
)
def test_the_rows_of_a_window_are_no_samples(rows: str, samples: bool) -> None:
    source = f"""
import keras
import numpy as np
series = np.zeros([200, 4])
seen = {rows}
inputs = keras.Input((4,))
model = keras.Model(inputs, keras.layers.Dense(22)(inputs))
model.compile("adam", "mse")
model.fit(np.ones([32, 4]), np.ones([32, 5]))
"""
    found = failed(source, "model.fit", MIXED.format(32, 5, 32, 22), 5, 22, slug="broadcast-mismatch")
    assert found is not None
    assert any("number of samples" in s.reason for s in found.suspects) is samples


LOST = """
import numpy as np, pandas as pd, tensorflow as tf
people = pd.DataFrame({{"id": np.arange(240), "age": np.zeros(240), "stay": np.zeros(240)}})
def design(people, labs):
    table = {table}
    return table[["age", "id"]].to_numpy("float32")
x = design(people, pd.read_csv("labs.csv"))
y = {y}
net = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
net.fit(x, y)
"""


@pytest.mark.parametrize(
    ("table", "y", "first"),
    [
        ('people.join(labs, how="inner")', 'people["stay"].to_numpy()', "y = "),
        ('people[people["age"] > 3]', 'people["stay"].to_numpy()', "y = "),
        ("people.assign(more=1)", 'people["stay"].to_numpy()', ""),
        ('people.join(labs, how="inner")', "np.zeros(240)", ""),
    ],
)
def test_rows_that_one_of_two_values_of_a_table_has_lost(table: str, y: str, first: str) -> None:
    told = blamed(
        LOST.format(table=table, y=y), ("<module>", "net.fit"), dims=(235, 240), shapes={"x": [235, 2], "y": [240]},
        message="Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.",
    )  # fmt: skip
    said = [s.code for s in told.suspects if "It takes all rows; line 4" in s.reason] if told is not None else []
    assert [code.startswith(first) for code in said] == ([True] if first else [])


TOKENS = """
import tensorflow as tf
from texts import words, rows
class Tokens:
    def __init__(self, words):
        self.vocab = {vocab}
        self.index = {{w: i for i, w in enumerate(self.vocab)}}
        self.size = len(words)
tokens = Tokens(words)
net = tf.keras.Sequential([tf.keras.Input((9,)), tf.keras.layers.Embedding(tokens.size, 8)])
net.predict(rows)
"""


@pytest.mark.parametrize(("vocab", "found"), [('["<pad>", "<unk>"] + words', True), ("sorted(words)", False)])
def test_ids_of_a_sum_that_has_a_name(vocab: str, found: bool) -> None:
    told = blamed(
        TOKENS.format(vocab=vocab), ("<module>", "net.predict"), slug="index-out-of-range",
        message="Graph execution error: indices[0,3] = 31 is not in [0, 30)",
    )  # fmt: skip
    assert told is not None
    assert any("but ids are given by enumerate(self.vocab)" in s.reason for s in told.suspects[:1]) == found
