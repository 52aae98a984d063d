"""A baseline: the findings of today, so that only new ones are told.

A finding is known again by its code, its file and the text of its line; moved lines do not matter. Of several alike, as
many are known as the baseline counts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xladoctor.errors import XladoctorError
from xladoctor.model.diagnosis import Finding

SCHEMA = "xladoctor.lint-baseline/1"
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Baseline:
    """How often each finding is known. `folder` is what its files are relative to."""

    counts: Counter[Key]
    folder: Path

    def without(self, findings: Sequence[Finding]) -> tuple[tuple[Finding, ...], int, tuple[str, ...]]:
        """The findings that are new; how many are known; and what is known and was not found any more."""
        left = self.counts.copy()
        new: list[Finding] = []
        for finding in findings:
            key = key_of(finding, self.folder)
            if left[key] > 0:
                left[key] -= 1
            else:
                new.append(finding)
        gone = tuple(f"{code} in {file}: {text}" for (code, file, text), count in sorted(left.items()) if count > 0)
        return tuple(new), len(findings) - len(new), gone


def key_of(finding: Finding, folder: Path) -> Key:
    """What a finding is known again by."""
    file = finding.location.file if finding.location else ""
    path = Path(file).absolute()
    named = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else file
    text = finding.evidence[0].text if finding.evidence else ""
    return finding.code, named, " ".join(text.split())


def as_text(findings: Sequence[Finding], file: Path) -> str:
    """A baseline of these findings, to be written to `file`."""
    counts = Counter(key_of(finding, file.absolute().parent) for finding in findings)
    rows = [{"code": c, "file": f, "source": t, "count": n} for (c, f, t), n in sorted(counts.items())]
    return json.dumps({"schema": SCHEMA, "findings": rows}, indent=1) + "\n"


def load(file: Path) -> Baseline:
    """Read a baseline.

    Raises:
        XladoctorError: there is none, or it is none.
    """
    hint = f"Write one: xladoctor lint PATH --write-baseline {file}"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise XladoctorError(f"{file} is no baseline of this version: {str(data['schema'])[:40]!r}", hint=hint)
        counts = Counter(
            {(str(r["code"]), str(r["file"]), str(r["source"])): int(r["count"]) for r in data["findings"]}
        )
    except OSError as error:
        raise XladoctorError(f"--baseline {file} cannot be read: {error.strerror or error}", hint=hint) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise XladoctorError(f"{file} is no baseline", hint=hint) from None
    return Baseline(counts, file.absolute().parent)
