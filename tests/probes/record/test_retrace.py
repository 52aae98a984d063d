"""The shapes after each line of a second run. No TensorFlow here; from Python 3.12 on this is `sys.monitoring`."""

from __future__ import annotations

import json

from probes.record.retrace import stored
from tests.probes.record.running import run_program

WANTED = {"XLADOCTOR_REHEARSE": json.dumps({"retrace": True, "batches": None})}


def seen(tmp_path, source, status=0):
    """{(line, name): [shapes]} of a program."""
    ran = run_program(tmp_path, source, env=WANTED)
    assert ran.status == status, ran.stderr
    told = json.loads((ran.folder / "retrace.json").read_text())
    assert told["complete"]
    found: dict[tuple[int, str], list[list[int]]] = {}
    for row in told["shapes"]:
        if row["file"].endswith("program.py"):
            found.setdefault((row["line"], row["name"]), []).append(row["shape"])
    return found


def test_names_have_the_shapes_that_they_get_on_their_lines(tmp_path):
    found = seen(
        tmp_path,
        """import numpy as np
x = np.zeros((4, 6))
x = x[:, 1:]
parts = {"left": x[:1], "right": 3}
name = "not an array"
""",
    )
    assert found == {(2, "x"): [[4, 6]], (3, "x"): [[4, 5]], (4, "parts['left']"): [[1, 5]]}


def test_parameters_have_the_line_of_the_def_and_attributes_their_own(tmp_path):
    found = seen(
        tmp_path,
        """import numpy as np
class Table:
    def __init__(self, rows):
        self.rows = np.ones((rows, 2))
    def part(self, of):
        half = self.rows[: len(of)]
        return half
Table(8).part(np.zeros(3))
""",
    )
    assert found[4, "self.rows"] == [[8, 2]]
    assert found[5, "of"] == [[3]]
    assert found[6, "half"] == [[3, 2]]


def test_a_loop_keeps_the_first_different_shapes_and_a_failing_program_all_that_it_had(tmp_path):
    found = seen(
        tmp_path,
        """import numpy as np
for n in range(1, 30):
    x = np.zeros(n)
np.zeros(3) + np.zeros(4)
""",
        status=1,
    )
    assert found[3, "x"] == [[1], [2], [3], [4]]


def test_a_generator_goes_on_where_it_was(tmp_path):
    found = seen(
        tmp_path,
        """import numpy as np
def rows():
    for n in (2, 3):
        row = np.zeros(n)
        yield row
for row in rows():
    last = row
""",
    )
    assert found[4, "row"] == [[2], [3]]
    assert found[7, "last"] == [[2], [3]]
    assert (2, "row") not in found and (5, "row") not in found


def test_a_program_with_a_trace_function_of_its_own_keeps_it(tmp_path):
    ran = run_program(
        tmp_path,
        "import sys\ncalls = []\nsys.settrace(lambda *a: calls.append(1))\nlen('')\n(lambda: 0)()\n"
        "sys.settrace(None)\nassert calls\n",
        env=WANTED,
    )
    assert ran.status == 0, ran.stderr


def test_what_the_lines_of_a_function_give_values_to():
    def made(self, rows, *more, by=2):
        self.kept, (first, *rest) = (), rows
        for item in rest:
            more = [lambda: first for _ in item]
            item = [item + 1 for item in {key: rows for key, _ in more}]
        return self, item, more

    line = made.__code__.co_firstlineno
    assert stored(made.__code__) == {
        line: {"self", "rows", "more", "by"},
        line + 1: {"self.kept", "first", "rest"},
        line + 2: {"item"},
        line + 3: {"more"},
        line + 4: {"item"},
    }
