import os

from profiles import PROFILES


def enter(name):
    for key, value in PROFILES[name].items():
        os.environ[key] = value if isinstance(value, str) else " ".join(value)
    import tensorflow as tf
    return tf
