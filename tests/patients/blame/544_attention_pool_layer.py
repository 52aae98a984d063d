import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Layer, Input, Embedding, Bidirectional, LSTM, Dense
from tensorflow.keras.models import Model


class Attention(Layer):
    """Weights the time steps of an RNN and sums them up."""

    def __init__(self, use_bias=True, **kwargs):
        super().__init__(**kwargs)
        self.use_bias = use_bias

    def build(self, input_shape):
        self.W = self.add_weight(name="att_weight", shape=(input_shape[1], 1),
                                 initializer="normal")
        if self.use_bias:
            self.b = self.add_weight(name="att_bias", shape=(input_shape[1], 1),
                                     initializer="zeros")
        super().build(input_shape)

    def call(self, x):
        e = tf.matmul(x, self.W)
        if self.use_bias:
            e = e + self.b
        a = tf.nn.softmax(tf.tanh(e), axis=1)
        return tf.reduce_sum(x * a, axis=1)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])


maxlen = 15
inputs = Input((maxlen,))
x = Embedding(50, 10)(inputs)
x = Bidirectional(LSTM(12, return_sequences=True))(x)
x = Attention()(x)
outputs = Dense(1, activation="sigmoid")(x)
model = Model(inputs, outputs)
model.compile(loss="binary_crossentropy", optimizer="adam")

X = np.random.randint(0, 50, (40, maxlen))
Y = (X.sum(axis=1) > X.sum(axis=1).mean()).astype("float32")
model.fit(X, Y, batch_size=20, epochs=1, verbose=2)
