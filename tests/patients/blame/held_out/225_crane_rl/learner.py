import numpy as np
import tensorflow as tf


class ActorCritic:
    def __init__(self, state_size, n_commands, gamma=0.95):
        self.gamma = gamma
        inp = tf.keras.Input((state_size,))
        body = tf.keras.layers.Dense(24, activation="tanh")(inp)
        policy = tf.keras.layers.Dense(n_commands)(body)
        value = tf.keras.layers.Dense(1)(body)
        self.net = tf.keras.Model(inp, [policy, value])
        self.opt = tf.keras.optimizers.Adam(0.01)

    def choose(self, state):
        logits, _ = self.net(np.reshape(state, (1, -1)))
        return int(tf.random.categorical(logits, 1)[0, 0])

    def returns(self, rewards):
        total, out = 0.0, []
        for r in reversed(rewards):
            total = r + self.gamma * total
            out.append(total)
        return np.array(out[::-1], dtype=np.float32)

    def improve(self, trace):
        states, commands, rewards = zip(*trace)
        states = np.stack(states)
        g = self.returns(rewards)
        with tf.GradientTape() as tape:
            logits, value = self.net(states)
            advantage = g - value[:, 0]
            logp = -tf.nn.sparse_softmax_cross_entropy_with_logits(commands, logits)
            loss = tf.reduce_mean(-logp * tf.stop_gradient(advantage) + tf.square(advantage))
        v = self.net.trainable_variables
        self.opt.apply_gradients(zip(tape.gradient(loss, v), v))
        return float(loss)
