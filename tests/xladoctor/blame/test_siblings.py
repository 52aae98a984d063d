"""Lines that do not do what others beside them do."""

from __future__ import annotations

import pytest

from .programs import blamed

UNREAD = """
import tensorflow as tf
kept = tf.keras.Input((12, 32))
hidden = tf.keras.layers.LSTM(16, return_sequences=True)(tf.keras.Input((4, 3)))
{query}
scores = tf.keras.layers.Dot(axes=[2, 2])([hidden, kept])
"""
SAYS = "It takes `hidden`; `query`, which was made of it before, is read nowhere."


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("query = tf.keras.layers.Dense(32)(hidden)", True),
        ("query = tf.keras.layers.Dense(32)(hidden); print(query)", False),
        ("_ = tf.keras.layers.Dense(32)(hidden)", False),
        ("query = len(hidden)", False),
    ],
)
def test_a_value_that_was_made_for_the_failing_line_and_is_read_nowhere(query: str, found: bool) -> None:
    source = UNREAD.format(query=query) + "again = hidden\n"
    told = blamed(source, ("<module>", "scores ="), dims=(16, 32), slug="matmul-conv-mismatch")
    assert told is not None and (SAYS in [s.reason for s in told.suspects[:2]]) == found


BARE = """
import numpy as np
import tensorflow as tf
def observe(rng):
    return rng.normal(size=4)
model = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.Dense(2)])
rng = np.random.default_rng(0)
state = {first}
for step in range(20):
    values = model.predict(state)
    state = {later}
"""


@pytest.mark.parametrize(
    "turned", ["observe(rng).reshape(1, 4)", "observe(rng)[None]", "np.expand_dims(observe(rng), 0)"]
)
def test_a_result_that_another_line_gives_an_axis(turned: str) -> None:
    call = ("<module>", "model.predict")
    told = blamed(
        BARE.format(first="observe(rng)", later=turned), call, dims=(4,), message="expected (None, 4), got (4,)"
    )
    assert told is not None and told.suspects[0].code == "state = observe(rng)"
    alike = blamed(
        BARE.format(first="observe(rng)", later="observe(rng)"), call, message="expected (None, 4), got (4,)"
    )
    assert alike is None or not any("as it is; another line" in s.reason for s in alike.suspects)


ENCODED = """
import numpy as np
import pandas as pd
import tensorflow as tf
df = pd.read_csv("a.csv")
decks = pd.get_dummies(df["deck"]{first})
ports = pd.get_dummies(df["port"]{second})
features = np.hstack([decks, ports])
count = df["deck"].nunique() + df["port"].nunique()
model = tf.keras.Sequential([tf.keras.layers.Input((count,)), tf.keras.layers.Dense(1)])
model.fit(features, target)
"""


@pytest.mark.parametrize(
    ("first", "second", "line"), [(", drop_first=True", "", "decks"), ("", ", drop_first=True", "ports")]
)
def test_the_encoder_that_leaves_out_a_column(first: str, second: str, line: str) -> None:
    """Two columns of one table have categories of their own."""
    source = ENCODED.format(first=first, second=second)
    told = blamed(source, ("<module>", "model.fit"), dims=(9, 8), message="expected axis -1 to have 9, got 8")
    assert told is not None and told.suspects[0].code.startswith(f"{line} =")
    assert "leaves out the column of the first category" in told.suspects[0].reason


@pytest.mark.parametrize(("first", "second"), [("", ""), (", drop_first=True", ", drop_first=True")])
def test_encoders_that_are_alike(first: str, second: str) -> None:
    source = ENCODED.format(first=first, second=second)
    told = blamed(source, ("<module>", "model.fit"), dims=(9, 8), message="expected axis -1 to have 9, got 8")
    assert told is not None and not any("categor" in s.reason for s in told.suspects)


FED = """
import numpy as np
import tensorflow.compat.v1 as tf
steps = 28
x = tf.placeholder(tf.float32, [{rows}, 150])
state = tf.zeros([steps, 150])
state = tf.tanh(x + state)
with tf.Session() as sess:
    sess.run(state, feed_dict={{x: np.ones([50, 150])}})
"""


@pytest.mark.parametrize(("rows", "first"), [("None", "state = tf.zeros([steps, 150])"), ("50", "")])
def test_rows_that_are_fixed_where_the_program_is_fed_any_number(rows: str, first: str) -> None:
    told = blamed(FED.format(rows=rows), ("<module>", "sess.run"), dims=(50, 28), slug="broadcast-mismatch",
                  at=("<module>", "state = tf.tanh"), frame_shapes={"<module>": {"x": [50, 150]}},
                  message="Incompatible shapes: [50,150] vs. [28,150]")  # fmt: skip
    assert told is not None
    assert [s.code for s in told.suspects if s.reason.startswith("It fixes 28 rows")] == [first][: bool(first)]


def test_a_pipeline_of_numbers_whose_elements_python_makes() -> None:
    source = """
    import tensorflow as tf
    def parse(index):
        image, label = tf.numpy_function(load, [index], [tf.float32, tf.int64])
        image.set_shape((32, 32, 3))
        return image, label
    def augment(image, label):
        return tf.image.random_crop(image, [28, 28, 3]), label
    train = tf.data.Dataset.range(200).map(parse).map(augment).batch(16)
    layers = [tf.keras.layers.Input((32, 32, 3)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(4)]
    model = tf.keras.Sequential(layers)
    model.fit(train)
    """
    told = blamed(source, ("<module>", "model.fit"), dims=(3072, 2352), message="expected 3072, got (None, 2352)")
    assert told is not None and told.suspects[0].code.startswith("return tf.image.random_crop")


