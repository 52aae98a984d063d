"""Click-through rate from a log of (user, page) pairs."""
import numpy as np
import keras
from keras import layers, ops

N_USERS, N_PAGES = 400, 150

keras.utils.set_random_seed(42)
rng = np.random.default_rng(42)

users = np.sort(rng.integers(0, N_USERS, 3000))
pages = rng.integers(0, N_PAGES, 3000)
# the newest lines of the log also contain pages that were added this week
pages[2500:] = rng.integers(0, N_PAGES + 25, 500)
clicked = (rng.random(3000) < 0.3).astype("float32")

user_in = keras.Input((1,), dtype="int32", name="user")
page_in = keras.Input((1,), dtype="int32", name="page")
u = layers.Flatten()(layers.Embedding(N_USERS, 8)(user_in))
p = layers.Flatten()(layers.Embedding(N_PAGES, 8)(page_in))
score = layers.Dot(axes=1)([u, p])
out = layers.Activation("sigmoid")(score)

model = keras.Model([user_in, page_in], out)
model.compile("adagrad", loss="binary_crossentropy", metrics=[keras.metrics.AUC(name="auc")])
model.fit(
    {"user": users[:, None], "page": pages[:, None]},
    clicked,
    batch_size=100,
    epochs=2,
    shuffle=False,
    verbose=2,
)
top = model.predict({"user": np.zeros((N_PAGES, 1), "int32"), "page": np.arange(N_PAGES)[:, None]}, verbose=0)
print("best page for user 0:", int(top.argmax()))
