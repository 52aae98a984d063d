"""Ways of writing that compute something else: each is found at its line, and what looks like it is not.

The programs are run here with a stand-in for the model, so that their names hold what they would in a run.
"""

from __future__ import annotations

import ast
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from probes.record.held_names import add_fields, facts_of
from tests.xladoctor.sources.test_slips_of_source import WRONG as BY_SOURCE
from xladoctor.diagnosis.slips import held_of
from xladoctor.rules.slips_of_names import OF_NAMES
from xladoctor.sources.backward import Backward
from xladoctor.sources.held import Held, View
from xladoctor.sources.slips import class_defaults, slips_of_names

PROGRAMS = Path(__file__).resolve().parents[3] / "benchmarks" / "programs"
HEAD = """
import numpy as np
import pandas as pd
rng = np.random.default_rng(0)
"""


class Model:
    """Gives as many columns as it was told to."""

    def __init__(self, width: int = 1) -> None:
        self.width = width

    def fit(self, *given: Any, **named: Any) -> None:
        """Nothing."""

    def predict(self, x: Any, **named: Any) -> Any:
        """The first column, as often."""
        first = np.asarray(x, "float32").reshape(len(x), -1)[:, :1]
        return first + np.zeros((1, self.width), "float32")


NET = SimpleNamespace(head=[1], body=[2], gradient=lambda loss, sources: sources)
SK = SimpleNamespace(confusion_matrix=lambda *given: np.zeros((2, 2)), roc_auc_score=lambda *given: 0.0)


