"""Committee of regressors; a member that fails is left out."""
import numpy as np
import keras

ARCHITECTURES = {"small": [4], "odd": [8, "x"], "deep": [8, 8], "hollow": [0]}


class Member:
    def __init__(self, name, units):
        self.name = name
        keras.utils.set_random_seed(sum(map(ord, name)))
        self.model = keras.Sequential([keras.Input((2,))])
        for u in units:
            self.model.add(keras.layers.Dense(u, activation="tanh"))
        self.model.add(keras.layers.Dense(1))
        self.model.compile("adam", "mse")

    def fit(self, x, y):
        self.model.fit(x, y, epochs=1, verbose=0)
        return self


def assemble(x, y):
    members, failures = [], {}
    for name, units in ARCHITECTURES.items():
        try:
            members.append(Member(name, units).fit(x, y))
        except (ValueError, TypeError) as error:
            failures[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:70]}"
    return members, failures


rng = np.random.default_rng(0)
x = rng.normal(size=(60, 2)).astype("float32")
y = x.prod(1, keepdims=True)
members, failures = assemble(x, y)
if len(members) < 2:
    raise SystemExit("committee too small")
votes = np.stack([m.model.predict(x, verbose=0) for m in members])
print("members", [m.name for m in members], "failures", failures)
print("spread", votes.std(0).mean().round(3))
