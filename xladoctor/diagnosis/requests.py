"""Requests for XLA that had no effect in the run: asked for, accepted, and nothing came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.setting_finding import finding
from xladoctor.diagnosis.written_option import written_at
from xladoctor.diagnosis.xla import CPU_ALONE, clustering_paths, flag_paths
from xladoctor.model.diagnosis import Finding, Remedy, XlaPath
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

_ON_CPU = Remedy(
    "cluster-on-cpu",
    "Let auto-clustering work on the CPU: TF_XLA_FLAGS='--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit'",
    "changes-numerics",
    "Set it before TensorFlow runs its first operation; or ask for XLA on the function itself: "
    "tf.function(jit_compile=True).",
)
_NO_EAGER = Remedy(
    "graph-mode", "Compile the model without run_eagerly=True", "changes-numerics",
    "Keras does not use XLA for a model that runs eagerly.",
)  # fmt: skip


def requests_without_effect(evidence: Evidence) -> Iterator[Finding]:
    """A finding for each request for XLA of the recorded run that had no effect."""
    recording = evidence.run
    if recording is None:
        return
    for path in (*clustering_paths(recording, evidence), *flag_paths(recording, evidence)):
        if path.effective is False and path.note and CPU_ALONE in path.note and path.resolved in ("on", "asked for"):
            yield _clustering(recording, path)
    for event in recording.of_kind(schema.XLA_PATH):
        if event["mechanism"].startswith("keras") and event["requested"] == "True" and event["resolved"] == "False":
            yield _overridden(recording, event)


def _clustering(recording: Recording, path: XlaPath) -> Finding:
    start = next(iter(recording.of_kind(schema.START)), {"kind": "", "where": None})
    what = f"TF_XLA_FLAGS = {path.requested!r}" if path.mechanism == "TF_XLA_FLAGS" else path.mechanism
    made = finding(
        "flag-ineffective",
        f"{path.mechanism} asks for auto-clustering, which compiles nothing on this CPU",
        f"{what} asks for auto-clustering. TensorFlow saw only the CPU, and {CPU_ALONE}: the request "
        "had no effect in this run.",
        start,
        [],
        details={"mechanism": path.mechanism, "requested": path.requested},
    )
    return replace(made, location=path.location, remedies=(_ON_CPU,))


def _overridden(recording: Recording, event: Event) -> Finding:
    model = event.get("function")
    eager = any(
        e.get("run_eagerly") and e.get("model") == model and e["pid"] == event["pid"]
        for e in recording.of_kind(schema.CALL)
    )
    made = finding(
        "flag-ineffective",
        f"Keras overrides jit_compile=True of {model}",
        f"The model {model} was compiled with jit_compile=True, and Keras switched it off"
        + (": the model runs eagerly." if eager else "."),
        event,
        [],
        details={"mechanism": event["mechanism"], "requested": event["requested"]},
    )
    at = written_at(recording, location(event.get("where")), "run_eagerly" if eager else "jit_compile")
    return replace(made, location=at, remedies=(_NO_EAGER,) if eager else ())
