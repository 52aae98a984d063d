import tensorflow as tf
from tensorflow import keras


def configure(options):
    keras.utils.set_random_seed(12)
    tf.config.threading.set_intra_op_parallelism_threads(options["threads"])
    keras.mixed_precision.set_global_policy(options["precision"])
