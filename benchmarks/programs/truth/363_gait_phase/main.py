"""Phase of the step from six inertial channels."""
import keras
import tensorflow as tf

import network
import walks
from settings import Settings


def datasets(settings):
    x, y = walks.windows(settings)
    cut = int(0.8 * len(x))
    train = tf.data.Dataset.from_tensor_slices((x[:cut], y[:cut])).shuffle(cut, seed=4).batch(settings.batch)
    test = tf.data.Dataset.from_tensor_slices((x[cut:], y[cut:])).batch(settings.batch)
    return train.prefetch(1), test


def main():
    keras.utils.set_random_seed(5)
    settings = Settings()
    train, test = datasets(settings)
    model = network.build(settings)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    model.fit(train, epochs=2, verbose=2)
    print("test", model.evaluate(test, verbose=0))


if __name__ == "__main__":
    main()
