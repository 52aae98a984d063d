from tensorflow import keras
from tensorflow.keras import layers


def tower(name, spec):
    ids = keras.Input(shape=(1,), dtype="int32", name=name)
    x = layers.Embedding(spec["cardinality"], spec["embedding"])(ids)
    x = layers.Flatten()(x)
    for width in spec["hidden"]:
        x = layers.Dense(width, activation="relu")(x)
        if spec["dropout"]:
            x = layers.Dropout(spec["dropout"])(x)
    return ids, x


def two_tower(user_spec, item_spec):
    user_in, user_vec = tower("user", user_spec)
    item_in, item_vec = tower("item", item_spec)
    score = layers.Dot(axes=1)([user_vec, item_vec])
    prob = layers.Activation("sigmoid")(score)
    return keras.Model([user_in, item_in], prob)
