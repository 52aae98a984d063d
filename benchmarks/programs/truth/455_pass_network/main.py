import keras
import tensorflow as tf

from graphnet import TeamValue
from league import season


def report(tag, values):
    print(f"{tag:>8}: " + " ".join(f"{v:.3f}" for v in values))


def main():
    keras.utils.set_random_seed(12)
    feats, adj, goals = season()
    mean = feats.mean(axis=(0, 2), keepdims=True)
    feats = (feats - mean) / feats.std(axis=(0, 2), keepdims=True)
    ds = tf.data.Dataset.from_tensor_slices(((feats, adj), goals)).batch(6)

    model = TeamValue()
    opt = keras.optimizers.Adam(1e-2)
    history = []
    for _ in range(4):
        acc = keras.metrics.MeanSquaredError()
        for (x, a), y in ds:
            with tf.GradientTape() as tape:
                p = model((x, a))
                loss = tf.reduce_mean((p - y) ** 2)
            opt.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
            acc.update_state(y, p)
        history.append(float(acc.result()))
    report("mse", history)


if __name__ == "__main__":
    main()
