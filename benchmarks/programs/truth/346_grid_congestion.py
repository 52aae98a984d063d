"""Power-flow sensitivities: contract PTDF tensors over lines, buses and hours."""
import numpy as np
import tensorflow as tf

NETWORK = {"buses": 9, "lines": 14, "hours": 24, "scenarios": 5}


def random_network(cfg, rng):
    ends = np.stack([rng.permutation(cfg["buses"])[:2] for _ in range(cfg["lines"])])
    ends[: cfg["buses"] - 1] = np.stack(
        [np.arange(cfg["buses"] - 1), np.arange(1, cfg["buses"])], axis=1)
    incidence = np.zeros((cfg["lines"], cfg["buses"]))
    incidence[np.arange(cfg["lines"]), ends[:, 0]] = 1.0
    incidence[np.arange(cfg["lines"]), ends[:, 1]] = -1.0
    return incidence, rng.uniform(5.0, 15.0, size=cfg["lines"])


def ptdf(incidence, susceptance):
    weighted = susceptance[:, None] * incidence
    laplacian = incidence.T @ weighted
    return weighted @ np.linalg.pinv(laplacian)


class CongestionModel(tf.Module):
    def __init__(self, cfg, factors, capacity):
        super().__init__()
        self.factors = tf.constant(factors, tf.float32)
        self.capacity = tf.constant(capacity, tf.float32)
        self.redispatch = tf.Variable(tf.zeros([cfg["hours"], cfg["buses"]]))

    def flows(self, injection):
        balanced = injection + self.redispatch
        balanced -= tf.reduce_mean(balanced, axis=-1, keepdims=True)
        return tf.einsum("bl,shb->shl", self.factors, balanced)

    def cost(self, injection):
        over = tf.nn.relu(tf.abs(self.flows(injection)) - self.capacity)
        return tf.reduce_mean(tf.square(over)) + 1e-3 * tf.nn.l2_loss(self.redispatch)


def main():
    rng = np.random.default_rng(380)
    incidence, susceptance = random_network(NETWORK, rng)
    factors = ptdf(incidence, susceptance)
    shape = (NETWORK["scenarios"], NETWORK["hours"], NETWORK["buses"])
    injection = tf.constant(rng.normal(size=shape), tf.float32)
    print("ptdf", factors.shape, "injection", injection.shape)
    model = CongestionModel(NETWORK, factors, np.full(NETWORK["lines"], 0.8))
    opt = tf.keras.optimizers.Adam(0.05)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            cost = model.cost(injection)
        opt.apply_gradients([(tape.gradient(cost, model.redispatch), model.redispatch)])
        return cost

    for i in range(10):
        cost = step()
        if i % 3 == 0:
            print("iteration", i, "cost", round(float(cost), 5))
    print("largest flow", float(tf.reduce_max(tf.abs(model.flows(injection)))))


if __name__ == "__main__":
    main()
