from __future__ import annotations

from types import SimpleNamespace

from tests.xladoctor.blame.programs import blamed, lines
from xladoctor.blame import words
from xladoctor.model.blame import Operand
from xladoctor.model.diagnosis import Location


def test_the_last_layer_has_not_the_columns_of_the_labels():
    found = blamed(
        """
        import numpy as np
        from tensorflow import keras
        x = np.random.rand(64, 20)
        y = keras.utils.to_categorical(np.random.randint(0, 4, size=(64,)), 4)
        model = keras.Sequential()
        model.add(keras.layers.Input(shape=(20,)))
        model.add(keras.layers.Dense(32))
        model.add(keras.layers.Dense(3, activation="softmax"))
        model.compile("adam", "categorical_crossentropy")
        model.fit(x, y)
        """,
        ("<module>", "model.fit"),
        dims=(32, 4, 32, 3),
    )
    assert found is not None and found.decisive
    assert "Dense(3" in lines(found)[0]
    assert found.suspects[0].likeliness == "likely"
    assert found.constraint is not None
    assert [o.size for o in found.constraint.operands] == [4, 3]
    assert any("to_categorical" in line for line in lines(found)[1:3])
    assert any("model.fit" in line for line in lines(found)), "the line that raised is always among them"


def test_a_side_without_a_name_is_told_by_the_line_that_gives_its_size():
    clash = SimpleNamespace(what="the operation", hint="", relation="broadcast")
    sides = (
        Operand("steps = x.shape[1]", axis=-3, size=30, maker=Location("/w/net.py", 27)),
        Operand("the variable", axis=-3, size=4, maker=Location("/w/net.py", 23)),
    )
    assert words._sentence(clash, sides) == (
        "The operation does not fit: one side has 30 at axis -3, from `steps = x.shape[1]`, net.py:27; "
        "the variable has 4 at axis -3, from net.py:23."
    )


def test_a_placeholder_of_another_width_than_the_data():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        tf1 = tf.compat.v1
        data = np.random.rand(100, 784)
        X = tf1.placeholder(tf.float32, [None, 748])
        out = X * 2.0
        with tf1.Session() as sess:
            sess.run(out, feed_dict={X: data[:10]})
        """,
        ("<module>", "sess.run"),
        dims=(10, 784, 748),
    )
    assert "placeholder" in lines(found)[0]


def test_two_layers_of_a_subclass_are_followed_through_its_call():
    found = blamed(
        """
        import numpy as np
        from tensorflow.keras import layers, Model
        class Net(Model):
            def __init__(self, width):
                super().__init__()
                self.first = layers.Dense(width)
                self.other = layers.Dense(48)
            def call(self, x):
                h = self.first(x)
                return h + self.other(x)
        def main():
            net = Net(64)
            net.fit(np.zeros((32, 10)), np.zeros((32, 64)))
        main()
        """,
        ("<module>", "main()"),
        ("main", "net.fit"),
        ("Net.call", "return h"),
        dims=(64, 48),
    )
    # 64 is what the labels and the other layer have.
    assert "Dense(48)" in lines(found)[0]
    assert found is not None
    assert found.suspects[0].likeliness == "likely"


def test_a_recorded_shape_fills_what_the_source_does_not_tell():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        def features(path):
            return np.load(path)
        table = features("a.npy")
        weights = tf.zeros([12, 3])
        out = tf.matmul(table, weights)
        """,
        ("<module>", "tf.matmul"),
        dims=(13, 12),
        shapes={"table": [100, 13]},
    )
    assert "weights = tf.zeros([12, 3])" in lines(found)[:2]
    assert "return np.load(path)" in lines(found)


def test_what_cannot_be_followed_decides_nothing():
    found = blamed("import weird\nx = weird.go()\nx.run()\n", ("<module>", "x.run"), dims=(3, 4))
    assert found is None or not found.decisive


