"""Mistakes of a few lines, each with a program that looks alike and lacks it."""

from __future__ import annotations

import pytest

from .programs import blamed

LOOP = """
import numpy as np
import tensorflow as tf
size = {{"height": 40, "width": 56}}
rows = size["height"] // 8
cols = size["{cols}"] // 8
x = tf.zeros((4, rows, cols))
scale = 8
while scale > 1:
    scale //= 2
    x = tf.repeat(tf.repeat(x, 2, axis=1), 2, axis=2)
data = tf.zeros((4, size["height"], size["width"]))
loss = x - data
"""


@pytest.mark.parametrize(("cols", "found"), [("height", True), ("width", False)])
def test_a_loop_is_followed_as_long_as_its_condition_holds(cols: str, found: bool) -> None:
    told = blamed(
        LOOP.format(cols=cols), ("<module>", "loss ="), dims=(40, 56), slug="broadcast-mismatch",
        message="shapes [4,40,40] and [4,40,56]",
    )  # fmt: skip
    assert told is not None
    assert (told.constraint is not None and told.suspects[0].code.startswith("cols =")) == found


FILLED = """
import numpy as np
import tensorflow as tf
tags = sorted({{"a", "b", "c"}})
y = {y}
net = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(len(tags))])
net.compile("adam", "sparse_categorical_crossentropy")
net.fit(np.zeros((20, 4)), y)
"""


@pytest.mark.parametrize(
    ("y", "found"),
    [
        ("np.full(20, len(tags))", True),
        ("np.full(20, fill_value=len(tags))", True),
        ("np.full(len(tags), 0)", False),
        ("np.full(20, len(tags) - 1)", False),
    ],
)
def test_a_number_that_stands_for_nothing_and_is_no_class(y: str, found: bool) -> None:
    told = blamed(
        FILLED.format(y=y), ("<module>", "net.fit"), slug="index-out-of-range",
        message="Received a label value of 3 which is outside the valid range of [0, 3)",
    )  # fmt: skip
    assert (told is not None and "the first number that is no index" in told.suspects[0].reason) == found


COLUMNS = """
import tensorflow as tf
class Net(tf.keras.Model):
    def __init__(self, users, films):
        super().__init__()
        self.user = tf.keras.layers.Embedding(users, 8)
        self.film = tf.keras.layers.Embedding(films, 8)
    def call(self, x):
        u = self.user(x[:, 0])
        return u * self.film(x[:, 1])
table = load()
net = Net(100, 300)
net.fit(table[{names}].values, table["stars"])
"""


@pytest.mark.parametrize(
    ("names", "found"),
    [('["film", "user"]', True), ('["user", "film"]', False), ('["a", "b"]', False), ('["film"]', False)],
)
def test_columns_in_another_order_than_they_are_taken_in(names: str, found: bool) -> None:
    told = blamed(
        COLUMNS.format(names=names), ("<module>", "net.fit"), ("call", "u = self.user"), slug="index-out-of-range",
        message="indices[3] = 135 is not in [0, 100)",
    )  # fmt: skip
    assert (told is not None and any("takes it for `user`" in s.reason for s in told.suspects)) == found


POINTS = """
import numpy as np
import tensorflow as tf
edge = np.zeros((80, 1))
start = np.linspace(-1, 1, 50)
def value(x, t):
    return tf.concat([x, t], axis=1)
a = value(edge, edge)
b = value({given}, tf.zeros_like(start))
"""


@pytest.mark.parametrize(("given", "line"), [("start", "start ="), ("edge[0]", "b =")])
def test_an_array_without_an_axis_is_found_where_it_was_made(given: str, line: str) -> None:
    source = POINTS.format(given=given).replace("zeros_like(start)", f"zeros_like({given})")
    told = blamed(
        source, ("<module>", "b ="), ("value", "tf.concat"), slug="rank-mismatch",
        message="Shape must be rank 2 but is rank 1",
    )  # fmt: skip
    said = [s.code for s in told.suspects if "It gives `x` 1 axes" in s.reason] if told is not None else []
    assert said and said[0].startswith(line)


POINTWISE = """
import numpy as np
import tensorflow as tf
K = tf.keras.layers
inp = tf.keras.Input((32, 32, 1))
h = K.Conv2D(8, 3, padding="same")(inp)
h = K.Conv2D(8, 3, padding="same")(h)
out = K.Conv2D(4, {kernel})(h)
masks = np.zeros((8, 32, 32))
gap = out - masks
"""


