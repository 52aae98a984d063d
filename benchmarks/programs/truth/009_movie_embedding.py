"""Matrix factorisation on a toy ratings table."""
import numpy as np
import pandas as pd
import tensorflow as tf

tf.random.set_seed(0)


def ratings(n_users=40, n_movies=25, n=600):
    rng = np.random.default_rng(9)
    return pd.DataFrame({
        "user": rng.integers(0, n_users, n),
        "movie": rng.integers(1, n_movies + 1, n),
        "stars": rng.integers(1, 6, n).astype("float32"),
    })


class Factors(tf.Module):
    def __init__(self, users, movies, rank=6):
        super().__init__()
        self.u = tf.Variable(tf.random.normal([users, rank], stddev=0.1))
        self.m = tf.Variable(tf.random.normal([movies, rank], stddev=0.1))

    def __call__(self, user, movie):
        pu = tf.nn.embedding_lookup(self.u, user)
        pm = tf.nn.embedding_lookup(self.m, movie)
        return 3.0 + tf.reduce_sum(pu * pm, axis=1)


table = ratings()
net = Factors(table.user.nunique(), table.movie.nunique())
optimizer = tf.keras.optimizers.SGD(0.05)
for epoch in range(3):
    with tf.GradientTape() as tape:
        predicted = net(table.user.to_numpy(), table.movie.to_numpy())
        loss = tf.reduce_mean((predicted - table.stars.to_numpy()) ** 2)
    variables = net.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    print(epoch, float(loss))
