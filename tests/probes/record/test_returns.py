"""What calls give, recorded in a rehearsal. No TensorFlow here."""

from __future__ import annotations

import json

from tests.probes.record.running import run_program

WANTED = {"XLADOCTOR_REHEARSE": json.dumps({"returns": True, "batches": None})}


def recorded(tmp_path, source):
    ran = run_program(tmp_path, source, env=WANTED)
    assert ran.status == 0, ran.stderr
    return json.loads((ran.folder / "returns.json").read_text())


def test_the_arguments_and_results_of_the_users_functions_and_of_library_calls(tmp_path):
    told = recorded(
        tmp_path,
        """
import numpy as np
def scale(x, by):
    return np.sort(x * by)
scale(np.arange(3.0), 2)
scale(np.arange(3.0), 3)
""",
    )
    rows = [r for r in told["rows"] if r["function"] == "scale"]
    assert [(r["line"], r["defined"], r["number"]) for r in rows] == [(4, 3, 1), (4, 3, 2)]
    assert [r["results"][0]["values"] for r in rows] == [[0.0, 2.0, 4.0], [0.0, 3.0, 6.0]]
    assert rows[0]["given"] != rows[1]["given"]
    assert told["complete"]
    assert any(r["function"] == "sort" and not r["own"] and r["line"] == 4 for r in told["rows"])


def test_the_lines_that_are_run_are_counted(tmp_path):
    told = recorded(tmp_path, "def f():\n    return 1\nfor i in range(3):\n    f()\n")
    assert [count for file, line, count in told["lines"] if line == 4 and file.endswith("program.py")] == [3]


def test_a_configured_value_that_gives_way_to_a_default(tmp_path):
    told = recorded(
        tmp_path,
        """
CONFIG, DEFAULTS = {"rate": 0.0, "debug": False, "size": 3, "workers": 0}, {"rate": 0.4, "debug": True, "size": 5}
def setting(name):
    return CONFIG.get(name) or DEFAULTS[name]
def kept(name):
    return CONFIG[name] if name in CONFIG else DEFAULTS[name]
for name in ("rate", "debug", "size"):
    setting(name), kept(name)
workers = CONFIG.get("workers") or 4
label = CONFIG.get("label") or "none"
rate = CONFIG["rate"] or 0.1
""",
    )
    assert [(d["line"], d["key"], d["value"], d["taken"]) for d in told["defaulted"]] == [
        (4, "rate", 0.0, 0.4),
        (4, "debug", False, True),
        (11, "rate", 0.0, 0.1),
    ]
