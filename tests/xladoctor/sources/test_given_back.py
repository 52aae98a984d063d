"""Results of a shuffled pass that a function returns: which callers put them beside something else."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.given_back import given_back

INFER = """
def infer(net, rows):
    out = [net(x, training=False) for x, _ in batches(rows)]
    return np.concatenate(out)
"""
LOOP = """
class Reader:
    def depths(self, rows):
        kept = []
        for x, y in batches(rows):
            kept.append(self.net(x, training=False))
        return tf.concat(kept, axis=0)
"""
PLACE = "def lay(tiles, corners):\n    for tile, corner in zip(tiles, corners):\n        put(tile, corner)\n"
CALL = "import work\ngot = work.infer(net, rows)\n"
READ = "reader = Reader()\ngot = reader.depths(rows)\n"
WRONG = {
    "a function that zips": (INFER, 3, CALL + "lay(got, rows.corners())\n" + PLACE),
    "a measure": (INFER, 3, "from work import infer\ngot = infer(net, rows)\nmean_squared_error(truth, got)\n"),
    "a difference": (INFER, 3, CALL + "flat = got[:, 0]\nerror = ((flat - truth) ** 2).mean()\n"),
    "a method": (LOOP, 5, READ + "for a, b in zip(got, names):\n    print(a, b)\n"),
    "handed on at once": (INFER, 3, "import work\nlay(work.infer(net, rows), corners)\n" + PLACE),
}
OF_LABELS = INFER.replace("x, _ in", "x, y in").replace("training=False)", "training=False) - y")
RIGHT = {
    "nothing beside": (INFER, 3, CALL + "print(got.mean())\n"),
    "a spread about their own mean": (INFER, 3, CALL + "m = got.mean(0)\nv = (got - m) ** 2\n"),
    "two sets of results": (INFER, 3, CALL + "other = work.infer(net, more)\ns = kernel_score(got, other)\n"),
    "a number of all": (INFER.replace("concatenate", "mean"), 3, CALL + "zip(got, names)\n"),
    "labels are kept": (OF_LABELS, 3, CALL + "for a, b in zip(got, names):\n    print(a, b)\n"),
    "labels of the same pass": (
        LOOP.replace("kept, axis=0)", "kept, axis=0), seen"),
        5,
        READ.replace("got", "got, y") + "mean_squared_error(y, got)\n",
    ),
    "another function of the name": (INFER, 3, CALL.replace("work", "other") + "mean_squared_error(truth, got)\n"),
    "a whole, and settings": (INFER, 3, CALL + "show(got, 3)\ndef show(d, many):\n    plot(d[:many])\n"),
}


def _found(text, line, caller):
    return given_back({"/p/work.py": ast.parse(text), "/p/main.py": ast.parse(caller)}, "/p/work.py", line)


@pytest.mark.parametrize("name", WRONG)
def test_results_that_meet_others(name):
    assert _found(*WRONG[name]) == "net"


@pytest.mark.parametrize("name", RIGHT)
def test_results_that_meet_nothing_else(name):
    assert _found(*RIGHT[name]) is None
