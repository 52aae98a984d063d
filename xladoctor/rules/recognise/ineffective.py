"""A flag that is set according to the log, and a failure that the flag does not affect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.rules.matching import flat, pattern
from xladoctor.rules.recognise.xla_path import xla_path

if TYPE_CHECKING:
    from xladoctor.recording.evidence import Evidence

_AUTO_JIT = r"--tf_xla_auto_jit=(\S{1,30})"


def ineffective(evidence: Evidence) -> Iterator[Finding]:
    """`--tf_xla_auto_jit` in the log, and a function that failed although it was compiled explicitly.

    More is known about recorded runs: there the doctor uses the settings and the compiled functions themselves.
    """
    shown = evidence.log.facts.get("flags", {}).get("TF_XLA_FLAGS")
    flag = pattern(_AUTO_JIT).search(shown["value"]) if shown and evidence.run is None else None
    if flag is None:
        return
    for record in evidence.log.records:
        way = xla_path(flat(record.text))
        if not way or way["way"] != "explicit":
            continue
        yield Finding(
            code="XD102",
            slug="flag-ineffective",
            level="warning",
            role="consequence",
            title="A switch that is set but has no effect here",
            message=f"TF_XLA_FLAGS sets {flag[0]}, which affects only auto-clustering. `{way['function']}` is "
            f"compiled explicitly (_XlaMustCompile, set by jit_compile), so the flag does not change "
            f"whether XLA compiles it.",
            evidence=(
                Proof("log", f"TF_XLA_FLAGS={shown['value']}", shown["where"]),
                Proof("log", f"{way['function']} could not be compiled", record.where),
            ),
            status="confirmed",
            details={"variable": "TF_XLA_FLAGS", "flag": flag[0], "xla": way},
            remedies=_remedies(),
        )
        return


def _remedies() -> tuple[Remedy, ...]:
    from xladoctor.rules import by_code

    return by_code("XD102").remedies
