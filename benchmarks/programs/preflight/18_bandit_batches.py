"""Learn the reward of slot machines from a stream of logged plays."""
import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(6)
ARMS, PLAYS, SIZE, EPOCHS = 12, 960, 40, 3

rng = np.random.default_rng(6)
true_reward = rng.uniform(0, 1, ARMS)


def plays():
    """The log, in batches."""
    log_arm = rng.integers(0, ARMS, PLAYS)
    log_reward = (rng.random(PLAYS) < true_reward[log_arm]).astype("float32")
    for i in range(0, PLAYS, SIZE):
        yield log_arm[i : i + SIZE], log_reward[i : i + SIZE]


model = keras.Sequential([keras.Input((ARMS,)), keras.layers.Dense(1, activation="sigmoid")])
optimizer = keras.optimizers.Adam(0.05)
loss_fn = keras.losses.BinaryCrossentropy()


@tf.function
def step(arm, reward):
    with tf.GradientTape() as tape:
        guess = model(tf.one_hot(arm, ARMS), training=True)
        loss = loss_fn(reward[:, None], guess)
    gradients = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(gradients, model.trainable_weights))
    return loss


stream = plays()
for epoch in range(EPOCHS):
    total = 0.0
    for _ in range(PLAYS // SIZE):
        arm, reward = next(stream)
        total += float(step(tf.constant(arm), tf.constant(reward)))
    print(f"epoch {epoch + 1}/{EPOCHS}: loss {total * SIZE / PLAYS:.3f}")

print("best arm:", int(np.argmax(model.predict(np.eye(ARMS), verbose=0))), "true:", int(true_reward.argmax()))
