"""Self-supervised pretraining on CT slices: custom train_step, momentum teacher, mixed precision with loss scaling."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers

SIDE, DIM, BATCH, TEMP = 12, 16, 20, 0.1
keras.mixed_precision.set_dtype_policy("mixed_float16")


def slices(n=210, seed=47):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[-1:1:SIDE * 1j, -1:1:SIDE * 1j]
    r = rng.uniform(0.2, 0.8, (n, 1, 1))
    img = (np.hypot(xx, yy)[None] < r) * 1.0
    return (img + rng.normal(0, 0.05, img.shape))[..., None].astype("float32")


def encoder(name):
    return keras.Sequential([
        keras.Input((SIDE, SIDE, 1)),
        layers.Conv2D(8, 3, strides=2, activation="relu"),
        layers.LayerNormalization(),
        layers.Flatten(),
        layers.Dense(DIM, dtype="float32"),
    ], name=name)


class SelfSup(keras.Model):
    def __init__(self, decay=0.9):
        super().__init__()
        self.student, self.teacher = encoder("student"), encoder("teacher")
        self.teacher.set_weights(self.student.get_weights())
        self.teacher.trainable = False
        self.decay = decay
        self.loss_tracker = keras.metrics.Mean(name="nce")
        self.skipped = self.add_weight(shape=(), initializer="zeros", trainable=False, name="skipped", dtype="float32")

    @property
    def metrics(self):
        return [self.loss_tracker]

    def call(self, x):
        return self.student(x)

    def view(self, x):
        x = tf.image.random_flip_left_right(x)
        return x + tf.random.normal(tf.shape(x), stddev=0.1)

    def train_step(self, data):
        x, _, _ = keras.utils.unpack_x_y_sample_weight(data)
        # a spike now and then, as the scanner makes them: the loss scaler leaves its gradient out
        with tf.GradientTape() as tape:
            a = tf.math.l2_normalize(self.student(self.view(x), training=True), 1)
            b = tf.math.l2_normalize(self.teacher(self.view(x), training=False), 1)
            sim = tf.matmul(a, tf.stop_gradient(b), transpose_b=True) / TEMP
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.range(tf.shape(x)[0]), sim))
            scaled = self.optimizer.scale_loss(loss)
        v = self.student.trainable_variables
        grads = tape.gradient(scaled, v)
        finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(g)) for g in grads])
        self.skipped.assign_add(1.0 - tf.cast(finite, tf.float32))
        self.optimizer.apply_gradients(zip(grads, v))
        for t, s in zip(self.teacher.variables, self.student.variables):
            t.assign(self.decay * t + (1 - self.decay) * s)
        self.loss_tracker.update_state(tf.where(finite, loss, 0.0), sample_weight=tf.cast(finite, tf.float32))
        return {"nce": self.loss_tracker.result(), "skipped": self.skipped}


class StopWhenFlat(keras.callbacks.Callback):
    def __init__(self, floor):
        super().__init__()
        self.floor = floor

    def on_epoch_end(self, epoch, logs=None):
        if logs["nce"] < self.floor:
            self.model.stop_training = True
            print("\nflat enough, leaving early at epoch", epoch)


def main():
    keras.utils.set_random_seed(9)
    x = slices()
    x[[17, 101]] = 1e30            # two broken exposures stay in the data on purpose
    m = SelfSup()
    m.compile(keras.optimizers.Adam(3e-3), run_eagerly=False, jit_compile=False)
    # 210 slices in batches of 20: the last one has ten rows, so its matrix is 10 x 10
    h = m.fit(x, batch_size=BATCH, epochs=6, verbose=2, callbacks=[StopWhenFlat(0.5)])
    ok = [i for i in range(len(x)) if i not in (17, 101)]
    z = m.predict(x[ok], verbose=0)
    print("steps skipped for non-finite gradients:", int(h.history["skipped"][-1]), "of", 11 * len(h.epoch))
    print("embedding", z.shape, "finite", bool(np.isfinite(z).all()))


if __name__ == "__main__":
    main()
