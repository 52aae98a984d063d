"""Train on the old survey, continue with the new one."""
import os
import tempfile

import keras

from habitat import RELEASES, survey
from net import build, compile_for


def pretrain(folder):
    x, y = survey("2021", 160, seed=1)
    model = compile_for(build("2021"))
    hist = model.fit(x, y, epochs=2, batch_size=32, verbose=0)
    path = os.path.join(folder, "reef_2021.weights.h5")
    model.save_weights(path)
    print("pretrained on", len(RELEASES["2021"]), "habitats, loss",
          round(hist.history["loss"][-1], 3))
    return path


def transfer(path):
    x, y = survey("2023", 160, seed=2)
    model = build("2023")
    model.load_weights(path)
    compile_for(model, rate=3e-3)
    hist = model.fit(x, y, epochs=2, batch_size=32, verbose=0)
    print("continued on", len(RELEASES["2023"]), "habitats, loss",
          round(hist.history["loss"][-1], 3))
    return model


def main():
    keras.utils.set_random_seed(5)
    with tempfile.TemporaryDirectory() as folder:
        model = transfer(pretrain(folder))
    print("output", model.output_shape)


if __name__ == "__main__":
    main()
