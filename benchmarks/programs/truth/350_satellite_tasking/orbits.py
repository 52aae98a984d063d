"""Ground passes of a small constellation and the clouds under them."""
import numpy as np

FEATURES = 5


def passes(days, per_day, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(days * per_day, FEATURES)).astype("float32")
    clear = (x[:, 0] + 0.3 * rng.normal(size=len(x)) > 0).astype("float32")
    return x, clear


def windows(x, clear, per_day):
    """Group passes by day."""
    days = len(x) // per_day
    return (x.reshape(per_day, days, FEATURES),
            clear.reshape(days, per_day))
