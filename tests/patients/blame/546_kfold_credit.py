# %%
import numpy as np
import pandas as pd
from tensorflow import keras

SEED = 2024
FOLDS = 3
rng = np.random.default_rng(SEED)

# %%
train = pd.DataFrame(rng.normal(size=(90, 8)), columns=[f"V{i}" for i in range(8)])
train["Amount"] = rng.gamma(2, 50, 90)
train["Class"] = (rng.random(90) < 0.2).astype("float32")
test = pd.DataFrame(rng.normal(size=(20, 8)), columns=[f"V{i}" for i in range(8)])
FEATS = [c for c in train.columns if c.startswith("V")]


# %%
def kfold(n, k, seed):
    order = np.random.default_rng(seed).permutation(n)
    parts = np.array_split(order, k)
    for i in range(k):
        yield np.concatenate([p for j, p in enumerate(parts) if j != i]), parts[i]


def make_model():
    m = keras.Sequential([
        keras.Input((len(FEATS),)),
        keras.layers.BatchNormalization(),
        keras.layers.Dense(12, activation="swish"),
        keras.layers.Dense(1, activation="sigmoid"),
    ])
    m.compile(optimizer="adam", loss="binary_crossentropy")
    return m


# %%
X = train[FEATS].to_numpy("float32")
y = train["Class"].to_numpy()
X_test = test[FEATS].to_numpy("float32")
oof = np.zeros(len(X))
sub = np.zeros(len(X_test))
for fold, (tr, va) in enumerate(kfold(len(X), FOLDS, SEED)):
    model = make_model()
    model.fit(X[tr], y, epochs=1, batch_size=30, verbose=0)
    oof[va] = model.predict(X[va], verbose=0).ravel()
    sub += model.predict(X_test, verbose=0).ravel() / FOLDS
    print("fold", fold, "mean oof", oof[va].mean())

# %%
print("logloss", -np.mean(y * np.log(oof) + (1 - y) * np.log(1 - oof)))
