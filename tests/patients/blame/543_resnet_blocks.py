"""CIFAR style residual network, assignment 2."""
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

STAGES = [
    # filters, blocks, first stride
    (16, 1, 1),
    (24, 2, 2),
    (32, 1, 2),
]


def conv_bn(x, filters, kernel, stride=1, relu=True):
    x = layers.Conv2D(filters, kernel, strides=stride, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.ReLU()(x) if relu else x


def residual_block(x, filters, stride):
    shortcut = x
    y = conv_bn(x, filters, 3, stride)
    y = conv_bn(y, filters, 3, 1, relu=False)
    if stride != 1:
        shortcut = conv_bn(x, filters, 1, stride, relu=False)
    y = layers.Add()([y, shortcut])
    return layers.ReLU()(y)


def resnet(input_shape, n_classes, stem=8):
    inp = tf.keras.Input(input_shape)
    x = conv_bn(inp, stem, 3)
    for filters, blocks, first in STAGES:
        for b in range(blocks):
            x = residual_block(x, filters, first if b == 0 else 1)
    x = layers.GlobalAveragePooling2D()(x)
    return tf.keras.Model(inp, layers.Dense(n_classes)(x))


if __name__ == "__main__":
    model = resnet((32, 32, 3), 10)
    print("parameters:", model.count_params())
    images = np.random.rand(4, 32, 32, 3).astype("float32")
    logits = model(images)
    print(logits.shape, tf.argmax(logits, axis=1).numpy())
