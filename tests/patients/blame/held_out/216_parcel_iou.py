import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import keras
from keras import layers

class Settings:
    tile = 24
    bands = 4
    crops = 5
    batch = 6
    epochs = 1
    lr = 2e-3

    @classmethod
    def metrics(cls):
        return [
            keras.metrics.SparseCategoricalAccuracy(name="acc"),
            keras.metrics.MeanIoU(num_classes=cls.crops, name="miou"),
        ]


def sample_tiles(n):
    rg = np.random.default_rng(30)
    field = rg.integers(0, Settings.crops, (n, 4, 4))
    mask = np.kron(field, np.ones((1, 6, 6), int))
    signature = rg.normal(size=(Settings.crops, Settings.bands))
    img = signature[mask] + rg.normal(0, 0.3, mask.shape + (Settings.bands,))
    return img.astype("float32"), mask.astype("int32")


def separable(x, f):
    x = layers.SeparableConv2D(f, 3, padding="same")(x)
    x = layers.GroupNormalization(groups=4)(x)
    return layers.Activation("swish")(x)


def parcel_net():
    s = Settings
    i = keras.Input((s.tile, s.tile, s.bands))
    a = separable(i, 16)
    b = separable(layers.AveragePooling2D(2)(a), 16)
    b = layers.UpSampling2D(2, interpolation="bilinear")(b)
    x = separable(layers.Add()([a, b]), 16)
    o = layers.Conv2D(s.crops, 1, activation="softmax")(x)
    return keras.Model(i, o, name="parcels")


model = parcel_net()
model.compile(
    optimizer=keras.optimizers.Adam(Settings.lr),
    loss=keras.losses.SparseCategoricalCrossentropy(),
    metrics=Settings.metrics(),
)
images, masks = sample_tiles(18)
log = model.fit(images, masks, batch_size=Settings.batch, epochs=Settings.epochs, verbose=0)
print({k: round(v[-1], 3) for k, v in log.history.items()})
