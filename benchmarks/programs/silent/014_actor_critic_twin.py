import numpy as np
import tensorflow as tf
import keras
from keras import layers

GAMMA = 0.95


class Corridor:
    def __init__(self, length=8, seed=0):
        self.length, self.rng = length, np.random.default_rng(seed)

    def episode(self, policy, steps=25):
        pos, obs, act, rew = 2, [], [], []
        for _ in range(steps):
            o = np.eye(self.length, dtype="float32")[pos]
            p = policy(o)
            a = int(self.rng.random() < p)
            pos = int(np.clip(pos + (1 if a else -1), 0, self.length - 1))
            obs.append(o), act.append(a), rew.append(1.0 if pos == self.length - 1 else -0.05)
        return np.array(obs), np.array(act), np.array(rew, "float32")


def discounted(rew):
    out, run = np.zeros_like(rew), 0.0
    for i in reversed(range(len(rew))):
        run = rew[i] + GAMMA * run
        out[i] = run
    return out


keras.utils.set_random_seed(13)
inp = keras.Input((8,))
h = layers.Dense(16, activation="tanh")(inp)
model = keras.Model(inp, [layers.Dense(1, activation="sigmoid")(h), layers.Dense(1)(h)])
opt = keras.optimizers.Adam(0.02)
env = Corridor(seed=4)


@tf.function(reduce_retracing=True)
def update(obs, act, ret):
    with tf.GradientTape() as tape:
        p, value = model(obs)
        p = tf.clip_by_value(p[:, 0], 1e-5, 1 - 1e-5)
        logp = act * tf.math.log(p) + (1 - act) * tf.math.log(1 - p)
        adv = ret - tf.squeeze(value, -1)
        scaled = (adv - tf.reduce_mean(adv)) / (tf.math.reduce_std(adv) + 1e-6)
        loss = -tf.reduce_mean(logp * tf.stop_gradient(scaled)) + 0.5 * tf.reduce_mean(adv ** 2)
    opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


score = []
for ep in range(15):
    obs, act, rew = env.episode(lambda o: float(model(o[None])[0][0, 0]))
    loss = update(tf.constant(obs), tf.constant(act, tf.float32), tf.constant(discounted(rew)))
    score.append(rew.sum())
print("last loss %.4f, mean return of last five %.3f" % (float(loss), np.mean(score[-5:])))
