"""Seeds that are the number of a batch, divided by its size."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.divided_seeds import divided_seeds

WRONG = {
    "in the loop": """
for block in range(BLOCKS):
    u = tf.random.stateless_uniform([SIZE, 3], seed=[SEED, block // SIZE])  # wrong
    inside += count(u)
""",
    "a method that is called in a loop": """
class Walks:
    @tf.function
    def ends(self, part):
        word = part // self.many  # wrong
        shape = (self.many, DAYS)
        steps = tf.random.stateless_normal(shape, tf.stack([self.seed, word]))
        return tf.reduce_sum(steps, axis=1)
def run(walks, parts):
    return [walks.ends(tf.constant(p)) for p in range(parts)]
""",
    "as many as there are batches": """
def draw(k):
    return tf.random.stateless_normal(shape=[CHUNK], seed=(3, k // CHUNK))  # wrong
def main():
    n = TOTAL // CHUNK
    for k in tf.range(n):
        use(draw(k))
""",
}
HEALTHY = {
    "the number of the batch": WRONG["in the loop"].replace("block // SIZE", "block"),
    "the number of the first row": """
for start in range(0, ROWS, SIZE):
    u = tf.random.stateless_uniform([SIZE, 3], seed=[SEED, start // SIZE])
""",
    "a row of its batch": """
def noise(row):
    block = tf.random.stateless_normal([SIZE, 4], seed=[SEED, row // SIZE])
    return block[row % SIZE]
for row in range(rows):
    use(noise(row))
""",
    "rows that are counted": """
rows = SIZE * BLOCKS
for row in range(rows):
    u = tf.random.stateless_uniform([SIZE, 3], seed=[SEED, row // SIZE])
""",
    "rounds that share a draw": """
for step in range(STEPS):
    u = tf.random.stateless_uniform([SIZE, 3], seed=[SEED, step // REFRESH])
""",
    "called with the first row, too": WRONG["as many as there are batches"] + "draw(2 * CHUNK)\n",
}


@pytest.mark.parametrize("name", WRONG)
def test_numbers_of_batches_that_are_divided(name):
    marked = [n for n, line in enumerate(WRONG[name].splitlines(), 1) if line.endswith("# wrong")]
    assert [(s.kind, s.line) for s in divided_seeds(ast.parse(WRONG[name]))] == [("same-draw", n) for n in marked]


@pytest.mark.parametrize("name", HEALTHY)
def test_seeds_that_differ(name):
    assert list(divided_seeds(ast.parse(HEALTHY[name]))) == []
