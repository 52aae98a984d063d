"""Messages that stand alone: without the header of an exception, in the output of a program that says no more."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from xladoctor.diagnosis.engine import diagnose
from xladoctor.logs import read_log
from xladoctor.model.evidence import ProcessOutcome
from xladoctor.recording.evidence import Evidence

TIME = "2025-04-09 07:31:02.118%03d: %s tensorflow/core/common_runtime/bfc_allocator.cc:%d] %s\n"
# What TensorFlow 2.21 says of small wrong programs.
WEIGHTS = "You called `set_weights(weights)` on layer 'net' with a weight list of length 1, but the layer was expecting 2 weights."  # noqa: E501
SPLIT = (
    "Dimension size must be evenly divisible by 2 but is 5\n\tNumber of ways to split should evenly divide the split "
    "dimension for '{{node split}} = Split[T=DT_FLOAT, num_split=2](split/split_dim, ones)' with input shapes: [], [5] "
    "and with computed input tensors: input[0] = <0>."
)
AXIS = (
    "dim 5 not in the interval [-2, 1]. for '{{node ExpandDims}} = ExpandDims[T=DT_FLOAT, Tdim=DT_INT32](ones, "
    "ExpandDims/dim)' with input shapes: [2], [] and with computed input tensors: input[1] = <5>."
)
PERMUTED = (
    "Dimension must be 2 but is 3 for '{{node transpose}} = Transpose[T=DT_FLOAT, Tperm=DT_INT32](ones, "
    "transpose/perm)' with input shapes: [2,3], [3]."
)
LABELS = "`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape=(3,) and logits.shape=(2, 4)"  # noqa: E501
RANK = "Shape () must have rank at least 1"
NO_PTX = "No PTX compilation provider was set up: ptxas was looked for, and there is none.\n - ptxas_path: Couldn't find a suitable version of ptxas in ./bin"  # noqa: E501
FLAG = "Couldn't interpret value /opt/run/tensorflow for flag tf_xla_cpu_global_jit."
MLIR = "model/step.mlir:12:7: error: Node `mhlo.pad` must have compile-time constant inputs and outputs.\n    %3 = island\n    ^"  # noqa: E501

KNOWN = [
    (WEIGHTS, "weight-shape-mismatch"),
    (SPLIT, "slice-out-of-bounds"),
    (AXIS, "rank-mismatch"),
    (PERMUTED, "rank-mismatch"),
    (LABELS, "keras-input-mismatch"),
    (RANK, "rank-mismatch"),
    (NO_PTX, "ptxas-missing"),
    (FLAG, "flag-error"),
    (MLIR, "compile-time-constant"),
]
IDS = ["weights", "split", "axis", "permuted", "labels", "rank", "ptxas", "flag", "mlir"]


def diagnosed(text, process=None):
    log = read_log(io.BytesIO(text.encode()), name="log")
    return diagnose(Evidence("log", log=log, process=process))


def roots(text):
    return [finding.slug for finding in diagnosed(text).findings if finding.level == "error"]


AROUND = {
    "alone": lambda text: text + "\n",
    "printed": lambda text: "reading the data\nit failed: " + text + "\n",
    "json": lambda text: '{"message": "start"}\n' + json.dumps({"level": "ERROR", "message": text}) + "\n",
    "rank": lambda text: "".join(f"[rank3]: {line}\n" for line in text.splitlines()),
    "cut at 80": lambda text: "".join(
        f"{line[at : at + 80]}\n" for line in text.splitlines() for at in range(0, len(line), 80)
    ),
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize(("text", "slug"), KNOWN, ids=IDS)
def test_a_message_that_stands_alone_is_likely_the_failure(text, slug, around):
    found = diagnosed(around(text))
    assert (found.verdict, found.findings[0].slug, found.findings[0].status) == ("failed", slug, "untested")


def test_what_rests_on_words_alone_says_so():
    (found,) = diagnosed(RANK + "\n").findings
    assert found.details["bare"] and found.message.endswith("no error around it.")
    assert (found.evidence[0].text, found.evidence[0].where) == (RANK, "log:1")


def test_the_op_that_a_compiler_names():
    assert diagnosed(MLIR).findings[0].op == "mhlo.pad"


@pytest.mark.parametrize("text", [AXIS, LABELS, RANK, MLIR], ids=["axis", "labels", "rank", "mlir"])
def test_a_program_that_ended_well_may_print_it(text):
    ended = ProcessOutcome(("python", "f.py"), "exited", 0)
    assert [finding.slug for finding in diagnosed(text, ended).findings] == ["not-recorded"]
    assert diagnosed(text, replace(ended, code=1)).findings[0].details["bare"]


@pytest.mark.parametrize("below", ["\nwrote 3 files\n", "4/9 [==>.....] - loss: 0.4\n", "\nEpoch 2/3\n"])
def test_words_above_more_work_are_a_warning(below):
    assert diagnosed(RANK + "\n" + below).verdict == "warnings"


def test_an_error_of_the_log_goes_before_words_that_stand_alone():
    error = "Traceback (most recent call last):\n  File \"f.py\", line 3, in f\n    x\nKeyError: 'rate'\n"
    assert [finding.slug for finding in diagnosed(RANK + "\n\n" + error).findings] == ["not-xla"]


@pytest.mark.parametrize(
    "text",
    [
        "All shapes must match the config, and they do: (3,) and (2, 4)\n",
        "Expected 4 columns, got 4: the table is used as it is\n",
        "found 12 images, only 3 of them are new; the rest must not be read again\n",
        "UserWarning: Shape () must have rank at least 1, a batch axis is added\n",
        'raise ValueError("Shape () must have rank at least 1")\n',
        "Could not interpret the header for column flag: taken as text\n",
        "main.c:3:4: error: expected ';' before 'return'\n",
        "ptxas info    : 0 bytes gmem\nptxas info    : Used 12 registers, 0 bytes spill\n",
        "nothing is out of memory; the pool is not empty\n",
        "Epoch 1/2\n9/9 [====] - loss: 0.4\nbatch sizes differ: 3 and 4, the last one is smaller\n",
    ],
)
def test_output_that_only_looks_like_a_complaint(text):
    assert not diagnosed(text).findings


DUMP = (
    TIME % (1, "I", 1068, "3 Chunks of size 8388608 totalling 24.00MiB")
    + TIME % (2, "I", 1072, "Sum Total of in-use chunks: 3.98GiB")
    + TIME % (3, "I", 1074, "total_region_allocated_bytes_: 4294967296 memory_limit_: 4294967296 available bytes: 0 "
                            "curr_region_allocation_bytes_: 8589934592")
    + TIME % (4, "I", 1080, "Stats: ")
    + "Limit:                      4294967296\nInUse:                      4273492992\nNumAllocs:          912\n\n"
    + TIME % (5, "W", 468, "**************__")
)  # fmt: skip


def test_the_dump_of_the_allocator_alone():
    assert roots(DUMP) == ["oom"]
    assert diagnosed(DUMP + "\nretrying with half a batch\nEpoch 1/2\n").verdict == "warnings"


CHECKED = "2023-02-03 04:05:06.700001: F %s:311] Check failed: a->user_count() == 1 (2 vs. 1)\n%s"


@pytest.mark.parametrize(
    "end", ["Aborted\n", "Aborted (core dumped)\n", "run.sh: line 3:   812 Aborted   python f.py\n"]
)
@pytest.mark.parametrize(
    "path", ["tensorflow/compiler/xla/service/while_loop_simplifier.cc", "external/local_xla/xla/service/hlo_cse.cc",
             "tensorflow/compiler/tf2xla/graph_compiler.cc", "hlo_instruction.cc",
             "tensorflow/compiler/xla/client/lib/dynamic_shaped_ops.cc"]
)  # fmt: skip
def test_a_fatal_check_of_the_compiler(path, end):
    first, *others = diagnosed(CHECKED % (path, end)).findings
    assert (first.slug, first.details["check"]["file"]) == ("xla-internal-ret-check", path)
    assert all(finding.role == "consequence" for finding in others)


@pytest.mark.parametrize(
    "path", ["tensorflow/core/kernels/gather_op.cc", "tensorflow/core/framework/tensor_shape.cc",
             "tensorflow/compiler/xla/stream_executor/cuda/cuda_driver.cc", "mylib/relaxation/solve.cc"]
)  # fmt: skip
def test_a_fatal_check_of_somebody_else(path):
    assert diagnosed(CHECKED % (path, "Aborted\n")).findings[0].slug == "not-xla"


ROOTS = "InvalidArgumentError: %d root error(s) found.\n  (0) %s: {{function_node __inference_step_71}} %s"


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "Invalid argument", "UNIMPLEMENTED"])
@pytest.mark.parametrize(
    ("said", "slug", "op"),
    [
        ("Roll op does not support bounded dynamic", "dynamic-dimension-unsupported", "Roll"),
        (
            "Incompatible shapes: [8,5] vs. [8,4]\n\t [[{{node net/sub}}]]\n  (1) Cancelled: x",
            "broadcast-mismatch",
            "Sub",
        ),
        ("indices[3] = 12 is not in [0, 10)\n\t [[{{node e/GatherV2}}]]", "index-out-of-range", "GatherV2"),
    ],
)
def test_the_first_of_several_root_errors(said, slug, op, code):
    found = diagnosed(ROOTS % (2, code, said)).findings[0]
    assert (found.slug, found.op) == (slug, op)
