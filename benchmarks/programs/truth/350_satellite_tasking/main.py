"""Learn which pass of a day is worth tasking."""
import argparse

import tensorflow as tf

from orbits import FEATURES, passes, windows
from policy import TaskingPolicy


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--days", type=int, default=28)
    p.add_argument("--per-day", type=int, default=6)
    p.add_argument("--width", type=int, default=8)
    p.add_argument("--steps", type=int, default=5)
    args = p.parse_args()

    x, clear = passes(args.days, args.per_day, seed=17)
    window, target = windows(x, clear, args.per_day)
    print("passes", x.shape, "days", args.days)
    policy = TaskingPolicy(FEATURES, args.width)
    opt = tf.keras.optimizers.Adam(0.05)
    for step in range(args.steps):
        with tf.GradientTape() as tape:
            loss = policy.loss(tf.constant(window), tf.constant(target))
        grads = tape.gradient(loss, policy.trainable_variables)
        opt.apply_gradients(zip(grads, policy.trainable_variables))
        print("step", step, "loss", round(float(loss), 4))


if __name__ == "__main__":
    main()
