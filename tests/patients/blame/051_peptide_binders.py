import numpy as np
import keras

keras.utils.set_random_seed(81)
PEPTIDE = 30


def encode(seq, alphabet="ACDEFGHIKLMNPQRSTVWY"):
    return [alphabet.index(a) / len(alphabet) for a in seq]


def peptides(n, favoured, seed):
    rng = np.random.default_rng(seed)
    letters = list("ACDEFGHIKLMNPQRSTVWY")
    p = np.array([3.0 if a in favoured else 1.0 for a in letters])
    return ["".join(rng.choice(letters, PEPTIDE, p=p / p.sum())) for _ in range(n)]


def join_classes(pos, neg):
    return np.concatenate([pos, neg], axis=1)


binders = np.array([encode(s) for s in peptides(50, "KRW", 1)], "float32")
others = np.array([encode(s) for s in peptides(50, "DEG", 2)], "float32")
x = join_classes(binders, others)
y = np.concatenate([np.ones(50), np.zeros(50)]).astype("float32")

perm = np.random.default_rng(81).permutation(100)


class BinderNet(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(24, activation="relu")
        self.drop = keras.layers.Dropout(0.5)
        self.out = keras.layers.Dense(1, activation="sigmoid")

    def call(self, x, training=None):
        return self.out(self.drop(self.hidden(x), training=training))


net = BinderNet()
net.compile("adam", "binary_crossentropy")
net.fit(x, y, epochs=1, batch_size=25, verbose=0)
print("binding", net.predict(x[perm[:3]], verbose=0).ravel())
