"""What is known of a cause: names from TensorFlow's own registry, the way into XLA, and what would decide."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.xladoctor.rules.fixtures import LOGS, diagnose, public_fixtures, real_fixtures
from xladoctor.logs.flags import flags_set
from xladoctor.model.evidence import ErrorRecord, LogEvidence
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings, registry
from xladoctor.rules.recognise.xla_path import xla_path

REAL = {f.name: f for f in real_fixtures()}
ALL = (*real_fixtures(), *public_fixtures())


@pytest.mark.parametrize(
    ("op", "position", "name"),
    [
        ("Tile", 1, "multiples"),
        ("Fill", 0, "dims"),
        ("Range", 2, "delta"),
        ("StridedSlice", 3, "strides"),
        ("ConcatV2", 5, "axis"),
        ("Tile", 0, None),
        ("MyCustomOp", 1, None),
    ],
)
def test_arguments_that_must_be_constant(op, position, name):
    assert registry.argument(op, position) == name


def test_kernels():
    tile, string, gpu = (registry.kernels(op) for op in ("Tile", "StringFormat", "CudnnRNNV3"))
    assert tile and tile.xla and tile.elsewhere == "the CPU and the GPU"
    assert string and not string.xla and string.elsewhere == "the CPU only"
    assert gpu and not gpu.xla and gpu.elsewhere == "the GPU only"
    assert registry.kernels("MyCustomOp") is None


@pytest.mark.parametrize("version", ["2.15", "2.19", "2.21"])
def test_a_constant_argument_is_named_with_what_may_feed_it(version):
    found = diagnose(REAL[f"{version}/constant_random"].text)[0]
    assert found.details["argument_name"] == "dims" and not found.details["in_loop"]
    assert "`dims` (argument 0 of Fill, node `Fill`)" in found.message
    assert found.details["between"][0] == "a random op feeds it"
    assert "get_operation_by_name('Fill').inputs[0].op" in found.details["decide"][0]
    loop = diagnose(REAL[f"{version}/constant_tile"].text)[0]
    assert loop.details["argument_name"] == "multiples" and loop.details["in_loop"]
    assert loop.details["between"][0] == "the loop's variable feeds it"


def test_an_op_without_a_kernel_says_where_it_has_one():
    found = diagnose(REAL["2.21/unsupported_py"].text)[0]
    assert found.details["kernels"] == {"EagerPyFunc": {"xla": False, "cpu": True, "gpu": True}}
    assert "kernels for the CPU and the GPU (TensorFlow 2.21.0), and none for XLA" in found.message


@pytest.mark.parametrize(
    ("op", "attributes", "says"),
    [
        ("Tile", "", "TensorFlow 2.21.0 has an XLA kernel for Tile: this version is older, or the device another."),
        (
            "Tile",
            " (OpKernel was found, but attributes didn't match) Requested Attributes: T=DT_STRING",
            "XLA has a kernel for Tile, but none for these types or attributes.",
        ),
        ("MyOp", "", "TensorFlow 2.21.0 registers no op MyOp: a custom op, or one of another version."),
    ],
)
def test_what_the_registry_says_of_an_unsupported_op(op, attributes, says):
    # tensorflow/compiler/tf2xla/graph_compiler.cc, core/framework/op_kernel.cc
    message = (
        f"tensorflow.python.framework.errors_impl.InvalidArgumentError: Detected unsupported operations when trying to "
        f"compile graph __inference_f_8[_XlaMustCompile=true] on XLA_GPU_JIT: {op} (No registered '{op}' OpKernel for "
        f"XLA_GPU_JIT devices compatible with node {{{{node {op}}}}}{attributes}){{{{node {op}}}}} [Op:__inference_f]\n"
    )
    [found] = diagnose(message)
    assert found.slug == "unsupported-op" and says in found.message


MUST = "tf2xla conversion failed while converting __inference_f_9[_XlaMustCompile=true,config_proto=3]."
BODY = "tf2xla conversion failed while converting while_body_21_const_0[]."
STEP = "tf2xla conversion failed while converting __inference_one_step_on_data_8[]. Run with TF_DUMP_GRAPH_PREFIX"
CLUSTER = "tf2xla conversion failed while converting cluster_2[_XlaCompiledKernel=true,_XlaNumConstantArgs=0]."


@pytest.mark.parametrize(
    ("text", "way", "function", "keras"),
    [
        (MUST, "explicit", "__inference_f_9", False),
        (f"{BODY} x [[while]] {MUST}", "explicit", "__inference_f_9", False),
        (STEP, "explicit", "__inference_one_step_on_data_8", True),
        (CLUSTER, "auto-clustering", "cluster_2", False),
        (f"{BODY} [[while]] {CLUSTER} [[cluster_2_1/xla_compile]]", "auto-clustering", "cluster_2", False),
        ("Incompatible shapes: [3] vs. [4] [[{{node mul}}]] [[cluster_0_1/xla_compile]]",
         "auto-clustering", "cluster_0", False),
    ],
)  # fmt: skip
def test_the_way_into_xla(text, way, function, keras):
    assert xla_path(text) == {"way": way, "function": function, "keras": keras}


@pytest.mark.parametrize("text", ["", "Incompatible shapes: [3] vs. [4]", f"{BODY} and then nothing", "xla_compile"])
def test_where_the_message_does_not_say_nothing_is_said(text):
    assert xla_path(text) is None


def test_every_real_failure_under_jit_compile_is_told_as_explicit():
    seen = 0
    for fixture in real_fixtures():
        if "jit_compile=True" not in fixture.text and "_XlaMustCompile=true" not in fixture.text:
            continue
        found = diagnose(fixture.text)
        if found and "_XlaMustCompile=true" in found[0].evidence[0].text:
            seen += 1
            assert found[0].details["xla"]["way"] == "explicit", fixture.name
    assert seen > 30


def _logged(flag: str, text: str) -> tuple:
    facts = {"flags": {"TF_XLA_FLAGS": {"value": flag, "where": "log:1"}}}
    record = ErrorRecord(text, where="log:9", exception="InvalidArgumentError", level="error")
    return findings(Evidence("log", LogEvidence("log", (record,), facts=facts)))


@pytest.mark.parametrize("flag", ["--tf_xla_auto_jit=0", "--tf_xla_cpu_global_jit --tf_xla_auto_jit=2"])
def test_a_flag_of_auto_clustering_beside_an_explicit_failure(flag):
    found = [f for f in _logged(flag, f"Incompatible shapes: [3] vs. [4] {MUST}") if f.slug == "flag-ineffective"]
    assert len(found) == 1 and found[0].level == "warning" and found[0].role == "consequence"
    assert "affects only auto-clustering" in found[0].message and "`__inference_f_9`" in found[0].message
    assert [p.where for p in found[0].evidence] == ["log:1", "log:9"]


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("--tf_xla_auto_jit=2", f"Incompatible shapes: [3] vs. [4] {CLUSTER}"),  # it governs just this
        ("--tf_xla_enable_xla_devices", f"Incompatible shapes: [3] vs. [4] {MUST}"),
        ("--tf_xla_auto_jit=0", "Incompatible shapes: [3] vs. [4]"),  # not under XLA, as far as is known
    ],
)
def test_a_flag_that_is_not_known_to_be_ineffective(flag, text):
    assert "flag-ineffective" not in [f.slug for f in _logged(flag, text)]


def test_where_a_text_does_not_decide_it_is_said_what_would():
    """Every finding from a log that is not confirmed names a line or a command that decides."""
    seen = set()
    for fixture in ALL:
        for found in diagnose(fixture.text):
            if found.status == "untested":
                seen.add(found.slug)
                assert found.details.get("decide"), (fixture.name, found.message)
                assert f"To find out, look at: {found.details['decide'][0]}" in found.message
    assert {"jit-kernel-failed", "compile-failed", "not-xla", "autotune-failed"} <= seen


def test_a_tool_that_is_done_without_is_not_the_root_where_a_library_failed():
    stamp = "2024-01-05 10:00:00.000000: "
    gpu = "tensorflow/compiler/xla/stream_executor"
    text = (
        f"{stamp}W {gpu}/gpu/asm_compiler.cc:9] Falling back to the CUDA driver for PTX compilation; ptxas does not "
        f"support CC 9.9\n{stamp}E {gpu}/cuda/cuda_fft.cc:9] Failed to make cuFFT batched plan: 3\n"
    )
    assert [f.slug for f in diagnose(text)] == ["gpu-library-failed", "ptxas-missing"]


@pytest.mark.parametrize(
    ("above", "slug", "cause"),
    [
        ("libdevice not found at ./libdevice.10.bc", "libdevice-missing", "libdevice"),
        ("ptxas exited with non-zero error code 256, output: ptxas fatal", "ptxas-missing", "ptxas"),
        ("failed to load PTX text as a module: CUDA_ERROR_NO_BINARY_FOR_GPU", "jit-kernel-failed", "driver"),
        ("", "jit-kernel-failed", "unknown"),
    ],
)
def test_jit_compilation_failed_is_told_apart_by_the_lines_above(above, slug, cause):
    # tensorflow/compiler/mlir/tools/kernel_gen/tf_framework_c_interface.cc
    lines = [
        f"2024-01-05 10:00:00.000000: E external/local_xla/xla/service/gpu/x.cc:9] {above}" if above else "step 3",
        "2024-01-05 10:00:00.000000: E tensorflow/compiler/mlir/tools/kernel_gen/tf_framework_c_interface.cc:207] "
        "INTERNAL: Generating device code failed.",
        "2024-01-05 10:00:00.000000: W tensorflow/core/framework/op_kernel.cc:1827] UNKNOWN: JIT compilation failed.",
        "Traceback (most recent call last):",
        '  File "/home/user/project/train.py", line 9, in main',
        "    tf.exp(x)",
        "tensorflow.python.framework.errors_impl.UnknownError: {{function_node __wrapped__Exp_device_/job:localhost/"
        "replica:0/task:0/device:GPU:0}} JIT compilation failed. [Op:Exp] name: ",
    ]
    found = diagnose("\n".join(lines) + "\n")
    assert found[0].slug == slug
    kernel = next(f for f in found if f.slug == "jit-kernel-failed")
    assert kernel.details["cause"] == cause and (kernel.status == "untested") is (cause == "unknown")
    assert ("decide" in kernel.details) is (cause == "unknown")


@pytest.mark.parametrize("version", ["2.15", "2.19", "2.21"])
def test_a_real_log_that_prints_its_flags(version):
    found = diagnose(REAL[f"{version}/flag_governs_nothing"].text)
    assert [f.slug for f in found] == ["unsupported-op", "flag-ineffective"]
    assert found[1].details["flag"] == "--tf_xla_auto_jit=0" and found[1].evidence[0].where.startswith("log:")
    assert found[1].remedies


@pytest.mark.parametrize("version", ["2.15", "2.19", "2.21"])
def test_a_real_cluster_that_failed(version):
    [found] = [f for f in diagnose(REAL[f"{version}/clustered_broadcast"].text) if f.level == "error"]
    assert found.details["xla"]["way"] == "auto-clustering" and found.details["xla"]["function"].startswith("cluster_")


@pytest.mark.parametrize("version", ["2.15", "2.19", "2.21"])
def test_what_the_run_survived_is_behind_what_ended_it(version):
    found = [f for f in diagnose(REAL[f"{version}/went_on_then_failed"].text) if f.level == "error"]
    assert [f.slug for f in found] == ["concat-pack-mismatch", "reshape-mismatch"]
    assert found[1].details["went_on"] and found[1].message.endswith("The run went on after it.")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b"$ TF_XLA_FLAGS=--tf_xla_auto_jit=2 python train.py", "--tf_xla_auto_jit=2"),
        (
            b'export TF_XLA_FLAGS="--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"',
            "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit",
        ),
        (b'declare -x TF_XLA_FLAGS="--tf_xla_auto_jit=0"', "--tf_xla_auto_jit=0"),
        (b"os.environ['TF_XLA_FLAGS'] = '--tf_xla_auto_jit=0'", "--tf_xla_auto_jit=0"),
        (b"{'HOME': '/home/a', 'TF_XLA_FLAGS': '--tf_xla_auto_jit=0', 'X': '1'}", "--tf_xla_auto_jit=0"),
        (b'{\\"TF_XLA_FLAGS\\": \\"--tf_xla_auto_jit=0\\"}', "--tf_xla_auto_jit=0"),
        (b"Unknown flags in TF_XLA_FLAGS: --tf_xla_auto_jot=2", None),
        (b"set TF_XLA_FLAGS to --tf_xla_auto_jit=0 if it fails", None),
    ],
)
def test_flags_that_a_log_shows_to_be_set(line, value):
    shown = [(found[1], found[2]) for found in flags_set(b"x\n" + line + b"\nepoch 1\n")]
    assert shown == ([] if value is None else [(value, 2 + line.index(b"TF_XLA"))])


@pytest.mark.slow
def test_the_command_that_is_to_decide_does(tmp_path):
    """What feeds an argument: the line that the finding gives, run in the program itself."""
    program = tmp_path / "ask.py"
    [command] = diagnose(REAL["2.21/constant_random"].text)[0].details["decide"]
    asked = command.partition("`")[2].partition("`")[0]
    source = json.loads((LOGS / "real/2.21/manifest.json").read_text())["constant_random"]["program"]
    head = source.rpartition("f(tf.constant(1.0))")[0]
    walk = "while op.inputs:\n    op = op.inputs[0].op\nprint('FED BY', op.type)\n"
    program.write_text(f"{head}\narguments = [tf.constant(1.0)]\nop = {asked}\n{walk}")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert "FED BY" in done.stdout, done.stderr[-500:]
