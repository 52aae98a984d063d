"""Commands; TensorFlow is imported only by those that need it."""
import os


def _nights(n, seed=3):
    import numpy as np
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).astype("float32")
    return x, (x[:, :1] - 0.5 * x[:, 1:2] > 0).astype("float32")


def _model():
    from tensorflow import keras
    keras.utils.set_random_seed(1)
    m = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
    m.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
    return m


def train(args):
    """train and store the model"""
    m = _model()
    m.fit(*_nights(args.nights), epochs=2, verbose=2)
    m.save(os.path.join(args.scratch, "frost.keras"))
    return 0


def doctor(args):
    """check the installation"""
    from tensorflow import keras
    ok = train(args) == 0
    path = os.path.join(args.scratch, "frost.keras")
    again = keras.models.load_model(path)
    try:
        again.predict(_nights(4)[0][:, :3], verbose=0)
    except ValueError as err:
        print("three columns are refused:", str(err).splitlines()[0][:70])
    else:
        return "broken"
    try:
        keras.models.load_model(os.path.join(args.scratch, "other.keras"))
    except (ValueError, OSError) as err:
        print("a missing file is refused:", type(err).__name__)
    return "healthy" if ok else "broken"


TABLE = {"train": train, "doctor": doctor}
