"""Flattening, cutting, purifying: the same results as TensorFlow's own run, and refusals by name."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.slow


def run(folder, **options):
    """(arrays by number, variables after by name) of a plain run."""
    from probes.graph import load, outcome, step

    told, arrays = outcome.run_plain(step.prepare(load.load(folder), **options))
    assert told["outcome"] == "passed", told
    outputs = [a for n, a in arrays.items() if n.startswith("output")]
    return outputs, {n.removeprefix("variable "): a for n, a in arrays.items() if n.startswith("variable")}


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """(capsule made before the call, what the call returned, the variables after it), for both branches."""
    from . import patients

    cases = {}
    for name, value in (("yes", 1.0), ("no", -1.0)):
        counter = patients.Counter()
        x = np.full(3, value, "f")
        concrete = counter.program.get_concrete_function(x)
        folder, _ = patients.capsule_of(tmp_path_factory.mktemp(name) / "capsule", concrete, [x])
        results = [np.asarray(v) for v in counter.program(x)]
        cases[name] = (folder, results, {v.name: v.numpy() for v in (counter.total, counter.calls)})
    return cases


@pytest.mark.parametrize("case", ["yes", "no"])
@pytest.mark.parametrize("calls", [True, False])
@pytest.mark.filterwarnings("ignore")
def test_variables_in_calls_branches_and_loops(counted, case, calls):
    folder, results, after = counted[case]
    outputs, finals = run(folder, calls=calls, strict=True)
    for ours, theirs in zip(outputs, results, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert sorted(finals) == sorted(after)
    for name, value in after.items():
        np.testing.assert_array_equal(finals[name], value)


WRITES = ["add", "sub", "update", "min", "max", "nd_add", "nd_sub", "nd_update", "slice"]


@pytest.mark.parametrize("how", WRITES)
@pytest.mark.filterwarnings("ignore")
def test_what_is_written_to_places_of_a_variable(tmp_path, how):
    """What TensorFlow's own op leaves in the variable; a place beyond its end is refused plainly and dropped by XLA."""
    import tensorflow as tf

    from probes.graph.agreement import agreement

    from . import patients

    table = tf.Variable(np.arange(8, dtype="f").reshape(4, 2) - 3.0, name="table")
    rows = np.array([[5.0, -5.0], [-9.0, 9.0]], "f")

    @tf.function(jit_compile=True)
    def program(at, values):
        if how == "slice":
            table[1:3].assign(values)
        elif how.startswith("nd_"):
            getattr(table, f"scatter_{how}")(at[:, None], values)
        else:
            getattr(table, f"scatter_{how}")(tf.IndexedSlices(values, at))
        return tf.reduce_sum(table)

    folder = tmp_path / "within"
    patients.capsule(folder, program, [np.array([2, 0]), rows])
    assert agreement(folder).result == "agrees"
    before = table.numpy()
    program(np.array([2, 0]), rows)
    (total,), finals = run(folder, strict=True)
    np.testing.assert_array_equal(finals["table:0"], table.numpy())
    assert total == table.numpy().sum()
    assert not np.array_equal(before, table.numpy())
    if how != "slice":
        table.assign(before)
        patients.capsule(tmp_path / "beyond", program, [np.array([4, 0]), rows])
        told = agreement(tmp_path / "beyond")
        assert (told.result, told.kind, told.node.op[:13]) == ("diverges", "raises", "TensorScatter")


