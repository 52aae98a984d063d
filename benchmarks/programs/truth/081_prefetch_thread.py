"""Hand-made prefetching: a producer thread augments, the main thread trains."""
import queue
import threading
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)


class Producer(threading.Thread):
    def __init__(self, images, out, repeats):
        super().__init__(name="augmenter", daemon=True)
        self.images, self.out, self.repeats = images, out, repeats

    def augment(self, image, angle):
        turned = tf.image.rot90(image, k=angle)
        shade = tf.linspace(0.8, 1.2, self.images.shape[2])
        return turned * shade[None, :, None]

    def run(self):
        for r in range(self.repeats):
            batch = tf.stack([self.augment(image, r) for image in self.images])
            self.out.put(batch)


images = tf.constant(np.random.default_rng(1).random((6, 10, 14, 1)), tf.float32)
channel = queue.Queue(maxsize=2)
Producer(images, channel, repeats=4).start()
level = tf.Variable(0.0)
for step in range(4):
    try:
        batch = channel.get(timeout=4)
    except queue.Empty:
        raise SystemExit(f"no data after step {step}, giving up")
    level.assign(0.9 * level + 0.1 * tf.reduce_mean(batch))
    print("step", step, "batch", batch.shape)
print("running level", float(level))
