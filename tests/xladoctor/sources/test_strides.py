"""Places in a flat array by two running numbers."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.strides import strides

WRONG = [
    """
flat = net.predict(pairs)[:, 0]
out = np.zeros((rows, cols))
for i in range(rows):
    for j in range(cols):
        out[i, j] = flat[i * rows + j]  # wrong
""",
    """
def sheet(parts, down, across):
    assert len(parts) == down * across
    return np.block([[parts[r * down + c] for c in range(across)] for r in range(down)])  # wrong
""",
    """
class Table:
    def fill(self, p):
        self.out = np.zeros(self.users * self.titles)
        for t in range(self.titles):
            for u in range(self.users):
                self.out[u + self.titles * t] = p[u, t]  # wrong
""",
]
HEALTHY = [
    WRONG[0].replace("i * rows + j", "i * cols + j"),
    WRONG[0].replace("i * rows + j", "j * rows + i"),
    WRONG[1].replace("down * across", "0"),
    "down, across = 8, 8\n" + WRONG[1],
    """
for i in range(n):
    for j in range(k):
        near[i, j] = square[i * n + j]
""",
]


@pytest.mark.parametrize("source", WRONG)
def test_the_stride_of_the_other_loop(source):
    marked = [n for n, line in enumerate(source.splitlines(), 1) if line.endswith("# wrong")]
    assert [s.line for s in strides(ast.parse(source))] == marked


@pytest.mark.parametrize("source", HEALTHY)
def test_strides_that_fit(source):
    assert list(strides(ast.parse(source))) == []
