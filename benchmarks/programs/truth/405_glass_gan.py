"""GAN for glass-defect profiles with a contrastive regulariser.

Two optimizers, alternating updates (the critic steps three times per generator step),
an exponential average of the generator, and a B x B similarity loss.
"""
import collections

import numpy as np
import tensorflow as tf

SEED, LATENT, WIDTH, BATCH = 21, 12, 32, 24
CRITIC_STEPS, ROUNDS = 3, 25

Nets = collections.namedtuple("Nets", "gen gen_avg critic")


def profiles(n):
    rng = np.random.default_rng(SEED)
    t = np.linspace(-1, 1, WIDTH)
    c, w = rng.uniform(-0.5, 0.5, (n, 1)), rng.uniform(0.05, 0.3, (n, 1))
    return (np.exp(-((t - c) / w) ** 2) + rng.normal(0, 0.02, (n, WIDTH))).astype(np.float32)


def mlp(inp, hidden, out, name):
    return tf.keras.Sequential([
        tf.keras.Input((inp,)),
        tf.keras.layers.Dense(hidden, activation="gelu"),
        tf.keras.layers.Dense(hidden, activation="gelu"),
        tf.keras.layers.Dense(out),
    ], name=name)


def build():
    tf.keras.utils.set_random_seed(SEED)
    gen = mlp(LATENT, 48, WIDTH, "gen")
    avg = mlp(LATENT, 48, WIDTH, "gen_avg")
    avg.set_weights(gen.get_weights())
    avg.trainable = False
    return Nets(gen, avg, mlp(WIDTH, 48, 1 + 8, "critic"))


def score(critic, x):
    out = critic(x, training=True)
    return out[:, :1], tf.math.l2_normalize(out[:, 1:], axis=1)


def penalty(critic, real, fake):
    eps = tf.random.uniform((tf.shape(real)[0], 1))
    mix = eps * real + (1 - eps) * fake
    with tf.GradientTape() as tape:
        tape.watch(mix)
        s, _ = score(critic, mix)
    g = tape.gradient(s, mix)
    return tf.reduce_mean((tf.norm(g + 1e-8, axis=1) - 1.0) ** 2)


def contrastive(a, b, temperature=0.2):
    """Every row against every row: the B x B matrix is wanted, the diagonal is the pair."""
    logits = tf.matmul(a, b, transpose_b=True) / temperature
    rows = tf.range(tf.shape(logits)[0])
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(rows, logits))


class Trainer:
    def __init__(self, nets):
        self.nets = nets
        self.opt_c = tf.keras.optimizers.Adam(1e-3, beta_1=0.0)
        self.opt_g = tf.keras.optimizers.Adam(1e-3, beta_1=0.0)

    @tf.function
    def critic_step(self, real):
        n = self.nets
        fake = n.gen(tf.random.normal((tf.shape(real)[0], LATENT)), training=True)
        with tf.GradientTape() as tape:
            sr, er = score(n.critic, real)
            sf, _ = score(n.critic, fake)
            _, er2 = score(n.critic, real + tf.random.normal(tf.shape(real), stddev=0.03))
            loss = tf.reduce_mean(sf) - tf.reduce_mean(sr) + 10 * penalty(n.critic, real, fake) + 0.1 * contrastive(er, er2)
        v = n.critic.trainable_variables
        self.opt_c.apply_gradients(zip(tape.gradient(loss, v), v))
        return loss

    @tf.function
    def gen_step(self, batch):
        n = self.nets
        with tf.GradientTape() as tape:
            s, _ = score(n.critic, n.gen(tf.random.normal((batch, LATENT)), training=True))
            loss = -tf.reduce_mean(s)
        v = n.gen.trainable_variables
        self.opt_g.apply_gradients(zip(tape.gradient(loss, v), v))
        for a, w in zip(n.gen_avg.variables, n.gen.variables):
            a.assign(0.95 * a + 0.05 * w)
        return loss


def main():
    data = profiles(512)
    ds = tf.data.Dataset.from_tensor_slices(data).shuffle(512, seed=1).repeat().batch(BATCH)
    nets = build()
    tr = Trainer(nets)
    it = iter(ds)
    for r in range(ROUNDS):
        for _ in range(CRITIC_STEPS):
            lc = tr.critic_step(next(it))
        lg = tr.gen_step(BATCH)
        if r % 8 == 0:
            print(f"round {r:3d} critic {float(lc):8.3f} generator {float(lg):8.3f}")
    out = nets.gen_avg(tf.random.normal((256, LATENT))).numpy()
    print("negative losses are expected: they are score differences, not distances")
    print("real mean %.3f, sample mean %.3f" % (data.mean(), out.mean()))
    print("traces:", tr.critic_step.experimental_get_tracing_count(), tr.gen_step.experimental_get_tracing_count())


if __name__ == "__main__":
    main()
