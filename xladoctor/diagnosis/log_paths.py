"""The ways into XLA that a log's own messages tell of: what failed under XLA, and which switch governs it."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import Finding, XlaPath

_CLUSTERED = "made by auto-clustering; --tf_xla_auto_jit=0 ends that"
_KERAS = "a step that Keras compiled: compile(jit_compile=...) decides"
_EXPLICIT = "compiled explicitly; TF_XLA_FLAGS has no effect on it"


def log_paths(findings: Sequence[Finding]) -> tuple[XlaPath, ...]:
    """One path for each function that the findings show to have failed under XLA."""
    paths: dict[str, XlaPath] = {}
    for finding in findings:
        way = finding.details.get("xla")
        if not isinstance(way, dict) or way["function"] in paths:
            continue
        name = str(way["function"])
        if way["way"] == "explicit":
            mechanism, by = "jit_compile=True (_XlaMustCompile)", "jit_compile where the function is made"
            note = _KERAS if way.get("keras") else _EXPLICIT
        else:
            mechanism, by, note = "auto-clustering (_XlaCompiledKernel)", "TF_XLA_FLAGS --tf_xla_auto_jit", _CLUSTERED
        paths[name] = XlaPath(mechanism, name, "on", "XLA", True, (by,), None, note)
    return tuple(paths.values())
