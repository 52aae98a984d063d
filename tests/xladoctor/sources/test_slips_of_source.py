"""Slips that need no run: what is fed to a score, how partners are arranged, in which units numbers meet, what a step
of a training does. Each is found at its line by the source alone, and what looks like it is not.
"""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.backward import Backward
from xladoctor.sources.held import Held, View
from xladoctor.sources.slips import axes, grids, partner_orders, score_inputs, slips_of_names, training_steps, units

HEAD = """
import numpy as np
import pandas as pd
import tensorflow as tf
"""
WRONG = {
    "an area of classes": """
spectra, rare = np.load("s.npy"), np.load("t.npy")
found = (net.predict(spectra)[:, 0] > 0.3).astype(int)
print(roc_auc_score(rare, found))  # fed-with-classes
""",
    "a precision of rounded scores": """
def quality(net, x, truth):
    return average_precision_score(truth, np.round(net.predict(x)))  # fed-with-classes
""",
    "a threshold for scores": """
net.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
net.fit(x, y)
alarm = net.predict(x_new)[:, 0] > 0.5  # cut-of-scores
""",
    "folds of one model": """
net = build()
for kept, held_out in KFold(4).split(grains):
    net.fit(grains[kept], sizes[kept], epochs=9, verbose=0)  # folds-of-one-model
    errors.append(net.evaluate(grains[held_out], sizes[held_out]))
""",
    "regions left out": """
surrogate = make_surrogate(6)
for fold, region in enumerate(regions):
    out = region_of == region
    surrogate.fit(x[~out], y[~out], epochs=5)  # folds-of-one-model
    guess = surrogate.predict(x[out])
""",
    "a spread of nothing": """
draws = np.stack([net.predict(tiles, verbose=0) for _ in range(30)])  # one-prediction
band = 2 * draws.std(axis=0)
""",
    "files that are shuffled": """
plots = ImageDataGenerator(rescale=1 / 255).flow_from_directory("plots", batch_size=16)  # shuffled-files
weed = net.predict(plots).argmax(1)
print(confusion_matrix(plots.classes, weed))
""",
    "a score of each batch": """
def f1_of(truth, guess):  # mean-of-ratios
    hits = K.sum(truth * K.round(guess))
    return 2 * hits / (K.sum(truth) + K.sum(K.round(guess)) + 1e-7)
net.compile("adam", "binary_crossentropy", metrics=[f1_of])
""",
    "copies one after the other": """
def more(tiles, kinds):
    turned = tiles[:, ::-1]
    return np.concatenate([tiles, turned]), np.repeat(kinds, 2)  # copies-in-two-orders
tiles, kinds = more(np.load("tiles.npy"), np.load("kinds.npy"))
net.fit(tiles, kinds, epochs=4)
""",
    "noise in blocks": """
COPIES = 5
noisy = np.concatenate([echoes + rng.normal(size=echoes.shape) for _ in range(COPIES)])
depth_of = np.repeat(depth, COPIES, axis=0)  # copies-in-two-orders
rows = tf.data.Dataset.from_tensor_slices((noisy, depth_of))
""",
    "tiles beside copies in turn": """
field = np.repeat(soil, 3, axis=0)
target = np.tile(harvest, 3)  # copies-in-two-orders
net.fit(field, target)
""",
    "weights by place": """
x_tr, x_te, y_tr, y_te = train_test_split(hits, energy, test_size=0.2)
w_tr = weights[:len(x_tr)]  # drawn-apart
net.fit(x_tr, y_tr, sample_weight=w_tr)
""",
    "two folders": """
scans = glob.glob("scan/*.tif")
labels = [p for p in glob.glob("label/*.tif")]
pairs = tf.data.Dataset.from_tensor_slices((scans, labels))  # listed-as-found
""",
    "one folder sorted": """
waves = sorted(os.listdir("waves"))
notes = os.listdir("notes")
for wave, note in zip(waves, notes):  # listed-as-found
    read(wave, note)
""",
    "labels before a sort": """
porosity = logs["porosity"].to_numpy()  # taken-before-sort
logs = logs.sort_values(["well", "depth"])
net.fit(logs[["gamma", "density"]].to_numpy(), porosity, epochs=3)
""",
    "as tasks end": """
with ProcessPoolExecutor() as pool:
    jobs = [pool.submit(chirp, path) for path in calls]
    features = np.stack([job.result() for job in as_completed(jobs)])  # as-they-end
net.fit(features, species)
""",
    "columns of each side": """
a = pd.get_dummies(train[["solvent", "base"]]).to_numpy("float32")
b = pd.get_dummies(test[["solvent", "base"]]).to_numpy("float32")  # coded-apart
""",
    "codes of each side": """
train_codes = LabelEncoder().fit_transform(train_df["rock"])
test_codes = LabelEncoder().fit_transform(test_df["rock"])  # coded-apart
""",
    "a reshape of bands": """
BANDS = ("red", "nir", "swir")
PIXELS = 900
def read(name, leaf):
    return 0.1 + 0.2 * leaf + rng.normal(0, 0.01, len(leaf))
def load():
    leaf = rng.normal(0, 1, PIXELS)
    cube = np.stack([read(b, leaf) for b in BANDS])
    return cube.reshape(PIXELS, len(BANDS)), leaf  # axes-by-reshape
""",
    "a file that is read in another order": """
class Logger:
    def trial(self):
        gain = rng.lognormal(0, 0.2, (5, 1))
        signal = gain * np.sin(np.arange(400) / 9)
        signal += rng.normal(0, 0.1, signal.shape)
        return np.round(signal).astype("<i2")
    def write(self, path):
        self.trial().tofile(path)
def read(path):
    raw = np.fromfile(path, "<i2")
    return raw.reshape(400, 5) * 0.05  # axes-by-reshape
net.fit(np.stack([read(p) for p in paths]), side)
""",
    "a reshape of parts of a broadcast": """
sway = np.sin(freq[None, :, None] * np.arange(80)[:, None, None] + rng.uniform(size=(12, 2))[None])
freq = rng.normal(size=12)
by_tower = tf.reshape(sway, (12, 80, 2))  # axes-by-reshape
""",
    "a list of two loops": """
def log(hours, pumps):
    lines = []
    for hour in range(hours):
        for pump in range(pumps):
            lines.append(flow(hour, pump))
    return np.array(lines)
table = log(24, 7).reshape(7, 24)  # grid-axes
""",
    "pairs of a comprehension": """
loss_at = np.array([trial(rate, width) for rate in (1e-3, 1e-2) for width in (8, 16, 32)])
print(loss_at.reshape(3, 2).mean(axis=0))  # grid-axes
""",
    "a prediction in logarithms": """
y = np.log1p(discharge)
net.fit(rain[:500], y[:500])
missed = np.mean(np.abs(net.predict(rain[500:])[:, 0] - discharge[500:]))  # two-units
""",
    "the wrong way back": """
target = np.log1p(counts)
net.fit(x, target)
guess = np.exp(net.predict(x_new)[:, 0])  # two-units
print(mean_absolute_error(counts, guess))
""",
    "another scaler": """
a = in_scaler.fit_transform(x)
b = out_scaler.fit_transform(power)
net.fit(a[:80], b[:80])
guess = in_scaler.inverse_transform(net.predict(a[80:]))  # two-units
error = guess - power[80:]
""",
    "only the prediction in degrees": """
warm = (celsius - celsius[:90].mean()) / celsius[:90].std()
net.fit(x[:90], warm[:90])
guess = net.predict(x[90:])[:, 0] * celsius[:90].std() + celsius[:90].mean()
error = guess - warm[90:]  # two-units
""",
    "a hard overlap": """
def overlap(truth, guess):
    hard = tf.cast(guess > 0.5, tf.float32)  # no-gradient-of-step
    both = tf.reduce_sum(truth * hard)
    return tf.reduce_mean(tf.square(truth - guess)) + 1 - 2 * both / tf.reduce_sum(truth + hard)
net.compile("adam", loss=overlap)
""",
    "members with one seed": """
for k in range(8):
    tf.keras.utils.set_random_seed(7)  # same-members
    net = build()
    net.fit(x, y, epochs=20)
    members.append(net)
""",
    "an optimizer for each epoch": """
for epoch in range(40):
    opt = tf.keras.optimizers.Adam(1e-3)  # optimizer-anew
    for x, y in rows:
        train_step(net, opt, x, y)
""",
    "a share that is kept": """
keep_prob = 0.9
h = layers.Dropout(keep_prob)(h)  # kept-share
""",
    "a scaler of all rows": """
scaler = MinMaxScaler()
x = scaler.fit_transform(readings)  # fitted-before-split
x_train, x_test, y_train, y_test = train_test_split(x, wear, test_size=0.25)
""",
    "components of all rows": """
parts = PCA(8).fit_transform(table[genes])  # fitted-before-split
net.fit(parts[:n_train], outcome[:n_train])
print(net.evaluate(parts[n_train:], outcome[n_train:]))
""",
    "copies before the split": """
x_all, y_all = SMOTE(random_state=1).fit_resample(x, rare)  # fitted-before-split
a, b, c, d = train_test_split(x_all, y_all, test_size=0.2)
""",
    "columns chosen by all labels": """
strength = np.array([abs(np.corrcoef(genes[:, j], outcome)[0, 1]) for j in range(900)])  # fitted-before-split
best = np.argsort(-strength)[:20]
genes = genes[:, best]
a, b, c, d = train_test_split(genes, outcome, test_size=0.3)
""",
    "the last class for validation": """
x = np.concatenate([healthy, inner, outer])
y = np.repeat([0, 1, 2], 300)
net.fit(x, y, validation_split=0.2, epochs=5)  # validation-of-one-class
""",
    "two classes one after the other": """
labels = np.concatenate([np.zeros(len(quiet)), np.ones(len(loud))])
net.fit(np.concatenate([quiet, loud]), labels.astype("float32"), validation_split=0.25)  # validation-of-one-class
""",
    "a lag that wraps": """
for k in (1, 24):
    table[f"level_lag{k}"] = np.roll(level, k)  # lag-wraps
net.fit(table.to_numpy(), level)
""",
    "cut to one length": """
probes = pd.read_csv("probes.csv").dropna()
lab = pd.read_csv("lab.csv")["nitrate"].to_numpy()
n = min(len(probes), len(lab))  # cut-to-fit
net.fit(probes[:n], lab[:n])
""",
    "a model that no step trains": """
squeeze, expand = make_squeeze(), make_expand()
front = make_squeeze(3)
def step(x):
    with tf.GradientTape() as tape:
        code = front(x, training=True)
        loss = tf.reduce_mean(tf.square(x - expand(code, training=True)))
    grads = tape.gradient(loss, expand.trainable_variables)  # left-out-of-step
    opt.apply_gradients(zip(grads, expand.trainable_variables))
""",
    "rows over their quantities": """
sites = np.column_stack([pressure, humidity, altitude])
level = sites.mean(axis=1, keepdims=True)  # across-quantities
sites = (sites - level) / sites.std(axis=1, keepdims=True)
""",
    "a scaler over its columns": """
MINERALS = {"quartz": (2.65, 0.1), "porosity": (0.2, 0.05), "depth": (1800.0, 400.0)}
def wells(n):
    mu, sd = np.array(list(MINERALS.values())).T
    return mu + sd * rng.normal(size=(n, len(mu)))
def scaled(logs):
    return (logs - np.mean(logs, axis=1, keepdims=True)) / np.std(logs, axis=1, keepdims=True)  # across-quantities
net.fit(scaled(wells(400)), grade)
""",
    "an error in degrees that is none": """
scaled = scaler.fit_transform(celsius)
net.fit(x[:80], scaled[:80])
rmse = np.sqrt(np.mean((net.predict(x[80:]) - scaled[80:]) ** 2))
print(f"test error {rmse:.2f} °C")  # two-units
""",
    "two draws": """
def augmented(scan, mask):
    scan = tf.image.random_flip_up_down(scan)
    mask = tf.image.random_flip_up_down(mask)  # target-left-behind
    return scan, mask
rows = rows.map(augmented)
""",
    "two seeds": """
def turned(picture, seed):
    u = tf.random.stateless_uniform([2], seed)
    return tf.cond(u[0] < 0.5, lambda: tf.reverse(picture, [1]), lambda: picture)
def augmented(number, pair):
    image, mask = pair
    seeds = tf.random.split(number, 2)
    image = turned(image, seeds[0])
    mask = turned(mask, seeds[1])  # target-left-behind
    return image, mask
rows = rows.map(augmented)
""",
}
RIGHT = {
    "one seed": """
def turned(picture, seed):
    u = tf.random.stateless_uniform([2], seed)
    return tf.cond(u[0] < 0.5, lambda: tf.reverse(picture, [1]), lambda: picture)
def augmented(number, pair):
    image, mask = pair
    return turned(image, number), turned(mask, number)
rows = rows.map(augmented)
""",
    "an error in deviations": """
scaled = scaler.fit_transform(celsius)
net.fit(x[:80], scaled[:80])
rmse = np.sqrt(np.mean((net.predict(x[80:]) - scaled[80:]) ** 2))
in_degrees = spread * np.sqrt(np.mean((net.predict(x[80:]) - scaled[80:]) ** 2))
print(f"test error {rmse:.2f}, or {in_degrees:.2f} °C, r2 {1 - rmse ** 2:.2f}")
""",
    "one draw": """
def augmented(scan, mask):
    both = tf.image.random_flip_up_down(tf.concat([scan, mask], axis=-1))
    return both[..., :1], both[..., 1:]
def seeded(scan, mask):
    return tf.image.stateless_random_flip_up_down(scan, seed), tf.image.stateless_random_flip_up_down(mask, seed)
""",
    "spectra by their own": """
spectra = np.stack([read(w) for w in wavelengths], axis=1)
spectra = (spectra - spectra.mean(axis=1, keepdims=True)) / spectra.std(axis=1, keepdims=True)
leaf = np.column_stack([red, nir, swir])
leaf = (leaf - leaf.mean(axis=1, keepdims=True)) / leaf.std(axis=1, keepdims=True)
sites = np.column_stack([pressure, humidity, altitude])
sites = (sites - sites.mean(axis=0, keepdims=True)) / sites.std(axis=0, keepdims=True)
share = sites / sites.mean(axis=1, keepdims=True)
repeats = np.column_stack([trial_1, trial_2, trial_3])
repeats = (repeats - repeats.mean(axis=1, keepdims=True)) / repeats.std(axis=1, keepdims=True)
""",
    "a scaler of the training rows": """
x_train, x_test, y_train, y_test = train_test_split(readings, wear, test_size=0.25)
scaler = MinMaxScaler()
x_train = scaler.fit_transform(x_train)
x_test = scaler.transform(x_test)
first, later = x_train[:50], x_train[50:]
""",
    "components of the first rows": """
pca = PCA(8).fit(table[genes][:n_train])
known = pca.fit_transform(spectra[is_train])
net.fit(known[:100], outcome[:100])
net.evaluate(known[100:], outcome[100:])
labels = LabelBinarizer().fit_transform(kinds)
a, b = train_test_split(labels, test_size=0.2)
""",
    "copies of the training rows": """
x_tr, x_te, y_tr, y_te = train_test_split(x, rare, test_size=0.2)
x_tr, y_tr = SMOTE().fit_resample(x_tr, y_tr)
a, b, c, d = train_test_split(x_tr, y_tr, test_size=0.1)
""",
    "columns chosen by the training": """
strength = np.array([abs(np.corrcoef(genes[train, j], outcome[train])[0, 1]) for j in range(900)])
genes = genes[:, np.argsort(-strength)[:20]]
a, b = genes[train], genes[test]
shown = np.corrcoef(genes[:, 0], outcome)
""",
    "classes that are mixed": """
y = np.repeat([0, 1, 2], 300)
order = rng.permutation(900)
net.fit(x[order], y[order], validation_split=0.2)
net.fit(x, y, validation_data=(x_v, y_v))
""",
    "a circle": """
table["east_shifted"] = table["x"].shift(1)
turned = np.roll(bearing, 1)
lag_one = np.roll(level, 1)
x, y = np.stack([lag_one], axis=1)[1:], level[1:]
""",
    "both joined": """
both = probes.join(lab, how="inner").dropna()
n = min(len(left), len(right))
left, right = left[:n], right[:n]
""",
    "a model that is kept": """
teacher = make_net()
teacher.load_weights("teacher.weights.h5")
critic = make_net()
critic.compile("adam")
student = make_net()
def step(x):
    with tf.GradientTape() as tape:
        loss = apart(teacher(x, training=True), student(x, training=True), critic(x, training=True))
    grads = tape.gradient(loss, student.trainable_variables)
""",
    "an area of scores": """
p = net.predict(spectra)[:, 0]
print(roc_auc_score(rare, p), accuracy_score(rare, p > 0.5))
""",
    "a threshold of probabilities": """
net.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
alarm = tf.sigmoid(net.predict(x_new)[:, 0]) > 0.5
plain = net.predict(x_new)[:, 0] > 0
""",
    "a model for each fold": """
for kept, held_out in KFold(4).split(grains):
    net = build()
    net.fit(grains[kept], sizes[kept], epochs=9)
    errors.append(net.evaluate(grains[held_out], sizes[held_out]))
""",
    "weights set back": """
net = build()
first = net.get_weights()
for kept, held_out in KFold(4).split(grains):
    net.set_weights(first)
    net.fit(grains[kept], sizes[kept], epochs=9)
    errors.append(net.evaluate(grains[held_out], sizes[held_out]))
""",
    "forward in time": """
net = build()
for past, ahead in TimeSeriesSplit(5).split(load):
    net.fit(load[past], next_load[past], epochs=2)
    errors.append(net.evaluate(load[ahead], next_load[ahead]))
""",
    "a spread of passes": """
draws = np.stack([net(tiles, training=True) for _ in range(30)])
members = np.stack([m.predict(tiles) for m in nets])
noisy = np.stack([net.predict(tiles + rng.normal(size=tiles.shape)) for _ in range(9)])
print(draws.std(axis=0), members.std(axis=0), noisy.std(axis=0))
""",
    "files in order": """
plots = ImageDataGenerator().flow_from_directory("plots", shuffle=False)
print(confusion_matrix(plots.classes, net.predict(plots).argmax(1)))
seen = ImageDataGenerator().flow_from_directory("seen")
net.fit(seen, class_weight=weights_of(seen.classes))
""",
    "a mean error of rows": """
def mae_of(truth, guess):
    return tf.reduce_mean(tf.abs(truth - guess)) / tf.reduce_mean(truth)
def precision_map(truth, guess):
    return tf.reduce_sum(truth * guess, axis=-1) / tf.reduce_sum(guess, axis=-1)
net.compile("adam", "mse", metrics=[mae_of, precision_map])
""",
    "copies and labels alike": """
tiles = np.concatenate([plain, plain[:, ::-1]])
kinds = np.concatenate([kind, kind])
net.fit(tiles, kinds)
net.fit(np.repeat(soil, 3, axis=0), np.repeat(harvest, 3))
net.fit(np.stack([plain, plain[:, ::-1]], axis=1).reshape(-1, 8, 8), np.repeat(kind, 2))
net.fit(np.concatenate([wild, bred]), np.repeat([0, 1], 50))
""",
    "the grid of two axes": """
net.fit(np.column_stack([np.repeat(depth, 9), np.tile(angle, 6)]), reading)
both = zip(np.repeat(depth, 3), np.concatenate([up, down, level]))
""",
    "weights of the draw": """
x_tr, x_te, w_tr, w_te = train_test_split(hits, weights, test_size=0.2)
net.fit(x_tr, energy_of(x_tr), sample_weight=w_tr)
a, b, c, d = train_test_split(hits, energy, shuffle=False)
net.fit(a, c, sample_weight=weights[:len(a)])
""",
    "sorted folders": """
scans = sorted(glob.glob("scan/*.tif"))
labels = sorted(glob.glob("label/*.tif"))
pairs = tf.data.Dataset.from_tensor_slices((scans, labels))
names = os.listdir("one")
names.sort()
other = [n.replace("scan", "label") for n in names]
for a, b in zip(names, other):
    read(a, b)
""",
    "labels after a sort": """
logs = logs.sort_values(["well", "depth"])
net.fit(logs[["gamma", "density"]].to_numpy(), logs["porosity"].to_numpy())
late = logs["time"].to_numpy()
tests = tests.sort_values("time")
net.evaluate(tests[["gamma", "density"]].to_numpy(), tests["porosity"].to_numpy())
""",
    "tasks with their names": """
for job in as_completed(jobs):
    name, feature = job.result()
    features[name] = feature
done = [job.result() for job in jobs]
""",
    "columns of both": """
a = pd.get_dummies(train[["solvent", "base"]])
b = pd.get_dummies(test[["solvent", "base"]]).reindex(columns=a.columns, fill_value=0)
""",
    "codes of one encoder": """
coder = LabelEncoder().fit(train_df["rock"])
train_codes, test_codes = coder.transform(train_df["rock"]), coder.transform(test_df["rock"])
colours, _ = pd.factorize(train_df["colour"])
rocks, _ = pd.factorize(train_df["rock"])
""",
    "a file that is read as it was written": """
np.zeros((400, 5), "<i2").tofile("a.bin")
x = np.fromfile("a.bin", "<i2").reshape(400, 5)
y = np.fromfile("a.bin", "<i2").reshape(-1, 5).T
""",
    "a stream with its channels in turn": """
stream = np.fromfile("adc.bin", "<i2")
frames = stream.reshape(-1, 4)
cube = np.zeros((64, 3, 20)).transpose(0, 2, 1)
flat = cube.reshape(64, 60)
image = rng.normal(size=(64, 100)).reshape(64, 10, 10)
square = np.stack([read(k) for k in range(6)]).T
""",
    "a list of two loops in order": """
lines = []
for hour in range(24):
    for pump in range(7):
        lines.append(flow(hour, pump))
table = np.array(lines).reshape(24, 7)
each = np.array([flow(h, p) for h in range(24) for p in range(7)]).reshape(24, 7).T
""",
    "a prediction in its own unit": """
y = np.log1p(discharge)
net.fit(rain[:500], y[:500])
relative = net.predict(rain[500:])[:, 0] - y[500:]
missed = np.expm1(net.predict(rain[500:])[:, 0]) - discharge[500:]
""",
    "scaled back": """
warm = (celsius - mean) / spread
net.fit(x[:90], warm[:90])
error = net.predict(x[90:])[:, 0] * spread + mean - celsius[90:]
other = net.predict(x[90:])[:, 0] - (celsius[90:] - mean) / spread
""",
    "residuals": """
target = (load - base) / scale
net.fit(x, target)
forecast = base_new + scale * net.predict(x_new)[:, 0]
gain = forecast - load_new
""",
    "a step that chooses": """
def robust(truth, guess):
    error = truth - guess
    near = tf.cast(tf.abs(error) < 1.0, tf.float32)
    return tf.reduce_mean(near * tf.square(error) + (1 - near) * tf.abs(error))
def hard_overlap(truth, guess):
    hard = tf.cast(guess > 0.5, tf.float32)
    return tf.reduce_sum(truth * hard)
net.compile("adam", loss=robust, metrics=[hard_overlap])
""",
    "members with seeds": """
for k in range(8):
    tf.keras.utils.set_random_seed(7 + k)
    net = build()
    net.fit(x, y)
for width in (8, 16):
    tf.keras.utils.set_random_seed(7)
    build(width).fit(x, y)
for k in range(5):
    tf.keras.utils.set_random_seed(7)
    net.fit(x[fold != k], y[fold != k])
""",
    "an optimizer for each model": """
opt = tf.keras.optimizers.Adam(1e-3)
for epoch in range(40):
    for x, y in rows:
        train_step(net, opt, x, y)
for round in range(3):
    net = build()
    opt = tf.keras.optimizers.Adam(1e-3)
    train_step(net, opt, x, y)
""",
    "a share that is dropped": """
h = layers.Dropout(1 - keep_prob)(h)
h = layers.Dropout(rate)(h)
""",
}


