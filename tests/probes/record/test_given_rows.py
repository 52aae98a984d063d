"""What the numbers of arrays say of how they were made: of columns, of the order of rows, of what names hold."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from probes.record.columns import (
    columns_of,
    scaled_apart,
    scaled_beside,
    scaled_by_row,
    scaled_together,
    uneven,
    unlike,
)
from probes.record.given_rows import GivenRows
from probes.record.held_names import NameRecorder, facts_of
from probes.record.input_layers import odd_layers
from probes.record.named_parts import odd_parts
from probes.record.sequences import meets, overlapping, unwritten, windows_of

RNG = np.random.default_rng(0)
X = RNG.normal(5, 3, (400, 5))
TRAIN, TEST = X[:300], X[300:]
SERIES = RNG.normal(size=600).cumsum().astype("float32")
FLOW = RNG.normal(size=(500, 3)).astype("float32")
LABELS = FLOW @ np.array([1.0, 2.0, -1.0], "float32")


def standard(rows, by):
    return ((rows - by.mean(0)) / by.std(0)).astype("float32")


def bounded(rows, by):
    return ((rows - by.min(0)) / (by.max(0) - by.min(0))).astype("float32")


@pytest.mark.parametrize("scaled", [standard, bounded])
def test_rows_that_were_scaled_each_by_themselves(scaled):
    train = columns_of(scaled(TRAIN, TRAIN))
    assert scaled_apart(train, columns_of(scaled(TEST, TEST)))
    assert not scaled_apart(train, columns_of(scaled(TEST, TRAIN)))
    assert not scaled_apart(columns_of(TRAIN), columns_of(TEST))


@pytest.mark.parametrize("shape", [(60, 12), (60, 12, 1), (60, 12, 3)])
def test_rows_that_are_each_scaled_by_themselves_are_not_scaled_by_those_beside_them(shape):
    draw = np.random.default_rng(0)
    axis = (1,) if len(shape) < 3 or shape[2] > 1 else (1, 2)
    train, test = (
        (a - a.mean(axis, keepdims=True)) / a.std(axis, keepdims=True)
        for a in (draw.normal(3.0, 2.0, shape), draw.normal(4.0, 1.0, (40, *shape[1:])))
    )
    assert columns_of(train).by_row
    assert not scaled_apart(columns_of(train), columns_of(test))
    assert not scaled_together(columns_of(train[:30]), columns_of(train[30:]))
    assert not columns_of(draw.normal(size=shape)).by_row


@pytest.mark.parametrize("scaled", [standard, bounded])
def test_rows_that_were_scaled_before_they_were_cut(scaled):
    whole = scaled(X, X)
    assert scaled_together(columns_of(whole[:300]), columns_of(whole[300:]))
    assert not scaled_together(columns_of(scaled(TRAIN, TRAIN)), columns_of(scaled(TEST, TRAIN)))
    assert not scaled_together(columns_of(TRAIN), columns_of(TEST))


def test_a_deviation_of_pandas_and_numbers_that_reach_1_anyway():
    train = ((TRAIN - TRAIN.mean(0)) / TRAIN.std(0, ddof=1)).astype("float32")
    test = ((TEST - TEST.mean(0)) / TEST.std(0, ddof=1)).astype("float32")
    assert scaled_apart(columns_of(train), columns_of(test))
    flags = RNG.integers(0, 2, (300, 5)).astype("float32")
    assert not scaled_apart(columns_of(flags), columns_of(flags[:100]))
    assert not scaled_together(columns_of(flags), columns_of(flags[:100]))
    assert columns_of(flags.astype("int32")) is None and columns_of([[1.0]]) is None


def test_columns_of_different_quantities_scaled_along_each_row():
    rows = np.column_stack([RNG.normal(1013, 5, 500), RNG.normal(12, 6, 500), RNG.normal(300, 80, 500)])
    along = (rows - rows.mean(1, keepdims=True)) / rows.std(1, keepdims=True)
    assert scaled_by_row(along) and not scaled_by_row(standard(rows, rows))
    bands = np.array([0.35, 0.22, 0.55, 0.48, 0.30, 0.62]) * RNG.lognormal(0, 0.3, (500, 1))
    bands = bands + RNG.normal(0, 0.02, bands.shape)
    assert not scaled_by_row((bands - bands.mean(1, keepdims=True)) / bands.std(1, keepdims=True))
    spectra = SERIES[:480].reshape(24, 20)
    assert not scaled_by_row((spectra - spectra.mean(1, keepdims=True)) / spectra.std(1, keepdims=True))


def test_rows_that_were_scaled_by_one_mean_for_all_columns():
    one = lambda a, by: ((a - by.mean()) / by.std()).astype("float32")  # noqa: E731
    assert scaled_apart(columns_of(one(TRAIN, TRAIN)), columns_of(one(TEST, TEST)))
    assert not scaled_apart(columns_of(one(TRAIN, TRAIN)), columns_of(one(TEST, TRAIN)))
    whole = one(X, X)
    assert scaled_together(columns_of(whole[:300]), columns_of(whole[300:]))


MILK = RNG.normal([4.1, 640.0, 38.5, 6.6], [0.4, 45.0, 0.3, 0.1], (120, 9, 4))
"""Fat, yield, temperature and acidity: quantities of their own."""


@pytest.mark.parametrize(
    ("axis", "wanted"),
    [((0, 2), "step-scale"), ((0, 1, 2), "one-scale"), ((0, 1), None), ((1,), None), ((2,), "row-scale")],
)
def test_over_what_rows_of_several_quantities_were_scaled(axis, wanted):
    scaled = (MILK - MILK.mean(axis, keepdims=True)) / MILK.std(axis, keepdims=True)
    assert scaled_beside(scaled) == wanted
    assert scaled_beside(MILK) is None


def test_columns_with_a_mean_each_and_one_deviation_for_all():
    rows = RNG.normal([4.1, 640.0, 38.5, 6.6], [0.4, 45.0, 0.3, 0.1], (200, 4))
    centred = rows - rows.mean(0)
    assert uneven(columns_of(centred / rows.std()))
    falling = centred[:, np.argsort(-centred.std(0))]
    for columns in (rows, centred / rows.std(0), falling, centred[:, :3], centred[:, :1] * [1.0, 2.0, 3.0, 2.0]):
        assert not uneven(columns_of(columns))
    assert said(("fit", {"x": centred / rows.std()})) == [("uneven", [200, 4], "x")]


def test_spectra_and_images_may_have_one_scale():
    bands = 5 * np.sin(np.linspace(0, 6, 30)) + RNG.normal(size=(90, 30))
    images = RNG.uniform(0, 255, (40, 64, 3)) + np.array([10.0, 0.0, -10.0])
    for rows in (bands, images):
        assert scaled_beside((rows - rows.mean()) / rows.std()) is None


def test_a_normalization_layer_without_a_number_for_each_column(monkeypatch):
    class Normalization:
        def __init__(self, axis, over):
            self.axis, self.input_mean = axis, 1
            self.mean, self.variance = (Eager(f(over, keepdims=True)) for f in (MILK.mean, MILK.var))

    monkeypatch.setattr("probes.compat.is_eager", lambda value: isinstance(value, Eager))
    for axis, over, wanted in (
        ((1,), (0, 2), ["apart-axis"]),
        (None, (0, 1, 2), ["apart-axis"]),
        ((-1,), (0, 1), []),
        ((2,), (0, 1), []),
        ((1, 2), (0,), []),
    ):
        model = SimpleNamespace(_flatten_layers=lambda a=axis, o=over: [Normalization(a, o)])
        assert list(odd_layers(model, MILK)) == wanted


SOIL = RNG.normal([6.4, 130.0, 0.02, 21.0], [0.3, 40.0, 0.004, 9.0], (200, 4))
"""Acidity, nitrogen, salt and water."""


def test_rows_that_lie_elsewhere_in_each_column():
    mean, std = SOIL[:150].mean(0), SOIL[:150].std(0)
    ready, fresh, half = (SOIL[:150] - mean) / std, (SOIL[150:] - mean) / std, SOIL[:150] - mean
    for train, test, wanted in (
        (ready, SOIL[150:], [0, 4]),
        (half, fresh, None),  # one of the columns has a deviation near 1 as it is
        (half[:, 1:], fresh[:, 1:], [0, 3]),
        (ready, fresh, None),
        (ready, fresh * 10, None),  # by one factor
        (ready, fresh + 9, None),  # moved alike, as a series that rises
        (ready[:, :2], SOIL[150:, :2], None),
    ):
        assert unlike(columns_of(train), columns_of(test)) == wanted
    assert said(("fit", {"x": ready}), ("predict", {"x": SOIL[150:]})) == [("elsewhere", [0, 4], "x")]


def test_a_layer_that_was_adapted_to_the_rows_of_the_test(monkeypatch):
    monkeypatch.setattr("probes.compat.is_eager", lambda value: isinstance(value, Eager))
    for rows, wanted in ((SOIL, [("whole-adapt", [150, 200], "x")]), (SOIL[:150], []), (SOIL[:120], [])):
        layer = type("Normalization", (), {"mean": Eager(rows.mean(0)[None]), "variance": Eager(rows.var(0)[None])})()
        layer.input_mean, layer.axis = 1, (-1,)
        monkeypatch.setattr(Net, "_flatten_layers", lambda net, kept=layer: [kept], raising=False)
        assert said(("fit", {"x": SOIL[:150]}), ("predict", {"x": SOIL[150:]})) == wanted


class Eager:
    """A tensor with numbers in it."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def numpy(self):
        return self.array


