"""What a graph's loss wants of a placeholder, and what a table of positions is."""

from __future__ import annotations

from tests.xladoctor.blame.programs import blamed, lines


def test_a_placeholder_that_the_loss_wants_so_is_not_declared_otherwise():
    """The labels that are fed are class numbers: with a placeholder of one axis, the loss would not fit."""
    source = """
    import numpy as np
    import tensorflow as tf
    x = tf.compat.v1.placeholder(tf.float32, [None, 10])
    y = tf.compat.v1.placeholder(tf.float32, [None, 3])
    w = tf.compat.v1.get_variable("w", [10, 3])
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(x, w))
    data = np.random.rand(90, 10)
    labels = np.random.randint(0, 3, 90)
    with tf.compat.v1.Session() as session:
        session.run(loss, {x: data, y: labels})
    """
    found = blamed(
        source,
        ("<module>", "session.run"),
        shapes={"data": [90, 10], "labels": [90]},
        dims=(90, 3),
        message="Cannot feed value of shape (90,) for Tensor Placeholder_1:0, which has shape (None, 3)",
    )
    assert lines(found)[0] == "labels = np.random.randint(0, 3, 90)"


def test_a_table_for_any_batch_has_no_last_step():
    source = """
    import numpy as np
    import tensorflow as tf
    class Positions(tf.keras.layers.Layer):
        def __init__(self, length, width):
            super().__init__()
            table = np.zeros((length, width))
            self.table = tf.constant(table[None], tf.float32)
        def call(self, x):
            return x + self.table
    LENGTH = 40
    tokens = np.zeros((64, 50), int)
    net = tf.keras.Sequential([tf.keras.layers.Embedding(500, 32), Positions(LENGTH, 32)])
    net(tokens)
    """
    found = blamed(
        source,
        ("<module>", "net(tokens)"),
        ("call", "return x +"),
        slug="broadcast-mismatch",
        dims=(50, 40),
        message="Incompatible shapes: [64,50,32] vs. [1,40,32]",
    )
    assert lines(found)
    assert not any("[:, -1]" in s.new for s in found.suspects)