WRONG = {
    "a square divided by the sums of its rows": """
near = rng.uniform(size=(9, 9))
share = near / near.sum(axis=1)  # divided-across
def walk(graph):
    degree = np.maximum(graph.sum(axis=1), 1e-9)
    return graph / degree  # divided-across
model.fit(walk(near), share)
""",
    "a softmax by hand over the rows": """
Net = Model(4)
def probabilities(logits):
    e = np.exp(logits - logits.max(axis=0))
    return e / e.sum(axis=0)  # softmax-over-rows
logits = Net.predict(rng.normal(size=(30, 3)))
p = probabilities(logits)
""",
    "cosines by the norms of columns": """
vectors = rng.normal(size=(30, 4))
unit = vectors / np.linalg.norm(vectors, axis=0)  # norms-of-columns
alike = unit @ unit.T
""",
    "a pool over the rows": """
def avg_pool1d(h, *given):
    return h
profiles = rng.normal(size=(40, 5))
def smooth(x):
    h = x * 2.0
    return avg_pool1d(h[np.newaxis], 3, 1, "SAME")[0]  # pooled-over-rows
def smoothed(x):
    wide = x[np.newaxis, :, :]
    out = avg_pool1d(wide, 3, 1, "SAME")  # pooled-over-rows
    out = out[0]
    return out - out.mean()
model.fit(smooth(profiles[:30]), smoothed(profiles[:30]))
""",
    "means of groups beside a table in another order": """
wells = pd.DataFrame({"well": ["W7", "W2", "W9", "W1"], "depth": [310.0, 120.0, 450.0, 80.0]})
log = pd.DataFrame({"well": np.repeat(wells["well"], 5), "flow": rng.normal(size=20)})
def per_well(frame):
    return frame.groupby("well")["flow"].mean().to_numpy()  # two-orders-of-a-key
level = per_well(log)
slope = np.polyfit(wells["depth"].to_numpy(), level, 1)
counts = log.groupby("well").size().values  # two-orders-of-a-key
wells["rows"] = counts
""",
    "weights of classes by how frequent they are": """
grades = pd.Series([1, 1, 1, 2, 2, 0, 1, 2, 1])
weights = (len(grades) / grades.value_counts()).to_numpy()  # counts-by-frequency
y = grades.to_numpy()
each = weights[y] * 2.0
table = dict(enumerate(grades.value_counts().tolist()))  # counts-by-frequency
""",
    "a prediction where a matrix takes the truth": """
def table_of(recorded, named):
    return sk.confusion_matrix(named, recorded)  # exchanged-scores
x, y_test = rng.normal(size=(9, 3)), np.arange(9) % 2
table_of(y_test, model.predict(x).argmax(axis=1))
""",
    "an area under a curve of a score": """
x, truth = rng.normal(size=(9, 3)), np.arange(9) % 2
score = model.predict(x)[:, 0]
area = sk.roc_auc_score(score, truth)  # exchanged-scores
""",
    "gradients of a part": """
def step(x):
    grads = tape.gradient(x, net.head)  # gradients-of-fewer
    return zip(grads, net.head + net.body)
""",
    "gradients in another order": """
variables = net.head + net.body
def step(x):
    grads = tape.gradient(x, [*net.body, *net.head])  # gradients-exchanged
    return zip(grads, variables)
""",
    "ranks that are divided": """
income = rng.normal(size=30)
share = income.argsort() / len(income)  # argsort-as-rank
model.fit(share, income)
""",
    "ranks of a function": """
def rank_of(values):
    return np.argsort(values)  # argsort-as-rank
x = np.stack([rank_of(rng.normal(size=30))], axis=1)
""",
    "ranks in a column": """
table = pd.DataFrame({"a": rng.normal(size=9)})
table["a_rank"] = np.argsort(table["a"].to_numpy())  # argsort-as-rank
""",
    "two tilings": """
a, b = np.linspace(0, 1, 12), np.linspace(0, 1, 8)
x = np.column_stack([
    np.tile(a, len(b)),
    np.tile(b, len(a)),  # tiled-alike
])
""",
    "a grid by columns": """
xs, ys = np.linspace(-1, 1, 20), np.linspace(0, 2, 14)
gx, gy = np.meshgrid(xs, ys)
field = model.predict(np.column_stack([gx.ravel(), gy.ravel()])).reshape(len(xs), len(ys))  # grid-axes
""",
    "a reshape of runs": """
from dataclasses import dataclass
@dataclass
class Settings:
    runs: int = 8
    steps: int = 5
settings = Settings()
data = rng.normal(size=(8, 3, 5))
x = data.reshape(settings.runs, settings.steps, -1)  # axes-by-reshape
""",
    "the default of a class": """
from dataclasses import dataclass, field, replace
@dataclass
class Window:
    length: int = 24
    step: int = 1
@dataclass
class Settings:
    window: Window = field(default_factory=Window)
settings = Settings(Window(length=96))
def made(settings):
    return np.zeros((Window.length, 3))  # class-default
def again():
    return Window().length  # class-default
x = made(settings)
""",
    "batches of an object": """
from dataclasses import dataclass
@dataclass
class Rows:
    kept: list
    values: np.ndarray
    def __len__(self):
        return len(self.values)
@dataclass
class Sizes:
    predict: int = 16
def batches(rows, size):
    for i in range(len(rows) // size):  # batches-left-out
        yield rows.values[i * size:(i + 1) * size]
rows, sizes = Rows([], rng.normal(size=(70, 3))), Sizes()
total = 0.0
for batch in batches(rows, sizes.predict):
    total += model.predict(batch).sum()
""",
    "a confusion matrix by its rows": """
found = sk.confusion_matrix([0, 1], [1, 0]) + 1.0
rates = found / found.sum(axis=1)  # divided-across
""",
    "an array that whole batches do not fill": """
def scores(x, size=16):
    out = np.zeros(len(x))
    for i in range(len(x) // size):  # never-written
        out[i * size:(i + 1) * size] = model.predict(x[i * size:(i + 1) * size])[:, 0]
    return out
x = rng.normal(size=(70, 3))
found = scores(x)
""",
    "batches of an array": """
def blocks(signal, size):
    count = len(signal) // size
    for i in range(count):  # batches-left-out
        yield i, signal[i * size:(i + 1) * size]
signal = rng.normal(size=(45, 2))
out = []
for number, (i, block) in enumerate(blocks(signal, 10)):
    out.append(model.predict(block))
""",
    "blocks that end before the last one": """
def blocks(array, size=10):
    for start in range(0, len(array) - size + 1, size):  # batches-left-out
        yield array[start:start + size]
signal = rng.normal(size=(45, 2))
out = np.concatenate([model.predict(block) for block in blocks(signal)])
""",
    "results of the rows that a mask kept, beside all names": """
def apply(block):
    return model.predict(block[np.isfinite(block).all(axis=1)])[:, 0]
ids = [f"s{i}" for i in range(40)]
x = rng.normal(size=(40, 3))
x[::5, 1] = np.nan
results = []
for start in range(0, len(x), 10):
    results.extend(apply(x[start:start + 10]))
found = {name: value for name, value in zip(ids, results)}  # short-zip
""",
    "a table before and after its rows were dropped": """
table = pd.DataFrame({"id": np.arange(30), "a": rng.normal(size=30), "b": rng.normal(size=30)})
table.loc[::4, "a"] = np.nan
whole = table.dropna()
scores = model.predict(whole[["a", "b"]].to_numpy("float32")).ravel()
ranking = sorted(zip(scores, table["id"]), reverse=True)  # short-zip
""",
    "a table of means beside its key": """
names = [f"h{i}" for i in rng.permutation(12)]
herds = pd.DataFrame({"herd": names, "fat": rng.normal(size=12)})
rows = pd.DataFrame({"herd": names * 3, "milk": rng.normal(size=36)})
means = rows.groupby("herd")["milk"].mean()  # two-orders-of-a-key
x = herds[["fat"]].to_numpy("float32")
y = means.to_numpy("float32")[:, None]
model.fit((x - x.mean(0)) / x.std(0), y)
""",
    "a reshape of what an object was given": """
class Frames:
    def __init__(self, raw, side):
        self.raw, self.side = raw, side
    def images(self):
        count = self.raw.shape[1]
        return np.reshape(self.raw, (count, self.side, self.side))  # axes-by-reshape
raw = rng.normal(size=(16, 9))
model.fit(Frames(raw, 4).images(), rng.normal(size=9))
""",
    "a reshape of a copy that a function is given": """
SHAPE = (5, 8, 3)
def arrange(block):
    return np.reshape(block, SHAPE)  # axes-by-reshape
steps = rng.normal(size=(8, 5, 3))
x = arrange(np.array(steps))
""",
    "a reshape in a function": """
def prepared(block):
    return np.reshape(block, (block.shape[0], block.shape[2], block.shape[1]))  # axes-by-reshape
data = rng.normal(size=(8, 3, 5))
x = prepared(data)
""",
    "arrays side by side": """
a, b, c = (rng.normal(size=(10, 6)) for _ in range(3))
x = np.concatenate([a, b, c], axis=1).reshape(10, 6, 3)  # series-by-reshape
""",
    "the classes over the rows": """
model = Model(3)
guess = model.predict(rng.normal(size=(40, 3)))
hits = guess.argmax(axis=0)  # classes-over-rows
""",
    "width first": """
images = rng.normal(size=(4, 10, 12, 3))
width, height = images.shape[1:3]  # width-first
""",
    "names in the order of text": """
names = sorted(f"step_{i}" for i in range(12))  # sorted-as-text
series = {name: rng.normal(size=5) for name in names}
x = np.stack([series[n] for n in names], axis=1)
""",
    "files in the order of text": """
import tempfile, pathlib
folder = pathlib.Path(tempfile.mkdtemp())
for i in range(12):
    np.save(folder / f"f{i}.npy", rng.normal(size=3))
def read(where):
    return np.stack([np.load(p) for p in sorted(where.glob("*.npy"))])  # sorted-as-text
x = read(folder)
""",
    "files in the order of text, and their names for print": """
import tempfile, pathlib, os
folder = pathlib.Path(tempfile.mkdtemp())
count = 12
for i in range(count):
    np.save(folder / ("scan" + str(i) + ".npy"), rng.normal(size=3))
def read_all():
    files = sorted(str(p) for p in folder.glob("*.npy"))  # sorted-as-text
    return [np.load(f) for f in files], [os.path.basename(f) for f in files]
scans, files = read_all()
x = np.stack(scans)
print(f"{len(files)} scans")
""",
    "files in the order of text, of an object": """
import tempfile, pathlib
folder = pathlib.Path(tempfile.mkdtemp())
for number, value in enumerate(rng.normal(size=20)):
    np.save(folder / ("f%d.npy" % number), value)
class Stack:
    def __init__(self, where):
        self.files = sorted(where.glob("*.npy"))  # sorted-as-text
    def array(self):
        return np.array([np.load(f) for f in self.files])
x = Stack(folder).array()
""",
    "unique and first appearance": """
table = pd.DataFrame({"shop": list("cabcab"), "v": rng.normal(size=6)})
shops = table["shop"].unique()
means = table.groupby("shop")["v"].mean()
for shop, mean in zip(shops, means):  # two-orders-of-a-key
    print(shop, mean)
""",
    "a running mean by group, as an array": """
taken = pd.DataFrame({"gauge": list("cabcab"), "rain": rng.normal(size=6)})
taken["wet"] = taken.groupby("gauge")["rain"].rolling(2).mean().to_numpy()  # two-orders-of-a-key
""",
    "scores of each patient, as an array": """
visits = pd.DataFrame({"patient": list("cabcab"), "level": rng.normal(size=6)})
def spread(part):
    z = part["level"].to_numpy() - part["level"].mean()
    return pd.Series(z, index=part.index)
z = visits.groupby("patient")[["level"]].apply(spread)
x = np.column_stack([visits["level"], z.values])  # two-orders-of-a-key
""",
    "a set has no order": """
names = np.array(list("cabcab"))
kinds = list(set(names))
best = [rng.normal() for kind in np.unique(names)]
print(dict(zip(kinds, best)))  # two-orders-of-a-key
""",
    "a table of two orders": """
table = pd.DataFrame({"shop": list("cabcab"), "v": rng.normal(size=6)})
shops = table["shop"].unique()
x = table.groupby("shop")["v"].sum().to_numpy()[:, None]
scores = model.predict(x)[:, 0]
report = pd.DataFrame({"shop": shops, "score": scores})  # two-orders-of-a-key
""",
    "one of both is sorted": """
sites = ["north", "east", "west"]
level = {"north": 1.0, "east": 2.0, "west": 3.0}
means = [rng.normal() for site in sorted(sites)]
for site, mean in zip(sites, means):  # two-orders-of-a-key
    print(site, mean)
print(dict(zip(sorted(level), level.values())))  # two-orders-of-a-key
""",
    "a mask that stays": """
import tensorflow as tf
def augment(image, mask):
    image = tf.image.flip_left_right(image)  # target-left-behind
    return image, mask
""",
    "doubled without a turn": """
x, y = rng.normal(size=(6, 8, 8, 1)), rng.normal(size=(6, 8, 8, 1))
more = np.concatenate([x, x[:, :, ::-1]])  # target-left-behind
same = np.concatenate([y, y])
""",
    "doubled by a function": """
x, y = rng.normal(size=(6, 8, 8, 1)), rng.normal(size=(6, 8, 8, 1))
def mirrored(batch):
    return np.flip(batch, axis=2)
more, same = np.concatenate([x, mirrored(x)]), np.concatenate([y, y])  # target-left-behind
""",
    "one window too few": """
signal = rng.normal(size=100)
SIZE, STEP = 16, 4
count = (len(signal) - SIZE) // STEP  # last-window-left-out
x = np.stack([signal[i * STEP : i * STEP + SIZE] for i in range(count)])
""",
    "windows that end early": """
signal = rng.normal(size=100)
x = []
for start in range(0, len(signal) - 20, 10):  # last-window-left-out
    x.append(signal[start : start + 20])
""",
    "the last rows": """
x = rng.normal(size=(70, 3))
out = np.zeros(len(x))
for k in range(len(x) // 16):  # never-written
    out[k * 16 : (k + 1) * 16] = model.predict(x[k * 16 : (k + 1) * 16])[:, 0]
print(out.mean())
""",
    "the last rows, in a method": """
class Scorer:
    def run(self, x):
        scores, k = np.zeros(len(x)), 0
        while (k + 1) * 16 <= len(x):  # never-written
            scores[k * 16 : (k + 1) * 16] = model.predict(x[k * 16 : (k + 1) * 16])[:, 0]
            k += 1
        return scores
result = Scorer().run(rng.normal(size=(70, 3)))
""",
    "padding in an accuracy": """
lengths = rng.integers(2, 9, 30)
truth = np.where(np.arange(9) < lengths[:, None], rng.integers(1, 5, (30, 9)), 0)
guess = rng.integers(0, 5, (30, 9))
accuracy = np.mean(guess == truth)  # padding-counted
""",
    "a rolling mean of the target": """
table = pd.DataFrame({"sales": rng.normal(size=50)})
table["recent"] = table["sales"].rolling(3).mean()  # feature-of-target
table = table.dropna()
x, y = table[["recent"]].to_numpy(), table["sales"].to_numpy()
model.fit(x, y)
""",
    "subjects on both sides": """
subjects = np.repeat(np.arange(10), 6)
x, y = rng.normal(size=(60, 3)), rng.normal(size=60)
mix = rng.permutation(len(x))  # subjects-on-both-sides
model.fit(x[mix[:40]], y[mix[:40]])
""",
    "fractions in whole numbers": """
counts = rng.integers(0, 9, (20, 3))
shares = np.zeros_like(counts)
for i, row in enumerate(counts):
    shares[i] = row / max(row.sum(), 1)  # fractions-cut-off
""",
    "a cast of fractions": """
chance = rng.uniform(0, 0.99, 20)
label = chance.astype(int)  # fractions-cut-off
""",
    "bytes in a function": """
frames = rng.integers(0, 255, (9, 4)).astype(np.uint8)
def motion(stack):
    before, after = stack[:-1], stack[1:]
    return np.abs(after - before)  # wraps-below
moved = motion(frames)
""",
    "a setting of the second scan for the first": """
STORE = {"dose": 5.0}
def get(key):
    return STORE[key]
def put(key, value):
    STORE[key] = value
class Scan:
    def __init__(self):
        self.dose = get("dose")
        self.counts = rng.poisson(self.dose, (20, 3))
    def scaled(self):
        return self.counts / get("dose")  # setting-of-another
first = Scan()
put("dose", 50.0)
second = Scan()
rows = first.scaled()
""",
    "events of a minute as two bytes": """
events = rng.poisson(70000, (30, 5))
saved = events.astype(np.uint16)  # cast-wraps
""",
    "records one by one": """
def pack(tables):
    out = {}
    for n, table in enumerate(tables):
        out[n] = table.astype("int16")  # cast-wraps
    return out
def listed(tables):
    return [table.astype(np.uint8) for table in tables]  # cast-wraps
depths = rng.integers(0, 90000, (7, 4, 4))
packs = pack(depths)
rows = listed(depths)
""",
}
RIGHT = {
    "each scan by its own setting": """
STORE = {"dose": 5.0}
def get(key):
    return STORE[key]
def put(key, value):
    STORE[key] = value
class Scan:
    def __init__(self):
        self.dose = get("dose")
        self.counts = rng.poisson(self.dose, (20, 3))
    def scaled(self):
        return self.counts / self.dose
first = Scan()
put("dose", 50.0)
second = Scan()
rows = first.scaled()
""",
    "scaled before the setting changes": """
STORE = {"dose": 5.0}
def get(key):
    return STORE[key]
def put(key, value):
    STORE[key] = value
class Scan:
    def __init__(self):
        self.dose = get("dose")
        self.counts = rng.poisson(self.dose, (20, 3))
    def scaled(self):
        return self.counts / get("dose")
first = Scan()
rows = first.scaled()
put("dose", 50.0)
second = Scan()
more = second.scaled()
""",
    "the first scan is only counted afterwards": """
STORE = {"dose": 5.0}
def get(key):
    return STORE[key]
def put(key, value):
    STORE[key] = value
class Scan:
    def __init__(self):
        self.dose = get("dose")
        self.counts = rng.poisson(self.dose, (20, 3))
    def scaled(self):
        return self.counts / get("dose")
first = Scan()
put("dose", 50.0)
second = Scan()
more = second.scaled()
many = len(first.counts)
""",
    "one setting for all scans": """
STORE = {"dose": 5.0}
def get(key):
    return STORE[key]
def put(key, value):
    STORE[key] = value
class Scan:
    def __init__(self):
        self.dose = get("dose")
        self.counts = rng.poisson(self.dose, (20, 3))
    def scaled(self):
        return self.counts / get("dose")
first = Scan()
put("step", 50.0)
second = Scan()
rows = first.scaled()
""",
    "numbers that fit, and bits that are meant": """
events = rng.poisson(70000, (30, 5))
kept = np.clip(events, 0, 65535).astype(np.uint16)
wide = events.astype(np.uint32)
low, high = (events % 65536).astype(np.uint16), (events // 65536).astype(np.uint16)
def halves(words):
    return words.astype(np.uint16), (words >> 16).astype(np.uint16)
parts = halves(events)
signed = rng.integers(-90, 90, 40).astype("int16")
raw = signed.astype("uint16")
def pack(tables):
    out = []
    for table in tables:
        table = np.minimum(table, 65535)
        out.append(table.astype("uint16"))
    return out
def cut(tables):
    out = []
    for table in tables:
        table[table > 65535] = 65535
        out.append(table.astype("uint16"))
    return out
packs = pack(rng.poisson(70000, (7, 4, 4)))
hash_seeds = rng.integers(0, 1 << 40, 6)
seeds = hash_seeds.astype("int32")
small = rng.integers(0, 60000, (7, 4))
stored = [row.astype("uint16") for row in small]
""",
    "steps of lanes": """
def batches(lanes, steps):
    for k in range(0, lanes.shape[1] - steps + 1, steps):
        yield lanes[:, k : k + steps]
lanes = rng.normal(size=(10, 141))
out = []
for part in batches(lanes, 16):
    out.append(model.predict(part))
""",
    "columns that add up to 1": """
def transition(near):
    \"\"\"A random walk, columns sum to one.\"\"\"
    return near / near.sum(axis=1)
near = rng.uniform(size=(9, 9))
walk = transition(near)
model.fit(walk, near)
""",
    "subjects that the model knows": """
def Embedding(*given, **named):
    return given
subjects = np.repeat(np.arange(10), 6)
vectors = Embedding(10, 4, name="subject")
x, y = rng.normal(size=(60, 3)), rng.normal(size=60)
mix = rng.permutation(len(x))
model.fit(x[mix[:40]], y[mix[:40]])
model.predict(x[mix[40:]])
""",
    "an array that whole batches fill": """
def scores(x, size=16):
    out = np.zeros(len(x))
    for i in range(len(x) // size):
        out[i * size:(i + 1) * size] = model.predict(x[i * size:(i + 1) * size])[:, 0]
    return out
x = rng.normal(size=(64, 3))
found = scores(x)
""",
    "an array of which the filled rows are returned": """
def scores(x, size=16):
    out = np.zeros(len(x))
    for i in range(len(x) // size):
        out[i * size:(i + 1) * size] = model.predict(x[i * size:(i + 1) * size])[:, 0]
    return out[:len(x) // size * size]
x = rng.normal(size=(70, 3))
found = scores(x)
""",
    "an array whose last rows are filled after the loop": """
def scores(x, size=16):
    out = np.zeros(len(x))
    for i in range(len(x) // size):
        out[i * size:(i + 1) * size] = model.predict(x[i * size:(i + 1) * size])[:, 0]
    out[len(x) // size * size:] = -1.0
    return out
x = rng.normal(size=(70, 3))
found = scores(x)
""",
    "sums of rows that keep their axis, and a symmetric normalisation": """
near = rng.uniform(size=(9, 9))
near = near + near.T
share = near / near.sum(axis=1, keepdims=True)
degree = near.sum(axis=1)
even = near / np.sqrt(degree) / np.sqrt(degree)[:, None]
columns = near / near.sum(axis=0)
flat = rng.uniform(size=9)
print(flat / flat.sum(axis=-1), near - near.mean(axis=0))
table = pd.DataFrame(near)
print(table.div(table.sum(axis=1), axis=0))
""",
    "a softmax over the classes, and one of few items over all": """
Net = Model(4)
logits = Net.predict(rng.normal(size=(30, 3)))
e = np.exp(logits - logits.max(axis=1, keepdims=True))
p = e / e.sum(axis=1, keepdims=True)
energy = rng.normal(size=(30, 4))
weights = np.exp(-energy)
weights = weights / weights.sum(axis=0)
""",
    "norms of rows, and of columns whose products are taken": """
vectors = rng.normal(size=(30, 4))
unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
alike = unit @ unit.T
columns = vectors / np.linalg.norm(vectors, axis=0)
correlation = columns.T @ columns
""",
    "a pool over the steps of one series": """
def avg_pool1d(h, *given):
    return h
series = rng.normal(size=(40, 5)).cumsum(axis=0)
def smooth(x):
    return avg_pool1d(x[np.newaxis], 3, 1, "SAME")[0]
def wide(x):
    return avg_pool1d(x[..., np.newaxis], 3, 1, "SAME")[..., 0]
model.fit(smooth(series), wide(rng.normal(size=(40, 5))))
""",
    "means of groups that are joined by their label, or beside a table in order": """
wells = pd.DataFrame({"well": ["W7", "W2", "W9", "W1"], "depth": [310.0, 120.0, 450.0, 80.0]})
log = pd.DataFrame({"well": np.repeat(wells["well"], 5), "flow": rng.normal(size=20)})
means = log.groupby("well")["flow"].mean()
wells["level"] = wells["well"].map(means).to_numpy()
slope = np.polyfit(wells["depth"].to_numpy(), means.reindex(wells["well"]).to_numpy(), 1)
ranked = pd.DataFrame({"well": ["W1", "W2", "W7", "W9"], "depth": [1.0, 2.0, 3.0, 4.0]})
ranked["level"] = means.to_numpy()
print(np.corrcoef(ranked["depth"], means.to_numpy()))
""",
    "counts in the order of the classes, or taken with their labels": """
grades = pd.Series([1, 1, 1, 2, 2, 0, 1, 2, 1])
weights = grades.value_counts().sort_index().to_numpy()
y = grades.to_numpy()
each = weights[y] * 2.0
for place, (grade, count) in enumerate(grades.value_counts().items()):
    print(place, grade, count)
bars = grades.value_counts().values
for place, height in enumerate(bars):
    print("text", place, height)
for place in range(3):
    print("text", place, bars[place])
""",
    "classes that are numbered by how frequent they are": """
grades = pd.Series([0, 0, 0, 1, 1, 0, 2, 1, 0])
weights = (len(grades) / grades.value_counts()).to_numpy()
y = grades.to_numpy()
each = weights[y] * 2.0
""",
    "results beside the names of their rows, of the first rows, or up to a break": """
table = pd.DataFrame({"id": np.arange(30), "a": rng.normal(size=30), "b": rng.normal(size=30)})
table.loc[::4, "a"] = np.nan
whole = table.dropna()
scores = model.predict(whole[["a", "b"]].to_numpy("float32")).ravel()
ranking = sorted(zip(scores, whole["id"]), reverse=True)
first = model.predict(table[["a", "b"]].to_numpy("float32")[:12])
for name, score in zip(table["id"], first):
    print(name, score)
some = np.arange(20)
print([a + b for a, b in zip(some, table["a"])])
def names_until(enough):
    kept = []
    for row in table["a"]:
        if len(kept) == enough:
            break
        kept.append(model.predict(np.array([[row]])))
    return list(zip(table["id"], kept))
names_until(9)
def blocks(array, size=10):
    for start in range(0, len(array), size):
        yield array[start:start + size]
def whole_blocks(array, size=9):
    for start in range(0, len(array) - size + 1, size):
        yield array[start:start + size]
signal = rng.normal(size=(45, 2))
out = [model.predict(block) for block in (*blocks(signal), *whole_blocks(signal))]
""",
    "running means by group that are joined by label, of sorted rows, or reduced": """
taken = pd.DataFrame({"gauge": list("cabcab"), "rain": rng.normal(size=6)})
taken["wet"] = taken.groupby("gauge")["rain"].rolling(2).mean().reset_index(level=0, drop=True)
share = taken.groupby("gauge")["rain"].transform("mean").to_numpy()
top = taken.groupby("gauge")["rain"].apply(lambda part: part.max()).to_numpy()
most = taken.groupby("gauge")["rain"].rolling(2).max().to_numpy().max()
rows = pd.DataFrame({"ward": list("cabcab"), "beds": rng.normal(size=6)}).sort_values("ward")
rows["mean"] = rows.groupby("ward")["beds"].rolling(2).mean().to_numpy()
""",
    "a truth that is given first, and a matrix that is turned": """
x, y_test = rng.normal(size=(9, 3)), np.arange(9) % 2
guess = model.predict(x).argmax(axis=1)
one, two = sk.confusion_matrix(y_test, guess), sk.confusion_matrix(guess, y_test).T
three = sk.confusion_matrix(guess, model.predict(x + 1).argmax(axis=1))
""",
    "gradients of all, of a part, and of copies": """
def step(x):
    variables = net.head + net.body
    grads = tape.gradient(x, variables)
    list(zip(grads, net.head + net.body))
    some = tape.gradient(x, net.head)
    return list(zip(some, net.head)), list(zip(some, masters))
""",
    "defaults that fall back": """
from dataclasses import dataclass
import argparse
@dataclass
class Window:
    length: int = 24
    step: int = 1
    def doubled(self):
        return Window.length * 2
window = Window(length=96)
parser = argparse.ArgumentParser()
parser.add_argument("--length", type=int, default=Window.length)
def made(length=Window.length, step=None):
    step = step or Window.step
    return length, step, Window.step
changed = window.length != Window.length
print(made(window.length), parser.parse_args([]))
""",
    "batches that are whole, are trained on, or have their rest": """
def batches(rows, size):
    for i in range(len(rows) // size):
        yield rows[i * size:(i + 1) * size]
def steps(rows, size):
    for i in range(len(rows) // size):
        yield rows[i * size:(i + 1) * size]
def all_of(rows, size):
    for i in range(len(rows) // size):
        yield rows[i * size:(i + 1) * size]
    if len(rows) % size:
        yield rows[len(rows) // size * size:]
rows, losses, out = rng.normal(size=(70, 3)), [], []
for batch in batches(rows, 10):
    out.append(model.predict(batch))
for batch in steps(rows, 16):
    losses.append(model.train_on_batch(batch, batch) if False else 0)
for batch in all_of(rows, 16):
    out.append(model.predict(batch))
""",
    "positions that pick": """
x, y = rng.normal(size=30), rng.normal(size=30)
order = np.argsort(x)
ranking = np.argsort(-y)
print(y[order], x[ranking[:5]], np.argsort(np.argsort(x)) / len(x))
rank = np.empty(30)
rank[order] = np.arange(30)
fold = rng.random(30).argsort() / 30
place = (np.argsort(-y) == 3).argmax()
""",
    "all pairs": """
a, b = np.linspace(0, 1, 12), np.linspace(0, 1, 8)
x = np.column_stack([np.tile(a, len(b)), np.repeat(b, len(a))])
c = np.linspace(0, 1, 7)
every = np.column_stack([np.tile(a, len(c)), np.tile(c, len(a))])  # 12 and 7 have no common factor
twice = np.tile(a, 2), np.tile(b, 3)
""",
    "a grid by rows": """
xs, ys = np.linspace(-1, 1, 20), np.linspace(0, 2, 14)
gx, gy = np.meshgrid(xs, ys)
field = model.predict(np.column_stack([gx.ravel(), gy.ravel()])).reshape(len(ys), len(xs))
ix, iy = np.meshgrid(xs, ys, indexing="ij")
other = model.predict(np.column_stack([ix.ravel(), iy.ravel()])).reshape(len(xs), len(ys))
""",
    "a table of means that is put in order": """
names = [f"h{i}" for i in rng.permutation(12)]
herds = pd.DataFrame({"herd": names, "fat": rng.normal(size=12)})
rows = pd.DataFrame({"herd": names * 3, "milk": rng.normal(size=36)})
means = rows.groupby("herd")["milk"].mean()
level = herds["herd"].map(means)
model.fit(herds["fat"].to_numpy(), level.to_numpy())
ordered = means.reindex(herds["herd"])
model.fit(herds["fat"].to_numpy(), ordered.to_numpy())
print(len(means.to_numpy()), herds["fat"].mean())
""",
    "reshapes of what an object was given that keep the axes": """
class Frames:
    def __init__(self, raw, side):
        self.raw, self.side = raw, side
    def images(self):
        return np.reshape(self.raw.T, (self.raw.shape[1], self.side, self.side))
    def flat(self):
        return np.reshape(self.raw, (self.raw.shape[0], 3, 3))
raw = rng.normal(size=(16, 9))
x = Frames(raw, 4).images(), Frames(raw, 4).flat()
""",
    "reshapes that keep the axes": """
data = rng.normal(size=(8, 3, 5))
a, b, c = data.reshape(8, 15), data.reshape(8, 3, 5, 1), data.transpose(0, 2, 1)
d = data.reshape(-1, 5)
one = rng.normal(size=(8, 1, 5)).reshape(8, 5, 1)
e = np.stack([a, a, a], axis=-1).reshape(8, 15, 3)
""",
    "classes of each row": """
model = Model(3)
guess = model.predict(rng.normal(size=(40, 3)))
kinds = guess.argmax(axis=1)
votes = np.stack([kinds, kinds]).argmax(axis=0)
""",
    "height first": """
images = rng.normal(size=(4, 10, 12, 3))
height, width = images.shape[1:3]
nx, ny = images.shape[1:3]
w, h = images.shape[1:3][::-1]
""",
    "padded names": """
names = sorted(f"step_{i:02d}" for i in range(12))
plain = sorted((f"s{i}" for i in range(12)), key=lambda s: int(s[1:]))
series = {name: rng.normal(size=5) for name in names + plain}
x = np.stack([series[n] for n in names], axis=1)
z = np.stack([series[n] for n in plain], axis=1)
classes = sorted({f"class_{i}" for i in range(12)})
number = {c: i for i, c in enumerate(classes)}
""",
    "files whose names look their labels up": """
import tempfile, pathlib, os
folder = pathlib.Path(tempfile.mkdtemp())
table = {f"f{i}.npy": i for i in range(12)}
for name in table:
    np.save(folder / name, rng.normal(size=3))
def read_all():
    files = sorted(str(p) for p in folder.glob("*.npy"))
    return [np.load(f) for f in files], [os.path.basename(f) for f in files]
parts, names = read_all()
x, y = np.stack(parts), np.array([table[n] for n in names])
""",
    "files that say what they are": """
import tempfile, pathlib
folder = pathlib.Path(tempfile.mkdtemp())
for i in range(12):
    np.save(folder / f"f{i}.npy", rng.normal(size=3))
paths = sorted(folder.glob("*.npy"))
x = np.stack([np.load(p) for p in paths])
y = np.array([int(p.stem[1:]) for p in paths])
""",
    "one order of a key": """
sites, more = ["north", "east", "west"], ["a", "b"]
level = {"north": 1.0, "east": 2.0}
print(dict(zip(sites, [rng.normal() for s in sites])), dict(zip(sorted(more), more)))
print(list(zip(level, level.values())), sorted(sites))
table = pd.DataFrame({"shop": list("cabcab"), "v": rng.normal(size=6)})
shops = sorted(set(table["shop"]))
means = table.groupby("shop")["v"].mean()
print(dict(zip(shops, means)), dict(zip(np.unique(table["shop"]), means)))
plain = table.groupby("shop", sort=False)["v"].mean().to_numpy()
print(dict(zip(table["shop"].unique(), plain)))
later = table.sort_values("shop")
""",
    "a mask that goes along": """
import tensorflow as tf
def augment(image, mask):
    image = tf.image.flip_left_right(image)
    mask = tf.image.flip_left_right(mask)
    return image, mask
def brighter(image, mask):
    return tf.image.random_brightness(image, 0.1), mask
def turned(image, label):
    return tf.image.flip_left_right(image), label
""",
    "both doubled": """
x, y = rng.normal(size=(6, 8, 8, 1)), rng.normal(size=(6, 8, 8, 1))
more, turned = np.concatenate([x, x[:, ::-1]]), np.concatenate([y, y[:, ::-1]])
noisy, same = np.concatenate([x, x + 0.1]), np.concatenate([y, y])
""",
    "all windows": """
signal = rng.normal(size=100)
SIZE, STEP = 16, 4
count = (len(signal) - SIZE) // STEP + 1
x = np.stack([signal[i * STEP : i * STEP + SIZE] for i in range(count)])
ahead = (len(signal) - SIZE) // STEP
pairs = [(signal[i * STEP : i * STEP + SIZE], signal[i * STEP + SIZE]) for i in range(ahead)]
for start in range(0, len(signal) - 20, 10):
    print(signal[start : start + 20], signal[start + 20])
""",
    "an array that is filled, and a buffer": """
x = rng.normal(size=(70, 3))
out = np.zeros(len(x))
for k in range(0, len(x), 16):
    out[k : k + 16] = model.predict(x[k : k + 16])[:, 0]
buffer = np.zeros(100)
for k in range(70):
    buffer[k] = x[k, 0]
used = buffer[:70]
""",
    "padding that is left out": """
lengths = rng.integers(2, 9, 30)
truth = np.where(np.arange(9) < lengths[:, None], rng.integers(1, 5, (30, 9)), 0)
guess = rng.integers(0, 5, (30, 9))
accuracy = np.mean((guess == truth)[truth > 0])
mask = truth > 0
other = ((guess == truth) * mask).sum() / mask.sum()
by_row = (guess == truth).mean(axis=1)
share = (truth != 0).mean()
""",
    "a mean of what is forecast": """
def features(table):
    table = table.copy()
    table["gain"] = table["sales"].diff()
    table["recent"] = table["gain"].rolling(3).mean()
    table["up"] = (table["gain"].shift(-1) > 0).astype("float32")
    return table.dropna()
table = features(pd.DataFrame({"sales": rng.normal(size=60).cumsum()}))
train = table.iloc[:40]
model.fit(train[["gain", "recent"]].to_numpy(), train["up"].to_numpy())
""",
    "earlier values of the target": """
table = pd.DataFrame({"sales": rng.normal(size=50), "rain": rng.normal(size=50)})
table["recent"] = table["sales"].shift(1).rolling(3).mean()
table["wet"] = table["rain"].rolling(3).mean()
table["next"] = table["sales"].shift(-1)
table["level"] = table["sales"].rolling(3).mean()
table = table.dropna()
x, y = table[["recent", "wet"]].to_numpy(), table["next"].to_numpy()
model.fit(x, y)
""",
    "subjects apart": """
subjects = np.repeat(np.arange(10), 6)
x, y = rng.normal(size=(60, 3)), rng.normal(size=60)
held = np.isin(subjects, rng.permutation(10)[:3])
mix = rng.permutation(len(x))
model.fit(x[~held], y[~held])
""",
    "whole numbers in whole numbers": """
counts = rng.integers(0, 9, (20, 3))
shares = np.zeros(counts.shape)
halves = np.zeros_like(counts)
for i, row in enumerate(counts):
    shares[i] = row / max(row.sum(), 1)
    halves[i] = row // 2
chance = rng.uniform(0, 1, 20)
label = (chance > 0.5).astype(int)
frames = rng.integers(0, 255, (9, 4)).astype(np.uint8)
moved = frames[1:].astype("int16") - frames[:-1]
spread = np.maximum(frames[1:], frames[:-1]) - np.minimum(frames[1:], frames[:-1])
""",
}


