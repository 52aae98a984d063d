from __future__ import annotations

from tests.xladoctor.blame.programs import blamed, lines


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
    assert "to_categorical" in lines(found)[1]
    assert "model.fit" in lines(found)[-1], "the line that raised is always among them"


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
    assert lines(found)[0] == "weights = tf.zeros([12, 3])"
    assert "return np.load(path)" in lines(found)


def test_what_cannot_be_followed_decides_nothing():
    found = blamed("import weird\nx = weird.go()\nx.run()\n", ("<module>", "x.run"), dims=(3, 4))
    assert found is None or not found.decisive
