"""Lists of unknown length, windows of pipelines, parts of arrays, cells of the user's."""

from __future__ import annotations

import pytest

from tests.xladoctor.blame.programs import blamed, lines


def test_a_reversed_list_begins_with_its_last():
    found = blamed(
        """
        import tensorflow as tf
        widths = [8, 16]
        made = [tf.zeros((4, w)) for w in widths]
        x = tf.zeros((4, 16))
        for one in reversed(made):
            x = x + one
        """,
        ("<module>", "x = x + one"),
        dims=(16, 8),
        slug="broadcast-mismatch",
    )
    assert found is not None and found.constraint is not None
    assert [o.size for o in found.constraint.operands] == [16, 8]


def test_how_many_pass_a_filter_is_not_known():
    found = blamed(
        """
        import tensorflow as tf
        words = read()
        index = {w: i + 2 for i, w in enumerate(words) if w}
        table = tf.keras.layers.Embedding(len(index), 8)
        print(table(ids()))
        """,
        ("<module>", "print(table"),
        dims=(58, 58),
        slug="index-out-of-range",
    )
    assert found is not None
    assert any("counts the rows" in s.reason for s in found.suspects) or "Embedding" in lines(found)[0]


def test_windows_have_the_rows_that_they_are_batched_to():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        LEADS = 12
        series = np.zeros((400, 3))
        data = tf.data.Dataset.from_tensor_slices(series).window(30, shift=1, drop_remainder=True)
        data = data.flat_map(lambda w: w.batch(30, drop_remainder=True)).map(lambda w: (w[:24], w[24:, 0])).batch(8)
        past = tf.keras.Input((24, 3))
        model = tf.keras.Model(past, tf.keras.layers.Dense(LEADS)(tf.keras.layers.GRU(4)(past)))
        def distance(y, f):
            return y - f
        model.compile("adam", loss=distance)
        model.fit(data)
        """,
        ("<module>", "model.fit"),
        ("distance", "return y - f"),
        dims=(6, 12),
        slug="broadcast-mismatch",
    )
    assert found is not None and found.constraint is not None
    assert sorted(o.size or 0 for o in found.constraint.operands) == [6, 12]


def test_of_two_arrays_one_is_gathered_and_the_other_left():
    found = blamed(
        """
        import tensorflow as tf
        points, colours = tf.zeros((4, 128, 3)), tf.zeros((4, 128, 3))
        kept = tf.gather(points, tf.range(32), axis=1)
        tf.debugging.assert_shapes([(kept, ("B", "N", 3)), (colours, ("B", "N", 3))])
        """,
        ("<module>", "assert_shapes"),
        dims=(32, 128),
        slug="contract-violation",
    )
    assert found is not None and found.constraint is not None
    assert [o.size for o in found.constraint.operands] == [32, 128]
    [cut] = [s for s in found.suspects if "tf.gather" in s.code]
    assert cut.reason == "It takes 32 of 128 from one of the two, and the other keeps all."


def test_an_edit_after_which_the_program_fails_further_on_mends_nothing():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        spectra, other = np.zeros((260, 40)), tf.zeros((260, 6))
        slopes = np.diff(spectra, axis=0)
        weights = tf.Variable(tf.zeros((40 - 1, 6)))
        mid = slopes @ weights
        print(tf.concat([mid, other], axis=1))
        """,
        ("<module>", "slopes @ weights"),
        dims=(40, 39),
        slug="matmul-conv-mismatch",
    )
    assert found is not None
    mending = [s.code for s in found.suspects if "fit" in s.reason]
    assert mending[0] == "slopes = np.diff(spectra, axis=0)"
    assert not any("weights = tf.Variable" in code for code in mending)


def test_a_cell_returns_another_state_than_it_declares():
    found = blamed(
        """
        import keras
        class Cell(keras.layers.Layer):
            def __init__(self, bands):
                super().__init__()
                self.bands = bands
                self.state_size = [bands, 1]
            def build(self, shape):
                self.factor = self.add_weight(shape=(self.bands,))
            def call(self, x, states):
                snow, water = states
                melt = snow * self.factor
                return melt, [snow - melt, water + melt]
        inputs = keras.Input((40, 2))
        model = keras.Model(inputs, keras.layers.RNN(Cell(6))(inputs))
        model.fit(data())
        """,
        ("<module>", "model.fit"),
        dims=(1, 6),
        slug="loop-shape-mismatch",
    )
    assert found is not None and found.constraint is not None
    assert found.constraint.text.startswith("The state of the cell does not fit")
    assert sorted(o.size or 0 for o in found.constraint.operands) == [1, 6]