def test_windows_of_one_series_on_both_sides():
    windows = np.lib.stride_tricks.sliding_window_view(SERIES, 24)
    order = RNG.permutation(len(windows))
    found = overlapping(windows_of(windows[order[:450]]), windows_of(windows[order[450:]]))
    assert found is not None and found[0] > 100 and found[1] == 127
    assert overlapping(windows_of(windows[:450]), windows_of(windows[450:])) is None
    assert overlapping(windows_of(windows[:450]), windows_of(windows)) is None
    repeats = np.lib.stride_tricks.sliding_window_view(np.tile(SERIES[:24], 25), 24)
    assert overlapping(windows_of(repeats[order[:450]]), windows_of(repeats[order[450:]])) is None
    assert windows_of(np.zeros((3, 24))) is None


def test_rows_that_were_never_written():
    filled = RNG.normal(size=(150, 3))
    assert unwritten(filled) == 0
    filled[128:] = 0
    assert unwritten(filled) == 22 and unwritten(filled[:, 0]) == 22
    assert unwritten(np.zeros((20, 3))) == 0 and unwritten(np.r_[np.ones(15), np.zeros(5)]) == 0
    filled[3] = 0
    assert unwritten(filled) == 0


def test_labels_that_belong_to_the_next_row():
    assert meets(FLOW[1:], LABELS[:-1]) == ("shifted", -1)
    assert meets(FLOW[:-1], LABELS[1:]) == ("shifted", 1)
    assert meets(FLOW, LABELS) is None and meets(FLOW[RNG.permutation(500)], LABELS) is None
    returns = np.random.default_rng(5).normal(size=400)
    features = np.stack([returns, np.convolve(returns, np.ones(5) / 5)[:400]], axis=1)
    assert meets(features[:-1], (returns[1:] > 0) * 1.0) is None, "what comes next is forecast"
    assert meets(FLOW[7:], LABELS[:-7]) == ("shifted", -7) and meets(FLOW, np.roll(LABELS, 30)) == ("shifted", -30)
    assert meets(FLOW[::-1], LABELS) == ("reversed", 0)
    walks = RNG.normal(size=(500, 3)).cumsum(0)
    assert meets(walks[:, :2], walks[:, 2]) is None
    windows = np.lib.stride_tricks.sliding_window_view(RNG.normal(size=300), 8)
    assert meets(windows[:-1], windows[1:, -1]) is None  # a forecast


