"""Ways and rows compared, on programs that are silently wrong, and on healthy ones."""

from __future__ import annotations

import numpy as np
import pytest

from probes.graph import measure, rows, sensitivity

from . import silent


def test_amplitude_and_wrapped_phase():
    a = np.array([1 + 0j, 1e-9 + 0j, np.exp(3.1j)])
    b = np.array([1 + 0j, -1e-9 + 0j, np.exp(-3.1j)])
    amplitude, phase = measure.amplitude_and_phase(a, b)
    assert amplitude == pytest.approx(0.0, abs=1e-12)
    assert phase == pytest.approx(2 * np.pi - 6.2)  # not 6.2; and what has no amplitude has no phase
    assert measure.amplitude_and_phase(a.real, b.real) == (None, None)


@pytest.mark.parametrize("size", [1, 5])
def test_a_row_among_copies_of_itself_where_no_other_size_can_be_run(size):
    """Centring over the batch is blind to the order of rows; what is left to change are the rows themselves."""
    x = np.random.default_rng(0).random((size, 3))

    def run(arguments):
        assert len(arguments["x"]) == size
        x = arguments["x"]
        return {"outcome": "passed", "error": None}, {"centred": x - x.mean(axis=0), "own": x * 2}

    told = rows.check(run, {"x": x}, ["x"], run({"x": x})[1], {"centred": 1e-9, "own": 1e-9}, other_sizes=False)
    apart = {(t["test"], t["output"]) for t in told["tests"] if t["rows"]}
    assert apart == ({("copies", "centred")} if size > 1 else set())


def test_rows_apart_and_values_that_are_not_finite():
    a, b = np.zeros((4, 2)), np.zeros((4, 2))
    a[0] = 10.0
    b[0] = 10.0
    b[2, 1], a[3], b[3] = 1e-3, np.nan, np.nan
    assert measure.rows_apart(a, b, 1e-5) == [2]
    assert measure.rows_apart(a, b, 1e-3) == []
    b[3] = np.inf
    assert measure.rows_apart(a, b, 1e-3) == [3]


def test_the_tolerance_follows_the_conditioning():
    def run(arguments):
        x = arguments["x"]
        return {"outcome": "passed"}, {"well": x * 2, "ill": x.sum(keepdims=True) - np.float32(500), "count": x > 0}

    x = np.full(1000, 0.5, np.float32)
    x[0] += 1e-3
    allowed = sensitivity.tolerances(run, {"x": x}, run({"x": x})[1])
    assert allowed["well"] < 1e-4 < allowed["ill"]
    assert allowed["count"] == 0
    assert sensitivity.floor(x, {"x": x}) == pytest.approx(2 * np.finfo("f").eps * 1000**0.5)


def of_numpy(function):
    """A way that is a NumPy function of (x, y) -> {name: array}."""
    return lambda arguments: ({"outcome": "passed"}, function(arguments["x"], arguments["y"]))


def checked(function, batch=6):
    x, y = np.random.default_rng(0).normal(size=(2, batch, 3))
    run = of_numpy(function)
    results = run({"x": x, "y": y})[1]
    return rows.check(run, {"x": x, "y": y}, ["x", "y"], results, dict.fromkeys(results, 1e-9))


def test_healthy_rows_tables_and_sums():
    told = checked(lambda x, y: {"rows": x * y, "sum": x.sum(), "table": np.ones((2, 2)), "flat": x.reshape(-1)})
    assert told["without_rows"] == ["sum", "table", "flat"]
    assert {t["test"] for t in told["tests"]} == {"permuted", "few", "alone"}
    assert not any(t["rows"] for t in told["tests"]) and told["depends"] == []


def test_a_selection_of_rows_is_no_lost_batch_but_a_sum_is():
    told = checked(lambda x, y: {"kept": x[x[:, 0] > 0], "summed": x if len(x) < 4 else x.sum(0, keepdims=True)})
    assert told["without_rows"] == ["kept"]
    (lost,) = told["tests"]
    assert (lost["output"], lost["test"], lost["size"], lost["right_at"]) == ("summed", "size", 6, 2)
    assert lost["shapes"] == [[1, 3], [6, 3]]


def test_neighbours_and_wrong_rows_are_told_apart():
    told = checked(lambda x, y: {"mean": x - y.mean(0), "other": x * y[(np.arange(len(x)) * 2) % len(x)]})
    changed = {(d["output"], d["input"], d["row"]): d["rows"] for d in told["depends"]}
    assert changed["mean", "y", 0] == list(range(6))
    assert changed["other", "y", 0] == [0, 3]
    assert changed["other", "x", 5] == [5]


