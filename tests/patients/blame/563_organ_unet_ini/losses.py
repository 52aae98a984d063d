import keras
from keras import ops


def dice(y_true, y_pred, eps=1.0):
    inter = ops.sum(y_true * y_pred, axis=(1, 2, 3))
    total = ops.sum(y_true, axis=(1, 2, 3)) + ops.sum(y_pred, axis=(1, 2, 3))
    return (2 * inter + eps) / (total + eps)


def dice_bce(y_true, y_pred):
    bce = ops.mean(keras.losses.binary_crossentropy(y_true, y_pred), axis=(1, 2))
    return bce + 1 - dice(y_true, y_pred)