def found_in(text: str) -> set[tuple[int, str]]:
    """(line, kind) of what is found, after the program was run."""
    names: dict[str, Any] = {"Model": Model, "model": Model(), "sk": SK, "net": NET, "tape": NET, "__name__": __name__}
    exec(compile(text.replace("import tensorflow as tf", "tf = None"), "program.py", "exec"), names)
    facts = {n: f for n, v in names.items() if (f := facts_of(v))}
    for name in [n for n in names if n not in facts and not n.startswith("__")]:
        add_fields(facts, name, names[name])
    held: dict[tuple[str, str], Held] = {("<module>", name): held_of(f) for name, f in facts.items()}
    tree = ast.parse(text)
    return {(f.line, f.kind) for f in slips_of_names(View("program.py", tree, Backward({"program.py": tree}), held))}


def marked(text: str) -> set[tuple[int, str]]:
    """(line, kind) of the lines that say so."""
    lines = enumerate(text.splitlines(), 1)
    return {(n, line.rpartition("# ")[2]) for n, line in lines if line.rpartition("# ")[2] in OF_NAMES}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found_at_its_line(name):
    text = HEAD + WRONG[name]
    assert marked(text) and found_in(text) == marked(text)


@pytest.mark.parametrize("name", RIGHT)
def test_what_looks_like_it_is_not_a_fault(name):
    assert found_in(HEAD + RIGHT[name]) == set()


