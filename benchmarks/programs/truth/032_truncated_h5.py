"""Copy a weights file between stages of a pipeline."""
import shutil
import tempfile
from pathlib import Path
import numpy as np
import keras

HERE = Path(__file__).resolve().parent
CHUNK = 4096


def make_model():
    return keras.Sequential([
        keras.Input((20,)),
        keras.layers.Dense(40, activation="relu"),
        keras.layers.Dense(2),
    ])


def copy_in_chunks(source, target, limit=None):
    with open(source, "rb") as fin, open(target, "wb") as fout:
        written = 0
        while block := fin.read(CHUNK):
            fout.write(block)
            written += len(block)
            if limit and written >= limit:
                break
    return written


def main():
    with tempfile.TemporaryDirectory(dir=HERE) as tmp:
        trained, served = Path(tmp) / "trained.weights.h5", Path(tmp) / "served.weights.h5"
        producer = make_model()
        producer.save_weights(trained)
        print("copied", copy_in_chunks(trained, served, limit=2 * CHUNK), "bytes")
        consumer = make_model()
        consumer.load_weights(served)
        x = np.ones((1, 20), "float32")
        np.testing.assert_allclose(producer(x), consumer(x))
        print("served model agrees")


main()
