import tensorflow as tf

BATCH, SRC_LEN, TGT_LEN = 6, 9, 5
SRC_VOCAB, TGT_VOCAB = 40, 30
UNITS = 16


class Encoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(SRC_VOCAB, 12)
        self.gru = tf.keras.layers.GRU(UNITS, return_sequences=True, return_state=True)

    def call(self, x):
        return self.gru(self.embedding(x))


class BahdanauAttention(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.W1 = tf.keras.layers.Dense(units)
        self.W2 = tf.keras.layers.Dense(units)
        self.V = tf.keras.layers.Dense(1)

    def call(self, query, values):
        query_with_time_axis = tf.expand_dims(query, 0)
        hidden = self.W1(query_with_time_axis)
        keys = self.W2(values)
        score = self.V(tf.nn.tanh(hidden + keys))
        weights = tf.nn.softmax(score, axis=1)
        return tf.reduce_sum(weights * values, axis=1), weights


class Decoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(TGT_VOCAB, 12)
        self.gru = tf.keras.layers.GRU(UNITS, return_sequences=True, return_state=True)
        self.fc = tf.keras.layers.Dense(TGT_VOCAB)
        self.attention = BahdanauAttention(UNITS)

    def call(self, x, hidden, enc_output):
        context, weights = self.attention(hidden, enc_output)
        x = self.embedding(x)
        x = tf.concat([tf.expand_dims(context, 1), x], axis=-1)
        output, state = self.gru(x)
        return self.fc(tf.squeeze(output, 1)), state, weights


encoder, decoder = Encoder(), Decoder()
optimizer = tf.keras.optimizers.Adam()
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def train_step(inp, targ):
    loss = 0.0
    with tf.GradientTape() as tape:
        enc_output, dec_hidden = encoder(inp)
        dec_input = targ[:, :1]
        for t in range(1, targ.shape[1]):
            predictions, dec_hidden, _ = decoder(dec_input, dec_hidden, enc_output)
            loss += loss_object(targ[:, t], predictions)
            dec_input = targ[:, t:t + 1]
    variables = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss / targ.shape[1]


src = tf.random.uniform((BATCH, SRC_LEN), 1, SRC_VOCAB, tf.int32)
tgt = tf.random.uniform((BATCH, TGT_LEN), 1, TGT_VOCAB, tf.int32)
print("loss", float(train_step(src, tgt)))
