import keras
from keras import layers


def build_encoder(bands, filters, kernel, latent):
    inp = keras.Input((bands, 1), name="spectrum")
    h = inp
    for k, f in enumerate(filters):
        h = layers.Conv1D(f, kernel, strides=2, padding="same", activation="relu", name=f"conv{k}")(h)
    h = layers.Flatten(name="flat")(h)
    return keras.Model(inp, layers.Dense(latent, activation="tanh", name="latent")(h), name="encoder")


def with_decoder(encoder, bands):
    h = layers.Dense(64, activation="relu")(encoder.output)
    out = layers.Reshape((bands, 1))(layers.Dense(bands)(h))
    return keras.Model(encoder.input, out, name="autoencoder")


def with_classifier(encoder, classes):
    return keras.Model(encoder.input, layers.Dense(classes, name="logits")(encoder.output), name="classifier")
