"""Two rehearsals compared call by call, on what their recorders wrote."""

from __future__ import annotations

import json

import pytest

from xladoctor.experiments.flip_numbers import defaulted, numbers, prints_the_same
from xladoctor.recording.run import read_run


def result(*values, dtype="float32", digest=None):
    return {
        "shape": [len(values)],
        "dtype": dtype,
        "digest": digest or repr(values),
        "values": list(values),
        "sorted": sorted(values),
    }


def row(function, *results, given="same", number=1, line=9):
    return {"function": function, "file": "main.py", "line": line, "defined": 5, "own": True, "number": number,
            "given": given, "results": list(results)}  # fmt: skip


def rehearsal(tmp_path, name, rows, printed="", lines=(), **more):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps({"schema": "xladoctor.run/1", "command": ["x"], "pid": 1}))
    work = f"{folder}/.work/"
    rows = [{**r, "file": work + r["file"]} for r in rows]
    document = {"rows": rows, "lines": [[work + f, n, c] for f, n, c in lines], "complete": True, **more}
    (folder / "returns.json").write_text(json.dumps(document))
    (folder / "stdout.log").write_text(printed)
    return read_run(folder)


def test_the_first_call_that_was_given_the_same_and_gave_another_number_is_where_numbers_part(tmp_path):
    one = [row("load", result(1.0, 2.0)), row("score", result(3.0, 4.0)), row("report", result(7.0), given="a")]
    two = [row("load", result(1.0, 2.0)), row("score", result(3.0, 5.0)), row("report", result(8.0), given="b")]
    found = numbers(rehearsal(tmp_path, "a", one), rehearsal(tmp_path, "b", two))
    assert (found.compared, found.same, found.alike) == (3, 1, False)
    assert (found.parting.function, found.parting.line, found.parting.file) == ("score", 9, "main.py")
    assert found.parting.values == ((4.0,), (5.0,))
    assert found.parting.deviation == pytest.approx(0.2)


def test_rounding_is_no_difference_and_a_whole_number_has_none(tmp_path):
    one = [row("a", result(1.0, 2.0)), row("b", result(1.0, dtype="int32"))]
    two = [row("a", result(1.0, 2.00001)), row("b", result(1.0, dtype="int32"))]
    assert numbers(rehearsal(tmp_path, "a", one), rehearsal(tmp_path, "b", two)).parting is None
    two[1] = row("b", result(1.00001, dtype="int32"))
    assert numbers(rehearsal(tmp_path, "c", one), rehearsal(tmp_path, "d", two)).parting.function == "b"


def test_the_switch_itself_is_no_number(tmp_path):
    flags = [{"shape": [], "dtype": "bool", "digest": str(v), "values": [v], "sorted": [v]} for v in (1.0, 0.0)]
    one, two = ([row("is_on", f), row("score", result(2.0))] for f in flags)
    found = numbers(rehearsal(tmp_path, "a", one), rehearsal(tmp_path, "b", two))
    assert (found.parting, found.alike) == (None, False)


def test_the_same_numbers_in_another_order_are_told_as_such(tmp_path):
    one, two = [row("score", result(1.0, 2.0, 3.0))], [row("score", result(3.0, 1.0, 2.0))]
    assert numbers(rehearsal(tmp_path, "a", one), rehearsal(tmp_path, "b", two)).parting.permuted


def test_what_differs_between_two_rehearsals_alike_is_random_and_left_out(tmp_path):
    rows = [[row("draw", result(x)), row("score", result(2.0))] for x in (1.0, 5.0, 9.0)]
    one, again, repeated = (
        rehearsal(tmp_path, n, r, f"{i}.5\n2.5\n") for i, (n, r) in enumerate(zip("abc", rows, strict=True))
    )
    assert numbers(one, again).parting.function == "draw"
    found = numbers(one, again, repeated)
    assert (found.parting, found.printed, found.compared) == (None, None, 1)


def test_alike_means_the_same_calls_at_the_same_lines(tmp_path):
    rows, lines = [row("score", result(2.0))], [("main.py", 3, 1)]
    one, two = (rehearsal(tmp_path, n, rows, "1.5\n", lines) for n in "ab")
    assert numbers(one, two).alike
    assert not numbers(one, rehearsal(tmp_path, "c", rows, "1.5\n", [("main.py", 4, 1)])).alike
    assert not numbers(one, rehearsal(tmp_path, "d", rows, "2.5\n", lines)).alike
    assert prints_the_same(one, two)


def test_a_rehearsal_that_wrote_nothing_compares_nothing(tmp_path):
    one = rehearsal(tmp_path, "a", [row("f", result(1.0))])
    two = rehearsal(tmp_path, "b", [])
    (two.folder / "returns.json").unlink()
    assert numbers(one, two).compared == 0


def test_a_value_that_a_default_replaced_is_told_once(tmp_path):
    one = {"line": 3, "text": "c.get(n) or d[n]", "key": "rate", "value": 0.0, "taken": 0.4}
    file = f"{tmp_path}/a/.work/main.py"
    found = rehearsal(tmp_path, "a", [], defaulted=[{**one, "file": file}, {**one, "file": file}])
    assert [d.file for d in defaulted(found)] == ["main.py"]
