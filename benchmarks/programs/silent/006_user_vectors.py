import numpy as np
import tensorflow as tf
import keras
from keras import layers

N_USERS, DIM = 30, 6


class UserTower(keras.Model):
    """Each user is projected once per batch, however often it occurs."""

    def __init__(self):
        super().__init__()
        self.table = layers.Embedding(N_USERS, DIM)
        self.proj = layers.Dense(DIM, use_bias=False)

    def call(self, user_id):
        flat = tf.reshape(user_id, (-1,))
        users, where = tf.unique(flat)
        vec = self.proj(self.table(users))
        vec = tf.math.l2_normalize(vec, axis=-1)
        return vec


def events(n=120, seed=0):
    rng = np.random.default_rng(seed)
    user = rng.zipf(1.6, size=n) % N_USERS
    return user.astype("int32"), [f"e{i}" for i in range(n)]


keras.utils.set_random_seed(9)
user, event_id = events()
tower = UserTower()
vectors = tower.predict(user[:, None], batch_size=20, verbose=0)
by_event = dict(zip(event_id, vectors))
busiest = np.bincount(user).argmax()
mine = np.stack([by_event[e] for e, u in zip(event_id, user) if u == busiest and e in by_event])
print("busiest user %d, mean similarity of its events %.3f" % (busiest, np.mean(mine @ mine[0])))