@pytest.mark.parametrize(("kernel", "odd"), [(1, False), (3, True)])
def test_a_convolution_of_single_points_needs_no_padding(kernel: int, odd: bool) -> None:
    told = blamed(
        POINTWISE.format(kernel=kernel), ("<module>", "gap ="), dims=(8, 32), slug="broadcast-mismatch",
        message="shapes [8,32,32,4] and [8,32,32]",
    )  # fmt: skip
    assert told is not None and any("Its padding differs" in s.reason for s in told.suspects) == odd


NUMBERS = """
import numpy as np
import tensorflow as tf
x, y = np.zeros((64, 5)), np.zeros(64)
net = tf.keras.Sequential([tf.keras.Input((5,)), tf.keras.layers.Dense(2)])
net.compile("adam", loss="{loss}")
net.fit(x, y)
"""


@pytest.mark.parametrize(("loss", "one_hot"), [("mse", False), ("categorical_crossentropy", True)])
def test_numbers_are_not_made_classes(loss: str, one_hot: bool) -> None:
    told = blamed(
        NUMBERS.format(loss=loss), ("<module>", "net.fit"), dims=(64, 2), slug="broadcast-mismatch",
        message="shapes [64] and [64,2]",
    )  # fmt: skip
    assert told is not None and any("to_categorical" in s.new for s in told.suspects) == one_hot


GRIDS = """
import numpy as np
nx, ny = 24, 32
class Mesh:
    def grid(self, values):
        return values.reshape({shape})
field = Mesh().grid(np.zeros(nx * ny))
rhs = np.zeros((nx, ny))
inner = field[1:-1, 1:-1] * 2.0
gap = inner - rhs[1:-1, 1:-1]
"""


def test_the_order_of_axes_is_seen_before_their_ends_are_cut_off() -> None:
    told = blamed(
        GRIDS.format(shape="ny, nx"), ("<module>", "gap ="), dims=(22, 30), slug="broadcast-mismatch",
        message="operands could not be broadcast together with shapes (30,22) (22,30)",
    )  # fmt: skip
    assert told is not None and told.suspects[0].code == "return values.reshape(ny, nx)"
    assert told.suspects[0].likeliness == "likely"


PAIRS = """
import numpy as np
import tensorflow as tf
left, right, same = [], [], []
for i in range(60):
    left.append(np.zeros(5))
    right.append(np.ones(5))
    same.append(i % 2)
pairs = {pairs}
net = tf.keras.Model()
net.fit([pairs[:, 0], pairs[:, 1]], np.array(same))
"""
SAYS_ALONG = "It puts 2 along the first axis; another line takes them along the second."


@pytest.mark.parametrize(
    ("pairs", "found"),
    [
        ("np.array([left, right])", True),
        ("np.stack([left, right])", True),
        ("np.stack([left, right], axis=1)", False),
        ("np.array([left, right, same])", False),
    ],
)
def test_what_is_put_along_one_axis_and_taken_along_another(pairs: str, found: bool) -> None:
    told = blamed(
        PAIRS.format(pairs=pairs), ("<module>", "net.fit"), dims=(2, 60),
        message="Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.",
    )  # fmt: skip
    assert (told is not None and any(s.reason == SAYS_ALONG for s in told.suspects[:1])) == found


TILES = """
import numpy as np
size, step, rows = 16, 12, 5
def extent(rows):
    return rows * step{more}
canvas = np.zeros((extent(rows), 40))
for r in range(rows):
    y = r * step
    canvas[y:y + size] += np.ones((16, 40))
"""


@pytest.mark.parametrize(("more", "first"), [("", "return rows * step"), (" + 4", "return rows * step + 4")])
def test_windows_that_reach_past_the_end_of_an_array(more: str, first: str) -> None:
    told = blamed(
        TILES.format(more=more), ("<module>", "canvas[y:y + size]"), dims=(12, 16), slug="broadcast-mismatch",
        message="operands could not be broadcast together with shapes (12,40) (16,40) (12,40)",
    )  # fmt: skip
    assert told is not None and told.suspects[0].code == first
    assert "Windows reach past the end of `canvas`" in told.suspects[0].reason


def test_a_whole_array_that_does_not_fit_was_cut_by_no_window() -> None:
    told = blamed(
        TILES.format(more="").replace("[y:y + size] +=", "[y:y + size], canvas + "),
        ("<module>", "canvas[y:y + size]"), dims=(60, 16), slug="broadcast-mismatch",
        message="operands could not be broadcast together with shapes (60,40) (16,40)",
    )  # fmt: skip
    assert told is None or not any("Windows reach" in s.reason for s in told.suspects)