def test_labels_that_were_sorted_alone():
    assert meets(FLOW, np.sort(LABELS)) == ("ordered", 0)
    order = np.argsort(LABELS)
    assert meets(FLOW[order], LABELS[order]) is None
    assert meets(FLOW, np.arange(500.0)) is None


def test_a_column_that_is_the_target():
    assert meets(np.column_stack([FLOW, 3 * LABELS + 1]), LABELS) == ("target", 3)
    assert meets(FLOW[:, :1], 2 * FLOW[:, 0]) is None


class Net:
    """A model, as far as it is looked at."""

    name = "net"


RARE = np.random.default_rng(3).permutation(np.repeat(np.arange(4), [50, 30, 12, 8]))


def said(*calls):
    found = []
    seen = GivenRows(lambda what, **facts: found.append((what, facts["rows"], facts["argument"])))
    seen._models, net = weakref.WeakKeyDictionary(), Net()
    for method, given in calls:
        seen.begins(method, net, given, {"used": None, "model": "net"})
    return found


@pytest.fixture(autouse=True)
def no_datasets(monkeypatch):
    monkeypatch.setattr("probes.compat_data.dataset_class", lambda: type(None))


def test_what_a_model_gets_is_compared_with_its_training():
    train, own = standard(TRAIN, TRAIN), standard(TEST, TEST)
    assert said(("fit", {"x": train}), ("predict", {"x": own})) == [("own-scale", [100, 300], "x")]
    assert said(("fit", {"x": train}), ("predict", {"x": standard(TEST, TRAIN)})) == []
    assert said(("fit", {"x": train, "validation_data": (own, None)})) == [("own-scale", [100, 300], "validation_data")]
    whole = standard(X, X)
    three = [("fit", {"x": whole[:200]}), ("predict", {"x": whole[200:300]}), ("evaluate", {"x": whole[300:]})]
    assert said(*three) == [("whole-scale", [200, 400], "x")]


