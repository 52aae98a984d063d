"""Stateful room model. State is kept for a fixed number of rooms, so the last batch is
filled up with copies and a weight of zero."""
import numpy as np
import tensorflow as tf

SLOTS = 8
ROOMS = 21
HOURS = 48
EPOCHS = 90


def houses(seed=10):
    rng = np.random.default_rng(seed)
    outside = 5 + 6 * np.sin(np.arange(HOURS) / 24 * 2 * np.pi)
    heat = rng.uniform(0, 1, (ROOMS, HOURS))
    temp = np.zeros((ROOMS, HOURS), np.float32)
    temp[:, 0] = 18
    for t in range(1, HOURS):
        temp[:, t] = temp[:, t - 1] + 0.1 * (outside[t] - temp[:, t - 1]) + 2.0 * heat[:, t]
    drive = np.stack([np.broadcast_to(outside, heat.shape), heat], -1)
    return drive.astype(np.float32), temp


def fill(drive, temp):
    n = tf.shape(drive)[0]
    missing = SLOTS - n
    index = tf.concat([tf.range(n), tf.zeros([missing], tf.int32)], 0)
    weight = tf.concat([tf.ones([n]), tf.zeros([missing])], 0)
    return (tf.ensure_shape(tf.gather(drive, index), [SLOTS, HOURS, 2]),
            tf.ensure_shape(tf.gather(temp, index), [SLOTS, HOURS]), weight)


class Room(tf.Module):
    def __init__(self):
        super().__init__()
        self.leak = tf.Variable(0.05)
        self.gain = tf.Variable(1.0)
        self.state = tf.Variable(tf.zeros([SLOTS]), trainable=False)

    @tf.function
    def loss(self, drive, temp, weight):
        self.state.assign(temp[:, 0])
        now = tf.identity(self.state)
        total = 0.0
        for t in range(1, HOURS):
            now = now + self.leak * (drive[:, t, 0] - now) + self.gain * drive[:, t, 1]
            total += tf.reduce_sum(weight * tf.square(now - temp[:, t]))
        return total / (tf.reduce_sum(weight) * (HOURS - 1))


drive, temp = houses()
data = tf.data.Dataset.from_tensor_slices((drive, temp)).batch(SLOTS).map(fill)
room = Room()
opt = tf.keras.optimizers.Adam(0.05)
seen = 0
for epoch in range(EPOCHS):
    for d, y, w in data:
        with tf.GradientTape() as tape:
            loss = room.loss(d, y, w)
        opt.apply_gradients(zip(tape.gradient(loss, [room.leak, room.gain]), [room.leak, room.gain]))
        seen += int(tf.reduce_sum(w))
assert seen == EPOCHS * ROOMS
print("rooms seen per epoch:", seen // EPOCHS, "| loss %.4f" % float(loss))
print("leak %.3f (0.1), gain %.3f (2.0)" % (float(room.leak), float(room.gain)))
