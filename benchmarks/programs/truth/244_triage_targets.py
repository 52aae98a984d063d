"""Triage of emergency calls: urgency (4 levels), unit to send (3 kinds) and expected minutes."""
import json

import numpy as np
import pandas as pd
import tensorflow as tf

SPEC = json.loads("""
{
  "text": {"vocab": 300, "length": 24},
  "heads": {
    "urgency": {"kind": "class", "size": 4, "weight": 1.0},
    "unit":    {"kind": "class", "size": 3, "weight": 0.5},
    "minutes": {"kind": "value", "size": 1, "weight": 0.2}
  },
  "batch": 32
}
""")


def synthetic_calls(n):
    rng = np.random.default_rng(42)
    return pd.DataFrame({
        "tokens": [rng.integers(1, SPEC["text"]["vocab"], SPEC["text"]["length"]) for _ in range(n)],
        "urgency": rng.integers(0, 4, n),
        "unit": rng.choice(["ambulance", "engine", "patrol"], n),
        "minutes": rng.gamma(3.0, 4.0, n).round(1),
    })


def targets(frame):
    out = {}
    for name, head in SPEC["heads"].items():
        column = frame[name]
        if head["kind"] == "value":
            out[name] = column.to_numpy("float32")[:, None]
        elif column.dtype == object or isinstance(column.dtype, pd.StringDtype):
            out[name] = pd.get_dummies(column).to_numpy("float32")
        else:
            out[name] = column.to_numpy("int32")[:, None]
    return out


def head_layer(name, head):
    if head["kind"] == "class":
        return tf.keras.layers.Dense(head["size"], activation="softmax", name=name)
    return tf.keras.layers.Dense(head["size"], activation="softplus", name=name)


def objective(head):
    if head["kind"] == "class":
        return tf.keras.losses.CategoricalCrossentropy()
    return tf.keras.losses.Huber()


def build():
    ids = tf.keras.Input((SPEC["text"]["length"],), dtype="int32", name="tokens")
    h = tf.keras.layers.Embedding(SPEC["text"]["vocab"], 16)(ids)
    h = tf.keras.layers.Conv1D(24, 3, activation="relu")(h)
    h = tf.keras.layers.GlobalMaxPooling1D()(h)
    outputs = {n: head_layer(n, s)(h) for n, s in SPEC["heads"].items()}
    return tf.keras.Model(ids, outputs)


def run():
    calls = synthetic_calls(200)
    x = np.stack(calls["tokens"]).astype("int32")
    y = targets(calls)
    for name, value in y.items():
        print(name, value.shape, value.dtype)
    model = build()
    model.compile(
        "adam",
        loss={n: objective(s) for n, s in SPEC["heads"].items()},
        loss_weights={n: s["weight"] for n, s in SPEC["heads"].items()},
    )
    model.fit(x, y, batch_size=SPEC["batch"], epochs=1, verbose=0)
    print({k: round(v, 3) for k, v in model.evaluate(x, y, verbose=0, return_dict=True).items()})


if __name__ == "__main__":
    run()
