"""Low-rank bilinear regression of organic carbon on spectra x chemistry."""
import tensorflow as tf

import features as F

RANK = 6
N = 260
STEPS = 60


def prepare(seed, n):
    t = {k: tf.constant(v) for k, v in F.table(seed, n).items()}
    return t["raw"], t["slope"], t["chem"], t["carbon"]


class Bilinear(tf.Module):
    def __init__(self, rank):
        super().__init__()
        g = tf.random.Generator.from_seed(4)
        self.u_raw = tf.Variable(0.1 * g.normal((F.BANDS, rank)), name="u_raw")
        self.u_slope = tf.Variable(0.1 * g.normal((F.BANDS - 1, rank)), name="u_slope")
        self.v = tf.Variable(0.1 * g.normal((F.ASSAYS, rank)), name="v")
        self.w = tf.Variable(0.1 * g.normal((2 * rank, 1)), name="w")
        self.b = tf.Variable([0.0], name="b")

    def __call__(self, raw, slope, chem):
        left = tf.tanh(raw @ self.u_raw)
        mid = tf.tanh(slope @ self.u_slope)
        right = chem @ self.v
        return tf.concat([left * (1 + right), mid], axis=1) @ self.w + self.b


def fit(model, data, steps, rate=0.05):
    raw, slope, chem, y = data

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(raw, slope, chem) - y))
        for v, g in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            v.assign_sub(rate * g)
        return loss

    first = last = None
    for i in range(steps):
        last = step()
        first = last if first is None else first
    return float(first), float(last)


def main():
    data = prepare(1, N)
    print("samples", N, "bands", F.BANDS, "assays", F.ASSAYS)
    model = Bilinear(RANK)
    first, last = fit(model, data, STEPS)
    print(f"mse {first:.3f} -> {last:.3f}")


if __name__ == "__main__":
    main()
