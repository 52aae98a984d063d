"""Settings that come too late or govern nothing: report 000's flag, a late write of a switch, a switch nobody reads."""

import os

from ptycho import params

params.cfg["use_xla_compile"] = True  # nobody here reads it

import tensorflow as tf

from ptycho.tf_helper import should_use_xla

before = should_use_xla()
tf.constant(1)
os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2"
params.cfg["use_xla_translate"] = not before


@tf.function(jit_compile=True)
def double(x):
    return x + x


print(float(double(tf.constant(2.0))))