def test_class_numbers_with_a_loss_for_one_hot_labels():
    found = blamed(
        """
        import numpy as np
        from tensorflow import keras
        x = np.random.rand(100, 32)
        y = np.random.randint(0, 5, size=100)
        inputs = keras.Input((32,))
        model = keras.Model(inputs, keras.layers.Dense(5)(inputs))
        model.compile(
            "adam",
            loss="categorical_crossentropy",
        )
        model.fit(x, y)
        """,
        ("<module>", "model.fit"),
        dims=(32, 1, 32, 5),
    )
    assert lines(found)[0] == 'loss="categorical_crossentropy",'
    assert found is not None and found.suspects[0].edit == "sparse-loss"


def test_the_last_partial_batch_of_a_pipeline():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        BATCH = 16
        x = np.random.rand(100, 8)
        ds = tf.data.Dataset.from_tensor_slices(x).batch(BATCH)
        state = tf.Variable(tf.zeros((BATCH, 8)))
        for xb in ds:
            state + xb
        """,
        ("<module>", "state + xb"),
        dims=(16, 4),
        shapes={"xb": [4, 8]},
    )
    suspects = {suspect.code: suspect.edit for suspect in found.suspects[:2]} if found is not None else {}
    assert "drop-remainder" in [edit for code, edit in suspects.items() if "batch(BATCH)" in code]
    assert found is not None and found.batching == (100, 16)


def test_an_equal_number_elsewhere_does_not_make_an_index():
    found = blamed(
        """
        import numpy as np
        import tensorflow as tf
        cut = 400
        signal = np.random.rand(50, 400)
        starts = np.linspace(0, 399, 50)
        scale = np.sin(np.arange(50) / cut)
        def window(row, start, gain):
            return tf.slice(row, [start], [16]) * gain
        for i in range(50):
            window(signal[i], starts[i], scale[i])
        """,
        ("<module>", "window(signal[i], starts[i], scale[i])"),
        ("window", "return tf.slice(row, [start], [16]) * gain"),
        slug="slice-out-of-bounds",
        dims=(10, 16),
    )
    said = {s.code: s.reason for s in found.suspects} if found is not None else {}
    assert said["starts = np.linspace(0, 399, 50)"] == "It makes the index."
    assert not any("makes" in said.get(code, "") for code in ("scale = np.sin(np.arange(50) / cut)", "cut = 400"))


def test_labels_out_of_range_are_not_the_fault_of_an_embedding():
    found = blamed(
        """
        import numpy as np
        from tensorflow import keras
        labels = np.array([3, 1, 2])
        x = np.zeros((3, 6))
        model = keras.Sequential([
            keras.layers.Embedding(words, 8),
            keras.layers.Dense(3),
        ])
        model.compile("adam", "sparse_categorical_crossentropy")
        model.fit(x, labels)
        """,
        ("<module>", "model.fit(x, labels)"),
        message="Received a label value of 3 which is outside the valid range of [0, 3)",
        slug="index-out-of-range",
        dims=(3, 3),
    )
    said = {s.code: s.reason for s in found.suspects} if found is not None else {}
    assert said["labels = np.array([3, 1, 2])"] == "It makes the labels: they must be 0 to classes - 1."
    assert "indexed" not in said.get("keras.layers.Embedding(words, 8),", "")


def test_the_rows_that_a_reshape_leaves():
    found = blamed(
        """
        import numpy as np
        from tensorflow import keras
        SIDE = 32
        pixels = np.zeros((64, 256))
        images = pixels.reshape(-1, SIDE, SIDE, 1)
        labels = np.zeros((64,))
        model = keras.Sequential([keras.Input((32, 32, 1)), keras.layers.Flatten(), keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(images, labels)
        """,
        ("<module>", "model.fit"),
        dims=(16, 64),
    )
    assert {"SIDE = 32", "images = pixels.reshape(-1, SIDE, SIDE, 1)"} <= set(lines(found))


def test_a_constant_that_others_share_is_not_blamed_for_one_use():
    found = blamed(
        """
        import tensorflow as tf
        WIDTH, HIDDEN = 10, 32
        w1 = tf.Variable(tf.zeros([WIDTH, HIDDEN]))
        w2 = tf.Variable(tf.zeros([WIDTH, 3]))
        x = tf.zeros([5, WIDTH])
        h = tf.matmul(x, w1) + tf.zeros([HIDDEN])
        tf.matmul(h, w2)
        """,
        ("<module>", "tf.matmul(h, w2)"),
        dims=(32, 10),
    )
    assert lines(found)[0] == "w2 = tf.Variable(tf.zeros([WIDTH, 3]))"


def test_a_product_that_wants_a_transpose_is_its_own_fault():
    found = blamed(
        """
        import tensorflow as tf
        a = tf.random.normal((4, 16, 8))
        b = tf.random.normal((4, 16, 8))
        scores = tf.matmul(a, b)
        """,
        ("<module>", "tf.matmul"),
        dims=(8, 16),
    )
    assert lines(found)[0] == "scores = tf.matmul(a, b)"


def test_several_files_and_the_line_that_passes_the_size():
    found = blamed(
        """
        from masks import look_ahead
        import tensorflow as tf
        LENGTH = 12
        x = tf.zeros((2, LENGTH - 1, LENGTH - 1))
        y = x + tf.zeros((2, LENGTH - 1, LENGTH - 1))
        z = y + look_ahead(LENGTH)
        """,
        ("<module>", "look_ahead(LENGTH)"),
        dims=(11, 12),
        more={"/work/masks.py": "import tensorflow as tf\n\ndef look_ahead(size):\n    return tf.ones((size, size))\n"},
    )
    assert lines(found)[0] == "z = y + look_ahead(LENGTH)"


def test_a_line_that_changes_the_number_of_axes_is_a_reason_only_where_these_do_not_fit():
    source = """
        import numpy as np
        import tensorflow as tf
        def pooled(x):
            flat = tf.reshape(x, [12])
            return tf.reshape(flat, [3, 4])
        a = pooled(np.zeros((2, 6)))
        b = np.zeros((3, 5))
        c = a + b
        """
    found = blamed(source, ("<module>", "c = a + b"), dims=(4, 5))
    assert found is not None
    assert not [s for s in found.suspects if "number of axes" in s.reason]
    assert all(s.specific == (s.reason != words.DEPENDS) for s in found.suspects)
    assert words.does({words.RANK: 1.0}, ranks=True) and words.does({words.RANK: 1.0}, ranks=False) is None


def test_a_line_after_the_failing_call_is_no_cause():
    program = """
        import tensorflow as tf
        @tf.function
        def step(a, b):
            tf.debugging.assert_equal(tf.shape(a), tf.shape(b))
            return a + b
        step(tf.ones([5, 3]), tf.ones([6, 3]))
        """
    found = blamed(program, ("<module>", "step(tf"), dims=(5, 6), at=("step", "tf.debugging"))
    assert found is not None
    assert not [line for line in lines(found) if "a + b" in line]


def test_the_table_of_an_index_that_is_out_of_range():
    program = """
        import collections
        from tensorflow import keras
        class Words:
            def __init__(self, texts):
                self.index = {w: i for i, w in enumerate(collections.Counter(texts), start=2)}
            def __len__(self):
                return len(self.index)
        class Tagger(keras.Model):
            def __init__(self, size):
                super().__init__()
                self.table = keras.layers.Embedding(size, 16)
                self.out = keras.layers.Dense(3)
            def call(self, ids):
                h = self.table(ids)
                return self.out(h)
        words = Words(read())
        model = Tagger(len(words))
        model(ids)
        """
    found = blamed(
        program, ("<module>", "model(ids)"), ("call", "self.table(ids)"), dims=(44,), slug="index-out-of-range"
    )
    assert found is not None
    reasons = [s.reason for s in found.suspects]
    assert set(reasons[:2]) == {
        "It counts the rows of the table that is indexed.",
        "It makes the table that is indexed.",
    }
    assert any("return len(self.index)" in line for line in lines(found)[:2])
    assert not [line for line in lines(found) if "self.out(h)" in line]


def test_an_index_into_a_table_is_not_blamed_on_labels_that_do_not_fit_either():
    found = blamed(
        """
        import numpy as np
        from tensorflow import keras
        words = np.random.randint(1, 501, (200, 40))
        stars = np.random.randint(1, 6, 200)
        x = keras.Input((40,), dtype="int32")
        y = keras.layers.Embedding(500, 16)(x)
        y = keras.layers.GlobalAveragePooling1D()(y)
        model = keras.Model(x, keras.layers.Dense(5, activation="softmax")(y))
        model.compile("adam", "sparse_categorical_crossentropy")
        model.fit(words, stars)
        """,
        ("<module>", "model.fit"),
        dims=(500, 500),
        slug="index-out-of-range",
    )
    assert "Embedding(500, 16)" in lines(found)[0]


RAGGED = """
    import tensorflow as tf
    def generate():
        yield from ([1, 2], [1, 2, 3])
    parts = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec((None,), tf.int32))
    parts = parts.batch(8)
    for part in parts:
        print(part)
    """


def test_elements_of_open_sizes_are_put_together_by_the_batch():
    found = blamed(
        RAGGED,
        ("<module>", "for part in parts"),
        dims=(2, 3),
        slug="concat-pack-mismatch",
        message="Cannot batch tensors with different shapes in component 0.",
    )
    assert lines(found)[0] == "parts = parts.batch(8)"


def test_of_a_product_the_factor_that_does_not_divide_the_elements():
    found = blamed(
        """
        import tensorflow as tf
        def frames():
            samples = 6000
            return (samples - 256) // 128
        def bands():
            return 16 + 16
        def flat():
            return frames() * bands()
        def head(h):
            return tf.reshape(h, [-1, flat()])
        head(tf.signal.stft(tf.zeros([16, 6000]), 256, 128))
        """,
        ("<module>", "head(tf.signal"),
        ("head", "return tf.reshape"),
        dims=(23040, 1408),
        slug="reshape-mismatch",
    )
    assert found is not None
    assert "// 128" in lines(found)[0]
    assert found.suspects[0].reason == "It makes 44, which does not divide 23040 elements."


def test_the_steps_of_a_sequence_are_no_features():
    """What meets at an axis of steps has nothing to do with the rows of an array that happen to be as many."""
    source = """
    import numpy as np
    import keras
    from keras import layers
    LENGTH = 40
    class Position(layers.Layer):
        def build(self, shape):
            self.table = self.add_weight(shape=(LENGTH, 24), name="table")
        def call(self, inputs):
            return inputs + self.table
    rows = np.pad(np.zeros((40, 6)), ((0, 1), (0, 0)))
    x = np.stack([rows] * 64)
    inp = keras.Input((None, 6))
    h = Position()(layers.Conv1D(24, 5, padding="same")(inp))
    net = keras.Model(inp, layers.Dense(1)(h))
    net.compile("adam", "mse")
    net.fit(x, np.zeros(64))
    """
    found = blamed(
        source, ("<module>", "net.fit"), ("call", "return inputs +"), slug="broadcast-mismatch", dims=(41, 40),
        message="Dimensions must be equal, but are 41 and 40 with input shapes: [?,41,24], [40,24].",
        frame_shapes={"call": {"inputs": [None, 41, 24]}},
    )  # fmt: skip
    assert found.suspects and not any("number of samples" in s.reason for s in found.suspects)


def test_a_number_of_samples_that_is_declared_for_features():
    source = """
    import numpy as np
    import keras
    x = np.zeros((500, 6))
    net = keras.Sequential([keras.Input((500,)), keras.layers.Dense(1)])
    net.predict(x)
    """
    message = "expected shape=(None, 500), found shape=(32, 6)"
    found = blamed(source, ("<module>", "net.predict"), dims=(500, 6), message=message)
    assert [s.reason for s in found.suspects if "Input((500,))" in s.code] == [
        "500 is the number of samples of the data, but a number of features is expected here."
    ]
