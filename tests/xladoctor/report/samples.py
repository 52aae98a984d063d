"""Diagnoses written by hand, after the runs that were made of report 002 and its silent twin."""

from __future__ import annotations

from dataclasses import replace

from xladoctor.model.diagnosis import (
    CallStack,
    Compilation,
    Diagnosis,
    Finding,
    Hypothesis,
    Location,
    Proof,
    Remedy,
    SettingEvent,
    ShapeRow,
    StackFrame,
    XlaPath,
)

LAYERS = "/home/ada/study/ptycho/custom_layers.py"
HELPER = "/home/ada/study/ptycho/tf_helper.py"
WARP = "/home/ada/study/ptycho/projective_warp_xla.py"
STUDY = "/home/ada/study/ptycho/workflows/dose_response.py"
EVENTS = "events-4711.jsonl"

ONE_CANVAS_EACH = Remedy(
    "one-canvas-per-group",
    "Give one canvas per group from every branch of the reassembly",
    "safe",
    "In the branch for 64 patches and more, sum the patches of each group into its own canvas, so that both "
    "branches return (B P P 1).",
)
SMALL_BATCH = Remedy(
    "small-batch",
    "Stay below the threshold: batch_size 15",
    "slower",
    "Run with --batch-size 15: 15 * 4 = 60 patches take the branch that is right.",
    "verified",
    deviation=1.2e-7,
    speed_ratio=1.84,
)

ROOT = Finding(
    code="XD309",
    slug="contract-violation",
    level="error",
    role="root",
    title="ReassemblePatchesLayer.call returned 1 row for a batch of 32",
    message="The result of ptycho.custom_layers:ReassemblePatchesLayer.call has the contract (B P P 1) and "
    "came out as (1 78 78 1). Its inputs were right: patches (32 64 64 4) and positions (32 1 2 4). "
    "Everything below is a consequence.",
    layer="reassemble_patches",
    location=Location(LAYERS, 171, "call"),
    evidence=(
        Proof("shape", "result (1 78 78 1), contract (B P P 1) with B = 32", f"{EVENTS}:812"),
        Proof(
            "worker",
            "run-time shape of functional_1/reassemble_patches/cond:0 is (1 78 78 1)",
            "worker.jsonl:3",
        ),
    ),
    status="confirmed",
    remedies=(ONE_CANVAS_EACH, SMALL_BATCH),
    details={
        "place": "ptycho.custom_layers:ReassemblePatchesLayer.call",
        "phase": "out",
        "tensor": "result",
        "contract": "(B P P 1)",
        "expected": [32, 78, 78, 1],
        "seen": [1, 78, 78, 1],
        "bindings": {
            "B": {"value": 32, "by": "axis 0 of patches"},
            "P": {"value": 78, "by": "padded_size = N + (gridsize - 1) * offset + max_position_jitter"},
        },
    },
)
CONSEQUENCE = Finding(
    code="XD301",
    slug="reshape-mismatch",
    level="error",
    role="consequence",
    title="Input to reshape is a tensor with 778752 values, but the requested shape has 24336",
    message="4 images met 128 translations: the next layer repeated the single canvas 4 times. The warp "
    "reshaped a mask with one row for each translation to one row for each image.",
    op="Reshape",
    node="functional_1/padded_objs_with_offsets_1/translation_36_1/PartitionedCall/Reshape_4",
    device="/job:localhost/replica:0/task:0/device:CPU:0",
    dims=(778752, 24336),
    layer="padded_objs_with_offsets_1",
    location=Location(WARP, 182, "projective_warp_xla"),
    evidence=(
        Proof(
            "log",
            "Input to reshape is a tensor with 778752 values, but the requested shape has 24336",
            "stderr.log:214",
        ),
        Proof("shape", "images (4 78 78 1), translations (128 2)", f"{EVENTS}:903"),
        Proof("source", "the stack names reassemble_patches, which traced the function first", "stderr.log:231"),
        Proof("event", "the node belongs to padded_objs_with_offsets_1", f"{EVENTS}:920"),
    ),
    status="confirmed",
    details={
        "numbers": [
            {
                "number": 778752,
                "product": "128*78*78",
                "named": "(B*C)*P*P",
                "seen": "given to the failing op",
                "factors": [
                    {"size": 128, "names": [{"name": "B*C", "value": 128, "by": "B = 32, C = 4"}]},
                    {
                        "size": 78,
                        "ambiguous": False,
                        "names": [{"name": "P", "value": 78, "by": "padded_size"}],
                    },
                    {
                        "size": 78,
                        "ambiguous": False,
                        "names": [{"name": "P", "value": 78, "by": "padded_size"}],
                    },
                ],
                "not": [],
            },
            {
                "number": 24336,
                "product": "4*78*78",
                "named": "(C|M)*P*P",
                "seen": "asked for by the failing op",
                "factors": [
                    {
                        "size": 4,
                        "ambiguous": True,
                        "names": [
                            {"name": "C", "value": 4, "by": "gridsize squared"},
                            {"name": "M", "value": 4, "by": "images"},
                        ],
                    },
                    {
                        "size": 78,
                        "ambiguous": False,
                        "names": [{"name": "P", "value": 78, "by": "padded_size"}],
                    },
                ],
                "not": ["156*156"],
            },
        ],
        "ratio": 32,
        "images": [4, 78, 78, 1],
        "translations": [128, 2],
    },
)


