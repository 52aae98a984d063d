"""Tables that a lookup layer indexes: with the row for unknown ids first, or not."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.lookup_rows import lookup_rows

WRONG = {
    "the extra row at the end": """
class Dishes(keras.layers.Layer):
    def __init__(self, names, tastes):
        super().__init__()
        self.number = keras.layers.StringLookup(vocabulary=names)
        padded = np.vstack([tastes, np.zeros((1, 6), "float32")])  # wrong
        self.table = tf.Variable(padded, trainable=False)
    def call(self, dish):
        rows = self.number(dish)
        return tf.nn.embedding_lookup(self.table, rows)
""",
    "weights filled from 0": """
number = layers.IntegerLookup(vocabulary=codes.tolist(), mask_token=None)
start = np.zeros((len(codes) + 1, 8), "float32")
for place, code in enumerate(codes):
    start[place] = known[code]  # wrong
vectors = layers.Embedding(len(codes) + 1, 8, weights=[start])
out = vectors(number(inputs))
""",
    "a row for each word": """
WORDS = ["oak", "ash", "elm"]
lookup = StringLookup(vocabulary=WORDS, num_oov_indices=1)
heights = tf.constant([HEIGHT[w] for w in WORDS])  # wrong
@tf.function(jit_compile=True)
def height(tree):
    return tf.gather(heights, lookup(tree))
""",
    "indexed by numpy": """
def vectors_of(ids, table):
    number = keras.layers.StringLookup(vocabulary=list(ids))
    full = np.concatenate([table, table.mean(axis=0, keepdims=True)], axis=0)  # wrong
    at = number(ids).numpy()
    return full[at]
""",
}
TEMPLATE = """
number = layers.StringLookup(vocabulary=ids{more})
table = tf.constant({table})
def vectors(names):
    {at}
    return tf.gather(table, at)
"""
LAST, FIRST = "np.vstack([rows, np.zeros((1, 4))])", "np.vstack([np.zeros((1, 4)), rows])"
AT = "at = number(names)"
HEALTHY = {
    "the extra row first": TEMPLATE.format(more="", table=FIRST, at=AT),
    "no number for unknown ids": TEMPLATE.format(more=", num_oov_indices=0", table=LAST, at=AT),
    "one less": TEMPLATE.format(more="", table=LAST, at="at = number(names) - 1"),
    "one less in place": TEMPLATE.format(more="", table=LAST, at="at = number(names)\n    at -= 1"),
    "one hot": TEMPLATE.format(more=', output_mode="one_hot"', table=LAST, at=AT),
    "columns": TEMPLATE.format(more="", table="np.concatenate([rows, rows.mean(1, keepdims=True)], axis=1)", at=AT),
    "both ends": TEMPLATE.format(more="", table=LAST, at=AT) + "rows = np.concatenate([unknown, given])\n",
    "its own word for unknown ids": 'ids = ["[UNK]", *names]\n' + TEMPLATE.format(more="", table=LAST, at=AT),
    "words of the layer": "ids = other.get_vocabulary()\n"
    + TEMPLATE.format(more="", table="[vec[i] for i in ids]", at=AT),
    "filled from 1": """
number = layers.StringLookup(vocabulary=words)
start = np.zeros((len(words) + 1, 8))
for place, word in enumerate(words, start=1):
    start[place] = known[word]
out = layers.Embedding(len(words) + 1, 8, weights=[start])(number(x))
""",
    "filled one behind": """
number = layers.StringLookup(vocabulary=words)
start = np.zeros((len(words) + 1, 8))
for place, word in enumerate(words):
    start[place + 1] = known[word]
vectors = layers.Embedding(len(words) + 1, 8, weights=[start])
out = vectors(number(x))
""",
    "another table": TEMPLATE.format(more="", table=FIRST, at=AT) + f"other = {LAST}\nprint(other[3])\n",
}


@pytest.mark.parametrize("name", WRONG)
def test_tables_that_begin_with_the_first_id(name):
    marked = [n for n, line in enumerate(WRONG[name].splitlines(), 1) if line.endswith("# wrong")]
    assert [(s.kind, s.line) for s in lookup_rows(ast.parse(WRONG[name]))] == [("lookup-rows", n) for n in marked]


def test_the_template_with_the_extra_row_at_the_end():
    assert [s.line for s in lookup_rows(ast.parse(TEMPLATE.format(more="", table=LAST, at=AT)))] == [3]


@pytest.mark.parametrize("name", HEALTHY)
def test_tables_that_fit(name):
    assert list(lookup_rows(ast.parse(HEALTHY[name]))) == []
