"""Generator and critic for daily electricity load curves, alternating updates."""
import numpy as np
import tensorflow as tf

HOURS = 24
NOISE = 6
SETTINGS = dict(critic_steps=2, rounds=3, batch=16, rate=2e-3, clip=0.05, decay=0.8)


def load_curves(n, rng):
    t = np.arange(HOURS) / HOURS
    morning = np.exp(-((t - 0.33) ** 2) / 0.004)
    evening = np.exp(-((t - 0.8) ** 2) / 0.006)
    a, b = rng.uniform(0.4, 1, (2, n, 1))
    return (0.3 + a * morning + b * evening + rng.normal(0, 0.02, (n, HOURS))).astype("float32")


def mlp(sizes, name):
    layers = [tf.keras.layers.Dense(s, activation="tanh") for s in sizes[:-1]]
    layers.append(tf.keras.layers.Dense(sizes[-1]))
    return tf.keras.Sequential(layers, name=name)


class Running:
    """Exponential mean with correction of the first steps."""

    def __init__(self, decay):
        self.decay = decay
        self.total = tf.Variable(0.0, trainable=False)
        self.weight = tf.Variable(0.0, trainable=False)

    def __call__(self, value):
        self.total.assign(self.decay * self.total + (1 - self.decay) * value)
        self.weight.assign(self.decay * self.weight + 1 - self.decay)
        return self.total / self.weight


class Players:
    def __init__(self):
        self.generator = mlp([32, HOURS], "generator")
        self.critic = mlp([32, 1], "critic")
        self.generator(tf.zeros([1, NOISE]))
        self.critic(tf.zeros([1, HOURS]))

    def noise(self, n):
        return tf.random.stateless_normal([n, NOISE], seed=[n, 7])

    def critic_loss(self, real):
        fake = self.generator(self.noise(SETTINGS["batch"]))
        return tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(real))

    def generator_loss(self, real):
        del real
        return -tf.reduce_mean(self.critic(self.generator(self.noise(SETTINGS["batch"]))))


def make_update(loss_fn, model):
    optimizer = tf.keras.optimizers.RMSprop(SETTINGS["rate"])
    optimizer.build(model.trainable_variables)

    @tf.function
    def update(real):
        with tf.GradientTape() as tape:
            loss = loss_fn(real)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return Running(SETTINGS["decay"])(loss)

    return update


def clip(model):
    for v in model.trainable_variables:
        v.assign(tf.clip_by_value(v, -SETTINGS["clip"], SETTINGS["clip"]))


def play(curves):
    players = Players()
    critic_update = make_update(players.critic_loss, players.critic)
    generator_update = make_update(players.generator_loss, players.generator)
    batches = iter(tf.data.Dataset.from_tensor_slices(curves).repeat().batch(SETTINGS["batch"]))
    for r in range(SETTINGS["rounds"]):
        for _ in range(SETTINGS["critic_steps"]):
            c = critic_update(next(batches))
            clip(players.critic)
        g = generator_update(next(batches))
        print(f"round {r}: critic {float(c):+.4f} generator {float(g):+.4f}")
    return players


if __name__ == "__main__":
    tf.random.set_seed(1)
    result = play(load_curves(64, np.random.default_rng(1)))
    sample = result.generator(result.noise(2)).numpy()
    print("peak hours", sample.argmax(1))
