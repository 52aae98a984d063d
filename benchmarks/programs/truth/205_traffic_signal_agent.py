import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

tf.random.set_seed(3)
N_LANES, N_PHASES = 8, 4


def xavier(rows, cols):
    s = np.sqrt(6.0 / (rows + cols))
    return tf.Variable(tf.random.uniform([rows, cols], -s, s))


w_in, w_out = xavier(N_LANES, 24), xavier(24, N_PHASES)


@tf.function
def policy(queues, green_for):
    hidden = tf.nn.relu(queues @ w_in)
    logits = hidden @ w_out
    # no change of phase in the first five seconds
    if green_for < 5:
        action = tf.fill([tf.shape(queues)[0]], -1)
    else:
        scores = logits - tf.reduce_logsumexp(logits, axis=1, keepdims=True)
        action = tf.argmax(scores, axis=1)
    return action


def step_queue(queues, action, rng):
    served = np.zeros_like(queues)
    for junction, a in enumerate(action):
        if a >= 0:
            served[junction, 2 * a:2 * a + 2] = 3
    return np.clip(queues - served, 0, None) + rng.poisson(0.4, queues.shape)


rng = np.random.default_rng(0)
queues = rng.poisson(3.0, (5, N_LANES)).astype("float32")
clock = 0
for t in range(40):
    a = policy(tf.constant(queues, tf.float32), tf.constant(clock % 9)).numpy()
    queues = step_queue(queues, a, rng).astype("float32")
    clock += 1
print("mean queue after 40 s:", queues.mean().round(2))
