"""Arrays followed by their rows: what is wrong is found at its line, and what looks like it is not."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.rows import row_faults
from xladoctor.sources.rows.values import Calls

HEAD = """
import numpy as np
import tensorflow as tf
rng = np.random.default_rng(0)
x = rng.normal(size=(250, 6)).astype("float32")
y = (x[:, :1] > 0).astype("float32")
model = build()
model.fit(x, y)
"""

WRONG = {
    "undone by the same order": """
order = np.argsort(x[:, 0])
p = model.predict(x[order])
p = p[order]  # ordered-twice
""",
    "never undone": """
order = rng.permutation(len(x))
p = model.predict(x[order], verbose=0)
print(np.mean((p - y) ** 2))  # other-order
""",
    "compared in another order": """
order = np.argsort(lengths(x))
order = np.argsort(x[:, 1])
guess = model.predict(x[order])[:, 0] > 0.5
print(np.mean(guess == y[:, 0]))  # other-order
""",
    "a metric in another order": """
order = rng.permutation(250)
score = accuracy_score(y, model.predict(x[order]) > 0.5)  # other-order
""",
    "shuffled apart": """
a, b = x[rng.permutation(250)], y[rng.permutation(250)]  # two-orders
model.fit(a, b)
""",
    "positions in a part": """
keep = rng.choice(250, 100, replace=False)
hard = np.argsort(np.abs(model.predict(x[keep]) - y[keep])[:, 0])[-20:]
again = x[keep][hard]
labels = y[hard]  # foreign-positions
""",
    "positions in a masked part": """
clear = np.abs(x[:, 2]) > 0.5
seen = x[clear]
best = np.argsort(model.predict(seen)[:, 0])[::-1][:10]
names = y[clear]
print(y[best])  # foreign-positions
""",
    "positions in the last rows": """
late = x[200:]
worst = np.argmax(late, axis=1)
top = np.argsort(model.predict(late)[:, 0])
print(x[top])  # foreign-positions
""",
    "the rest of a loop": """
out = np.zeros((len(x), 1))
steps = len(x) // 32
for i in range(steps):  # rest-left-out
    out[i * 32:(i + 1) * 32] = model.predict(x[i * 32:(i + 1) * 32])
""",
    "the rest of a loop with a step": """
parts = []
for i in range(0, len(x) - 32 + 1, 32):  # rest-left-out
    parts.append(model.predict_on_batch(x[i:i + 32]))
p = np.concatenate(parts)
""",
    "padded and counted": """
full = np.pad(x, ((0, -len(x) % 64), (0, 0)))
p = np.concatenate([model.predict(full[i:i + 64]) for i in range(0, len(full), 64)])  # padded-rows
print(p.mean())
""",
    "zeros below": """
full = np.concatenate([x, np.zeros((6, 6))])
errors = np.abs(model.predict(full) - full[:, :1])  # padded-rows
print(np.median(errors))
""",
    "series for rows": """
a, b, c = np.arange(400.0), rng.normal(size=400), rng.normal(size=400)
a = rng.normal(size=400)
table = np.concatenate([a, b, c]).reshape(400, 3)  # series-by-reshape
""",
    "axes that change places": """
images = rng.normal(size=(20, 16, 12, 3))
first = images.reshape(20, 3, 16, 12)  # axes-by-reshape
""",
    "channels by stack": """
table = np.stack([rng.normal(size=300), rng.normal(size=300)])
table = tf.reshape(table, (300, 2))  # axes-by-reshape
""",
    "its own statistics": """
def unit(a):
    return (a - a.mean(axis=0)) / a.std(axis=0)  # own-statistics
net = build()
net.fit(unit(x), y)
new = rng.normal(size=(40, 6))
net.predict(unit(new))
""",
    "a scaler fitted twice": """
net = build()
net.fit(scaler.fit_transform(x), y)
test = rng.normal(size=(40, 6))
scaled = scaler.fit_transform(test)  # own-statistics
net.evaluate(scaled, test[:, :1])
""",
}

WRONG |= {
    "a rate of zero": """
settings = {"dropout": 0.0, "bias": False}
rate = settings.get("dropout") or 0.3  # zero-replaced
bias = settings["bias"] or True  # zero-replaced

def build(rate=None):
    return rate or 0.5  # zero-replaced

build(rate=0.0)
""",
    "in a method": """
