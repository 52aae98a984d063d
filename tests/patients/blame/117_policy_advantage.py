import numpy as np
import tensorflow as tf

tf.random.set_seed(138)
GAMMA = 0.9


class Agent(tf.Module):
    def __init__(self, n_obs, n_act):
        self.pi = tf.Variable(tf.random.normal((n_obs, n_act), stddev=0.1))
        self.v = tf.Variable(tf.random.normal((n_obs, 1), stddev=0.1))

    @tf.function
    def loss(self, obs, actions, returns):
        logits = obs @ self.pi
        values = tf.squeeze(obs @ self.v, axis=1)
        advantage = returns - values
        logp = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
        return tf.reduce_mean(tf.square(advantage)) - tf.reduce_mean(logp * tf.stop_gradient(advantage))


def discounted(rewards, bootstrap):
    out = [bootstrap]
    for r in reversed(rewards):
        out.append(r + GAMMA * out[-1])
    return np.array(out[::-1], "float32")


rng = np.random.default_rng(138)
agent = Agent(5, 3)
opt = tf.keras.optimizers.Adam(0.01)
for episode in range(2):
    obs = tf.constant(rng.normal(size=(12, 5)), tf.float32)
    actions = tf.constant(rng.integers(0, 3, 12))
    returns = tf.constant(discounted(rng.normal(size=12), bootstrap=0.2))
    with tf.GradientTape() as tape:
        loss = agent.loss(obs, actions, returns)
    weights = [agent.pi, agent.v]
    opt.apply_gradients(zip(tape.gradient(loss, weights), weights))
    print(episode, float(loss))
