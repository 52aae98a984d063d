import collections
import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(110)
BATCH, N_STATES, N_ACTIONS, GAMMA = 32, 5, 3, 0.95
Transition = collections.namedtuple("Transition", "s a r s2")


class Replay:
    def __init__(self, size):
        self.buffer = collections.deque(maxlen=size)
        self.rng = np.random.default_rng(110)

    def add(self, *t):
        self.buffer.append(Transition(*t))

    def sample(self, k):
        k = min(k, len(self.buffer))
        picks = self.rng.choice(len(self.buffer), k, replace=False)
        batch = Transition(*zip(*[self.buffer[i] for i in picks]))
        return [np.asarray(f) for f in batch]


q_net = keras.Sequential([keras.Input((N_STATES,)), keras.layers.Dense(24, "relu"), keras.layers.Dense(N_ACTIONS)])
target = keras.models.clone_model(q_net)
target.set_weights(q_net.get_weights())
opt = keras.optimizers.Adam(1e-3)


def learn(replay):
    s, a, r, s2 = replay.sample(BATCH)
    rows = tf.range(BATCH)
    best = tf.reduce_max(target(s2), axis=1)
    goal = r.astype("float32") + GAMMA * best
    with tf.GradientTape() as tape:
        index = tf.stack([rows, a.astype("int32")], axis=1)
        chosen = tf.gather_nd(q_net(s), index)
        loss = tf.reduce_mean(tf.square(goal - chosen))
    grads = tape.gradient(loss, q_net.trainable_variables)
    opt.apply_gradients(zip(grads, q_net.trainable_variables))
    return float(loss)


rng = np.random.default_rng(1)
replay = Replay(500)
state = rng.normal(size=N_STATES).astype("float32")
for step in range(60):
    action = int(rng.integers(N_ACTIONS))
    nxt = (0.9 * state + 0.1 * (action - 1)).astype("float32")
    replay.add(state, action, -float(np.abs(nxt).sum()), nxt)
    state = nxt
    if step >= 19 and step % 10 == 9:
        print(step, learn(replay))
