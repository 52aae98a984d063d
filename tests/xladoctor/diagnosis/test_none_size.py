"""The line that reads a size which is None, and not the one that uses its name."""

from __future__ import annotations

import ast

import pytest

from xladoctor.diagnosis.none_size import read_at

SOURCE = """
def folded(x, w, net):
    n, k = x.shape[0], w
    rows = tf.shape(x)[0]
    y = tf.reshape(net(x), [n, k, 4])
    b, h, c = x.shape
    n = len(net.layers)
    y = tf.reshape(y, (h, n))
    y = tf.reshape(y, [rows, 4])
    return tf.reshape(y, [-1, 4])
"""


@pytest.mark.parametrize(
    ("line", "axis", "read"),
    [(5, 0, 3), (5, 1, None), (5, 2, None), (8, 0, 6), (8, 1, None), (9, 0, None), (10, 0, None), (2, 0, None)],
)
def test_the_line_that_reads_the_size(line, axis, read):
    assert read_at(ast.parse(SOURCE), line, axis) == read
