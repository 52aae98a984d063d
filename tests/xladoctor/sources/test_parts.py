"""Parts that are cut out of an array and put together again: the order of both, and the line where they differ."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.two_ways_of_parts import two_ways_of_parts

EXTRACT = """
def tiles_of(maps, side):
    window = [1, side, side, 1]
    tiles = tf.image.extract_patches(maps, window, window, [1, 1, 1, 1], "VALID")
    return tf.reshape(tiles, (-1, side, side, 3))
"""
WINDOWS = """
class Swin:
    def partition(self, x):
        n, h, w, c = x.shape
        s = self.side
        x = x.reshape(n, h // s, s, w // s, s, c)
        return x.transpose(0, 1, 3, 2, 4, 5).reshape(-1, s, s, c)
"""
LOOPS = """
def cut(field, size):
    found = []
    for top in range(0, field.shape[0], size):
        for left in range(0, field.shape[1], size):
            found.append(field[top:top + size, left:left + size])
    return np.stack(found)
"""
BY_COLUMN = """
def cut(field, size):
    rows, cols = field.shape[0] // size, field.shape[1] // size
    return np.stack([field[i * size:(i + 1) * size, j * size:(j + 1) * size] for j in range(cols) for i in range(rows)])
"""
BACK = """
def back(tiles, down, across, side):
    grid = np.reshape(tiles, (-1, down, across, side, side, 3))
    grid = np.transpose(grid, (0, 1, 3, 2, 4, 5))
    return np.reshape(grid, (-1, down * side, across * side, 3))
"""
TURNED = """
def back(tiles, down, across, side):
    grid = np.reshape(tiles, (-1, across, down, side, side, 3))  # wrong
    grid = np.transpose(grid, (0, 2, 3, 1, 4, 5))
    return np.reshape(grid, (-1, down * side, across * side, 3))
"""
REVERSE = """
    def reverse(self, windows, h, w):
        s, c = self.side, windows.shape[-1]
        x = windows.reshape(-1, {sizes}, s, s, c)
        return x.transpose({order}).reshape(-1, h, w, c)
"""
PASTE = """
def paste(parts, rows, cols, size):
    out = np.zeros((rows * size, cols * size))
    n = 0
    for {outer} in range({of_outer}):
        for {inner} in range({of_inner}):
            out[i * size:(i + 1) * size, j * size:(j + 1) * size] = parts[n]{mark}
            n += 1
    return out
"""
BY_NUMBER = """
def paste(parts, rows, cols, size):
    out = np.zeros((rows * size, cols * size))
    for k, part in enumerate(parts):
        {names} = divmod(k, {by})
        top, left = i * size, j * size
        out[i * size:(i + 1) * size, j * size:(j + 1) * size] = part{mark}
    return out
"""
COUNTED = {"outer": "j", "of_outer": "cols", "inner": "i", "of_inner": "rows", "mark": "  # wrong"}
RIGHT = {"outer": "i", "of_outer": "rows", "inner": "j", "of_inner": "cols", "mark": ""}
PLACED = """
def paste(parts, rows, cols, size):
    out = np.zeros((rows * size, cols * size))
    for i in range(rows):
        for j in range(cols):
            out[i * size:(i + 1) * size, j * size:(j + 1) * size] = parts[{at}]{mark}
    return out
"""
WRONG = {
    "columns first after extract_patches": EXTRACT + TURNED,
    "windows of a class": WINDOWS + REVERSE.format(sizes="w // s, h // s", order="0, 2, 3, 1, 4, 5  # wrong").replace(
        "s, s, c)\n", "s, s, c)  # wrong\n").replace("5  # wrong", "5"),
    "loops over columns first": LOOPS + PASTE.format(**COUNTED),
    "a cut by columns": BY_COLUMN.replace("range(rows)])", "range(rows)])  # wrong") + PASTE.format(**RIGHT),
    "the place of a part": LOOPS + PLACED.format(at="j * rows + i", mark="  # wrong"),
    "the number of a part": LOOPS + BY_NUMBER.format(names="j, i", by="rows", mark="  # wrong"),
    "no transposition of a cut": """
def tokens(x, n, rows, cols, size):
    x = tf.reshape(x, (n, rows, size, cols, size, 3))
    return tf.reshape(x, (-1, size, size, 3))  # wrong
""",
    "no transposition of parts": """
def whole(parts, rows, cols, size):
    grid = parts.reshape(-1, rows, cols, size, size)
    return grid.reshape(-1, rows * size, cols * size)  # wrong
""",
}  # fmt: skip
HEALTHY = {
    "the inverse": EXTRACT + BACK,
    "windows and back": WINDOWS + REVERSE.format(sizes="h // s, w // s", order="0, 1, 3, 2, 4, 5"),
    "loops in one order": LOOPS + PASTE.format(**RIGHT),
    "columns first on both sides": BY_COLUMN + PASTE.format(**COUNTED | {"mark": ""}),
    "the number of a part": LOOPS + BY_NUMBER.format(names="i, j", by="cols", mark=""),
    "a part by its place": LOOPS + PLACED.format(at="i * cols + j", mark=""),
    "cuts of two orders": LOOPS + EXTRACT + BY_COLUMN + PASTE.format(**COUNTED),
    "a sheet of pictures": EXTRACT + TURNED.replace("def back", "def mosaic"),
    "heads of attention": EXTRACT + """
def heads(x, n, length, count, width):
    x = tf.reshape(x, (n, length, count, width))
    return tf.reshape(tf.transpose(x, (0, 2, 1, 3)), (n * count, length, width))
""",
    "means of blocks": """
def blocks(x, n, rows, cols, size):
    return x.reshape(n, rows, size, cols, size, 3).mean(axis=(2, 4)).reshape(-1, rows * cols, 3)
""",
    "tokens of a grid": """
def tokens(x, n, rows, cols, size):
    grid = x.reshape(n, rows, cols, size, size, 3)
    return grid.reshape(n, rows * cols, size * size * 3)
""",
    "parts of one grid each": LOOPS + """
def first(x, n, a, b, size):
    y = x.reshape(n, a, b, size, size, 3)
    return y.reshape(n, a, b, size * size * 3)
""",
}  # fmt: skip


def marked(source):
    return [n for n, line in enumerate(source.splitlines(), 1) if line.endswith("# wrong")]


@pytest.mark.parametrize("name", WRONG)
def test_parts_that_come_to_other_places_are_found(name):
    trees = {"a.py": ast.parse(WRONG[name])}
    assert [s.line for _, s in two_ways_of_parts(trees)] == marked(WRONG[name])


@pytest.mark.parametrize("name", HEALTHY)
def test_parts_that_come_back_are_left_alone(name):
    source = HEALTHY[name].replace("  # wrong", "")
    assert list(two_ways_of_parts({"a.py": ast.parse(source)})) == []


def test_two_files_that_a_third_one_calls():
    trees = {"cut.py": ast.parse(LOOPS), "net.py": ast.parse(PASTE.format(**COUNTED))}
    assert list(two_ways_of_parts(trees)) == []
    trees["main.py"] = ast.parse("whole = paste(net.predict(cut(field, 8)), 4, 6, 8)")
    found = [(file, slip.line) for file, slip in two_ways_of_parts(trees)]
    assert found == [("net.py", marked(PASTE.format(**COUNTED))[0])]