class Evaluator:
    def __init__(self, model, batch):
        self.model, self.batch = model, batch

    def run(self, data):
        for i in range(len(data) // self.batch):  # rest-left-out
            self.out = self.model(data[i * self.batch:(i + 1) * self.batch])

Evaluator(model, 64).run(x)
""",
    "in the function of a dataset": """
frames = rng.integers(0, 256, size=(40, 16, 16), dtype=np.uint8)
background = np.median(frames, axis=0).astype(np.uint8)
motion = np.abs(frames - background)  # wraps-below

def prepare(frame, label):
    return tf.cast(frame - 128, tf.float32) / 64.0, label  # wraps-below

data = tf.data.Dataset.from_tensor_slices((frames, y)).map(prepare).batch(8)
""",
    "sizes in classes and dicts": """
class Config:
    batch = 24

SETTINGS = {"size": 32}

def predict_all(data, batch):
    for k in range(data.shape[0] // batch):  # rest-left-out
        out = model(data[k * batch:(k + 1) * batch])

def main():
    predict_all(x, Config.batch)
    for k in range(len(x) // SETTINGS["size"]):  # rest-left-out
        out = model(x[k * 32:(k + 1) * 32])

main()
""",
    "shuffled apart under a tape": """
@tf.function
def step(a, b):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(a) - b) ** 2)
xs = tf.gather(x, tf.random.shuffle(tf.range(250)))
ys = tf.gather(y, tf.random.shuffle(tf.range(250)))  # two-orders
for i in range(0, 250, 32):
    step(xs[i:i + 32], ys[i:i + 32])
""",
    "longest first": """
by_length = np.argsort(-x[:, 0])
outputs = []
for start in range(0, len(by_length), 50):
    rows = by_length[start:start + 50]
    outputs.append(model.predict_on_batch(x[rows]))
pred = np.concatenate(outputs)
print(np.sqrt(np.mean((pred - y) ** 2)))  # other-order
""",
    "folds put one below the other": """
parts = []
for held in np.array_split(rng.permutation(250), 5):
    parts.append(model.predict(x[held])[:, 0])
out = np.concatenate(parts)
print(np.mean((out > 0.5) == y[:, 0]))  # other-order
""",
    "sorted by a key": """
order = sorted(range(len(x)), key=lambda i: x[i, 0])
p = model.predict(np.array([x[i] for i in order]))
print(mean_squared_error(y, p))  # other-order
""",
    "positions shuffled in place": """
idx = np.arange(250)
rng.shuffle(idx)
error = y - model.predict(x[idx])  # other-order
""",
    "the last whole block, too": """
for i in range(0, 250 - 25, 25):  # rest-left-out
    print(model.predict(x[i:i + 25]))
count = int(len(x) / 32)
for i in range(count):  # rest-left-out
    print(model.predict(x[i * 32:(i + 1) * 32]))
p = model.predict(feed, steps=len(x) // 32)  # rest-left-out
""",
    "a difference of frames": """
frames = rng.integers(0, 256, (30, 8, 8)).astype(np.uint8)
moved = (frames[1:] - frames[:-1]).astype("float32")  # wraps-below
""",
    "away from the background": """
frames = np.asarray(rng.integers(0, 256, (30, 8, 8)), dtype="uint8")
dark = frames - 20  # wraps-below
steps = np.diff(frames, axis=0)  # wraps-below
half = (frames + frames) // 2  # wraps-above
""",
}

RIGHT = {
    "the rest is written behind the loop": """
def predict_all(data, size):
    out, many = np.zeros(len(data)), len(data) // size
    for k in range(many):
        out[k * size:(k + 1) * size] = model.predict(data[k * size:(k + 1) * size])[:, 0]
    if many * size < len(data):
        out[many * size:] = model.predict(data[many * size:])[:, 0]
    return out
p = predict_all(x, 32)
parts = []
for k in range(len(x) // 32):
    parts.append(model.predict(x[k * 32:(k + 1) * 32]))
parts.append(model.predict(x[224:]))
""",
    "cast in the function of a dataset": """
frames = rng.integers(0, 256, size=(40, 16, 16), dtype=np.uint8)
data = tf.data.Dataset.from_tensor_slices(frames).map(lambda f: (tf.cast(f, tf.float32) - 128.0) / 64.0)
near = tf.data.Dataset.from_tensor_slices(frames).batch(4).map(lambda f: tf.cast(f, tf.float32) - 0.5)
""",
    "defaults": """
settings = {"limit": 0, "rate": None, "share": 0.2}
limit = settings.get("limit") or 100
rate = settings.get("rate") or 0.3
share = settings.get("share") or 0.3
other = settings.get("other", 0.0) or None
""",
    "shuffled together": """
from sklearn.utils import shuffle
a, b = shuffle(x, y)
model.fit(a, b)
both = tf.random.shuffle(tf.range(250))
model.fit(tf.gather(x, both), tf.gather(y, both))
""",
    "folds put back": """
out = np.zeros(250)
for held in np.array_split(rng.permutation(250), 5):
    out[held] = model.predict(x[held])[:, 0]
print(np.mean((out > 0.5) == y[:, 0]))
idx = np.arange(250)
rng.shuffle(idx)
print(np.mean(model.predict(x[idx]) == y[idx]), np.mean(model.predict(x[np.arange(250)]) == y))
for i in range(0, 250 - 25 + 1, 25):
    model.predict(x[i:i + 25])
""",
    "small integers in a larger type": """
frames = rng.integers(0, 256, (30, 8, 8)).astype(np.uint8)
moved = frames[1:].astype("float32") - frames[:-1]
other = 255 - frames
part = frames / 255.0 - 0.5
wrapped = (frames[1:] - frames[:-1]) % 256
away = np.maximum(frames[1:], frames[:-1]) - np.minimum(frames[1:], frames[:-1])
centred = frames - frames.mean(axis=0)
""",
    "undone by the way back": """
order = np.argsort(x[:, 0])
p = model.predict(x[order])[np.argsort(order)]
print(np.mean(p == y), np.mean(p - y))
""",
    "put back": """
order = rng.permutation(250)
p = np.empty((250, 1))
p[order] = model.predict(x[order])
print(np.mean(p == y))
""",
    "an inverse by hand": """
order = rng.permutation(250)
back = np.empty_like(order)
back[order] = np.arange(250)
p = model.predict(x[order])[back]
print(np.mean(p == y))
""",
    "both in one order": """
order = rng.permutation(250)
xs, ys = x[order], y[order]
print(np.mean(model.predict(xs) == ys))
model.fit(xs, ys)
""",
    "labels mixed for a control": """
model.fit(x, y[rng.permutation(250)])
""",
    "the distribution of a chance": """
p = model.predict(x)
print(np.mean(p == y[rng.permutation(250)]), np.mean(p[rng.permutation(250)] == y))
chance = np.mean(model.predict(x[rng.permutation(250)]) == y)
""",
    "positions in all rows": """
keep = rng.choice(250, 100, replace=False)
hard = keep[np.argsort(np.abs(model.predict(x[keep]) - y[keep])[:, 0])[-20:]]
model.fit(x[hard], y[hard])
""",
    "positions in the first rows": """
top = np.argsort(model.predict(x[:200])[:, 0])
print(x[top], y[top])
""",
    "sorted for a plot": """
order = np.argsort(y[:, 0])
plt.plot(x[order], model.predict(x)[order])
plt.plot(np.sort(x[:, 0]), y)
""",
    "a loop that trains": """
for i in range(len(x) // 32):
    model.train_on_batch(x[i * 32:(i + 1) * 32], y[i * 32:(i + 1) * 32])
""",
    "only the time is wanted": """
for i in range(len(x) // 32):
    model.predict(x[i * 32:(i + 1) * 32])
""",
    "no rest": """
for i in range(len(x) // 25):
    print(model.predict(x[i * 25:(i + 1) * 25]))
for i in range((len(x) + 31) // 32):
    print(model.predict(x[i * 32:(i + 1) * 32]))
for i in range(-(-len(x) // 32)):
    print(model.predict(x[i * 32:(i + 1) * 32]))
""",
    "padded and cut": """
full = np.pad(x, ((0, -len(x) % 64), (0, 0)))
p = np.concatenate([model.predict(full[i:i + 64]) for i in range(0, len(full), 64)])[:len(x)]
print(p.mean())
q = model.predict(full)
print(q[:len(x)].mean())
r = model.predict(full)[:-6]
print(np.median(r))
""",
    "a padded signal": """
signal = np.pad(rng.normal(size=300), (0, 20))
print(signal.mean())
""",
    "nothing to pad": """
full = np.pad(x, ((0, -len(x) % 25), (0, 0)))
print(model.predict(full).mean())
""",
    "series beside each other": """
a, b, c = rng.normal(size=400), rng.normal(size=400), rng.normal(size=400)
table = np.concatenate([a, b, c]).reshape(3, 400).T
other = np.stack([a, b, c], axis=1).reshape(400, 3)
images = rng.normal(size=(20, 16, 16, 3)).reshape(20, 16, 16, 3)
flat = images.reshape(20, -1).reshape(20, 16, 48)
""",
    "statistics of the training": """
net = build()
centre, width = x.mean(axis=0), x.std(axis=0)
net.fit((x - centre) / width, y)
new = rng.normal(size=(40, 6))
net.predict((new - centre) / width)
""",
    "scaled before the split": """
z = (x - x.mean(axis=0)) / x.std(axis=0)
net = build()
net.fit(z[:200], y[:200])
net.evaluate(z[200:], y[200:])
""",
    "each row by itself": """
def unit(a):
    return (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True)
net = build()
net.fit(unit(x), y)
net.predict(unit(rng.normal(size=(40, 6))))
""",
    "one scaler": """
net = build()
net.fit(scaler.fit_transform(x), y)
net.predict(scaler.transform(rng.normal(size=(40, 6))))
""",
}


def marks(text):
    lines = text.splitlines()
    return [(line.rpartition("# ")[2], n) for n, line in enumerate(lines, 1) if "# " in line]


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found_at_its_line(name):
    text = HEAD + WRONG[name]
    assert [(f.kind, f.line) for f in row_faults({"main.py": ast.parse(text)})] == marks(text)


@pytest.mark.parametrize("name", RIGHT)
def test_what_looks_like_it_is_not(name):
    assert row_faults({"main.py": ast.parse(HEAD + RIGHT[name])}) == []


GRIDS = {
    "repeated each, reshaped as a whole": (
        "wide = np.repeat(x, 3, axis=0)\nq = model.predict(wide)[:, 0].reshape(3, -1)  # grid-by-reshape\n",
        ("reshape(3, -1)", "reshape(-1, 3)"),
    ),
    "repeated as a whole": (
        "q = model.predict(np.tile(x, (4, 1)))[:, 0].reshape(250, 4)  # grid-by-reshape\n",
        ("reshape(250, 4)", "reshape(4, 250)"),
    ),
    "beside levels": (
        "LEVELS = np.array([0.1, 0.5, 0.9])\n"
        "both = np.concatenate([np.repeat(x, 3, 0), np.tile(LEVELS, 250)[:, None]], 1)\n"
        "q = model.predict(both).reshape(len(LEVELS), -1)  # grid-by-reshape\n",
        ("len(LEVELS), -1", "-1, len(LEVELS)"),
    ),
    "partners": (
        "a = np.repeat(x, 4, axis=0) - np.tile(y, (4, 1))  # two-grids\n",
        ("np.tile(y, (4, 1))", "np.repeat(y, 4, axis=0)"),
    ),
    "columns stay behind": (
        "wide = np.repeat(x, 6, axis=0).reshape(6, -1, 6)  # grid-by-reshape\n",
        ("reshape(6, -1, 6)", "reshape(-1, 6)"),
    ),
    "flattened images": (
        "yy, xx = np.mgrid[:8, :12]\nfields = np.stack([np.sin(xx) * k for k in range(30)]).reshape(30, -1)\n"
        "model.fit(fields.reshape(-1, 12, 8, 1))  # axes-by-reshape\n",
        ("12, 8, 1", "8, 12, 1"),
    ),
    "neighbours in another table": (
        "import keras\nencoder = keras.Model(inp, code)\nseen = x[:, 2] > 0.5\n"
        "table, labels = encoder(x[seen]), y[seen]\n"
        "near = np.argsort(cdist(encoder(x), table), axis=1)[:, :5]\nvotes = y[near]  # foreign-positions\n",
        ("votes = y[near]", "votes = labels[near]"),
    ),
    "axes of what is broadcast": (
        "amp = rng.normal(size=(4, 9))\nkind = rng.integers(0, 4, 250)\nt = np.linspace(0, 1, 60)\n"
        "raw = amp[kind][:, :, None] * np.sin(t)\nraw += rng.normal(0, 1, raw.shape)\n"
        "z = raw.reshape(-1, 60, 9)  # axes-by-reshape\n",
        ("raw.reshape(-1, 60, 9)", "raw.transpose(0, 2, 1)"),
    ),
    "a model that an object keeps": (
        "import keras\nclass Scorer:\n    def __init__(self, net):\n        self.net = net\n    def of(self, a):\n"
        "        return self.net(a[np.argsort(a[:, 1])])\n"
        "gap = Scorer(keras.Sequential([])).of(x) - y  # other-order\n",
        ("a[np.argsort(a[:, 1])]", "a"),
    ),
    "a generator": (
        "def blocks(a, size):\n    for k in range(len(a) // size):  # rest-left-out\n"
        "        yield a[k * size : (k + 1) * size]\np = np.concatenate([model.predict(b) for b in blocks(x, 32)])\n",
        ("model.predict(b) for", "model.train_on_batch(b) for"),
    ),
    "a generator of a class": (
        "class Batches:\n    def __init__(self, size):\n        self.size = size\n    def of(self, a):\n"
        "        for k in range(len(a) // self.size):  # rest-left-out\n"
        "            yield a[k * self.size : (k + 1) * self.size]\n"
        "out = []\nfor b in Batches(32).of(x):\n    out.append(model.predict(b))\n",
        ("Batches(32)", "Batches(25)"),
    ),
    "tables in two orders": (
        "import pandas as pd\nids = rng.permutation(250)\na = pd.DataFrame({'id': ids, 'v': x[:, 0]})\n"
        "b = pd.DataFrame({'id': ids, 'label': y[:, 0]}).sample(frac=1.0, random_state=1)\n"
        "rows = a.sort_values('id')[['v']].to_numpy()  # two-orders\n"
        "model.fit(rows[:200], b['label'].to_numpy()[:200])\n",
        ("random_state=1)", "random_state=1).sort_values('id')"),
    ),
    "a sorted table beside labels": (
        "import pandas as pd\na = pd.DataFrame({'v': x[:, 0], 'label': y[:, 0]})\n"
        "model.fit(a.sort_values('v')[['v']].to_numpy(), a['label'].to_numpy())  # other-order\n",
        ("a['label']", "a.sort_values('v')['label']"),
    ),
    "columns that pandas joins": (
        "import pandas as pd\na = pd.DataFrame({'v': x[:, 0], 'label': y[:, 0]})\nb = a.sort_values('v')\n"
        "model.fit(b[['v']].values, a['label'].values)  # other-order\n",
        ("model.fit(b[['v']].values, a['label'].values)", "b['gap'] = b['v'] - a['label']"),
    ),
}


@pytest.mark.parametrize("name", GRIDS)
def test_rows_that_are_repeated_flattened_or_sorted(name):
    text, (wrong, right) = GRIDS[name]
    assert found(HEAD + text) == marks(HEAD + text)
    assert marks(HEAD + text)
    assert found((HEAD + text).replace(wrong, right)) == []


PACKAGE = {
    "data.py": "import numpy as np\nrng = np.random.default_rng(0)\nSIZE = 32\nclass Loader:\n    n: int = 250\n"
    "    def rows(self):\n        return rng.normal(size=(self.n, 6))\ndef labels(rows):\n    return rows[:, 0] > 0\n",
    "score.py": "from pkg import data as d\ndef predict_all(model, rows):\n    order = np.argsort(rows[:, 1])\n"
    "    return model.predict(rows[order])\ndef whole(model, rows):\n    parts = []\n"
    "    for k in range(len(rows) // d.SIZE):\n        parts.append(model.predict(rows[k * 32 : (k + 1) * 32]))\n",
    "main.py": "import numpy as np\nfrom data import Loader, labels\nimport score\nloader = Loader()\n"
    "x = loader.rows()\n"
    "y = labels(x)\nmodel.fit(x, y)\np = score.predict_all(model, x)\nprint(np.mean(p == y))\nscore.whole(model, x)\n",
}


def test_a_program_of_several_files_is_read_as_one():
    faults = row_faults({file: ast.parse(text) for file, text in PACKAGE.items()})
    assert [(f.file, f.kind, f.line, f.function) for f in faults] == [
        ("main.py", "other-order", 9, "<module>"),
        ("score.py", "rest-left-out", 7, "whole"),
    ]
    assert faults[1].numbers == (250, 32, 224)


def found(text):
    """(kind, line) of the faults of one file."""
    return [(f.kind, f.line) for f in row_faults({"main.py": ast.parse(text)})]


ZIP = (
    HEAD
    + "labels = rng.integers(0, 2, 40)\np = model.predict(windows)\nq = p.mean(axis=-1)\nr = list(zip(q, labels))\n"
)


def test_the_shapes_of_recorded_calls_are_used():
    line = next(n for n, text in enumerate(ZIP.splitlines(), 1) if "windows" in text)
    assert row_faults({"main.py": ast.parse(ZIP)}) == []
    assert row_faults({"main.py": ast.parse(ZIP)}, {"main.py": Calls(gave={line: [(40, 1)]})}) == []
    [fault] = row_faults({"main.py": ast.parse(ZIP)}, {"main.py": Calls(gave={line: [(200, 1)]})})
    assert (fault.kind, fault.numbers) == ("zip-cuts", (200, 40))


def test_a_program_that_never_ends_is_read_for_a_while():
    deep = "def f(n):\n    return f(n + 1) + f(n + 2)\nf(1)\n" + "a = " + "(" * 60 + "1" + ")" * 60 + "\n"
    wide = "b = [[[[i + j + k + l for i in r] for j in r] for k in r] for l in r]\n"
    assert row_faults({"main.py": ast.parse(f"r = [{'1, ' * 30}]\n{deep}{wide}")}) == []
