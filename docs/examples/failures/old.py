import tensorflow as tf
from tensorflow.keras.layers.experimental.preprocessing import Normalization

norm = Normalization()
norm.adapt(tf.random.normal((10, 3)))
print(norm(tf.zeros((1, 3))))
