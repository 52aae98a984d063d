"""Physics-informed network for the one-dimensional heat equation u_t = a u_xx."""
import tensorflow as tf
from tensorflow import keras

from network import build_network
from physics import HeatProblem
from runtime import configure

OPTIONS = {"precision": "mixed_float16", "threads": 2, "units": 24, "points": 96, "steps": 5}


class Trainer:
    def __init__(self, net, problem, lr):
        self.net = net
        self.problem = problem
        self.opt = keras.optimizers.Adam(lr)

    def losses(self, x, t):
        residual = self.problem.residual(self.net, x, t)
        xb, tb, ub = self.problem.boundary(48)
        gap = self.problem.mismatch(self.net(tf.concat([xb, tb], 1)), ub)
        return tf.reduce_mean(tf.square(residual)), gap

    @tf.function
    def step(self, x, t):
        with tf.GradientTape() as tape:
            inner, border = self.losses(x, t)
            total = inner + 10.0 * border
        grads = tape.gradient(total, self.net.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return inner, border


def main():
    configure(OPTIONS)
    net = build_network(OPTIONS["units"])
    problem = HeatProblem(diffusivity=0.3)
    trainer = Trainer(net, problem, lr=2e-3)
    print("policy", keras.mixed_precision.dtype_policy().name, "weights", net.count_params())
    for i in range(OPTIONS["steps"]):
        x, t = problem.interior(OPTIONS["points"])
        inner, border = trainer.step(x, t)
        print(f"step {i}: residual {float(inner):.5f} boundary {float(border):.5f}")


if __name__ == "__main__":
    main()