def test_what_a_function_of_another_file_is_given():
    called, function = (
        "from b import turned\nx = turned(data)\n",
        "def turned(block):\n    return block.reshape(5, 3)\n",
    )
    trees = {"a.py": ast.parse(called), "b.py": ast.parse(function)}
    held = {"a.py": {("<module>", "data"): Held("array", (3, 5), "float32")}, "b.py": {}}
    views: dict[str, View] = {}
    views.update({f: View(f, tree, Backward(trees), held[f], views) for f, tree in trees.items()})
    assert [(f.line, f.kind) for f in slips_of_names(views["b.py"])] == [(2, "axes-by-reshape")]


@pytest.mark.parametrize(
    ("line", "pattern", "found"),
    [(3, "core_*.csv", True), (3, "**/core_*.csv", True), (3, "*", True), (3, "log_*.csv", False), (7, "*", False)],
)
def test_files_that_a_line_of_a_helper_listed_in_the_order_of_text(line, pattern, found):
    text = f"""
def cores(folder):
    files = sorted(folder.rglob({pattern!r}))
    return np.stack([np.loadtxt(f) for f in files])
depths = np.loadtxt("depths.csv")
"""
    held = {("cores", f"@{line} core_#.csv"): Held("texts", (14,), by_text=True)}
    tree = ast.parse(text)
    view = View("program.py", tree, Backward({"program.py": tree}), held)
    assert [(s.line, s.kind) for s in slips_of_names(view)] == ([(3, "sorted-as-text")] if found else [])


