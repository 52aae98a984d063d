"""Route support mails, raw strings in, TextVectorization inside the pipeline."""
import random

import keras
import tensorflow as tf

random.seed(3)
keras.utils.set_random_seed(3)

STOCK = {
    "billing": "invoice charge refund card payment price double".split(),
    "technical": "crash error install update slow screen login".split(),
    "sales": "quote licence seats upgrade discount trial demo".split(),
}
FILLER = "hello the please my with about since yesterday thanks a very is".split()
labels = list(STOCK)


def mail(kind):
    words = random.choices(STOCK[kind], k=random.randint(2, 5)) + random.choices(FILLER, k=random.randint(1, 9))
    random.shuffle(words)
    return " ".join(words) + random.choice([".", "!", "?"])


kinds = [random.choice(labels) for _ in range(410)]
texts = [mail(k) for k in kinds]
targets = [labels.index(k) for k in kinds]

vectorize = keras.layers.TextVectorization(max_tokens=64, output_mode="tf_idf")
vectorize.adapt(texts)

ds = tf.data.Dataset.from_tensor_slices((texts, targets)).batch(30)
ds = ds.map(lambda text, target: (vectorize(text), target), num_parallel_calls=tf.data.AUTOTUNE)
train, held = ds.take(11), ds.skip(11)

model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(3, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(train, validation_data=held, epochs=4, verbose=2)
for text in ["refund my card please!", "login error since update"]:
    p = model.predict(vectorize([text]), verbose=0)[0]
    print(f"{text!r} -> {labels[int(p.argmax())]}")