def test_rows_of_the_training_among_those_of_an_evaluation():
    assert said(("fit", {"x": X[:300]}), ("evaluate", {"x": X[250:]})) == [("trained-on", [50, 150], "x")]
    assert said(("fit", {"x": X[:300]}), ("evaluate", {"x": X})) == []
    assert said(("fit", {"x": X[:300]}), ("predict", {"x": X[250:]})) == [], "a plot of some of both"
    drawn = np.concatenate([X, X[:150]])[RNG.permutation(len(X) + 150)]
    found = said(("fit", {"x": drawn[:400]}), ("predict", {"x": drawn[400:]}))
    assert [(what, name) for what, _, name in found] == [("trained-on", "x")], "rows drawn twice, and split then"
    assert said(("fit", {"x": drawn[:400]}), ("predict", {"x": drawn[:400]})) == []
    assert said(("fit", {"x": drawn[:400]}), ("predict", {"x": X})) == []
    assert said(("fit", {"x": X[:300]}), ("evaluate", {"x": X[:300]})) == [("same-rows", [300, 300], "x")]


def test_labels_of_a_test_that_are_features_of_later_training_rows():
    lags, level = np.column_stack([SERIES[1:-1], SERIES[:-2], RNG.normal(size=598)]).astype("float32"), SERIES[2:]
    mixed = RNG.permutation(598)
    dealt = [("fit", {"x": lags[m], "y": level[m]}) for m in [mixed[:450]]]
    [found] = said(*dealt, ("evaluate", {"x": lags[mixed[450:]], "y": level[mixed[450:]]}))
    assert found[0] == "foretold" and found[1][0] > 100
    by_time = ("fit", {"x": lags[:450], "y": level[:450]}), ("evaluate", {"x": lags[450:], "y": level[450:]})
    assert said(*by_time) == []


def test_what_names_hold():
    assert facts_of(np.arange(3)) == {"kind": "array", "shape": [3], "dtype": "int64", "least": 0.0, "most": 2.0}
    assert facts_of([f"f{i}" for i in range(12)]) == {"kind": "texts", "shape": [12]}
    assert facts_of(sorted(f"f{i}" for i in range(12))) == {"kind": "texts", "shape": [12], "by_text": True}
    assert facts_of(7) == {"kind": "number", "value": 7}
    assert facts_of("secret") is None and facts_of(True) is None and facts_of([1, 2]) is None
    assert facts_of(np.array([np.nan, 1.0])) == {"kind": "array", "shape": [2], "dtype": "float64", "fraction": True}


def test_labels_of_tables():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [3, 1, 2]})
    assert facts_of(table) == {"kind": "table", "shape": [3, 1], "index": "range"}
    assert facts_of(table.sort_values("a"))["index"] == "permuted"
    assert facts_of(table[table.a > 1])["index"] == "gaps"


def test_parts_that_only_their_names_tell_apart():
    names = {"x_train": standard(TRAIN, TRAIN), "x_test": standard(TEST, TEST), "other": TEST}
    assert list(odd_parts(names)) == [("own-scale", [100, 300], "x_test")]
    assert list(odd_parts({**names, "x_test": standard(TEST, TRAIN)})) == []
    whole = standard(X, X)
    three = {"trainX": whole[:200], "valX": whole[200:300], "testX": whole[300:]}
    assert list(odd_parts(three)) == [("whole-scale", [200, 400], "valX")]
    assert list(odd_parts({"X_tr": FLOW[1:], "y_tr": LABELS[:-1]})) == [("shifted", [-1, 499], "y_tr")]


