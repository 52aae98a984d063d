"""From the use of empty data back to the line that selected nothing."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.selections import Selection, selection

MASK = """\
x = load()
good = x[:, 0] > 2.0
kept = x[good]
other = kept[0]
fit(kept, other)
"""
FUNCTION = """\
def select(x, low):
    keep = where(x > low)[0]
    return x[keep]

def main():
    data = read("a.csv")
    train = select(data, 3)
    batches = from_tensor_slices(train).batch(4)
    model.fit(batches)
"""
FILES = """\
files = glob.glob("*.png")
names = make(files)
fit(names.map(read).batch(4))
"""
COLUMNS = """\
x = load()
y = x[:, 3]
fit(x[:, :3], y)
"""
LISTED = """\
rows = [r for r in read() if r.ok]
fit(rows)
"""
LOOP = """\
x = x.take(0)
for row in x:
    use(row)
"""


@pytest.mark.parametrize(
    ("source", "line", "found"),
    [
        (MASK, 5, (3, "kept")), (FUNCTION, 9, (3, "")), (FILES, 3, (1, "files")), (COLUMNS, 3, None),
        (LISTED, 2, (1, "rows")), (LOOP, 2, (1, "x")), ("fit(x[mask])\n", 1, (1, "")), ("x = 1\n", 7, None),
        ("x = f(x)\nfit(x)\n", 2, None),
    ],
    ids=["mask", "function", "files", "columns", "condition", "loop", "here", "no-line", "none"],
)  # fmt: skip
def test_the_selection_before_a_use(source, line, found):
    expected = Selection("t.py", *found) if found else None
    assert selection({"t.py": ast.parse(source)}, "t.py", line) == expected


def test_of_a_file_that_cannot_be_read_nothing_is_known():
    assert selection({}, "t.py", 1) is None