STEPS = """
import numpy as np
import tensorflow as tf
x = np.zeros((100, 5), "int32")
y = np.zeros({labels}, "int32")
net = tf.keras.Sequential([
    tf.keras.Input((5,)),
    tf.keras.layers.Embedding(12, 8),
    {recurrent},
    tf.keras.layers.Dense(12),
])
net.compile("adam", "sparse_categorical_crossentropy")
net.fit(x, y)
"""


@pytest.mark.parametrize(
    "recurrent", ["tf.keras.layers.LSTM(9)", "tf.keras.layers.Bidirectional(tf.keras.layers.GRU(9))"]
)
def test_class_numbers_for_each_step_of_a_model_that_gives_the_last_one(recurrent: str) -> None:
    told = blamed(
        STEPS.format(labels="(100, 5)", recurrent=recurrent), ("<module>", "net.fit"),
        message="Argument `output` must have rank (ndim) `target.ndim - 1`. Received: target.shape=(None, 5), "
                "output.shape=(None, 12)",
    )  # fmt: skip
    assert told is not None and told.suspects[0].code.startswith(recurrent)


NETS = """
import tensorflow as tf
class Net(tf.keras.Model):
    def __init__(self, latent, width=8):
        super().__init__()
        self.inner = tf.keras.layers.Dense(latent)
        self.outer = tf.keras.layers.Dense(width)
    def call(self, x):
        return self.outer(self.inner(x))
def study(width):
    x = data(width)
    net = Net(4{given})
    return net(x) - x
study(10)
"""


@pytest.mark.parametrize(("given", "found"), [("", True), (", width", False), (", width=width", False)])
def test_a_class_that_keeps_its_default(given: str, found: bool) -> None:
    told = blamed(
        NETS.format(given=given), ("<module>", "study(10)"), ("study", "return net(x)"), dims=(8, 10),
        slug="broadcast-mismatch", message="Incompatible shapes: [50,8] vs. [50,10]",
    )  # fmt: skip
    assert told is not None and any("leaves `width` of Net at 8" in s.reason for s in told.suspects) == found


IMPORTED = {
    "/work/params.py": """
        import json
        _values = {"N": 64, "batch": 16}
        def load(path):
            with open(path) as f:
                _values.update(json.load(f))
        def get(name):
            return _values[name]
        """,
    "/work/params.json": '{"N": 32}',
    "/work/model.py": """
        import tensorflow as tf
        import params
        N = params.get("N")
        def build():
            size = SIZE
            inp = tf.keras.Input((size, size, 4))
            return tf.keras.Model(inp, tf.keras.layers.Dense(3)(inp))
        def batches(x):
            return tf.data.Dataset.from_tensor_slices(x).batch(params.get("batch"))
        """,
}
RUN = """
import numpy as np
import params, model
def main():
    params.load("params.json")
    n = params.get("N")
    x = np.zeros((130, n, n, 4), "float32")
    net = model.build()
    for part in model.batches(x):
        net(part)
main()
"""


def test_a_setting_that_a_module_takes_before_it_is_changed() -> None:
    more = {**IMPORTED, "/work/model.py": IMPORTED["/work/model.py"].replace("SIZE", "N")}
    told = blamed(
        RUN, ("<module>", "main()"), ("main", "net(part)"), dims=(64, 32), more=more,
        message='Input 0 of layer "net" is incompatible with the layer: expected shape=(None, 64, 64, 4), '
                "found shape=(16, 32, 32, 4)",
    )  # fmt: skip
    assert told is not None and told.suspects[0].code == 'N = params.get("N")'
    assert not any("leave 2 for the last one" in s.reason for s in told.suspects)


@pytest.mark.parametrize(("found", "last"), [("(2, 64, 64, 4)", False), ("(32, 32, 32, 4)", False)])
def test_the_last_batch_is_not_at_fault_where_other_axes_differ(found: str, last: bool) -> None:
    more = {**IMPORTED, "/work/model.py": IMPORTED["/work/model.py"].replace("SIZE", '2 * params.get("N")')}
    told = blamed(
        RUN, ("<module>", "main()"), ("main", "net(part)"), dims=(64, 32), more=more,
        message=f'Layer "net" is incompatible with the layer: expected shape=(None, 64, 64, 4), found {found}',
    )  # fmt: skip
    assert told is not None and any("leave 2 for the last one" in s.reason for s in told.suspects) == last


OPAQUE = """
import numpy as np
import net
def run():
    series = np.zeros(500)
    x = np.lib.stride_tricks.as_strided(series, (476, 25), (8, 8))
    y = series[25:]
    model = net.build()
    model.fit(x, y)
run()
"""


