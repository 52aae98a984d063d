import tensorflow as tf

from graph_data import load


class GraphConv(tf.keras.layers.Layer):
    def __init__(self, units, activation=None):
        super().__init__()
        self.lin = tf.keras.layers.Dense(units, use_bias=False)
        self.act = tf.keras.activations.get(activation)

    def call(self, adj, x):
        return self.act(tf.matmul(adj, self.lin(x)))


class GCN(tf.keras.Model):
    def __init__(self, hidden, classes):
        super().__init__()
        self.g1 = GraphConv(hidden, "relu")
        self.g2 = GraphConv(classes)

    def call(self, adj, x):
        return self.g2(adj, self.g1(adj, x))


adj, feats, labels = load()
model = GCN(8, 3)
opt = tf.keras.optimizers.Adam(0.01)
for epoch in range(3):
    with tf.GradientTape() as tape:
        logits = model(adj, feats)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    print(epoch, float(loss))
