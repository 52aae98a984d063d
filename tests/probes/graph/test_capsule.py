"""Capsules are written as `docs/architecture.md` says, and read back or refused with the file that is at fault."""

from __future__ import annotations

import gzip
import json
import shutil
import time

import numpy as np
import pytest

pytestmark = pytest.mark.slow


def test_format(patient):
    from probes.schema import CAPSULE_SCHEMA

    folder, uids, _ = patient("fit", broken=True, jit=True)
    told = json.loads((folder / "capsule.json").read_text())
    assert told["schema"] == CAPSULE_SCHEMA
    assert told["function"].startswith("__inference_multi_step_on_iterator")
    assert told["python_name"] == "multi_step_on_iterator"
    assert told["graph"] == uids.of_top
    assert told["complete"] is True
    first, *rest = told["inputs"]
    assert (first["kind"], first["value"]) == ("iterator", None)
    kernel = rest[0]
    assert kernel["kind"] == "variable"
    assert kernel["variable"] == {
        "name": "first/kernel:0",
        "dtype": "float32",
        "shape": [3, 3, 1, 3],
        "trainable": True,
    }
    assert kernel["value"] == "input:1"
    (warp,) = [u for u in uids.names if u.endswith(":warp")]
    names = told["graphs"][warp]
    assert {n.rpartition("_")[0] for n in names} == {"__inference_warp", "__forward_warp"}
    assert told["arguments"][names[0]] == ["images", "translations"]
    with np.load(folder / "values.npz", allow_pickle=False) as values:
        assert values["data:0"].shape == (4, 6, 6, 1)
        assert values["input:1"].shape == (3, 3, 1, 3)
    recipe = json.loads((folder / "recipe.json").read_text())
    assert recipe["data"] == "exact"
    assert "data:2" in recipe["kept"]


def test_sources_have_user_frames_only_innermost_last(patient):
    folder, uids, _ = patient("fit", broken=True, jit=False)
    sources = json.loads(gzip.decompress((folder / "sources.json.gz").read_bytes()))
    (warp,) = [u for u in uids.names if u.endswith(":warp")]
    frames = sources[warp]["Reshape_1"]
    assert frames[-1][0].endswith("patients.py")
    assert frames[-1][2] == "warp"
    for nodes in sources.values():
        for stack in nodes.values():
            assert not any(
                "/tensorflow/" in file or "/keras/" in file or "/probes/record/" in file for file, *_ in stack
            )


def test_graph_of_a_trace_that_did_not_finish(tmp_path):
    import tensorflow as tf

    from probes.graph import load, step
    from probes.record import capsule

    graph = tf.Graph()
    caught = []

    @tf.function
    def program(x):
        caught.append(tf.compat.v1.get_default_graph())
        y = tf.linalg.matmul(x, x, name="reached")
        return tf.reshape(y, [7])

    with pytest.raises(ValueError, match="reshape"):
        program.get_concrete_function(tf.TensorSpec([3, 3]))
    assert graph is not caught[0]
    told = capsule.write_capsule(tmp_path / "partial", caught[0], graph_uid="g1", graphs={}, xla=False)
    assert told["complete"] is False
    ready = step.prepare(load.load(tmp_path / "partial"))
    activation = ready.activation(step.new_frames())
    activation.compute(["reached:0"])
    assert activation.values["reached:0"].shape == (3, 3)
    assert (ready.filled, ready.guessed) == (("x",), {})


def test_sizes_that_nobody_recorded_are_said_to_be_made_up(tmp_path):
    import tensorflow as tf

    from probes.graph import load, step
    from probes.record import capsule

    spec = [tf.TensorSpec(shape, name=name) for name, shape in (("x", [None, None, 3]), ("y", None), ("z", [2, 3]))]
    program = tf.function(lambda x, y, z: tf.reduce_sum(x) + tf.reduce_sum(y) + tf.reduce_sum(z), input_signature=spec)
    capsule.write_capsule(tmp_path / "c", program.get_concrete_function(), graph_uid="g1", graphs={})
    known = load.load(tmp_path / "c")
    assert dict(step.prepare(known).guessed) == {"x": [0, 1], "y": None}
    assert dict(step.prepare(known, batch=5).guessed) == {"x": [1], "y": None}


