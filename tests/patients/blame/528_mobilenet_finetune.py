# Fine tuning MobileNet on 5 flower classes
import numpy as np
import tensorflow as tf

IMG_SIZE = (32, 32)
NUM_CLASSES = 5


def make_base(trainable):
    base = tf.keras.applications.MobileNet(
        input_shape=IMG_SIZE + (3,),
        alpha=0.25,
        include_top=False,
        pooling=None,
        weights=None)
    base.trainable = trainable
    return base


def make_model():
    inputs = tf.keras.Input(shape=IMG_SIZE + (3,))
    x = tf.keras.layers.Rescaling(1. / 127.5, offset=-1)(inputs)
    x = make_base(trainable=False)(x, training=False)
    x = tf.keras.layers.Dropout(0.2)(x)
    outputs = tf.keras.layers.Dense(NUM_CLASSES, activation="softmax")(x)
    return tf.keras.Model(inputs, outputs)


rng = np.random.default_rng(0)
images = rng.integers(0, 255, (16,) + IMG_SIZE + (3,)).astype("float32")
labels = tf.keras.utils.to_categorical(rng.integers(0, NUM_CLASSES, 16), NUM_CLASSES)
train_ds = tf.data.Dataset.from_tensor_slices((images, labels)).batch(8)

model = make_model()
model.compile(optimizer=tf.keras.optimizers.Adam(1e-4),
              loss="categorical_crossentropy",
              metrics=["accuracy"])
model.fit(train_ds, epochs=1, verbose=2)
