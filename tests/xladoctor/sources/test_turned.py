"""The line that turns moves, in programs of several fields."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.turned import handed_on, names_at, turns

REGISTRATION = """
import numpy as np

def landmarks(fixed, moving):
    pairs = match(fixed, moving)
    displacement = pairs.source - pairs.target
    return displacement

def frame(tracks):
    return tracks[..., ::-1]
"""
VISIBILITIES = """
def baselines(antennas, pairs):
    uv = antennas[pairs[:, 1]] - antennas[pairs[:, 0]]
    return uv[:, [1, 0]]
"""
FLOW = """
def warp(image, flow):
    back = flow * scale
    grid = base_grid(image)
    size = grid.shape[0] - 1
    return sample(image, grid, back)

def unwarp(image, flow):
    back = flow * scale
    return sample(image, base_grid(image), -back)
"""


@pytest.mark.parametrize(
    ("source", "names", "relation", "line"),
    [
        (REGISTRATION, ["displacements"], "negated", 6),
        (REGISTRATION, ["tracks"], "swapped", 10),
        (VISIBILITIES, ["uv"], "swapped", 4),
        (VISIBILITIES, ["uv"], "negated", 3),
        (FLOW, ["angles"], "negated", None),
    ],
)
def test_the_best_line(source, names, relation, line):
    found = turns({"a.py": ast.parse(source)}, names, relation)
    assert (found[0].line if found else None) == line


@pytest.mark.parametrize(("taken", "line"), [(3, 6), (9, 10)], ids=["handed on", "turned"])
def test_within_a_function(taken, line):
    assert handed_on({"a.py": ast.parse(FLOW)}, "a.py", taken, "negated") == line


def test_names_of_a_line():
    source = 'def f(batch):\n    d = tf.reshape(batch["offsets"], (-1, 2))\n'
    assert sorted(names_at({"a.py": ast.parse(source)}, "a.py", 2)) == ["batch", "offsets"]


MAKER = """
def drift(spots, reference):
    step = spots - reference
    return step[..., ::-1], reference.mean(0)

def load(path):
    shift, middle = drift(*read(path))
    return shift
"""
GRID = """
def cells(place, width):
    row, column = place[:, 0], place[:, 1]
    good = row * width + column
    return column * width + row
"""
SORTED = """
def batch(frames, near):
    return frames[np.sort(near, axis=1)], frames[near]
"""


@pytest.mark.parametrize(
    ("source", "names", "relation", "near", "line"),
    [
        (MAKER, ["shift"], "swapped", (), 4),
        (MAKER, ["middle"], "swapped", (), None),
        (GRID, ["place"], "swapped", ("cells",), 5),
        (GRID, ["place"], "swapped", (), None),
        (SORTED, ["shift"], "reordered", (), 3),
    ],
    ids=["returned", "returned beside it", "by names", "by names elsewhere", "sorted index"],
)
def test_the_line_without_the_name(source, names, relation, near, line):
    found = turns({"a.py": ast.parse(source)}, names, relation, near)
    assert (found[0].line if found else None) == line


SCAN = """
def simulate():
    grid = raster()
    visited = {visited}
    return Experiment(probe, visited, amp)

def displacements(positions, groups):
    members = positions.reshape(-1, 2)[groups]
    return members - members.mean(axis=1)

run = simulate()
offsets = displacements(run.positions, groups)
"""


@pytest.mark.parametrize(
    ("visited", "line"),
    [
        ("grid.transpose(1, 0, 2).reshape(-1, 2)", 4),
        ("np.reshape(grid, (-1, 2), order='F')", 4),
        ("grid.reshape(-1, 2)", None),
        ("grid.transpose(1, 0, 2)", None),
    ],
)
def test_what_lays_items_out_by_columns_before_the_moves_are_made(visited, line):
    found = turns({"a.py": ast.parse(SCAN.format(visited=visited))}, ["offsets"], "reordered")
    assert (found[0].line if found and found[0].score > 6 else None) == line


@pytest.mark.parametrize(
    ("line", "found"),
    [("moved = shift(images, flat(offsets))", 2), ("moved = flat(offsets)", 3)],
    ids=["at once", "later"],
)
def test_moves_that_are_handed_on_in_the_line_that_takes_them(line, found):
    source = f"def cut(images, offsets):\n    {line}\n    return crop(moved, 4)\n"
    assert handed_on({"a.py": ast.parse(source)}, "a.py", 2, "negated") == found
