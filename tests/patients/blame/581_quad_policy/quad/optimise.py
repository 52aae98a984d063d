import keras
import tensorflow as tf

from .rollout import rollout


class PolicySearch:
    """Back-propagation through the simulated closed loop."""

    def __init__(self, plant, policy, cost, horizon, lr):
        self.plant, self.policy, self.cost, self.horizon = plant, policy, cost, horizon
        self.opt = keras.optimizers.Adam(lr)
        policy(tf.zeros([1, plant.n_state]))
        self.opt.build(policy.trainable_variables)

    @tf.function
    def update(self, x0):
        with tf.GradientTape() as tape:
            j, _ = rollout(self.plant, self.policy, self.cost, x0, self.horizon)
            loss = tf.reduce_mean(j)
        v = self.policy.trainable_variables
        grads, _ = tf.clip_by_global_norm(tape.gradient(loss, v), 1.0)
        self.opt.apply_gradients(zip(grads, v))
        return loss
