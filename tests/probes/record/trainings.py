"""A module of a target: trainings whose layers, losses and optimizers do not do what they look like; some that do."""

TRAININGS = """
import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
x = rng.normal(size=(64, 4)).astype("float32")
y = (x[:, :1] > 0).astype("float32")
kinds = rng.integers(0, 3, 64)
flags = y[:, 0]


def model(name, *layers, units=1, end="sigmoid"):
    return keras.Sequential([keras.Input((4,)), *layers, keras.layers.Dense(units, end)], name=name)


def fit(net, loss="binary_crossentropy", labels=y):
    if not net.compiled:
        net.compile("adam", loss)  # compile
    net.fit(x, labels, verbose=0)  # fit


def steps(net, call, loss, labels, optimizer=None, many=6):
    make = (lambda: optimizer) if optimizer else (lambda: keras.optimizers.Adam(0.01))
    for _ in range(many):
        with tf.GradientTape() as tape:
            value = tf.reduce_mean(loss(labels, call(net)))  # loss
        grads = tape.gradient(value, net.trainable_variables)
        make().apply_gradients(zip(grads, net.trainable_variables))  # step


# Frozen and thawed too late; again with a new compile.
body = keras.layers.Dense(5, "tanh", name="body")
net = model("late", body)
fit(net)
body.trainable = False  # frozen
fit(net)
net.compile("adam", "binary_crossentropy")
fit(net)
body.trainable = True  # thawed
fit(net)
net.compile("adam", "binary_crossentropy")
fit(net)

# Batch normalisation and dropout that do nothing, in a graph.
norm, drop = keras.layers.BatchNormalization(name="norm"), keras.layers.Dropout(0.3, name="drop")
idle = model("idle", norm, drop, units=3, end=None)
adam = keras.optimizers.Adam(0.01)
scored = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def step():
    with tf.GradientTape() as tape:
        value = scored(kinds, idle(x))
    adam.apply_gradients(zip(tape.gradient(value, idle.trainable_variables), idle.trainable_variables))


for _ in range(3):
    step()
idle.layers[-1].trainable = False  # kept
for _ in range(3):
    step()

# Scores for probabilities, probabilities for scores, an optimizer for each step.
plain = model("plain", end=None)
fit(plain)
fit(model("alone", end="softmax"))
soft = model("soft", units=3, end="softmax")
steps(soft, lambda n: n(x), tf.nn.sparse_softmax_cross_entropy_with_logits, kinds)

# Healthy.
used = model("used", keras.layers.BatchNormalization(), end=None)
right = keras.losses.BinaryCrossentropy(from_logits=True)
steps(used, lambda n: n(x, training=True), right, y, keras.optimizers.Adam(0.01))
tuned = model("tuned", keras.layers.BatchNormalization(trainable=False))
steps(tuned, lambda n: n(x), keras.losses.BinaryCrossentropy(), y, keras.optimizers.Adam(0.01))
mixed = model("mixed")
steps(mixed, lambda n: 0.9 * n(x) + 0.05, keras.losses.BinaryCrossentropy(), y, keras.optimizers.SGD(0.1))
fit(model("soft_fit", units=3, end="softmax"), "sparse_categorical_crossentropy", kinds)
steps(model("sgd"), lambda n: n(x), keras.losses.BinaryCrossentropy(), y, None, many=4)
other = model("toggled")
other.compile("adam", "binary_crossentropy")
for _ in range(2):
    other.trainable = True
    other.train_on_batch(x, y)
    other.trainable = False

# Random changes above a cache, and below it; validation rows of the training.
pairs = tf.data.Dataset.from_tensor_slices((x, kinds))


def noisy(row, kind):
    return row + tf.random.normal(tf.shape(row)), kind


for data in (pairs.map(noisy).cache(), pairs.cache().map(noisy)):  # cached
    net = model("noisy", units=3, end="softmax")
    net.compile("adam", "sparse_categorical_crossentropy")
    net.fit(data.shuffle(64).batch(16), epochs=2, verbose=0)
net = model("shared")
net.compile("adam", "binary_crossentropy")
net.fit(x[:48], y[:48], validation_data=(x[32:], y[32:]), verbose=0)  # shared
net.fit(x[:48], y[:48], validation_data=(x[48:], y[48:]), verbose=0)

# Folds that share a model, with and without its first weights; tasks one after the other.
kept, again, tasks = model("kept"), model("again"), model("tasks")
for net in (kept, again, tasks):
    net.compile("adam", "binary_crossentropy")
first = again.get_weights()
for held in np.array_split(rng.permutation(64), 4):
    rest = np.setdiff1d(np.arange(64), held)
    again.set_weights(first)
    for net in (kept, again):
        net.fit(x[rest], y[rest], verbose=0)
        net.evaluate(x[held], y[held], verbose=0)  # folds
for part in (slice(0, 32), slice(32, 64)):
    tasks.fit(x[part], y[part], verbose=0)
    tasks.evaluate(x[:32], y[:32], verbose=0)

# Settings that say something else: a mode, names, an epoch, regularizers that no loss has.
late = model("odd", keras.layers.Dense(3, kernel_regularizer="l2"))
late.compile("adam", "binary_crossentropy", metrics=["accuracy"])
for mode in ("min", "max"):
    stop = keras.callbacks.EarlyStopping("accuracy", mode=mode, patience=9)  # mode
    late.fit(x, y, epochs=4, batch_size=4, callbacks=[stop], verbose=0)
late.optimizer.lr = 0.1  # lr
late.layers[0].trainabel = False  # trainabel
late.optimizer.learning_rate = 0.1
late.remark, late.layer, late.layers[0].unit = "own", late.layers[0], "m"
late.fit(x, y, epochs=4, initial_epoch=4, verbose=0)
steps(late, lambda n: n(x, training=True), keras.losses.BinaryCrossentropy(), y, keras.optimizers.Adam(0.01))


class Lazy(keras.Model):
    # Built by its first fit, and gone before the end.

    def __init__(self):
        super().__init__()
        self.norm, self.out = keras.layers.BatchNormalization(name="lazy"), keras.layers.Dense(1, "sigmoid")

    def call(self, x, training=False):
        return self.out(self.norm(x, training=training))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            value = self.compute_loss(x, y, self(x, training=False))
        self.optimizer.apply_gradients(zip(tape.gradient(value, self.trainable_variables), self.trainable_variables))
        return {"loss": value}


def lazily():
    net = Lazy()
    fit(net)


lazily()


# Gradients for other variables, a tensor for a variable, values that stay, a rate on an optimizer that is left.
class Pair(tf.Module):
    def __init__(self, name):
        super().__init__(name)
        self.a = tf.Variable(tf.eye(4), name=name + "_a")
        self.b = tf.Variable(tf.ones((4, 4)), name=name + "_b")
        self.c = tf.Variable(0.5, name=name + "_c")

    def __call__(self):
        return tf.reduce_mean(tf.square(x @ self.a @ self.b - y)) + 0.1 * self.c


def pairs(pair, loss=None, order=lambda v: v, **how):
    optimizer, sources = keras.optimizers.SGD(0.01), [pair.a, pair.b, pair.c]
    for _ in range(6):
        with tf.GradientTape() as tape:
            value = (loss or pair)()
        gradients = tape.gradient(value, sources, **how)
        optimizer.apply_gradients(zip(gradients, order(sources)))  # apply


swapped, other, told, zero, right = (Pair(n) for n in ("swapped", "other", "told", "zero", "right"))
pairs(swapped, order=lambda v: [v[1], v[0], v[2]])
pairs(other, order=lambda v: [right.a, right.b, right.c])
zero_loss = lambda: tf.reduce_mean(tf.square(x @ zero.a @ zero.b - y)) * np.exp(zero.c.numpy())  # zero
pairs(zero, zero_loss, unconnected_gradients="zero")
told.c = tf.minimum(told.c, 1.0)  # told
told.a, told.b.remark = tf.Variable(told.a), 1.0
pairs(right)
signed = model("signed", keras.layers.Lambda(tf.sign))
fit(signed)
left = keras.optimizers.Adam(0.01)
net = model("left")
net.compile(left, "binary_crossentropy")
fit(net)
net.compile(keras.optimizers.Adam(0.01), "binary_crossentropy")
left.learning_rate = 0.1  # left
net.fit(x, y, epochs=2, verbose=0)
net.optimizer.learning_rate = 0.1
fit(net)

# A layer that is frozen beside its clone; a teacher that is used.
first, teacher = (model(n, keras.layers.Dense(5, name="dense_of_" + n)) for n in ("first", "teacher"))
for one in (first, teacher):
    clone = keras.models.clone_model(one)
    one.trainable = False  # beside
    if one is teacher:
        one(x)
    fit(clone)

# A layer that is made trainable when the list was made.
net = model("listed", keras.layers.Dense(4, trainable=False, name="thawed"))
listed, adam = net.trainable_variables, keras.optimizers.Adam(0.01)
net.layers[0].trainable = True  # thawed layer
for _ in range(5):
    with tf.GradientTape() as tape:
        value = tf.reduce_mean(tf.square(net(x) - y))
    adam.apply_gradients(zip(tape.gradient(value, listed), listed))

# Weights that are loaded into a model that nothing uses; into one that is used, copied, asked, or has been trained.
def restored(net):
    net.load_weights("kept.weights.h5")
def begun(name):
    return model(name, keras.layers.Dense(6))
begun("origin").save_weights("kept.weights.h5")
def resumed(name, copies=False, again=False):
    net = begun("old_" + name)
    restored(net)  # loaded
    new = net if again else begun("new_" + name)
    if copies:
        new.set_weights(net.get_weights())
    fit(new)
    return net
resumed("lost")
resumed("copied", copies=True)
resumed("right", again=True)
fit(restored(resumed("right", again=True)) or begun("after"))
resumed("teacher")(x)

# Losses and metrics that get probabilities, scores or one unit; and some that were told.
def scored_by(name, loss, *metrics, end=None, then=lambda t: t, units=1):
    one = keras.Input((4,))
    net = keras.Model(one, then(keras.layers.Dense(units, end)(one)), name=name)
    net.compile("adam", loss, metrics=list(metrics))
    net.fit(x, y, verbose=0)  # fit


score = keras.losses.BinaryCrossentropy(from_logits=True)
scored_by("mean", score, end="sigmoid", then=lambda t: keras.ops.clip((t + t) / 2.0, 0.01, 0.99))
scored_by("scaled", score, end="sigmoid", then=lambda t: 8.0 * t - 4.0)
scored_by("unit", "categorical_crossentropy", end="sigmoid")
scored_by("accuracy", "binary_crossentropy", keras.metrics.Accuracy(), keras.metrics.MeanIoU(2), end="sigmoid")
scored_by("auc", score, keras.metrics.AUC())
told = (keras.metrics.AUC(from_logits=True), keras.metrics.Precision(thresholds=0), "accuracy")
scored_by("told", score, *told)
scored_by("both", "binary_crossentropy", keras.metrics.AUC(), keras.metrics.Precision(), end="sigmoid")
# Weights that are written before the training; after it, for a model that is trained, or beside another use of both.
def written(name, late=False, goes_on=False, both=False):
    net, other = begun("early_" + name), begun("last_" + name)
    if late:
        fit(net)
    net.save_weights(name + ".weights.h5")  # early
    if not late:
        fit(net)
    other.load_weights(name + ".weights.h5")
    if goes_on:
        fit(other)
    if both:
        net.predict(x, verbose=0)
    other.predict(x, verbose=0)
for how in ("", "late", "goes_on", "both"):
    written("file_" + how, **({how: True} if how else {}))
"""
