"""What a finding says, word for word, for the failures that brought the project about."""

from __future__ import annotations

import pytest

from tests.xladoctor.rules.fixtures import diagnose, real_fixtures

REAL = {f.name: f for f in real_fixtures()}


def root(name: str):  # type: ignore[no-untyped-def]
    return diagnose(REAL[name].text)[0]


def test_reshape_with_shapes_shown() -> None:
    found = root("2.21/reshape_keras_fit")
    assert found.message == (
        "A tensor of 778752 values is reshaped to a shape that takes 24336 (4, 78, 78): 32 times too many."
    )
    assert (found.op, found.node, found.layer) == (
        "Reshape",
        "functional_1/to_canvas_1/Reshape_1",
        "functional_1/to_canvas_1",
    )
    assert str(found.location) == "/home/user/project/train.py:11 in merge"
    assert found.details["have"] == 778752 and found.details["want"] == 24336 and found.details["ratio"] == 32
    assert found.details["factors"]["want"] == [{"shape": [4, 78, 78], "from": "target shape"}]
    shapes = [f["shape"] for f in found.details["factors"]["have"]]
    assert shapes == [[128, 78, 78], [32, 78, 78, 4]]
    assert found.details["ambiguous"] == {"have": True, "want": False}


def test_reshape_without_shapes_claims_no_factors() -> None:
    found = root("2.21/reshape_jit")
    assert found.details["factors"] == {"have": [], "want": []}
    assert found.details["ambiguous"] == {"have": False, "want": False}
    assert str(found.location) == "/home/user/project/train.py:6 in f"


def test_dynamic_dimension_names_op_axis_bound_and_layer() -> None:
    found = root("2.21/dynamic_cond_fft_keras")
    assert found.op == "FFT2D" and found.node == "functional_1/merge_1/FFT2D"
    assert found.layer == "functional_1/merge_1"
    assert found.dims == (8,)
    assert found.details["axis"] == 0 and found.details["opcode"] == "fft"
    assert found.details["shape"] == "c64[<=8,16,16]"
    assert found.message == (
        "Axis 0 of the input of `fft` has a size of at most 8 that is known only at run time, and XLA cannot carry "
        "such a size through `fft`."
    )


def test_compile_time_constant_names_argument_and_line() -> None:
    found = root("2.21/constant_keras")
    assert (found.op, found.node, found.details["argument"]) == ("Tile", "functional_1/jitter_1/Tile", 1)
    assert str(found.location) == "/home/user/project/train.py:7 in call"
    assert found.layer == "functional_1/jitter_1"


def test_unsupported_op_names_device_and_line() -> None:
    found = root("2.21/unsupported_keras")
    assert (found.op, found.device) == ("StringFormat", "XLA_CPU_JIT")
    assert found.node == "functional_1/watch_1/StringFormat"
    assert str(found.location) == "/home/user/project/train.py:6 in call"


def test_warning_line_and_exception_are_one_finding() -> None:
    """The runtime's OP_REQUIRES line says the same as the exception after it."""
    assert [f.slug for f in diagnose(REAL["2.21/reshape_jit"].text)] == ["reshape-mismatch"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("2.21/flag_dash", "The dashes are typographic ones (copied from a document); type two hyphens."),
        ("2.21/flag_misplaced", "This is a flag of TF_XLA_FLAGS."),
        ("2.21/flag_single_dash", "One hyphen is missing: flags begin with two."),
        ("2.21/flag_xla", "The flag's name is --xla_gpu_cuda_data_dir."),
    ],
)
def test_flag_error_says_why(name: str, says: str) -> None:
    assert says in root(name).message


def test_jit_kernel_does_not_repeat_causes_without_evidence() -> None:
    """Report 003 blames auto-clustering, the graph optimizer and dtypes; the log carries none of that."""
    found = diagnose("UnknownError: JIT compilation failed.\n  [[{{node enc_1/MaximumMeanDiscrepancy/Exp}}]]\n")[0]
    assert found.slug == "jit-kernel-failed" and found.status == "untested"
    assert found.details["cause"] == "unknown"
    assert found.op == "Exp" and found.node == "enc_1/MaximumMeanDiscrepancy/Exp"
    assert found.layer == "enc_1/MaximumMeanDiscrepancy"
    assert "Neither auto-clustering nor jit_compile" in found.message


def test_root_is_the_first_of_independent_errors() -> None:
    both = REAL["2.21/concat_eager"].text + REAL["2.21/reshape_eager"].text
    found = diagnose(both)
    assert {f.slug for f in found if f.level == "error"} == {"concat-pack-mismatch", "reshape-mismatch"}
    assert found[0].slug == "concat-pack-mismatch" and found[1].role == "consequence"


def test_a_flag_comes_before_what_follows_it() -> None:
    found = diagnose(REAL["2.21/reshape_eager"].text + REAL["2.21/flag_tf"].text)
    assert found[0].slug == "flag-error"


def test_an_interrupt_has_nothing_to_mend() -> None:
    trace = 'Traceback (most recent call last):\n  File "/a/t.py", line 3, in f\n    g()\n'
    [found] = diagnose(f"{trace}KeyboardInterrupt\n")
    assert (found.slug, found.remedies) == ("not-xla", ())
    [found] = diagnose("ModuleNotFoundError: No module named 'tike'\n")
    assert found.remedies


def test_an_op_whose_result_is_needed_is_not_simply_removed() -> None:
    told = (
        "Detected unsupported operations when trying to compile graph __inference_f_10[] on XLA_CPU_JIT: {0} (No "
        "registered '{0}' OpKernel for XLA_CPU_JIT devices compatible with node {{{{node x/{0}}}}})"
    )
    ids = {
        op: [remedy.id for remedy in diagnose(f"InvalidArgumentError: {told.format(op)}\n")[0].remedies]
        for op in ("HistogramFixedWidth", "StringFormat")
    }
    assert ids["StringFormat"][0] == "remove-op" and "remove-op" not in ids["HistogramFixedWidth"]
    assert ids["HistogramFixedWidth"], "something can be done"
