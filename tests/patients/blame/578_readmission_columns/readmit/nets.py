import keras
from keras import layers


def logistic(dim):
    return keras.Sequential([keras.Input((dim,)), layers.Dense(1, activation="sigmoid")])


def mlp(dim, width=16, dropout=0.2):
    return keras.Sequential([
        keras.Input((dim,)),
        layers.Dense(width, activation="relu"),
        layers.Dropout(dropout),
        layers.Dense(width, activation="relu"),
        layers.Dense(1, activation="sigmoid"),
    ])


NETS = {"logistic": logistic, "mlp": mlp}


def bagged(kind, dim, members):
    nets = [NETS[kind](dim) for _ in range(members)]
    inp = keras.Input((dim,))
    out = layers.Average()([n(inp) for n in nets]) if members > 1 else nets[0](inp)
    return keras.Model(inp, out, name=f"{kind}_x{members}")
