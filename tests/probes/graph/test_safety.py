"""A foreign capsule runs only what is on the list; nothing that is not on it ever runs."""

from __future__ import annotations

import pytest

from probes.graph import safety


def test_the_list_has_no_op_that_reaches_outside():
    for op in (
        "ReadFile",
        "WriteFile",
        "MatchingFiles",
        "PyFunc",
        "EagerPyFunc",
        "PyFuncStateless",
        "SaveV2",
        "RestoreV2",
        "MergeV2Checkpoints",
        "Print",
        "PrintV2",
        "DebugIdentity",
        "DebugIdentityV2",
        "XlaCustomCallV2",
        "XlaCallModule",
        "RemoteCall",
        "SymbolicGradient",
        "TFRecordDatasetV2",
        "TextLineDataset",
        "InitializeTableFromTextFileV2",
        "LoadAndRemapMatrix",
        "CollectiveReduceV2",
        "GetSessionTensor",
        "Abort",
        "ExperimentalSleepDataset",
        "SleepDataset",
        "WriteScalarSummary",
        "ImmutableConst",
    ):
        assert op not in safety.safe_ops()


def test_the_list_has_what_models_are_made_of():
    for op in (
        "Conv2D",
        "Einsum",
        "FFT2D",
        "StatelessIf",
        "While",
        "ResourceApplyAdam",
        "RandomUniform",
        "TensorListStack",
    ):
        assert op in safety.safe_ops()


@pytest.mark.slow
def test_every_stateful_op_on_the_list_is_of_a_category_that_was_chosen():
    """By the registry of the TensorFlow that is here: the list was reviewed by name, and this holds it to that."""
    from probes import compat_graph

    chosen = (
        "Resource",
        "Random",
        "Stateful",
        "Stateless",
        "Rng",
        "TensorArray",
        "Stack",
        "LookupTable",
        "HashTable",
        "MutableHashTable",
        "MutableDenseHashTable",
        "AnonymousHashTable",
        "AnonymousMutableHashTable",
        "InitializeTableV2",
        "Assign",
        "Var",
        "ReadVariable",
        "IteratorGetNext",
        "CudnnRNN",
        "CheckNumerics",
        "SampleDistorted",
        "XlaWhile",
        "XlaIf",
        "XlaDequantize",
    )
    alone = {
        "Assert", "Case", "If", "While", "DeepCopy", "DeviceIndex", "Empty", "GuaranteeConst", "DestroyResourceOp",
        "DisableCopyOnRead", "Multinomial", "NonDeterministicInts", "ParameterizedTruncatedNormal", "TruncatedNormal",
        "AllCandidateSampler", "LogUniformCandidateSampler", "UniformCandidateSampler",
    }  # fmt: skip
    for op in safety.safe_ops():
        definition = compat_graph.op_definition(op)
        if definition is not None and definition.is_stateful:
            assert op.startswith(chosen) or op in alone, op


@pytest.mark.slow
def test_a_foreign_capsule_that_writes_is_refused_by_name(plain, tmp_path):
    from probes.graph import errors, load, step

    folder, _ = plain("touches_files", target=str(tmp_path / "written"))
    with pytest.raises(errors.Refused, match=r"op WriteFile \(node .*WriteFile\).* \(and 1 more\)"):
        step.prepare(load.load(folder), foreign=True)
    assert set(safety.unsafe_ops(load.load(folder))) == {"WriteFile", "ReadFile"}
    assert not (tmp_path / "written").exists()


@pytest.mark.slow
def test_ones_own_capsule_runs_without_them(plain, tmp_path):
    from probes.graph import load, outcome, step

    folder, _ = plain("touches_files", target=str(tmp_path / "written"))
    ready = step.prepare(load.load(folder))
    told, arrays = outcome.run_plain(ready)
    assert told["outcome"] == "passed"
    assert arrays["output 0"].shape == (4, 3)
    assert told["missing"] == ["output 1"]
    assert "ReadFile" in " ".join(ready.left_out.values())
    assert not (tmp_path / "written").exists()


@pytest.mark.slow
def test_python_in_a_branch(plain):
    from probes.graph import errors, failing, load, step

    folder, _ = plain("calls_python")
    with pytest.raises(errors.Refused, match="EagerPyFunc"):
        step.prepare(load.load(folder), foreign=True)
    assert failing.failing_op(step.prepare(load.load(folder))) is None


@pytest.mark.slow
def test_a_function_that_another_op_runs_is_looked_into():
    import tensorflow as tf

    from probes.graph import safety
    from probes.graph.ir import Graph, Node

    graph = tf.compat.v1.GraphDef()
    function = graph.library.function.add()
    function.signature.name = "inner"
    function.node_def.add(name="read", op="ReadFile")
    mapped = graph.node.add(name="map", op="MapDefun")
    mapped.attr["f"].func.name = "inner"
    mapped.attr["output_types"].list.type.append(7)
    flat = Graph("", {"map": Node(mapped, ())}, (), ("map:0",), (), {}, (), {}, {}, {"inner": function})
    sealed, left_out = safety.seal(flat)
    assert list(left_out) == ["map"]
    assert sealed.nodes["map"].op == "Placeholder"