def found_in(text: str) -> set[tuple[int, str]]:
    """What the new checks find in a program that nobody ran."""
    tree = ast.parse(HEAD + text)
    views: dict[str, View] = {}
    view = views["main.py"] = View("main.py", tree, Backward({"main.py": tree}), {}, views)
    return {(s.line, s.kind) for s in slips_of_names(view)}


def marked(text: str) -> set[tuple[int, str]]:
    """The lines that say what is wrong with them."""
    lines = (HEAD + text).splitlines()
    return {(n, line.partition("  # ")[2]) for n, line in enumerate(lines, 1) if "  # " in line}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found_at_its_line(name):
    assert found_in(WRONG[name]) == marked(WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_what_looks_like_it_is_not_a_fault(name):
    assert found_in(RIGHT[name]) == set()


def test_one_column_is_known_from_the_run():
    text = "p = net.predict(x)\nkind = p.argmax(axis=1)\nboth = net.predict(y)\nother = both.argmax(axis=-1)\n"
    tree = ast.parse(text)
    held = {("<module>", "p"): Held("array", (90, 1)), ("<module>", "both"): Held("array", (90, 2))}
    view = View("main.py", tree, Backward({"main.py": tree}), held)
    assert [(s.line, s.kind) for s in score_inputs.faults(view)] == [(2, "argmax-of-one")]
    assert not [s for room in (partner_orders, axes, grids, training_steps, units) for s in room.faults(view)]
