import numpy as np
import tensorflow as tf


class Volume:
    def __init__(self, pid, shape=(6, 24, 24)):
        rng = np.random.default_rng(pid)
        self.voxels = rng.normal(100, 20, shape)
        self.lesion = rng.random(shape[0]) > 0.5

    def normalised(self):
        lo, hi = np.percentile(self.voxels, [1, 99])
        return np.clip((self.voxels - lo) / (hi - lo), 0, 1).astype("float32")


class SliceSource:
    def __init__(self, patients, augment=False):
        self.volumes = [Volume(p) for p in patients]
        self.augment = augment

    def __iter__(self):
        for vol in self.volumes:
            for img, lab in zip(vol.normalised(), vol.lesion):
                if self.augment:
                    img = np.rot90(img, k=np.random.randint(4)).copy()
                yield img, np.float32(lab)

    def dataset(self, batch):
        ds = tf.data.Dataset.from_generator(
            lambda: iter(self),
            output_signature=(tf.TensorSpec((24, 24, 1), tf.float32),
                              tf.TensorSpec((), tf.float32)))
        return ds.batch(batch)


w = tf.Variable(tf.random.normal([3, 3, 1, 4], stddev=0.1))
v = tf.Variable(tf.random.normal([4, 1], stddev=0.1))


def net(x):
    h = tf.nn.relu(tf.nn.conv2d(x, w, strides=2, padding="SAME"))
    return tf.squeeze(tf.reduce_mean(h, axis=[1, 2]) @ v, axis=1)


opt = tf.keras.optimizers.SGD(0.01)
train = SliceSource(range(3), augment=True).dataset(6)
for epoch in range(2):
    losses = []
    for x, y in train:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=net(x)))
        opt.apply_gradients(zip(tape.gradient(loss, [w, v]), [w, v]))
        losses.append(float(loss))
    print(epoch, np.mean(losses))