@pytest.mark.parametrize("look", ["locals()", "sys._getframe().f_locals", "None", "work.dir"])
def test_what_a_function_keeps_of_its_own_names_stays(look, tmp_path):
    """Before Python 3.13 a frame gives the same dictionary to all who ask."""
    written, guard = [], SimpleNamespace(part=lambda hook, work, *given: work(*given))
    guard.sink = SimpleNamespace(write=lambda kind, **facts: written.append(facts["names"]))
    lines = ("rows = 7", f"held = {look}", "recorder.called('fit')", "return held")
    program = "import sys\ndef work(recorder):\n    " + "\n    ".join(lines)
    names: dict[str, Any] = {}
    exec(compile(program, str(tmp_path / "program.py"), "exec"), names)
    names["work"].dir = None
    held = names["work"](NameRecorder(guard))
    assert held is None or held["rows"] == 7
    assert bool(written) == (look in ("None", "work.dir"))


CLASSES = np.repeat([0, 1, 2], [240, 40, 20])
COUNTS = np.bincount(CLASSES)


@pytest.mark.parametrize(
    ("labels", "given", "wanted"),
    [
        (CLASSES, {"class_weight": {c: n / 300 for c, n in enumerate(COUNTS)}}, "by-count"),
        (np.eye(3)[CLASSES], {"class_weight": {c: float(n) for c, n in enumerate(COUNTS)}}, "by-count"),
        (CLASSES, {"sample_weight": (COUNTS / 100.0)[CLASSES]}, "by-count"),
        (CLASSES, {"class_weight": {c: 100 / n for c, n in enumerate(sorted(COUNTS))}}, "dealt"),
        (CLASSES, {"class_weight": {c: n**-0.5 for c, n in enumerate(np.roll(COUNTS, 1))}}, "dealt"),
        (CLASSES, {"sample_weight": (1.0 / np.sort(COUNTS))[CLASSES]}, "dealt"),
        (RARE[:80], {"class_weight": {c: 100 / n for c, n in enumerate([8, 12, 50, 30])}}, "dealt"),
        (RARE[:80], {"class_weight": {c: 100 / n for c, n in enumerate([50, 30, 12, 8])}}, None),
        (CLASSES, {"class_weight": {c: n**-0.5 for c, n in enumerate(COUNTS)}}, None),
        (CLASSES, {"class_weight": {0: 1.0, 1: 2.0, 2: 3.0}}, None),
        (CLASSES[CLASSES < 2], {"class_weight": {0: 2.0, 1: 1.0}}, None),
        (CLASSES, {"class_weight": {1: 1.0, 2: 5.0, 3: 9.0}}, "no-class"),
        (CLASSES, {"class_weight": {c: 100 / n for c, n in enumerate(COUNTS)}}, None),
        (CLASSES, {"class_weight": {0: 1.0, 1: 5.0, 2: 9.0, 3: 1.0}}, None),
        (CLASSES, {"class_weight": {2: 9.0}}, None),
        (CLASSES[:240] % 2, {"class_weight": {0: 1.0, 1: 1.0}}, None),
        (np.arange(300) % 3, {"class_weight": dict.fromkeys(range(3), 1.0)}, None),
        (CLASSES, {"sample_weight": RNG.random(300)}, None),
        (RNG.normal(size=300), {"sample_weight": RNG.random(300)}, None),
        (CLASSES, {}, None),
    ],
)
def test_weights_of_classes(labels, given, wanted):
    from probes.record.row_weights import odd_weights

    found = odd_weights(labels, given)
    assert (found and found[0]) == wanted


def test_parts_that_a_function_with_a_step_of_its_own_holds(tmp_path):
    written = []
    sink = SimpleNamespace(write=lambda kind, **fields: written.append((kind, fields)))
    names = NameRecorder(SimpleNamespace(sink=sink, part=lambda hook, f, *given: f(*given)))
    text = "def {}(x_train, x_test, step):\n    for _ in range(9):\n        step()\n"
    for name, by in (("right", TRAIN), ("wrong", TEST)):
        program: dict[str, Any] = {}
        exec(compile(text.format(name), str(tmp_path / "main.py"), "exec"), program)
        program[name](standard(TRAIN, TRAIN), standard(TEST, by), names.stepped)
    [found] = [fields for kind, fields in written if kind == "split"]
    assert (found["what"], found["name"]) == ("own-scale", "x_test")
    assert (found["used"]["function"], found["used"]["line"]) == ("wrong", 3)


