"""Policy gradient for time management in blitz chess, environments vectorised."""
import warnings

import numpy as np
import tensorflow as tf

ENVS, MOVES, ACTIONS = 16, 12, 3
SPEND = np.array([1.0, 4.0, 10.0], "float32")


class BlitzClock:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.clock = np.full(ENVS, 60.0, "float32")
        self.edge = np.zeros(ENVS, "float32")
        self.alive = np.ones(ENVS, bool)
        return self.observe()

    def observe(self):
        self.tension = self.rng.gamma(2.0, 0.5, size=ENVS).astype("float32")
        return np.stack([self.clock / 60.0, self.edge, self.tension], axis=1)

    def step(self, action):
        spent = SPEND[action]
        self.clock -= spent * self.alive
        flag = self.clock <= 0
        gain = np.tanh(self.tension * np.log1p(spent) / 4) - 0.3
        reward = np.where(self.alive, np.where(flag, -1.0, gain), 0.0).astype("float32")
        self.edge += reward
        self.alive &= ~flag
        return self.observe(), reward


class Policy(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.trunk = tf.keras.layers.Dense(16, activation="tanh")
        self.actor = tf.keras.layers.Dense(ACTIONS)
        self.critic = tf.keras.layers.Dense(1)

    def call(self, obs):
        h = self.trunk(obs)
        return self.actor(h), tf.squeeze(self.critic(h), -1)


@tf.function(jit_compile=True)
def discounted(rewards, gamma):
    """Rewards are time by env; scan from the end."""
    return tf.scan(lambda acc, r: r + gamma * acc, rewards,
                   initializer=tf.zeros_like(rewards[0]), reverse=True)


def main():
    tf.keras.utils.set_random_seed(6)
    env, policy = BlitzClock(9), Policy()
    opt = tf.keras.optimizers.Adam(0.01)
    for episode in range(4):
        obs, log_obs, log_act, log_rew, log_alive = env.reset(), [], [], [], []
        for _ in range(MOVES):
            logits, _ = policy(obs)
            action = tf.random.categorical(logits, 1)[:, 0].numpy()
            log_obs.append(obs)
            log_alive.append(env.alive.copy())
            obs, reward = env.step(action)
            log_act.append(action)
            log_rew.append(reward)
        if not env.alive.all():
            warnings.warn(f"{(~env.alive).sum()} clocks ran out in episode {episode}; their rows are masked")
        returns = tf.reshape(discounted(tf.constant(np.stack(log_rew)), 0.97), [-1])
        mask = np.concatenate(log_alive).astype("float32")
        with tf.GradientTape() as tape:
            logits, value = policy(np.concatenate(log_obs))
            nll = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=np.concatenate(log_act), logits=logits)
            adv = tf.stop_gradient(returns - value)
            loss = tf.reduce_sum(mask * (nll * adv + 0.5 * (returns - value) ** 2)) / mask.sum()
        grads = tape.gradient(loss, policy.trainable_variables)
        opt.apply_gradients(zip(grads, policy.trainable_variables))
        print(f"episode {episode} rows {int(mask.sum())} of {mask.size} loss {float(loss):.3f}")
    print("logits", logits.shape, "returns", returns.shape)


if __name__ == "__main__":
    main()
