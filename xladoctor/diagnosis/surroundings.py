"""What a run has around it that the doctor does not see into: another backend, another Keras, other workers, a nightly.

One sentence each: what is seen of such a run, and what is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from xladoctor.recording import files
from xladoctor.recording.schema import schema

if TYPE_CHECKING:
    from xladoctor.recording.run import Recording

_NIGHTLY = re.compile(r"dev\d|nightly|^\d+\.\d+\.\d+-rc")
_ON = frozenset({"1", "true", "yes", "on"})


def surroundings(recording: Recording) -> tuple[str, ...]:
    """The sentences that a report of the run must have."""
    return tuple(_said(recording))


def keras_backend(recording: Recording) -> str:
    """What KERAS_BACKEND asks for; empty where it is not set, or TensorFlow."""
    backend = _environment(recording).get("KERAS_BACKEND", "").strip().lower()
    return "" if backend == "tensorflow" else backend


def uses_legacy_keras(recording: Recording) -> bool:
    """Whether TF_USE_LEGACY_KERAS is on."""
    return _environment(recording).get("TF_USE_LEGACY_KERAS", "").strip().lower() in _ON


def _said(recording: Recording) -> Iterator[str]:
    values = _environment(recording)
    backend = keras_backend(recording)
    if backend:
        yield (
            f"Keras runs on {backend} (KERAS_BACKEND): the doctor sees the output, the exceptions and the settings of "
            "this run. It does not see compiled functions, shapes, calls of fit or losses."
        )
    if uses_legacy_keras(recording):
        yield (
            "tf.keras is the package tf_keras (TF_USE_LEGACY_KERAS=1): the doctor sees the functions that TensorFlow "
            "traces. It does not see calls of fit, evaluate and predict, and does not check their losses."
        )
    workers = _workers(values)
    if workers > 1:
        yield (
            f"The program is one of {workers} workers (TF_CONFIG): the doctor sees this process and its children. "
            f"It sees the other workers only if their commands run under the doctor, too."
        )
    version = tensorflow_version(recording) or ""
    if _NIGHTLY.search(version):
        yield (
            f"TensorFlow {version} is not a release. The doctor is tested only with releases, and leaves out "
            f"recorders that do not fit (xladoctor scan RUN_DIR --verbose lists such errors)."
        )


def tensorflow_version(recording: Recording) -> str | None:
    """The version of the TensorFlow that the run imported."""
    return next((str(e.get("version")) for e in recording.of_kind(schema.IMPORT) if e["module"] == "tensorflow"), None)


def _environment(recording: Recording) -> dict[str, str]:
    """What the program was started with, and what it set itself."""
    values = {str(k): str(v) for k, v in (recording.run.get("environment") or {}).items()}
    for start in recording.of_kind(schema.START)[:1]:
        values |= {k: str(v) for k, v in (start.get("environment") or {}).items()}
    for event in recording.of_kind(schema.SETTING):
        if event["store"] == "env" and event["action"] == "write" and isinstance(event["value"], str):
            values[event["key"]] = event["value"]
    return values


def _workers(values: dict[str, str]) -> int:
    """How many tasks the cluster of TF_CONFIG has."""
    try:
        cluster = files.parsed((values.get("TF_CONFIG") or "{}").encode()).get("cluster", {})
        return sum(len(cluster.get(kind, ())) for kind in ("chief", "worker", "ps"))
    except (ValueError, AttributeError, TypeError, files.Unusable):
        return 0
