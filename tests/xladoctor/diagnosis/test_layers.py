from tests.xladoctor.recordings import Run
from xladoctor.model.trace import LayerRow, Trace
from xladoctor.report.layer_lines import folded
from xladoctor.report.page import Page
from xladoctor.report.trace_console import render
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
    assert (found[1].parameters, found[1].made.line, found[1].inputs) == (12, 5, ([None, 9],))


def test_a_layer_that_is_its_own_ancestor_ends_the_search(tmp_path):
    loop = (
        {"number": 1, "name": "a", "parent": 2},
        {"number": 2, "name": "b", "parent": 1},
        {"number": 3, "name": "c"},
    )
    assert [row.name for row in traced(tmp_path, *loop).layers] == ["c"]


def test_the_layers_of_a_fit_met_its_batches_and_its_last_one(tmp_path):
    run = Run()
    run.event("call", call=1, phase="begin", method="fit", model="block", rows_in=25, batch_size=8,
              validation_split=0.2)  # fmt: skip
    layer(run, 2, "inner", parent=1)
    layer(run, 1, "block")
    found = trace_run(run.write(tmp_path / "run")).layers
    # 20 rows are trained in 8, 8 and 4; 5 are left for validation.
    assert [row.batches for row in found] == [(4, 5, 8), (4, 5, 8)]


def test_few_layers_are_not_folded():
    rows = [LayerRow("l", "Dense", depth=n % 2) for n in range(40)]
    assert [line.row for line in folded(rows, 40)] == rows


def words(lines):
    return [line.row.name if line.row else line.words for line in lines]


def test_layers_that_are_alike_stand_once_with_what_is_below_the_first():
    block = [LayerRow("block", "Block", 1, parameters=9), LayerRow("a", "Dense", 2), LayerRow("b", "ReLU", 2)]
    rows = [LayerRow("net", "Net"), *(block * 20), LayerRow("head", "Dense", 1)]
    shown = folded(rows, 40)
    assert words(shown) == ["net", "block", "a", "b", "… 19 more like it, 57 layers", "head"]
    assert sum(line.count for line in shown) == len(rows)


def test_a_pattern_of_layers_stands_once():
    rows = [LayerRow("net", "Net"), *[LayerRow("conv", "Conv2D", 1), LayerRow("relu", "ReLU", 1)] * 30]
    assert words(folded(rows, 40)) == ["net", "conv", "relu", "… 29 more like these 2, 58 layers"]


def test_the_deepest_layers_are_folded_first_and_the_lines_are_used():
    rows = [LayerRow(f"l{n}", "Dense", depth=min(n % 7, 2), parameters=n) for n in range(70)]
    shown = folded(rows, 40)
    assert 30 <= len(shown) <= 40
    assert sum(line.count for line in shown) == 70
    assert {line.row.name for line in shown if line.row} >= {row.name for row in rows if row.depth < 2}


def test_many_layers_of_one_depth_fill_the_lines():
    for rows in (
        [LayerRow(str(n), "Dense", parameters=n) for n in range(90)],
        [LayerRow("net", "Net"), *(LayerRow(str(n), "Dense", 1, parameters=n) for n in range(89))],
    ):
        shown = folded(rows, 40)
        assert (len(shown), sum(line.count for line in shown)) == (40, 90)
        assert shown[-1].words.endswith("more layers")


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