def test_a_shape_that_is_set_and_not_true():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        kernel = tf.Variable(tf.zeros((16, 4)))
        @tf.function
        def step(x):
            x.set_shape([None, 16])
            return tf.matmul(x, kernel)
        data = np.zeros((8, 12), "float32")
        step(data)
        """,
        ("<module>", "step(data)"),
        dims=(12, 16),
        slug="matmul-conv-mismatch",
    )
    assert found is not None and found.constraint is not None
    assert found.constraint.text.startswith("`set_shape` does not fit")
    assert any("set_shape" in line for line in lines(found)[:3])


def test_the_rows_that_are_left_over_are_no_number_to_write():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        CONFIG = {"batch": 24, "hidden": 18}
        data = tf.data.Dataset.from_tensor_slices(np.zeros((82, 18), "float32")).batch(CONFIG["batch"])
        state = tf.zeros([CONFIG["batch"], CONFIG["hidden"]])
        for x in data:
            state = x + state
        """,
        ("<module>", "state = x + state"),
        dims=(10, 24),
        shapes={"x": [10, 18], "state": [24, 18]},
        slug="broadcast-mismatch",
    )
    assert found is not None and found.decisive
    first, second = sorted(lines(found)[:2])
    assert ".batch(" in first and "tf.zeros" in second
    assert not [s for s in found.suspects if '"batch": 24' in s.code and "fit" in s.reason]


def test_of_what_is_not_known_nothing_is_made_up():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        def bank(channels, angles):
            r = np.arange(9)
            y, x = np.meshgrid(r, r, indexing="ij")
            kernels = []
            for a in np.pi * np.arange(angles) / angles:
                kernels.append(np.exp(-(x * np.cos(a)) ** 2))
            k = np.stack(kernels, -1)[:, :, None, :]
            return np.repeat(k, channels, axis=2).astype("float32") / channels
        def energy(x, k):
            return tf.nn.conv2d(x, k, 2, "SAME")
        energy(tf.zeros([12, 40, 40, 1]), tf.constant(bank(3, 6)))
        """,
        ("<module>", "energy(tf.zeros"),
        ("energy", "return tf.nn.conv2d"),
        dims=(1, 3),
        slug="matmul-conv-mismatch",
    )
    assert found is not None and found.constraint is not None
    assert found.constraint.relation == "inner"
    assert [o.size for o in found.constraint.operands] == [1, 3]
    assert not any("transposed" in s.reason for s in found.suspects)


@pytest.mark.parametrize("over", ["unknown()", "np.asarray(unknown()) / 3"])
def test_a_list_that_grows_in_a_loop_of_unknown_length(over):
    found = blamed(
        f"""
        import numpy as np
        rows = []
        for item in {over}:
            rows.append(np.zeros((4, 5)))
        table = np.stack(rows)
        total = table + np.zeros((7, 4, 5))
        np.zeros((2, 3)) + np.zeros((2, 4))
        """,
        ("<module>", "np.zeros((2, 3)) +"),
        dims=(3, 4),
        slug="broadcast-mismatch",
    )
    assert found is not None and found.constraint is not None
    assert {o.size for o in found.constraint.operands} == {3, 4}


def test_where_an_axis_is_missing_a_squeeze_without_an_axis_is_suspected():
    found = blamed(
        """
        import tensorflow as tf
        class Matcher:
            def __call__(self, lead):
                return tf.matmul(lead, tf.eye(3))
        def tidy(lead):
            lead = tf.squeeze(lead)
            return lead / 2.0
        match = Matcher()
        for lead in loaded():
            match(tidy(lead))
        """,
        ("<module>", "match(tidy(lead))"),
        ("Matcher.__call__", "return tf.matmul"),
        frame_shapes={"Matcher.__call__": {"lead": (3,)}},
        slug="rank-mismatch",
        message="In[0] and In[1] has different ndims: [3] vs. [3,3]",
    )
    assert lines(found)[0] == "lead = tf.squeeze(lead)"
    assert found is not None and found.suspects[0].reason.startswith("It removes every axis of size 1")


@pytest.mark.parametrize("code", ["tf.squeeze(lead, 1)", "tf.squeeze(lead, axis=[1])", "lead.squeeze(1)"])
def test_a_squeeze_of_a_named_axis_is_not_suspected_for_it(code):
    found = blamed(
        f"""
        import tensorflow as tf
        def tidy(lead):
            lead = {code}
            return tf.matmul(lead, tf.eye(3))
        tidy(loaded())
        """,
        ("<module>", "tidy(loaded())"),
        ("tidy", "return tf.matmul"),
        slug="rank-mismatch",
    )
    assert found is not None
    assert not any("every axis of size 1" in s.reason for s in found.suspects)


def test_a_kernel_that_the_rest_of_the_program_agrees_with_is_not_suspected_for_its_size():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        BANDS = ("blue", "green", "red", "nir", "swir")
        def read():
            images = np.zeros((12, len(BANDS), 24, 24))
            return np.swapaxes(images, 1, 2)
        kernel = tf.Variable(tf.zeros([3, 3, len(BANDS), 8]))
        mean = tf.zeros([len(BANDS)])
        tf.nn.conv2d(read(), kernel, 1, "SAME")
        """,
        ("<module>", "tf.nn.conv2d"),
        dims=(24, 5),
        slug="matmul-conv-mismatch",
    )
    assert found is not None
    assert "kernel" not in lines(found)[0]
    assert not any(s.reason.startswith("It is multiplied with a value of 24") for s in found.suspects)