def test_large_values_are_left_out_and_said_to_be(tmp_path):
    import tensorflow as tf

    from probes.record import capsule

    program = tf.function(lambda x: x + 1.0)
    concrete = program.get_concrete_function(tf.TensorSpec([None, 4]))
    capsule.write_capsule(tmp_path / "c", concrete, graph_uid="g1", graphs={})
    recipe = capsule.write_values(tmp_path / "c", concrete, data=[np.zeros((9, 4), "f")], recipe={}, max_bytes=100)
    assert recipe["kept"] == []
    assert "144 bytes are beyond the limit of 100" in recipe["missing"]["input:0"]
    recipe = capsule.write_values(tmp_path / "c", concrete, data=[1, 2, 3], recipe={})
    assert recipe["missing"] == {"data": "the call has 3 tensors, the signature 1"}


def test_the_folder_of_a_capsule_has_a_name_that_every_file_system_takes():
    import tensorflow as tf

    from probes.record import capsule

    concrete = tf.function(lambda x: x, autograph=False).get_concrete_function(tf.TensorSpec([1]))
    name = capsule.folder_name("12", 3, concrete)
    assert name.startswith("12-3-")
    assert "/" not in name and "<" not in name


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("capsule.json", b'{"schema": "xladoctor.capsule/99"}', "schema is 'xladoctor.capsule/99'"),
        ("capsule.json", b'{"schema": ', "capsule.json"),
        ("capsule.json", b"[1]", "not a JSON object"),
        ("capsule.json", b'{"schema": "xladoctor.capsule/1"}', "capsule.json: KeyError"),
        ("graph.pb.gz", b"rubbish", "graph.pb.gz"),
        ("graph.pb.gz", gzip.compress(b"\xff\xff\xff rubbish", mtime=0), "no GraphDef"),
        ("graph.pb.gz", None, "graph.pb.gz"),
        ("values.npz", b"rubbish", "values.npz"),
        ("sources.json.gz", gzip.compress(b"{", mtime=0), "sources.json.gz"),
    ],
)
def test_bad_capsules(patient, tmp_path, file, content, message):
    from probes.graph import errors, load

    folder, *_ = patient("predict", broken=False)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    if content is None:
        (copy / file).unlink()
    else:
        (copy / file).write_bytes(content)
    with pytest.raises(errors.BadCapsule, match=message):
        load.load(copy)


def test_a_pickle_in_the_values_is_not_opened(patient, tmp_path):
    from probes.graph import errors, load

    folder, *_ = patient("predict", broken=False)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    np.savez(copy / "values.npz", evil=np.array([{"a": 1}], dtype=object))
    with pytest.raises(errors.BadCapsule, match=r"values\.npz"):
        load.load(copy)


def test_writing_costs_little_of_the_trace(tmp_path):
    """A train step of a thousand nodes: what the recorder adds while the user waits for the trace."""
    import keras

    from . import patients

    x = keras.Input((8, 8, 2))
    h = x
    for _ in range(12):
        h = keras.layers.BatchNormalization()(keras.layers.Conv2D(2, 3, padding="same")(h))
    built = keras.Model(x, h)
    built.compile("adam", "mse", jit_compile=False)
    data = np.zeros((2, 8, 8, 2), "f")
    start = time.process_time()
    built.train_on_batch(data, data)
    traced = time.process_time() - start
    concrete = patients.newest_concrete("one_step_on_data")
    assert len(concrete.graph.get_operations()) > 900
    start = time.process_time()
    patients.capsule_of(tmp_path / "capsule", concrete, [], values=False)
    # Of processor time, some 5 percent on the real model; the bound leaves room for a machine that is busy.
    assert time.process_time() - start < 0.15 * traced


def test_the_batch_is_what_is_open_or_what_most_arguments_share(tmp_path):
    import tensorflow as tf

    from probes.graph import load
    from probes.record import capsule

    def rows(name, *arguments):
        specs = [tf.TensorSpec(s) for s, _ in arguments]
        program = tf.function(lambda *all_of: [tf.reduce_sum(a) for a in all_of], input_signature=specs)
        concrete = program.get_concrete_function()
        capsule.write_capsule(tmp_path / name, concrete, graph_uid="g1", graphs={})
        recipe = {"data": "exact", "variables": "after-failure", "rows": None, "batch_size": None, "note": None}
        capsule.write_values(tmp_path / name, concrete, data=[tf.zeros(v) for _, v in arguments], recipe=recipe)
        return load.batch_of(load.load(tmp_path / name))

    table, sizes = ([64, 3], [64, 3]), ([5], [5])
    assert rows("open", table, ([None, 2], [16, 2])) == 16
    assert rows("shared", table, ([16, 2], [16, 2]), ([16], [16])) == 16
    assert rows("vector", sizes, ([16, 2], [16, 2])) == 16
