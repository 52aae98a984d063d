"""REINFORCE on a toy emergency-room triage simulator: send the patient to one of four wards."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

WARDS = ["resus", "majors", "minors", "home"]
COST = tf.constant(
    [
        [0.0, 0.6, 2.0, 6.0],
        [0.4, 0.0, 0.7, 2.5],
        [1.0, 0.5, 0.0, 0.4],
        [1.5, 0.9, 0.3, 0.0],
    ]
)


class Ward:
    """Draws patients: vital signs with a hidden severity between 0 and 3."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def admit(self, n):
        severity = self.rng.integers(0, 4, n)
        pulse = 120 - 14 * severity + self.rng.normal(0, 8, n)
        oxygen = 86 + 4 * severity + self.rng.normal(0, 2, n)
        age = self.rng.uniform(18, 95, n)
        vitals = np.stack([(pulse - 95) / 20, (oxygen - 93) / 5, (age - 55) / 20], 1)
        return tf.constant(vitals, tf.float32), tf.constant(severity, tf.int32)


class Policy(keras.Model):
    def __init__(self, hidden):
        super().__init__()
        self.body = keras.layers.Dense(hidden, activation="tanh")
        self.scores = keras.layers.Dense(len(WARDS))

    def call(self, vitals):
        return self.scores(self.body(vitals))

    def act(self, vitals, explore):
        scores = self(vitals)
        greedy = tf.argmax(scores, axis=-1, output_type=tf.int32)
        random = tf.random.categorical(tf.zeros_like(scores), 1, dtype=tf.int32)[:, 0]
        pick = tf.random.uniform(tf.shape(greedy)) < explore
        return tf.where(pick, random, greedy)


def expected_cost(actions, severity):
    chosen = tf.one_hot(actions, len(WARDS))
    return tf.reduce_sum(chosen * tf.gather(COST, severity), axis=-1)


def improve(policy, optimizer, vitals, severity, explore):
    with tf.GradientTape() as tape:
        actions = policy.act(vitals, explore)
        cost = expected_cost(actions, severity)
        baseline = tf.reduce_mean(cost)
        penalty = 1e-3 * tf.reduce_mean(tf.square(tf.cast(actions, tf.float32)))
        loss = tf.reduce_mean(cost) + penalty
    weights = policy.trainable_variables
    gradients = tape.gradient(loss, weights)
    optimizer.apply_gradients(zip(gradients, weights))
    return baseline


def main():
    keras.utils.set_random_seed(3)
    ward = Ward(3)
    policy = Policy(16)
    optimizer = keras.optimizers.Adam(1e-2)
    vitals, severity = ward.admit(5)
    print("first scores", policy(vitals).numpy().round(2).tolist())
    for episode in range(20):
        vitals, severity = ward.admit(64)
        cost = improve(policy, optimizer, vitals, severity, explore=max(0.05, 0.5 - 0.03 * episode))
        if episode % 5 == 0:
            print(f"episode {episode}: mean cost {float(cost):.3f}")


if __name__ == "__main__":
    main()
