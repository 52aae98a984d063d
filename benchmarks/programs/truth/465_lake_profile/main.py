import tensorflow as tf

import basis
import sonde

N_KNOTS = 7


class Smoother(tf.Module):
    def __init__(self, n):
        super().__init__()
        self.coef = tf.Variable(tf.zeros([n, 1]))
        self.ridge = tf.constant(1e-3)

    def __call__(self, b):
        return tf.matmul(b, self.coef)

    def penalty(self):
        return self.ridge * tf.reduce_sum(self.coef ** 2)


@tf.function
def step(model, b, y, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(b) - y) ** 2) + model.penalty()
    model.coef.assign_sub(rate * tape.gradient(loss, model.coef))
    return loss


def main():
    cast = sonde.load(sonde.export())
    b = tf.convert_to_tensor(basis.radial(cast["depth"], N_KNOTS))
    for name in ("temp", "oxy"):
        model = Smoother(N_KNOTS + 1)
        y = tf.convert_to_tensor(cast[name][:, None])
        for i in range(200):
            loss = step(model, b, y, tf.constant(0.2))
        print(f"{name}: mse {float(loss):.4f}")


if __name__ == "__main__":
    main()
