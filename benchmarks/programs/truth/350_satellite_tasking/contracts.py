"""Named places where tensors change hands; each has one agreed layout."""
import tensorflow as tf


def check_observation(window, target, where):
    tf.debugging.assert_shapes(
        [(window, ("batch", "passes", "features")),
         (target, ("batch", "passes"))],
        message=f"contract '{where}'")
    return window, target
