"""Stateless draws of mapped functions: seeds that are one for all elements, and seeds that are not."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.one_seed import one_seed

WRONG = {
    "flips by a parameter of the function around it": """
def brighten(tiles, seed):
    def change(tile, kind):
        tile = tf.image.stateless_random_brightness(tile, 0.2, seed=(seed, 1))  # wrong
        return tile, kind
    return tiles.map(change).batch(16)
""",
    "an attribute, in a helper method": """
class Corrupter:
    def __init__(self, seed):
        self.seed = tf.constant([seed, 7])
    def hiss(self, wave):
        return wave + tf.random.stateless_normal(tf.shape(wave), seed=self.seed)  # wrong
    def __call__(self, rows):
        return rows.map(lambda wave, word: (self.hiss(wave), word))
""",
    "bound by partial": """
PAIR = (4, 2)
def noisy(wave, seed):
    loud = tf.random.stateless_uniform([], seed, 0.5, 1.5)  # wrong
    return wave * loud
rows = rows.map(partial(noisy, seed=PAIR), num_parallel_calls=2)
""",
    "seeds at hand that are not used": """
def stream(leaves, start):
    first = tf.stack([start, 0])
    seeds = tf.data.Dataset.random(5)
    return tf.data.Dataset.zip((seeds, leaves)).map(lambda s, leaf: turned(leaf, first))  # wrong
def turned(leaf, pair):
    return tf.image.rot90(leaf, tf.random.stateless_uniform([], pair, 0, 4, tf.int32))
""",
    "handed through two calls": """
def shift(echo, seed):
    return tf.roll(echo, tf.random.stateless_uniform((1,), seed, -3, 3, tf.int32), [0])
def jitter(echo, seed):
    parts = tf.random.split(seed, 2)
    return shift(echo, parts[0]) * 0.5
def main():
    base = tf.random.create_seed(3)
    train = echoes.shuffle(90).map(lambda echo: jitter(echo, base))  # wrong
""",
}
STEP = """
@tf.function
def step(net, x, y, seed):
    noise = tf.random.stateless_normal(tf.shape(x), seed=seed)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x + noise) - y) ** 2)
    return tape.gradient(loss, net.trainable_variables)
"""
WRONG |= {
    "a field of the settings": """
class Pipe:
    def __init__(self, settings):
        self.settings = settings
    def _distort(self, tile):
        return turn(tile, tf.random.stateless_uniform([], [self.settings.seed, 0], -0.2, 0.2))  # wrong
    def build(self, rows):
        return rows.map(self._distort).batch(8)
""",
    "behind a star": """
def cut(tile, kind, seed):
    return tf.image.stateless_random_crop(tile, (9, 9, 3), seed=seed), kind
def make(rows, seed=(1, 2)):
    numbered = tf.data.Dataset.zip((rows, tf.data.Dataset.counter()))
    return numbered.map(lambda pair, n: cut(*pair, seed))  # wrong
""",
    "noise by the name around it": """
def add_noise(rows, seed):
    pair = tf.constant([seed, 0])
    return rows.map(lambda x, y: (x + tf.random.stateless_normal(tf.shape(x), pair), y))  # wrong
""",
    "steps with one seed": STEP
    + """
def fit(net, rows, seed):
    base = tf.constant([seed, 0])
    for epoch in range(9):
        for x, y in rows.batch(8):
            apply(step(net, x, y, base))  # wrong
""",
    "steps of a trainer": """
class Trainer:
    def __init__(self, seed):
        self.pair = (seed, 1)
    def step(self, x):
        with tf.GradientTape() as tape:
            z = tf.random.stateless_normal((8, 3), self.pair)  # wrong
            loss = self.score(self.net(z), x)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.v), self.v))
    def run(self, dataset):
        for x in dataset:
            self.step(x)
""",
}
HEALTHY = {
    "steps with the number of the step": STEP
    + """
def fit(net, rows, seed):
    for n, (x, y) in enumerate(rows.batch(8)):
        apply(step(net, x, y, (seed, n)))
""",
    "steps with a seed that is split": STEP
    + """
def fit(net, rows, seed):
    for x, y in rows.batch(8):
        seed, now = tf.unstack(tf.random.split(seed))
        apply(step(net, x, y, now))
""",
    "points that stay": """
def step(net, seed):
    points = tf.random.stateless_uniform((64, 2), seed)
    with tf.GradientTape() as tape:
        loss = residual(net, points)
    return tape.gradient(loss, net.trainable_variables)
for n in range(900):
    apply(step(net, SEED))
""",
    "models with the same noise": STEP
    + """
def compare(models, x, y, seed):
    for net in models:
        apply(step(net, x, y, seed))
""",
    "the number of the element": """
def brighten(tiles, seed):
    def change(i, tile):
        return tf.image.stateless_random_brightness(tile, 0.2, seed=tf.stack([seed, i]))
    return tiles.enumerate().map(change)
""",
    "the number by two names": """
def brighten(tiles, seed):
    def change(i, tile):
        pair = (seed, i)
        return noisy(tile, pair)
    return tiles.enumerate().map(change)
def noisy(tile, pair):
    return tile + tf.random.stateless_normal(tile.shape, seed=pair)
""",
    "a generator": """
source = tf.random.Generator.from_seed(3)
def augment(tile):
    pair = source.make_seeds(2)[:, 0]
    return tf.image.stateless_random_contrast(tile, 0.5, 1.5, seed=pair)
tiles = tiles.map(augment)
""",
    "a variable that counts": """
class Augment:
    def __init__(self, seed):
        self.seed = tf.Variable([seed, 0])
    def augment(self, tile):
        self.seed.assign_add([0, 1])
        return tf.image.stateless_random_hue(tile, 0.1, seed=self.seed)
    def apply(self, rows):
        return rows.map(self.augment)
""",
    "one mask for all, as it says": """
def augment_fixed(field, seed):
    \"\"\"Leave out the same pixels of each field.\"\"\"
    return field * tf.cast(tf.random.stateless_uniform(field.shape, seed) > 0.2, field.dtype)
fields = fields.map(lambda f: augment_fixed(f, BASE))
""",
    "a product with one random matrix": """
BASE = (1, 2)
def randomised(row):
    return row @ tf.random.stateless_normal((40, 8), seed=BASE)
rows = rows.map(randomised)
""",
    "pixels in another order": """
BASE = (1, 2)
def scrambled(row):
    return tf.gather(row, tf.random.experimental.stateless_shuffle(tf.range(64), seed=BASE))
rows = rows.map(scrambled)
""",
    "rows that are scored": """
BASE = (1, 2)
def noisy(row):
    return row + tf.random.stateless_normal(row.shape, seed=BASE)
test_rows = rows.map(noisy)
""",
    "a seed of each recording": """
def parts_of(number):
    def noisy(part):
        return part + tf.random.stateless_normal(part.shape, seed=(number, 1))
    return parts.map(noisy)
rows = tf.data.Dataset.range(9).flat_map(parts_of)
""",
    "a seed of each round": """
for epoch in range(9):
    rows = tiles.map(lambda tile: tf.image.stateless_random_hue(tile, 0.1, seed=(epoch, 1)))
    net.fit(rows.batch(8))
""",
}


def lines(text):
    return sorted({slip.line for slip in one_seed(ast.parse(text))})


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_one_seed_for_all_elements(text):
    assert lines(text) == [n for n, line in enumerate(text.splitlines(), 1) if "# wrong" in line]


@pytest.mark.parametrize("text", HEALTHY.values(), ids=HEALTHY.keys())
def test_seeds_that_differ_or_draws_that_are_meant(text):
    assert lines(text) == []
