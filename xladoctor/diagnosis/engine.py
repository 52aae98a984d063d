"""Evidence in, diagnosis out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import xladoctor
from xladoctor import secrets
from xladoctor.diagnosis.basis import grounded
from xladoctor.diagnosis.exit_handlers import exit_handlers
from xladoctor.diagnosis.fitting import fitted, situation
from xladoctor.diagnosis.log_paths import log_paths
from xladoctor.diagnosis.stacks import stacks
from xladoctor.diagnosis.values_apart import with_values_apart
from xladoctor.model.diagnosis import Diagnosis, Finding, Verdict
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings as log_findings
from xladoctor.rules import plugin_problems


def diagnose(evidence: Evidence) -> Diagnosis:
    """The diagnosis of one run or one log. What it quotes has no secrets in it that are known by form or by name."""
    return secrets.of_record(with_values_apart(_diagnosed(evidence), evidence.run))


def _diagnosed(evidence: Evidence) -> Diagnosis:
    if evidence.run is not None:
        # A log alone needs none of this, and should not wait for it.
        from xladoctor.diagnosis.attempt import Attempts
        from xladoctor.diagnosis.of_run import diagnose_run

        attempts = Attempts()
        found = attempts.of(diagnose_run, None, evidence, evidence.run)
        if found is not None:
            return found
        evidence = replace(evidence, run=None, notes=(*evidence.notes, *attempts.notes))
    known = (*log_findings(evidence), *exit_handlers(evidence))
    findings = fitted(grounded(known), situation(evidence))
    version = evidence.log.tensorflow_version
    return Diagnosis(
        source=evidence.source,
        verdict=verdict(findings),
        findings=findings,
        xla_paths=log_paths(findings),
        stacks=stacks(None, evidence.log),
        environment={"tensorflow": version} if version else {},
        notes=(*evidence.notes, *plugin_problems()),
        tool_version=xladoctor.__version__,
    )


def verdict(findings: Sequence[Finding]) -> Verdict:
    """Failed if anything is at error level, else warnings if anything is at warning level, else healthy."""
    levels = {f.level for f in findings}
    return "failed" if "error" in levels else "warnings" if "warning" in levels else "healthy"