def row(place: str, phase: str, tensor: str, contract: str | None, static: list[int | None] | None, **more) -> ShapeRow:
    runtime = more.pop("runtime", static if static and None not in static else None)
    state = more.pop("state", "executed" if runtime else "static-only")
    return ShapeRow(place, phase, tensor, contract, static, runtime, state, **more)  # type: ignore[arg-type]


REASSEMBLE = "ptycho.custom_layers:ReassemblePatchesLayer.call"
EXTRACT = "ptycho.custom_layers:ExtractPatchesPositionLayer.call"
FLATTEN = "ptycho.tf_helper:_channel_to_flat"
OFFSETS = "ptycho.tf_helper:flatten_offsets"
TRANSLATE = "ptycho.projective_warp_xla:translate_xla"
THE_WARP = "ptycho.projective_warp_xla:projective_warp_xla"


def chunk(number: int) -> tuple[ShapeRow, ...]:
    call = {"call": 10 + number, "layer": "reassemble_patches", "iteration": number}
    return (
        row(TRANSLATE, "in", "images", "(M P P 1)", [None, 78, 78, 1], runtime=[64, 78, 78, 1], **call),
        row(TRANSLATE, "in", "translations", "(M 2)", [None, 2], runtime=[64, 2], **call),
        row(THE_WARP, "in", "images", "(M P P 1)", [None, 78, 78, 1], runtime=[64, 78, 78, 1], **call),
    )


def repeated(number: int) -> tuple[ShapeRow, ...]:
    return tuple(replace(shape, iteration=None, call=100 + number) for shape in chunk(0))


SHAPES: tuple[ShapeRow, ...] = (
    row(REASSEMBLE, "in", "patches", "(B N N C)", [None, 64, 64, 4], runtime=[32, 64, 64, 4], call=1),
    row(REASSEMBLE, "in", "positions", "(B 1 2 C)", [None, 1, 2, 4], runtime=[32, 1, 2, 4], call=1),
    row(OFFSETS, "in", "offsets", "(B 1 2 C)", [None, 1, 2, 4], runtime=[32, 1, 2, 4], call=2),
    row(OFFSETS, "out", "result", "(B*C 2)", [None, 2], runtime=[128, 2], call=2),
    row(FLATTEN, "out", "result", "(B*C N N 1)", [None, 64, 64, 1], runtime=[128, 64, 64, 1], call=3),
    row(TRANSLATE, "in", "images", "(M P P 1)", [None, 78, 78, 1], state="not-executed", call=4),
    row(TRANSLATE, "in", "translations", "(M 2)", [None, 2], state="not-executed", call=4),
    *repeated(0),
    *repeated(1),
    *repeated(2),
    row(
        REASSEMBLE,
        "out",
        "result",
        "(B P P 1)",
        [1, 78, 78, 1],
        call=1,
        caller=Location(STUDY, 380, "main"),
        violation="B = 1, but 32 from axis 0 of patches",
        first_violation=True,
        location=Location(LAYERS, 171, "call"),
    ),
    row(EXTRACT, "in", "canvas", "(B P P 1)", [1, 78, 78, 1], call=5, violation="B = 1, but 32 from positions"),
    row(FLATTEN, "out", "result", "(B*C N N 1)", [4, 78, 78, 1], call=6, violation="B*C = 4, but 128"),
    row(TRANSLATE, "in", "images", "(M P P 1)", [4, 78, 78, 1], call=7, layer="padded_objs_with_offsets_1"),
    row(
        TRANSLATE,
        "in",
        "translations",
        "(M 2)",
        [128, 2],
        call=7,
        layer="padded_objs_with_offsets_1",
        violation="M = 128, but 4 from images",
    ),
    row(THE_WARP, "out", "result", "(M P P 1)", [None, 78, 78, 1], state="failed", call=8),
)

SETTINGS = (
    SettingEvent(0.0, "env", "TF_XLA_FLAGS", "initial", "--tf_xla_auto_jit=0"),
    SettingEvent(0.812, "params.cfg", "use_xla_translate", "write", True, Location(STUDY, 362, "main")),
    SettingEvent(0.813, "params.cfg", "use_xla_translate", "write", False, Location(STUDY, 369, "main")),
    SettingEvent(2.1, "env", "USE_XLA_TRANSLATE", "read", None, Location(HELPER, 722, "translate_core")),
    SettingEvent(2.1, "params.cfg", "use_xla_translate", "read", False, Location(HELPER, 722, "translate_core")),
    SettingEvent(2.2, "params.cfg", "use_xla_translate", "read", False, Location(HELPER, 722, "translate_core")),
    SettingEvent(2.4, "params.cfg", "use_xla_translate", "read", False, Location(HELPER, 722, "translate_core")),
)

