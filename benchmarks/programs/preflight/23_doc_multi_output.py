"""Tickets: priority and department from a title and tags."""
import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(99)
rng = np.random.default_rng(99)
N, WORDS, TAGS, DEPARTMENTS = 500, 300, 12, 4

titles = rng.integers(1, WORDS, (N, 10))
tags = rng.integers(0, 2, (N, TAGS)).astype("float32")
priority = tags[:, :3].mean(1, keepdims=True)
department = titles.sum(1) % DEPARTMENTS

title_in = keras.Input((10,), name="title", dtype="int32")
tags_in = keras.Input((TAGS,), name="tags")
t = layers.GlobalAveragePooling1D()(layers.Embedding(WORDS, 16)(title_in))
joint = layers.concatenate([t, tags_in])
priority_out = layers.Dense(1, activation="sigmoid", name="priority")(joint)
department_out = layers.Dense(DEPARTMENTS, name="department")(joint)

model = keras.Model({"title": title_in, "tags": tags_in}, {"priority": priority_out, "department": department_out})
model.compile(
    optimizer="nadam",
    loss={
        "priority": "mse",
        "department": keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    },
    loss_weights={"priority": 2.0, "department": 0.5},
    metrics={"department": ["accuracy"]},
)
model.fit(
    {"title": titles, "tags": tags},
    {"priority": priority, "department": department},
    sample_weight={"priority": np.ones(N), "department": rng.uniform(0.5, 1, N)},
    epochs=3,
    batch_size=32,
    verbose=2,
)
answer = model.predict({"title": titles[:5], "tags": tags[:5]}, verbose=0)
print({k: v.shape for k, v in answer.items()})
