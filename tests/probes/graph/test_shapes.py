"""Run-time shapes of every occurrence: calls, branches, rounds of loops, and what lies beyond a failure."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


def shapes(folder, wanted, **options):
    from probes.graph import load, step
    from probes.graph.shapes import runtime_shapes

    return runtime_shapes(step.prepare(load.load(folder), **options), wanted)


def want(uids, part, *tensors):
    (uid,) = [u for u in uids.find(part) if "grad" not in u and "backward" not in u]
    return {"id": part, "graph": uid, "tensors": list(tensors)}


@pytest.mark.parametrize("jit", [False, True])
def test_a_cached_function_has_one_row_for_each_call(patient, jit):
    folder, uids, _ = patient("fit", broken=True, jit=jit)
    result = shapes(folder, [want(uids, ":warp", "images:0", "translations:0", "Reshape_1:0")])
    good, bad = result["occurrences"][":warp"]
    assert good["state"] == "executed"
    assert good["shapes"] == {"images:0": [4, 6, 6, 3], "translations:0": [4], "Reshape_1:0": [4, 6, 6, 3]}
    assert "good" in good["path"][-1] and "bad" in bad["path"][-1]
    assert bad["state"] == "failed"
    assert bad["shapes"] == {"images:0": [1, 6, 6, 3], "translations:0": [4]}
    assert bad["missing"] == {"Reshape_1:0": "failed"}
    assert good["order"] < bad["order"]
    assert good["positions"]["Reshape_1:0"] > good["positions"]["images:0"]
    assert [f["node"] for f in result["failed"]] == ["Reshape_1"]


def test_the_branch_that_was_not_taken(patient):
    folder, uids, _ = patient("fit", broken=True, jit=False)
    yes, no = want(uids, "bad_1_cond_true"), want(uids, "bad_1_cond_false")
    from probes.graph import load

    (merge,) = [n for n in load.load(folder).sources[yes["graph"]] if n.endswith("/merge")]
    result = shapes(folder, [{**yes, "tensors": [f"{merge}:0"]}, {**no, "tensors": []}])
    (taken,) = result["occurrences"]["bad_1_cond_true"]
    assert (taken["state"], taken["shapes"]) == ("executed", {f"{merge}:0": [1, 6, 6, 3]})
    assert [r["state"] for r in result["occurrences"]["bad_1_cond_false"]] == ["not-executed"]


def test_inputs_of_the_step_itself(patient):
    folder, uids, _ = patient("fit", broken=False)
    result = shapes(
        folder,
        [
            want(uids, "one_step_on_data", "data:0", "data_1:0", "data_2:0"),
            {"id": "top", "graph": uids.of_top, "tensors": ["IteratorGetNext:0", "iterator:0"]},
        ],
    )
    (row,) = result["occurrences"]["one_step_on_data"]
    assert row["shapes"] == {"data:0": [4, 6, 6, 1], "data_1:0": [4], "data_2:0": [4, 6, 6, 1]}
    (top,) = result["occurrences"]["top"]
    assert top["shapes"] == {"IteratorGetNext:0": [4, 6, 6, 1]}
    assert "without a shape" in top["missing"]["iterator:0"]


def test_rounds_of_a_loop(plain):
    folder, uids = plain("chunks", specs="open")
    body = want(uids, "while_body", "while/fold:0", "while/part:0")
    rows = shapes(folder, [body])["occurrences"]["while_body"]
    assert [r["iteration"] for r in rows] == [0, 1, 2]
    assert [r["state"] for r in rows] == ["executed", "executed", "failed"]
    assert [r["shapes"].get("while/part:0") for r in rows] == [[3, 4], [3, 4], [1, 4]]


def test_many_rounds_are_bounded_and_said_to_be(plain):
    folder, uids = plain("chunks", fail=False, rows=301)
    result = shapes(folder, [want(uids, "while_body", "while/fold:0")])
    rows = result["occurrences"]["while_body"]
    assert [r["iteration"] for r in rows] == [*range(64), 100]
    assert rows[-1]["shapes"] == {"while/fold:0": [1, 2, 2]}
    assert "101 iterations" in result["notes"][0]


def test_a_loop_that_does_not_run(plain):
    import tensorflow as tf

    folder, uids = plain("chunks", fail=False, rows=0, specs=[tf.TensorSpec([None, 4])])
    rows = shapes(folder, [want(uids, "while_body", "while/fold:0")])["occurrences"]["while_body"]
    assert [r["state"] for r in rows] == ["not-executed"]


def test_rounds_within_rounds(plain):
    folder, uids = plain("nested_failure", specs="open")
    deep = [u for u in uids.names if "cond_true" in u and "while" in u]
    rows = shapes(folder, [{"id": "deep", "graph": deep[0], "tensors": []}])["occurrences"]["deep"]
    assert [(r["iteration"], r["state"]) for r in rows] == [(0, "not-executed"), (1, "executed")]


@pytest.mark.parametrize(("index", "rows"), [(0, 1), (1, 2), (2, 8), (9, 8)])
def test_case(plain, index, rows):
    folder, uids = plain("switch", index=index)
    wanted = [{"id": u, "graph": u, "tensors": []} for u in uids.names]
    taken = {u: r[0]["state"] for u, r in shapes(folder, wanted)["occurrences"].items()}
    assert sorted(taken.values()) == ["executed", "not-executed", "not-executed"]
    from probes.graph import load, outcome, step

    told, _ = outcome.run_plain(step.prepare(load.load(folder)))
    assert told["outputs"][0]["shape"] == [rows, 3]


def test_unknown_tensors_and_graphs_are_said(plain):
    folder, uids = plain("chunks", fail=False)
    result = shapes(
        folder,
        [
            {"id": "a", "graph": uids.of_top, "tensors": ["nowhere:0"]},
            {"id": "b", "graph": "no such graph", "tensors": ["x:0"]},
        ],
    )
    assert result["occurrences"]["b"] == []
    (row,) = result["occurrences"]["a"]
    assert (row["state"], row["missing"]) == ("unknown", {"nowhere:0": "no such tensor in the library function"})


def test_values_that_were_not_kept_are_noise_and_said_to_be(plain):
    folder, uids = plain("chunks", fail=False, values=False)
    result = shapes(folder, [{"id": "top", "graph": uids.of_top, "tensors": ["x:0"]}])
    assert result["filled"] == ["x"]
    assert result["occurrences"]["top"][0]["shapes"] == {"x:0": [7, 4]}


def test_a_failing_step_is_not_computed_again_for_each_tensor(patient):
    from probes.graph import load, step
    from probes.graph.shapes import runtime_shapes

    folder, uids, _ = patient("fit", broken=True, jit=False)
    ready = step.prepare(load.load(folder))
    frames = step.new_frames()
    tensors = [f"{n}:0" for n in ("images", "translations", "add", "Reshape", "stack", "Reshape_1")]
    runtime_shapes(ready, [want(uids, ":warp", *tensors)], frames)
    assert frames.machine.runs <= 4
