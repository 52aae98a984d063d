"""Surplus or deficit of a country from its partners in trade."""
import keras
import tensorflow as tf

import graph
from net import TradeNet


def main(loops=False, epochs=15):
    keras.utils.set_random_seed(1)
    trade = graph.countries()
    if loops:
        trade = graph.with_loops(trade)
    x, y = graph.features(trade)
    net = TradeNet(trade)
    opt = keras.optimizers.Adam(0.01)

    @tf.function
    def step(rows, labels):
        with tf.GradientTape() as tape:
            ce = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=net(rows))
            loss = tf.reduce_mean(ce)
        opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        return loss

    rows, labels = tf.constant(x), tf.constant(y)
    for _ in range(epochs):
        loss = step(rows, labels)
    print("countries", trade.nodes, "links", len(trade.src), "loss", round(float(loss), 4))


if __name__ == "__main__":
    main()