CHUNKS = """
import numpy as np
import tensorflow as tf
UNITS, BATCH = 32, 32
ids = np.zeros(6342, int)
data = tf.data.Dataset.from_tensor_slices(ids)
data = data.batch(21, drop_remainder=True)
data = data.map(lambda chunk: (chunk[:-1], chunk[1:]))
data = data.batch({how})
cell = tf.keras.layers.GRUCell(UNITS)
def step(x):
    state = tf.zeros([BATCH, UNITS])
    return cell(x[:, 0], state)
for x, y in data:
    step(x)
"""


@pytest.mark.parametrize(("how", "found"), [("BATCH", True), ("BATCH, drop_remainder=True", False)])
def test_batches_of_batches_leave_a_rest(how: str, found: bool) -> None:
    told = blamed(
        CHUNKS.format(how=how), ("<module>", "step(x)"), ("step", "return cell"), dims=(14, 32),
        slug="broadcast-mismatch", message="required broadcastable shapes: [14,48] vs. [32,48]",
    )  # fmt: skip
    said = [s for s in (told.suspects if told else ()) if "302 rows in batches of 32 leave 14" in s.reason]
    assert bool(said) == found
    assert not found or said[0].code == "data = data.batch(BATCH)"


CHAINED = """
import numpy as np
import tensorflow as tf
BATCH = 64
data = (tf.data.Dataset.from_tensor_slices(np.zeros((500, 16)))
        .shuffle(500)
        .batch(BATCH))
net = tf.keras.Sequential([tf.keras.layers.Input((16,)), tf.keras.layers.Dense(1)])
wanted = tf.ones((BATCH, 1))
for x in data:
    gap = net(x) - wanted
"""


def test_a_stage_of_a_chain_over_several_lines_has_its_own_line() -> None:
    told = blamed(CHAINED, ("<module>", "gap ="), dims=(52, 64), slug="broadcast-mismatch", message="[52,1] vs. [64,1]")
    said = [s.code for s in (told.suspects if told else ()) if "drop_remainder is not set" in s.reason]
    assert said == [".batch(BATCH))"]


NEXT = """
import tensorflow as tf
K = tf.keras.layers
model = tf.keras.Sequential()
model.add(K.Input((24, 5)))
model.add(K.LSTM(32))
model.add(K.Dropout(0.2))
model.add(K.LSTM(16))
"""


def test_a_layer_that_wants_more_axes_is_not_at_fault_where_the_one_before_gives_one_step() -> None:
    told = blamed(NEXT, ("<module>", "LSTM(16)"), message="expected ndim=3, found ndim=2", slug="keras-input-mismatch")
    assert told is not None and told.decisive and told.suspects[0].code == "model.add(K.LSTM(32))"
