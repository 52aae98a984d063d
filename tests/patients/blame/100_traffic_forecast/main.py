import keras

import config
from data import load
from model import build


def main():
    keras.utils.set_random_seed(0)
    x, y = load()
    cut = int(0.8 * len(x))
    net = build()
    net.compile("adam", "mse")
    net.fit(x[:cut], y[:cut], batch_size=config.BATCH, epochs=1, verbose=0)
    print("test mse", net.evaluate(x[cut:], y[cut:], verbose=0))


if __name__ == "__main__":
    main()
