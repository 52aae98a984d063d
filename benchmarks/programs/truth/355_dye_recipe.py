"""Dye recipes: a NumPy colour routine inside tf.data, custom gradient for the gamut."""
import numpy as np
import tensorflow as tf

TO_XYZ = np.array([[0.4124, 0.3576, 0.1805],
                   [0.2126, 0.7152, 0.0722],
                   [0.0193, 0.1192, 0.9505]])
DYES = 4


def lab_from_rgb(rgb):
    xyz = np.asarray(rgb, np.float64) @ TO_XYZ.T / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]),
                     200 * (f[..., 1] - f[..., 2])], axis=-1).astype("float32")


def with_lab(recipe, rgb):
    lab = tf.numpy_function(lab_from_rgb, [rgb], tf.float32)
    lab.set_shape([3])
    return recipe, rgb, lab


@tf.custom_gradient
def gamut(x):
    """Clips to the gamut but lets the gradient through where it points inward."""
    y = tf.clip_by_value(x, 0.0, 1.0)

    def grad(upstream):
        inward = tf.logical_or(tf.logical_and(x < 0.0, upstream < 0.0),
                               tf.logical_and(x > 1.0, upstream > 0.0))
        inside = tf.equal(x, y)
        return tf.where(tf.logical_or(inward, inside), upstream, 0.0)

    return y, grad


class Absorption(tf.Module):
    def __init__(self):
        super().__init__()
        init = np.random.default_rng(3).uniform(-0.5, 2.5, size=(DYES, 3))
        self.k = tf.Variable(init.astype("float32"))
        self.base = tf.Variable([1.1, 1.0, 0.95])

    def __call__(self, recipe):
        return gamut(self.base - recipe @ self.k * 0.4)


def main():
    rng = np.random.default_rng(1856)
    recipe = rng.dirichlet(np.ones(DYES), size=50).astype("float32")
    true_k = rng.uniform(0, 2, size=(DYES, 3)).astype("float32")
    rgb = np.clip(1.0 - recipe @ true_k * 0.4, 0, 1)
    ds = tf.data.Dataset.from_tensor_slices((recipe, rgb)).map(with_lab)
    ds = ds.cache().shuffle(50, seed=2).batch(16, drop_remainder=False)
    print("element spec", [tuple(s.shape) for s in ds.element_spec])
    model = Absorption()
    opt = tf.keras.optimizers.Adam(0.05)
    for epoch in range(8):
        for r, target, lab in ds:
            with tf.GradientTape() as tape:
                pred = model(r)
                weight = 0.5 + lab[:, :1] / 100.0
                loss = tf.reduce_mean(weight * tf.square(pred - target))
            grads = tape.gradient(loss, [model.k, model.base])
            opt.apply_gradients(zip(grads, [model.k, model.base]))
    print("loss", round(float(loss), 5), "weights pooled as", weight.shape, "over", pred.shape)
    delta = lab_from_rgb(model(recipe).numpy()) - lab_from_rgb(rgb)
    print("mean colour difference", round(float(np.linalg.norm(delta, axis=1).mean()), 2))
    try:
        wrong = ds.map(lambda r, c, l: tf.ensure_shape(l, [None, 4]))
        next(iter(wrong))
    except ValueError as err:
        print("four-channel Lab is refused:", str(err).splitlines()[0][:60])


if __name__ == "__main__":
    main()