def test_a_batch_of_one_has_nothing_to_compare():
    told = checked(lambda x, y: {"rows": x * y}, batch=1)
    assert told["tests"] == []


# -- through TensorFlow --------------------------------------------------------------------------------------------

slow = pytest.mark.slow


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """`ways("name")` -> `parity.Ways` of a program of `silent`, made when first asked for."""
    from probes.graph.parity import Ways

    from . import patients

    made = {}

    def make(name):
        if name not in made:
            program, arguments = getattr(silent, name)()
            made[name] = Ways(
                patients.capsule(tmp_path_factory.mktemp(name) / "c", program, arguments, specs="open")[0]
            )
        return made[name]

    yield make
    for each in made.values():
        each.close()


@slow
@pytest.mark.parametrize(
    ("name", "op"),
    [("gather_out_of_range", "GatherV2"), ("einsum_of_other_sizes", "Einsum"), ("dropped_assert", "Assert")],
)
def test_plain_mode_raises_where_xla_returns_numbers(ways, name, op):
    told = ways(name).compare(["xla"], None, [])
    assert (told["ways"]["plain"]["outcome"], told["ways"]["xla"]["outcome"]) == ("failed", "passed")
    assert ways(name).first_node([])["node"]["op"] == op


@slow
def test_the_op_that_gives_another_shape_on_the_same_values_is_named(ways):
    roll = ways("masked_roll")
    (told,) = roll.compare(["xla"], None, [])["agreements"]
    assert told["apart"] and told["shapes"] == [[3, 3], [6, 3]]
    node = roll.first_node(["output 0"])["node"]
    assert (node["op"], node["sources"][-1][2]) == ("Roll", "program")


@slow
def test_amplified_rounding_has_no_first_node(ways):
    found = ways("logistic").first_node(["output 0"])
    assert (found["node"], found["error"], found["unchecked"]) == (None, None, [])
    cut = ways("logistic").first_node(["output 0"], seconds=0.0)
    assert cut["node"] is None and "0 of the ops" in cut["error"], "what was not looked at is not the same"


@slow
def test_random_numbers_are_not_compared(ways):
    told = ways("draws_freely").compare(["xla"], None, [])
    assert told["left_out"] == ["output 0"]
    assert [a["output"] for a in told["agreements"]] == ["output 1"]
    assert told["random"]["free"] == ["RandomUniform (random_uniform/RandomUniform)"]


@slow
@pytest.mark.parametrize("name", ["healthy", "ill_conditioned", "logistic"])
def test_healthy_programs_agree(ways, name):
    told = ways(name).compare(["xla"], None, [])
    assert told["agreements"] and not any(a["apart"] for a in told["agreements"])
    assert not any(t["rows"] for t in ways(name).rows("plain")["tests"])


@slow
def test_rows_of_a_graph(ways):
    lost = ways("collapses_from_four").rows("plain")["tests"]
    assert [(t["test"], t["shapes"]) for t in lost] == [("size", [[1, 3], [6, 3]])]
    follows = [t["follows"] for t in ways("fixed_order").rows("plain")["tests"] if t["rows"]]
    assert [0, 2] in follows[0] or follows[0][0][0] != follows[0][0][1]
    depends = ways("centred_over_the_batch").rows("plain")["depends"]
    assert all(len(d["rows"]) == silent.ROWS for d in depends)


@slow
def test_results_are_kept_for_another_process(ways, tmp_path):
    healthy = ways("healthy")
    healthy.compare([], tmp_path / "kept.npz", [])
    told = healthy.compare([], None, [("other", str(tmp_path / "kept.npz"))])
    assert [a["ways"] for a in told["agreements"]] == [["plain", "other"]] * 4
    assert all(a["deviation"] == 0 for a in told["agreements"])


@slow
def test_batch_normalisation_in_training_is_no_finding(patient, tmp_path):
    import keras

    from probes.graph.parity import Ways

    from .capsules import capsule_of, newest_concrete

    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Dense(4), keras.layers.BatchNormalization(), keras.layers.Dense(1)])
    model.compile("adam", "mse", jit_compile=False)
    x = np.random.default_rng(0).normal(size=(6, 3)).astype("f")
    model.fit(x, x[:, :1], batch_size=6, verbose=0)
    folder, _ = capsule_of(tmp_path / "c", newest_concrete("multi_step_on_iterator"), [x, x[:, :1]])
    assert "batch normalisation" in Ways(folder).rows("plain")["skipped"]
