"""Loss functions."""
import tensorflow as tf
from registry import register


@register
def l1(target, guess):
    return tf.reduce_mean(tf.abs(target - guess))


@register
def l2(target, guess):
    return tf.reduce_mean((target - guess) ** 2)