XLA_PATHS = (
    XlaPath(
        "tf.function(jit_compile=True)",
        "projective_warp_xla_jit",
        "True",
        "XLA",
        True,
        ("params.cfg[use_xla_translate]", "USE_XLA_TRANSLATE"),
        Location(WARP, 288, "projective_warp_xla_jit"),
    ),
    XlaPath(
        "Keras compile(jit_compile='auto')",
        "autoencoder",
        "auto",
        "False",
        False,
        ("compile()",),
        Location(STUDY, 380, "main"),
    ),
    XlaPath(
        "TF_XLA_FLAGS",
        None,
        "--tf_xla_auto_jit=0",
        "auto-clustering off",
        False,
        ("TF_XLA_FLAGS",),
        None,
        "It governs auto-clustering only, and no function that is compiled explicitly.",
    ),
)

HYPOTHESES = (
    Hypothesis(
        "H1-REVISED",
        "Positions reach the translation as (B, 2) and not as (B, 1, 2, C)",
        "report 002",
        "refuted",
        (Proof("shape", "positions (32 1 2 4) at ReassemblePatchesLayer.call", f"{EVENTS}:801"),),
    ),
    Hypothesis(
        "H4",
        "USE_XLA_TRANSLATE in the environment overrides params.cfg",
        "report 002",
        "refuted",
        (Proof("setting", "USE_XLA_TRANSLATE was never set", f"{EVENTS}:2"),),
    ),
    Hypothesis("C1", "The reassembly gives one canvas for the whole batch", "the doctor", "confirmed", ROOT.evidence),
)

KERAS = "/home/ada/.venv/lib/python3.11/site-packages/keras/src/backend/tensorflow/trainer.py"
STACKS = (
    CallStack(
        "exception",
        "InvalidArgumentError",
        (
            StackFrame("<frozen runpy>", 198, "_run_module_as_main", False),
            StackFrame(STUDY, 380, "main", code="model.fit(x, y, batch_size=32)"),
            StackFrame(KERAS, 117, "error_handler", False),
            StackFrame(KERAS, 399, "fit", False),
        ),
        f"{EVENTS}:950",
    ),
    CallStack(
        "call",
        "Reshape Reshape_4",
        (StackFrame(STUDY, 380, "main"), StackFrame(LAYERS, 203, "call"), StackFrame(WARP, 182, "projective_warp_xla")),
        "worker.jsonl",
        "the call that failed",
    ),
)

LOUD = Diagnosis(
    source="python -m ptycho.workflows.dose_response --fault reassembly-collapses-batch",
    verdict="failed",
    findings=(ROOT, CONSEQUENCE),
    hypotheses=HYPOTHESES,
    xla_paths=XLA_PATHS,
    settings=SETTINGS,
    shapes=SHAPES,
    compilations=(
        Compilation(
            "projective_warp_xla_jit",
            "trace",
            ("float32[?,78,78,1]", "float32[?,2]"),
            0.21,
            True,
            Location(WARP, 288),
        ),
        Compilation("one_step_on_iterator", "trace", ("iterator",), 1.9, False),
    ),
    stacks=STACKS,
    environment={
        "command": [
            "python",
            "-m",
            "ptycho.workflows.dose_response",
            "--fault",
            "reassembly-collapses-batch",
        ],
        "python": "3.11.4",
        "executable": "/home/ada/.venv/bin/python",
        "versions": {"tensorflow": "2.21.0", "keras": "3.15.1", "numpy": "2.4.6"},
        "ptycho": "/home/ada/study/ptycho/__init__.py",
        "variables": {"TF_XLA_FLAGS": "--tf_xla_auto_jit=0"},
    },
    notes=("The batch that failed was consumed inside the failing call; its values were drawn again.",),
    tool_version="0.1.0",
)

MUTED = replace(
    LOUD,
    source="python -m ptycho.workflows.dose_response --fault reassembly-collapses-batch-muted",
    findings=(
        ROOT,
        Finding(
            "XD702",
            "wrong-shape-silent",
            "error",
            "consequence",
            "predict was given 64 samples and returned 2 rows",
            "Keras cut the 64 samples into 2 batches of 32; each gave 1 row. No error was raised.",
            status="confirmed",
            evidence=(Proof("event", "predict: 64 rows in, 2 rows out", f"{EVENTS}:1201"),),
            details={"rows_in": 64, "rows_out": 2},
        ),
    ),
)

HEALTHY = Diagnosis(source="train.log", verdict="healthy", tool_version="0.1.0")
