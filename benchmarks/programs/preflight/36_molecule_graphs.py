"""Message passing on molecules: every batch is one graph with another number of atoms."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(36)


class MessagePassing(tf.keras.Model):
    def __init__(self, width=16, rounds=2):
        super().__init__()
        self.embed = tf.keras.layers.Embedding(5, width)
        self.message = [tf.keras.layers.Dense(width, activation="relu") for _ in range(rounds)]
        self.readout = tf.keras.layers.Dense(1)

    def call(self, graph):
        atoms, bonds, owner, count = graph
        h = self.embed(atoms)
        for layer in self.message:
            sent = tf.gather(h, bonds[:, 0])
            received = tf.math.unsorted_segment_sum(sent, bonds[:, 1], tf.shape(h)[0])
            h = h + layer(tf.concat([h, received], -1))
        pooled = tf.math.unsorted_segment_mean(h, owner, count)
        return self.readout(pooled)[:, 0]


def random_batch(rng, molecules):
    atoms, bonds, owner, energy = [], [], [], []
    for m in range(molecules):
        n = int(rng.integers(3, 12))
        base = len(atoms)
        kinds = rng.integers(0, 5, n)
        atoms += list(kinds)
        owner += [m] * n
        for i in range(1, n):
            j = int(rng.integers(0, i))
            bonds += [(base + i, base + j), (base + j, base + i)]
        energy.append(kinds.mean())
    graph = (tf.constant(atoms), tf.constant(bonds), tf.constant(owner), tf.constant(molecules))
    return graph, tf.constant(energy, tf.float32)


model = MessagePassing()
optimizer = tf.keras.optimizers.Adam(5e-3)


@tf.function(reduce_retracing=True)
def step(graph, energy):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(graph) - energy))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


rng = np.random.default_rng(36)
for iteration in range(60):
    loss = step(*random_batch(rng, molecules=int(rng.integers(2, 9))))
    if iteration % 20 == 0:
        print(f"iteration {iteration:3d}  loss {loss.numpy():.4f}")
graph, energy = random_batch(rng, 4)
print("prediction", model(graph).numpy().round(2), "truth", energy.numpy().round(2))