PREPARED = """
import numpy as np
import keras
def prepared(table):
    return table[:, :3], table[:, 3]
def whole_batches(x, y, size):
    n = len(x) // size * size
    return x[:n], y[:n]
x, y = whole_batches(*prepared(np.zeros((100, 4))), 8)
xt, yt = prepared(np.zeros((30, 4)))
{}
net = keras.Sequential([keras.Input((3,), batch_size=8), keras.layers.Dense(1)])
net.predict(xt, batch_size=8)
"""


@pytest.mark.parametrize(("later", "blames"), [("", True), ("xt, yt = whole_batches(xt, yt, 8)", False)])
def test_a_result_that_another_line_passes_on(later, blames):
    message = "Incompatible shapes: [6,3] vs. [8,3]"
    found = blamed(
        PREPARED.format(later), ("<module>", "net.predict"), slug="broadcast-mismatch", dims=(6, 8), message=message
    )
    plain = [s.code for s in found.suspects if "another line has `whole_batches` of it" in s.reason]
    assert plain == (["xt, yt = prepared(np.zeros((30, 4)))"] if blames else [])


CONVERTED = """
import numpy as np
import tensorflow as tf
from books import Data, one_hot
labels = np.random.randint(0, 5, 120)
x = np.random.rand(120, 7)
train = Data(x[:100], one_hot(labels[:100], 5))
test = Data(x[100:], {})
y = tf.compat.v1.placeholder(tf.float32, [None, 5])
tf.compat.v1.Session().run(y, {{y: test.labels}})
"""


@pytest.mark.parametrize(("given", "blames"), [("labels[100:]", True), ("one_hot(labels[100:], 5)", False)])
def test_an_argument_that_a_call_beside_it_converts(given, blames):
    message = "Cannot feed value of shape (20,) for Tensor Placeholder:0, which has shape (None, 5)"
    found = blamed(CONVERTED.format(given), ("<module>", "Session().run"), dims=(20, 5), message=message)
    plain = [s.code for s in found.suspects if "a call beside it has `one_hot(" in s.reason]
    assert plain == ([f"test = Data(x[100:], {given})"] if blames else [])


KEPT = """
import numpy as np
import tensorflow as tf
class Net:
    def __init__(self, sensors):
        self.readings = np.zeros((500, sensors))
        self.links = np.ones((sensors, sensors))
    def clean(self):
        ok = self.readings.std(axis=0) > 0.1
        self.readings = {kept}
net = Net(12)
net.clean()
mixed = tf.matmul(net.readings, net.links)
"""


@pytest.mark.parametrize(
    ("kept", "found"),
    [("self.readings[:, ok]", True), ("self.readings[ok]", False), ("self.readings[:, 1:]", False)],
)
def test_one_of_two_arrays_is_cut(kept: str, found: bool) -> None:
    told = blamed(KEPT.format(kept=kept), ("<module>", "tf.matmul"), dims=(11, 12), slug="matmul-conv-mismatch")
    assert told is not None
    assert any("what else has 12 keeps all" in s.reason for s in told.suspects[:1]) == found


TOGETHER = """
import numpy as np
import tensorflow as tf
encoder, decoder = load()
mean, spread, z = encoder(first)
{taken}
decoder.predict(np.array(a) * 0.5)
"""


@pytest.mark.parametrize(
    ("taken", "found"),
    [
        ("a = encoder.predict(x)", True),
        ("a = encoder.predict(x)\na = a[2]", False),
        ("a = encoder.predict(x)\nm, s, z = a", False),
        ("m, s, a = encoder.predict(x)", False),
        ("a = other.predict(x)", False),
        ("h, w = other('shape')\na = other('size')", False),
        ("o, h, c = tf.keras.layers.LSTM(3, return_state=True)(x)\na = tf.keras.layers.Dense(3)(h)", False),
    ],
)
def test_several_results_that_are_taken_for_one(taken: str, found: bool) -> None:
    told = blamed(
        TOGETHER.format(taken=taken), ("<module>", "decoder.predict"), message="expected (None, 16), got (3, 8, 16)"
    )
    assert (told is not None and any("takes the 3 results of `encoder`" in s.reason for s in told.suspects)) == found


SYMBOLIC = """
import numpy as np
import tensorflow as tf
z = tf.keras.Input((16,))
decoder = tf.keras.Model(z, tf.keras.layers.Dense(4)(z))
zs = np.zeros((3, 8, 16))
decoder.predict(zs)
"""


def test_no_array_is_replaced_by_a_tensor_of_a_model() -> None:
    told = blamed(SYMBOLIC, ("<module>", "decoder.predict"), message="expected (None, 16), got (3, 8, 16)")
    assert told is not None and not any((s.old, s.new) == ("zs", "z") for s in told.suspects)
    named = SYMBOLIC.replace("zs = ", "zs2 = np.zeros((8, 16))\nzs = ")
    other = blamed(named, ("<module>", "decoder.predict"), message="expected (None, 16), got (3, 8, 16)")
    assert other is not None and any(s.new == "zs2" for s in other.suspects)
