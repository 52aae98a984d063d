"""Zoom onto meteor trails: crop scale is chosen per night inside a compiled step."""
import numpy as np
import tensorflow as tf

PARAMS = {"frame": 48, "min_zoom": 0.5, "max_zoom": 2.0, "filters": 6, "lr": 0.01}


def night(rng, frames=4):
    img = rng.normal(size=(frames, PARAMS["frame"], PARAMS["frame"], 1)) * 0.1
    for f in range(frames):
        for s in range(20):
            img[f, 10 + s, 12 + s, 0] += 1.0
    speed = rng.uniform(0.5, 2.0, size=frames)
    return img.astype("float32"), speed.astype("float32")


class TrailNet(tf.Module):
    def __init__(self, filters):
        super().__init__()
        init = tf.random.stateless_normal
        self.k = tf.Variable(init([5, 5, 1, filters], [1, 1]) * 0.1, name="kernel")
        self.w = tf.Variable(init([filters, 1], [2, 2]) * 0.1, name="readout")

    def __call__(self, x):
        h = tf.nn.relu(tf.nn.conv2d(x, self.k, 2, "SAME"))
        return tf.squeeze(tf.reduce_max(h, axis=[1, 2]) @ self.w, -1)


class ZoomControl(tf.Module):
    """Clear nights are looked at more closely; a moving average over nights."""

    def __init__(self, momentum=0.8):
        super().__init__()
        self.zoom = tf.Variable(1.0)
        self.momentum = momentum

    def __call__(self, images):
        contrast = tf.math.reduce_std(images) / tf.reduce_max(images)
        wish = tf.clip_by_value(0.2 / contrast, PARAMS["min_zoom"], PARAMS["max_zoom"])
        self.zoom.assign(self.momentum * self.zoom + (1 - self.momentum) * wish)
        return tf.cast(tf.round(PARAMS["frame"] * self.zoom), tf.int32)


def make_step(net, control, lr):
    @tf.function(jit_compile=True)
    def step(images, speed):
        side = control(images)
        zoomed = tf.image.resize(images, tf.stack([side, side]), method="bilinear")
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(zoomed) - speed))
        for v, g in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
            v.assign_sub(lr * g)
        return loss, side

    return step


def main():
    rng = np.random.default_rng(812)
    net = TrailNet(PARAMS["filters"])
    control = ZoomControl()
    step = make_step(net, control, PARAMS["lr"])
    for n in range(3):
        images, speed = night(rng)
        loss, side = step(tf.constant(images), tf.constant(speed))
        print(f"night {n} side {int(side)} loss {float(loss):.4f}")


if __name__ == "__main__":
    main()
