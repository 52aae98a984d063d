"""Soil moisture network that adds an expert for each soil class it meets."""
import numpy as np
import tensorflow as tf

SOILS = ["clay", "loam", "sand"]


def field_days(rng, soil, n=20):
    rain = rng.gamma(1.2, 4.0, size=(n, 7))
    drain = {"clay": 0.2, "loam": 0.5, "sand": 0.8}[soil]
    decay = (1 - drain) ** np.arange(7)[::-1]
    moist = np.tanh(rain @ decay / 30.0)
    return rain.astype("float32"), moist.astype("float32")[:, None]


class SoilExperts(tf.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.hidden = hidden
        self.experts = {}
        self.shared = tf.Variable(tf.random.stateless_normal([7, hidden], [4, 4]) * 0.1)

    def expert(self, soil):
        if soil not in self.experts:
            self.experts[soil] = tf.Variable(
                tf.zeros([self.hidden, 1]), name=f"expert_{soil}")
        return self.experts[soil]

    def __call__(self, rain, soil):
        return tf.nn.elu(rain @ self.shared / 10.0) @ self.expert(soil)


class Trainer:
    def __init__(self, model, rate):
        self.model = model
        self.rate = rate

    @tf.function
    def step(self, rain, moist, soil):
        with tf.GradientTape() as tape:
            err = self.model(rain, soil) - moist
            loss = tf.reduce_mean(err * err)
        variables = [self.model.shared, self.model.experts[soil]]
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(self.rate * g)
        return loss

    def fit(self, data, epochs):
        for epoch in range(epochs):
            for soil, (rain, moist) in data.items():
                loss = self.step(tf.constant(rain), tf.constant(moist), soil)
                print(f"epoch {epoch} {soil:5s} loss {float(loss):.4f}")


def main():
    rng = np.random.default_rng(77)
    data = {soil: field_days(rng, soil) for soil in SOILS}
    model = SoilExperts()
    Trainer(model, rate=0.1).fit(data, epochs=2)
    print("experts:", sorted(model.experts))


if __name__ == "__main__":
    main()
