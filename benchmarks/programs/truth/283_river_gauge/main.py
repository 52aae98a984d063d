import tensorflow as tf

import config
from network import forecaster, pinball
from series import simulate, standardise, windows


def main():
    tf.keras.utils.set_random_seed(21)
    levels, mean, std = standardise(simulate(days=90))
    cut = int(len(levels) * 0.8)
    train, held = windows(levels[:cut], True), windows(levels[cut:], False)

    model = forecaster()
    model.compile(optimizer="adam", loss=pinball(0.7), jit_compile=config.USE_JIT)
    model.fit(train, validation_data=held, epochs=config.EPOCHS, verbose=2)

    for past, future in held.take(1):
        ahead = model.predict(past, verbose=0)
        print("first forecast [m]:", (ahead[0] * std[2] + mean[2]).round(2))
        print("observed       [m]:", (future[0].numpy() * std[2] + mean[2]).round(2))


if __name__ == "__main__":
    main()
