"""Contrastive vectors for pairs of satellite views; cloudy pairs are left out."""
import numpy as np
import tensorflow as tf

CONFIG = {
    "pairs": 16,
    "bands": 10,
    "width": 12,
    "temperature": 0.2,
    "clouds": {"limit": 0.7, "drop": True},
    "steps": 8,
    "rate": 0.05,
}


class Projector(tf.Module):
    def __init__(self, cfg, seed=5):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.a = tf.Variable(0.4 * g.normal([cfg["bands"], 24]))
        self.b = tf.Variable(0.4 * g.normal([24, cfg["width"]]))

    def __call__(self, x):
        return tf.math.l2_normalize(tf.nn.relu(x @ self.a) @ self.b, axis=-1)


def select(rows, cloud, clouds):
    if not clouds["drop"]:
        return rows
    clear = tf.reduce_max(tf.reshape(cloud, [2, -1]), axis=0) < clouds["limit"]
    return tf.boolean_mask(rows, tf.tile(clear, [2]))


def agreement(z, temperature):
    first, second = tf.split(z, 2, axis=0)
    logits = tf.matmul(first, second, transpose_b=True) / temperature
    own = tf.linalg.diag_part(logits)
    return tf.reduce_mean(tf.reduce_logsumexp(logits, axis=1) - own)


def make_step(net, cfg):
    @tf.function(jit_compile=True)
    def step(views, cloud):
        with tf.GradientTape() as tape:
            rows = select(views, cloud, cfg["clouds"])
            loss = agreement(net(rows), cfg["temperature"])
        for v, g in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
            v.assign_sub(cfg["rate"] * g)
        return loss
    return step


def views(cfg, seed):
    rng = np.random.default_rng(seed)
    while True:
        ground = rng.normal(size=(cfg["pairs"], cfg["bands"]))
        both = np.concatenate([ground + 0.2 * rng.normal(size=ground.shape) for _ in range(2)])
        yield tf.constant(both, tf.float32), tf.constant(rng.uniform(size=len(both)), tf.float32)


def main():
    net = Projector(CONFIG)
    step = make_step(net, CONFIG)
    losses = [float(step(*batch)) for _, batch in zip(range(CONFIG["steps"]), views(CONFIG, seed=2))]
    print("agreement loss", np.round(losses, 3).tolist())


if __name__ == "__main__":
    main()