def test_no_program_is_too_odd():
    """Names that hold what they never would: what is found makes no sense, but something is said."""
    draw = random.Random(0)
    for path in sorted(PROGRAMS.rglob("*.py"))[::12]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        scopes = ["<module>", *(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))]
        held = {(scope, name): odd(draw) for scope in scopes for name in names}
        list(slips_of_names(View(str(path), tree, Backward({str(path): tree}), held)))


def odd(draw: random.Random) -> Held:
    """What a name could hold."""
    sizes = tuple(draw.choice([1, 2, 8, 8, 16]) for _ in range(draw.randrange(4)))
    flags = {name: draw.random() < 0.3 for name in ("fraction", "padded", "grouped", "by_text")}
    kind, dtype = draw.choice(["array", "number", "texts", "table"]), draw.choice(["float32", "int64", "uint8"])
    return Held(kind, sizes, dtype, value=draw.choice([None, 0, 2.5, 16]), least=-0.5, most=300.0, rest=3, **flags)


def test_each_kind_is_found_somewhere():
    seen = {kind for text in WRONG.values() for _, kind in marked(text)}
    elsewhere = {"argmax-of-one", "column-met", "rows-again"}
    assert seen | {kind for text in BY_SOURCE.values() for _, kind in marked(text)} | elsewhere == set(OF_NAMES)


def test_defaults_are_looked_up_without_reading_the_program_again(monkeypatch):
    walked = []
    monkeypatch.setattr(class_defaults, "walk", lambda node: walked.append(node) or list(ast.walk(node)))
    text = "class Window:\n    length: int = 3\n" + "x = Window.length + other.size + settings.of.them\n" * 50
    views: dict[str, View] = {}
    for file in ("/w/one.py", "/w/two.py", "/w/three.py"):
        tree = ast.parse(text)
        views[file] = View(file, tree, Backward({file: tree}), {}, views)
    assert [slip for view in views.values() for slip in class_defaults.faults(view)] == []
    assert len(walked) == len(views)
