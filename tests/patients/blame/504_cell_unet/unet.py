"""Cell segmentation U-Net (cut down)."""
import tensorflow as tf
from tensorflow.keras import layers


def conv_block(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        x = layers.ReLU()(x)
    return x


def encoder(x, cfg):
    skips = []
    for d in range(cfg.depth):
        x = conv_block(x, cfg.base_filters * 2 ** d)
        skips.append(x)
        x = layers.MaxPooling2D(2)(x)
    return x, skips


def decoder(x, skips, cfg):
    for d in reversed(range(cfg.depth)):
        x = layers.Conv2DTranspose(cfg.base_filters * 2 ** d, 2, strides=2)(x)
        x = layers.Concatenate()([x, skips[d]])
        x = conv_block(x, cfg.base_filters * 2 ** d)
    return x


def build(cfg):
    inp = layers.Input((cfg.side, cfg.side, cfg.channels))
    x, skips = encoder(inp, cfg)
    x = conv_block(x, cfg.base_filters * 2 ** cfg.depth)
    x = decoder(x, skips, cfg)
    out = layers.Conv2D(1, 1, activation="sigmoid")(x)
    return tf.keras.Model(inp, out)