def test_running_twice_changes_nothing(counted):
    folder, *_ = counted["yes"]
    first, second = run(folder), run(folder)
    for a, b in zip(first[0], second[0], strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_keras_train_step_with_adam(patient, tmp_path):
    """One step from the capsule gives the loss and the weights that Keras gets from the same weights and batch."""
    import tensorflow as tf

    from . import patients

    built = patients.model(broken=False, jit=False)
    x, y = patients.batch()
    built.train_on_batch(x, y)  # traces, and fills the optimizer's slots
    built.fit(x, y, batch_size=patients.BATCH, verbose=0, shuffle=False)
    built.reset_metrics()
    concrete = patients.newest_concrete("multi_step_on_iterator")
    folder, _ = patients.capsule_of(tmp_path / "capsule", concrete, [*x, y])
    before = {v.path: np.asarray(v) for v in built.variables}
    losses = built.fit(x, y, batch_size=patients.BATCH, verbose=0, shuffle=False).history["loss"]
    (loss,), finals = run(folder, strict=True)
    assert loss == pytest.approx(losses[0], rel=1e-6)
    kernels = {n: v for n, v in finals.items() if "kernel" in n and "adam" not in n.lower()}
    assert len(kernels) == 3
    for variable in built.trainable_variables:
        if "kernel" not in variable.path:
            continue
        (ours,) = [
            v for n, v in kernels.items() if n.startswith(variable.path.rpartition("functional")[2].strip("/_1"))
        ]
        assert not np.array_equal(ours, before[variable.path])
        np.testing.assert_allclose(ours, np.asarray(variable), rtol=1e-5, atol=1e-7)
    assert tf.executing_eagerly()


def test_evaluate_and_predict(patient):
    folder, _, loss = patient("evaluate")
    (mean,), _ = run(folder)
    assert mean == pytest.approx(loss, rel=1e-6)
    folder, _, out = patient("predict", broken=False)
    (ours,), finals = run(folder)
    np.testing.assert_allclose(ours, out, rtol=1e-5, atol=1e-6)
    assert finals == {}


def test_several_steps_in_one_execution_run_the_first(patient):
    folder, *_ = patient("fit", broken=False, steps_per_execution=2)
    from probes.graph import failing, load, step

    assert failing.failing_op(step.prepare(load.load(folder))) is None


def test_each_flat_node_knows_its_way(patient):
    from probes.graph import inline, load

    folder, *_ = patient("fit", broken=True, jit=False)
    program = load.load(folder)
    graph = inline.flatten(program)
    ways = {
        o.path for n, o in graph.origins.items() if o.node == "Reshape_1" and o.function.startswith("__forward_warp")
    }
    assert sorted(path[-1].split("/")[1] for path in ways) == ["bad_1", "good_1"]
    for name, origin in graph.origins.items():
        assert name.rstrip("_") == "/".join((*origin.path, origin.node)).rstrip("_")
    assert [r.xla for r in graph.regions if "warp" in r.function] == [True] * 4
    assert list(graph.nodes) == sorted(graph.nodes, key=list(graph.nodes).index)
    seen = set()
    for node in graph.nodes.values():  # topological
        assert {t.rpartition(":")[0] for t in node.inputs} | set(node.controls) <= seen
        seen.add(node.name)


def test_unsupported_names_the_op(plain):
    from probes.graph import errors, load, step

    folder, _ = plain("scatter")
    with pytest.raises(errors.Unsupported, match="ResourceScatterMul"):
        step.prepare(load.load(folder), strict=True)


def test_what_does_not_depend_on_an_unsupported_op_is_still_evaluated(plain):
    from probes.graph import load, outcome, step

    told, arrays = outcome.run_plain(step.prepare(load.load(plain("scatter")[0])))
    assert arrays["output 1"].shape == (2, 4)
    # What the variable holds after the op is not known, so it is not told.
    assert told["missing"] == ["output 0"]


def test_odd_types_survive_the_capsule(plain):
    folder, _ = plain("odd_types")
    (a, b, c, d), _ = run(folder)
    np.testing.assert_array_equal(a, [2.5, 3.5])
    np.testing.assert_array_equal(b, [3, 2])
    np.testing.assert_array_equal(c, [True, False])
    np.testing.assert_array_equal(d, [5.0])


def test_truncate_keeps_what_is_needed_and_cuts_where_it_is_told(plain):
    from probes.graph import load, step, transform
    from probes.graph.evaluate import Activation

    folder, _ = plain("two_failures", specs="open")
    ready = step.prepare(load.load(folder))
    graph = ready.pure.graph
    small = transform.truncate(graph, ["second:0"])
    assert [i.name for i in small.inputs] == ["y"]
    cut = transform.truncate(graph, ["MatMul_5:0"], cut=["MatMul_4:0"])
    assert {n.op for n in cut.nodes.values()} == {"Placeholder", "MatMul"}
    assert sum(n.op == "MatMul" for n in cut.nodes.values()) == 1
    (name,) = [i.name for i in cut.inputs if i.role == "data"]
    activation = Activation(step.new_frames(), cut, {"x:0": ready.arguments["x:0"], f"{name}:0": np.eye(64, dtype="f")})
    activation.compute(cut.outputs)
    np.testing.assert_array_equal(activation.values["MatMul_5:0"], ready.arguments["x:0"])


def test_fix_batch(plain):
    import tensorflow as tf

    from probes.graph import errors, load, step

    open_, _ = plain("chunks", fail=False, specs=[tf.TensorSpec([None, 4])])
    ready = step.prepare(load.load(open_), batch=5, static=True)
    assert ready.pure.graph.inputs[0].shape == (5, 4)
    closed, _ = plain("chunks", fail=False)
    assert step.prepare(load.load(closed), batch=7, static=True).pure.graph.inputs[0].shape == (7, 4)
    with pytest.raises(errors.Unsupported, match=r"fixed batch \(x \[7, 4\]\), not for 5 rows"):
        step.prepare(load.load(closed), batch=5, static=True)
