from tests.xladoctor.recordings import Run
from xladoctor.model.trace import LayerRow, Trace
from xladoctor.report.page import Page
from xladoctor.report.trace_console import render
from xladoctor.report.trace_words import folded
from xladoctor.report.view import View
from xladoctor.saved import trace_run

MADE = {"file": "/home/ada/net.py", "line": 5, "function": "__init__"}


def layer(run, number, name, parent=None, inputs=((None, 9),), outputs=((None, 4),), **more):
    run.event("layer", layer=number, parent=parent, name=name, cls=name.title(), inputs=[list(s) for s in inputs],
              outputs=[list(s) for s in outputs], parameters=12, trainable=12, made=MADE, called=None,
              **more)  # fmt: skip


def traced(tmp_path, *layers):
    run = Run()
    for arguments in layers:
        layer(run, **arguments)
    return trace_run(run.write(tmp_path / "run"))


def test_layers_stand_below_the_one_that_calls_them_with_the_batches_that_they_met(tmp_path):
    found = traced(
        tmp_path,
        {"number": 2, "name": "inner", "parent": 1},
        {"number": 1, "name": "block"},
        {"number": 2, "name": "inner", "parent": 1, "inputs": ((32, 9),)},
        {"number": 2, "name": "inner", "parent": 1, "inputs": ((8, 9),)},
    ).layers
    assert [(row.name, row.depth, row.batches) for row in found] == [("block", 0, ()), ("inner", 1, (8, 32))]
    assert (found[1].parameters, found[1].made.line, found[1].inputs) == (12, 5, ([8, 9],))


def test_a_layer_that_is_its_own_ancestor_ends_the_search(tmp_path):
    loop = (
        {"number": 1, "name": "a", "parent": 2},
        {"number": 2, "name": "b", "parent": 1},
        {"number": 3, "name": "c"},
    )
    assert [row.name for row in traced(tmp_path, *loop).layers] == ["c"]


def test_the_deepest_layers_are_folded_first():
    rows = [LayerRow(f"l{n}", "Dense", depth=min(n % 7, 2)) for n in range(70)]
    shown = folded(rows, 40)
    assert len(shown) <= 40
    assert sum(number for _, number in shown) == 70
    assert all(row is None or row.depth < 2 for row, _ in shown)
    assert folded(rows[:40], 40) == [(row, 1) for row in rows[:40]]


def test_many_layers_of_one_depth_are_cut_with_their_number():
    shown = folded([LayerRow(str(n), "Dense") for n in range(90)], 40)
    assert (len(shown), shown[-1]) == (40, (None, 51))


def test_a_trace_without_watched_functions_shows_layers_and_functions(tmp_path):
    run = Run()
    layer(run, 1, "block")
    run.event("trace", graph="g1", function="f_1", python_name="twice", parent=None, inputs=["float32[3]"], xla=True,
              defined={"file": "/home/ada/net.py", "line": 14}, where=None, frames=[])  # fmt: skip
    text = render(trace_run(run.write(tmp_path / "run")), Page(100), View())
    assert "LAYERS" in text and "NO SHAPES" not in text
    assert "block (Block)" in text and "(None, 9)" in text and "/home/ada/net.py:5" in text
    assert "twice (XLA)" in text and "float32[3]" in text
    assert "pyproject.toml" in text


def test_nothing_at_all_is_still_said(tmp_path):
    assert "There are no shapes to show." in render(Trace("run", "empty"), Page(100), View())
