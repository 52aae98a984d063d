"""Rank candidate articles for every shopper with a small pair scorer."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(13)
rng = np.random.default_rng(13)
SHOPPERS, K, DIM = 320, 5, 4

taste = rng.normal(0, 1, (SHOPPERS, DIM)).astype("float32")
articles = rng.normal(0, 1, (SHOPPERS, K, DIM)).astype("float32")
bought = np.argmax(np.einsum("sd,skd->sk", taste, articles), axis=1).astype("int32")


class PairScorer(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.left = tf.keras.layers.Dense(8)
        self.right = tf.keras.layers.Dense(8)

    def call(self, user, item):
        return tf.reduce_sum(self.left(user) * self.right(item), axis=-1)


scorer = PairScorer()
opt = tf.keras.optimizers.Adam(0.02)


def logits_for(user, items):
    flat_user = tf.tile(user, [K, 1])
    flat_item = tf.reshape(items, (-1, DIM))
    return tf.reshape(scorer(flat_user, flat_item), (-1, K))


@tf.function
def train_step(user, items, choice):
    with tf.GradientTape() as tape:
        ce = tf.nn.sparse_softmax_cross_entropy_with_logits(choice, logits_for(user, items))
        loss = tf.reduce_mean(ce)
    variables = scorer.trainable_variables
    opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


logits_for(taste[:2], articles[:2])
data = tf.data.Dataset.from_tensor_slices((taste[:256], articles[:256], bought[:256]))
for epoch in range(15):
    for batch in data.shuffle(256, seed=epoch).batch(64):
        loss = train_step(*batch)

picked = tf.argmax(logits_for(taste[256:], articles[256:]), axis=1).numpy()
print(f"last loss {float(loss):.3f}")
print(f"hit rate {np.mean(picked == bought[256:]):.3f} (chance {1 / K:.2f})")
