"""Several crop traits from one body of hyperspectral features, one trait per round."""
import numpy as np
import tensorflow as tf

TRAITS = {"height": 1, "nitrogen": 1, "canopy": 3}


class TraitNet(tf.Module):
    def __init__(self, bands, width=20, ready=("height",), seed=0):
        super().__init__()
        self.rng = np.random.default_rng(seed)
        self.width = width
        self.body = self.weight("body", bands, width)
        self.heads = {}
        for trait in ready:
            self.head(trait)

    def weight(self, name, rows, cols):
        start = self.rng.normal(size=(rows, cols)) / np.sqrt(rows)
        return tf.Variable(start.astype("float32"), name=name)

    def head(self, trait):
        if trait not in self.heads:
            self.heads[trait] = self.weight(trait, self.width, TRAITS[trait])
        return self.heads[trait]

    def predict(self, x, trait):
        return tf.nn.relu(x @ self.body) @ self.head(trait)


class Trainer:
    def __init__(self, net, rate=0.05):
        self.net, self.rate = net, rate

    @tf.function
    def step(self, x, y, trait):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.net.predict(x, trait) - y))
        pair = [self.net.body, self.net.head(trait)]
        for v, g in zip(pair, tape.gradient(loss, pair)):
            v.assign_sub(self.rate * g)
        return loss


def plots(count, bands, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, bands)).astype("float32")
    y = {t: (x[:, :n] * 0.5 + x[:, 3:4]).astype("float32") for t, n in TRAITS.items()}
    return x, y


def main():
    x, y = plots(200, 14, seed=4)
    trainer = Trainer(TraitNet(bands=14))
    for trait in TRAITS:
        ds = tf.data.Dataset.from_tensor_slices((x, y[trait])).batch(50).repeat(5)
        for a, b in ds:
            loss = trainer.step(a, b, trait)
        print(trait, "loss", round(float(loss), 4))


if __name__ == "__main__":
    main()
