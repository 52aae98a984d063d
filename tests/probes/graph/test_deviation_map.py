"""Maps of deviations: every row and every pixel counts, and there are only so many fields."""

from __future__ import annotations

import json

import numpy as np
import pytest

from probes.graph.deviation_map import MOST_MAPS, MOST_ROWS, SIDE, add_maps, deviation_map
from probes.graph.measure import compared, is_apart


def batch(rows=100, shape=(78, 64, 3)):
    return np.full((rows, *shape), 2.0, np.float32)


def test_one_wrong_pixel_of_one_row_is_in_both():
    a, b = batch(), batch()
    b[17, 40, 13, 1] = 1.0
    found = deviation_map(a, b)
    assert found["row"] == 17 and found["shape"] == [78, 64] and found["block"] == 2
    assert [r for r, d in found["rows"] if d] == [16]
    assert len(found["rows"]) <= MOST_ROWS and max(len(found["cells"]), len(found["cells"][0])) <= SIDE
    wrong = [(n, m) for n, line in enumerate(found["cells"]) for m, d in enumerate(line) if d]
    assert wrong == [(40 // 3, 13 // 2)]
    assert found["cells"][40 // 3][13 // 2] == 0.5, "of the largest magnitude"


def test_rows_of_a_batch_keep_their_numbers():
    a, b = batch(4), batch(4)
    b[1] = 0
    found = deviation_map(a, b, [7, 2, 5, 9])
    assert found["rows"] == [[2, 1.0], [5, 0.0], [7, 0.0], [9, 0.0]]
    assert found["row"] == 2


def test_complex_values_and_what_is_no_number():
    a = np.ones((3, 8, 8), np.complex64)
    b = a.copy()
    b[2, 0, 0] = np.nan
    a[1, 0, 0] = b[1, 0, 0] = np.nan
    found = deviation_map(a, b)
    assert found["rows"] == [[0, 0.0], [1, 0.0], [2, "inf"]]
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("shape", [(), (5,), (3, 3)])
def test_what_has_no_extent_has_no_picture(shape):
    a, b = batch(5, shape), batch(5, shape)
    b[3] = 0
    found = deviation_map(a, b)
    assert (found["row"], found["shape"], found["cells"]) == (3, None, None)


def test_no_map():
    assert deviation_map(np.float32(1), np.float32(2)) is None
    assert deviation_map(batch(2), batch(3)) is None
    assert deviation_map(None, batch(3)) is None
    assert deviation_map(np.array(["a"]), np.array(["b"])) is None


def test_only_the_worst_outputs_have_one():
    results = {"plain": {}, "xla": {}}
    told = []
    for n in range(MOST_MAPS + 2):
        name = f"output {n}"
        results["plain"][name], results["xla"][name] = np.ones((4, 2)), np.ones((4, 2)) + n / 10
        row = compared(name, results["plain"][name], results["xla"][name], 1e-6)
        told.append({**row, "ways": ["plain", "xla"], "apart": is_apart(row)})
    add_maps(told, results)
    told.append({**told[-1], "ways": ["plain", "other"], "map": "as it was"})
    add_maps(told, results)
    assert [bool(t.get("map")) for t in told] == [False, False, True, True, True, True, True]
    assert told[-1]["map"] == "as it was"