def test_no_edit_fits_by_what_was_recorded_of_what_it_changes() -> None:
    built = "def build():\n    return tf.keras.Sequential([tf.keras.Input((9,))])\n"
    more = {"/work/net.py": f"import tensorflow as tf\n{built}"}
    told = blamed(
        OPAQUE, ("<module>", "run()"), ("run", "model.fit"), dims=(476, 475), more=more,
        frame_shapes={"run": {"x": [476, 25], "y": [475], "series": [500]}},
        message="Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.",
    )  # fmt: skip
    assert told is not None and not any("501" in s.new for s in told.suspects)


def test_a_function_of_the_program_s_own_that_merges_makes_no_rows() -> None:
    source = OPAQUE.replace("import net\n", "import net\nfrom net import merge\n").replace(
        "    y =", "    conf = merge(x)\n    y ="
    )
    more = {"/work/net.py": "import tensorflow as tf\ndef merge(x):\n    return x\n"}
    told = blamed(
        source, ("<module>", "run()"), ("run", "model.fit"), dims=(476, 475), more=more,
        message="Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.",
    )  # fmt: skip
    assert told is None or not any("a row for each match" in s.reason for s in told.suspects)


TYPES = """
import tensorflow as tf
labels = tf.keras.utils.to_categorical([0, 1, 2, 1], 3{dtype})
noise = tf.random.normal((4, 8))
mixed = tf.concat([noise, labels], 1)
"""


@pytest.mark.parametrize(("dtype", "found"), [("", True), (', dtype="float32"', False)])
def test_one_hot_labels_are_double(dtype: str, found: bool) -> None:
    told = blamed(
        TYPES.format(dtype=dtype), ("<module>", "mixed ="), slug="dtype-mismatch",
        message="cannot compute ConcatV2 as input #1(zero-based) was expected to be a float tensor but is a double one",
    )  # fmt: skip
    assert told is not None and any("NumPy makes float64" in s.reason for s in told.suspects) == found


PADDED = """
import numpy as np
import tensorflow as tf
PAD, START, END, LIMIT = 0, 1, 2, 12
def encode(ids, limit):
    left = limit - len(ids) - {off}
    return [START] + ids + [END] + [PAD] * left
x = np.array([encode([3, 4, 5], LIMIT)])
places = tf.zeros((1, LIMIT, 8))
y = tf.keras.layers.Embedding(9, 8)(x) + places
"""


@pytest.mark.parametrize(("off", "found"), [(1, True), (2, False)])
def test_a_padding_that_does_not_count_what_is_put_around(off: int, found: bool) -> None:
    told = blamed(
        PADDED.format(off=off), ("<module>", "y ="), dims=(13, 12), slug="broadcast-mismatch",
        message="Incompatible shapes: [1,13,8] vs. [1,12,8]",
    )  # fmt: skip
    said = [s.code for s in told.suspects[:1] if "and 2 are put to it" in s.reason] if told is not None else []
    assert said == (["left = limit - len(ids) - 1"] if found else [])


NUMBERED = """
import numpy as np
import tensorflow as tf
words = sorted({{"a", "b", "c"}})
ids = {{w: i for i, w in enumerate(words, start=1)}}
size = len(ids)
x = np.array([[ids[w] for w in words]])
{more}
net = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Embedding(size, 8)])
net.predict(x)
"""


def test_numbers_from_1_are_meant_where_0_fills_up() -> None:
    after = {}
    for more in ("x = tf.keras.utils.pad_sequences(x, 3)", ""):
        told = blamed(
            NUMBERED.format(more=more), ("<module>", "net.predict"), slug="index-out-of-range",
            message="indices[0,2] = 3 is not in [0, 3)",
        )  # fmt: skip
        assert told is not None and told.suspects[0].code == "size = len(ids)"
        codes = [s.code[:6] for s in told.suspects]
        after[more] = codes.index("ids = ")
    assert max(after.values()) == after["x = tf.keras.utils.pad_sequences(x, 3)"]


FED = """
import numpy as np
import tensorflow.compat.v1 as tf
SIZE = 32
x = tf.placeholder(tf.float32, [None, 8])
state = tf.zeros([SIZE, 8])
y = x + state
data = np.zeros((119, 8))
with tf.Session() as s:
    for i in range(0, 119, SIZE):
        s.run(y, {x: data[i:i + SIZE]})
"""


def test_a_number_of_rows_that_are_fed_is_no_number_to_write() -> None:
    told = blamed(
        FED, ("<module>", "s.run(y"), at=("<module>", "y = x"), dims=(23, 32), slug="broadcast-mismatch",
        message="Incompatible shapes: [23,8] vs. [32,8]",
    )  # fmt: skip
    assert told is not None and told.suspects[0].code == "state = tf.zeros([SIZE, 8])"
    assert not any(s.edit == "constant" and s.new for s in told.suspects)
