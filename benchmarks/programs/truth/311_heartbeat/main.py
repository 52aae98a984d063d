import argparse

import numpy as np
import tensorflow as tf

from beatnet import BeatNet, train_step
from preprocess import default_chain
from signals import CLASSES, load


def main():
    ap = argparse.ArgumentParser(description="train the beat classifier")
    ap.add_argument("--leads", type=int, default=1)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch", type=int, default=40)
    args = ap.parse_args()

    tf.keras.utils.set_random_seed(31)
    x, y = load(800, args.leads, seed=0)
    chain = default_chain().fit(x)
    x = chain(x)

    net = BeatNet(args.leads, len(CLASSES))
    opt = tf.keras.optimizers.Adam(3e-3)
    opt.build(net.trainable_variables)
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(800, seed=0).batch(args.batch, drop_remainder=True)
    for epoch in range(1, args.epochs + 1):
        loss = np.mean([train_step(net, opt, bx, by) for bx, by in ds])
        print(f"epoch {epoch} loss {loss:.3f}")

    tx, ty = load(200, args.leads, seed=1)
    guess = np.argmax(net(chain(tx)), axis=1)
    print("accuracy", np.mean(guess == ty))


if __name__ == "__main__":
    main()