def test_datasets_of_loops_are_asked_about_as_a_training_and_its_tests():
    from probes.record.loop_rows import LoopRows

    class Data:
        pass

    asked, steps = [], [0]
    given = SimpleNamespace(of_keras=False, begins=lambda method, model, data, facts: asked.append((method, model)))
    loops = LoopRows(given, lambda: steps[0])
    looked_at, train, test = Data(), Data(), Data()
    for dataset, more in ((looked_at, 0), (train, 30), (train, 30), (test, 0), (test, 0)):
        loops.passed(dataset, None)
        steps[0] += more
    (first, _), (second, model), (third, same) = asked
    assert (first, second, third, same is model) == ("fit", "fit", "evaluate", True)
    given.of_keras = True
    loops.passed(Data(), None)
    assert len(asked) == 3


class Step:
    """A function of a program, as far as it is looked at."""

    def __init__(self, name):
        self.python_function = SimpleNamespace(__name__=name)


def seen_of_steps(train, test, size=40, order=None):
    from probes.record.step_rows import StepRows

    found = []
    given = GivenRows(lambda what, **facts: found.append((what, facts["rows"], facts["step"], facts["at"])))
    rows, step, score = StepRows(given, _unhooked()), Step("update"), Step("score")
    order = np.arange(len(train)) if order is None else order
    for _ in range(2):
        for k in range(0, len(train), size):
            rows.called(step, True, (0.1, train[order[k : k + size]]), {"y": train[order[k : k + size], 0]})
        rows.called(score, False, (test,), {})
    rows.at_exit()
    return found


def _unhooked():
    """A guard that changes no class of Keras, where another test has loaded it."""
    return SimpleNamespace(hooks=SimpleNamespace(put=lambda *given: None))


def test_batches_that_a_step_of_the_program_gets_are_its_training():
    train, mixed = standard(TRAIN, TRAIN), RNG.permutation(300)
    for order in (None, mixed):
        # The label is a column of the rows in this program.
        own = seen_of_steps(train, standard(TEST, TEST), order=order)
        assert own == [("target", [0, 300], "update", [1, 2]), ("own-scale", [100, 300], "score", [0, -1])]
    assert [what for what, *_ in seen_of_steps(train, standard(TEST, TRAIN))] == ["target"]
    assert [what for what, *_ in seen_of_steps(train, train)] == ["target"], "what it is trained on may be looked at"


def test_batches_that_are_drawn_anew_are_a_sample():
    from probes.record.step_rows import StepRows

    for draw, wanted in ((RNG.permutation(300), ["trained-on"]), (RNG.integers(0, 300, 300), [])):
        found = []
        rows = StepRows(GivenRows(lambda what, seen=found, **facts: seen.append(what)), _unhooked())
        step, score = Step("update"), Step("score")
        for k in (*range(0, 300, 30), 0):
            rows.called(step, True, (X[draw[k : k + 30]],), {})
        rows.called(score, False, (X[250:],), {})
        rows.at_exit()
        assert found == wanted


def test_labels_that_come_class_after_class_in_the_batches_of_a_step():
    from probes.record.step_rows import blocks

    grades = np.repeat([2, 0, 1], [90, 50, 60])
    assert blocks(grades, 40) == {"rows": [80, 200], "classes": [1, 3], "buffer": 0, "size": 40}
    assert blocks(np.eye(3)[grades], 30)["rows"] == [90, 200]
    for labels in (RNG.permutation(grades), np.tile(grades, 2), np.zeros(90, int), RNG.normal(size=90)):
        assert blocks(labels, 20) is None
    assert blocks(grades, 60) is None, "the second batch has two classes"


def test_a_few_rows_and_very_many_say_nothing(monkeypatch):
    assert seen_of_steps(TRAIN[:8], TEST[:8], size=4) == []
    monkeypatch.setattr("probes.record.step_rows.MAX_BYTES", 1000)
    assert seen_of_steps(TRAIN, TEST) == []
