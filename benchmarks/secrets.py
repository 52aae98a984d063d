"""Secrets that could still be read in what the doctor writes, and ordinary strings that it takes for secrets.

Recall is counted on the forms that are written down (half of them before the grammar was), each with three secrets made
up for it, and on 2,000 forms of random structure. False redactions are counted on 1,000 ordinary strings: those that
are written down, others of random structure, and lines of this repository and of the recorded logs in it; and once more
on lines of the standard library of this Python, which knows nothing of us. A form counts as missed if one half of its
secret can be read in any of its three versions.
"""

from __future__ import annotations

import hashlib
import random
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from benchmarks._secrets import corpus, generated
from benchmarks._secrets.corpus import Case
from benchmarks.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
FORMS = ("forms_a", "forms_b")
ORDINARY = ("ordinary_a", "ordinary_b")
STRINGS = 1_000
_RATE = 0.01
# What is about secrets holds made-up ones.
_ABOUT_SECRETS = (
    "secret",
    "redact",
    "patterns",
    "settings",
    "test_session",
    "test_variables",
    "test_env",
    "test_report",
)


def missed_forms(seeds: int = 3) -> list[Case]:
    """Of the forms that are written down, those that show a secret."""
    by_form = {case.form: case for seed in range(seeds) for case in corpus.of(FORMS, seed) if case.leaked}
    return list(by_form.values())


def missed_generated(count: int, first: int = 1_000_000) -> list[Case]:
    """Of so many forms of random structure, those that show a secret."""
    cases = (generated.case(random.Random(seed)) for seed in range(first, first + count))
    return [case for case in cases if case.leaked]


def ordinary_strings() -> list[Case]:
    """The 1,000 ordinary strings."""
    written = corpus.of(ORDINARY)
    made = [generated.ordinary(random.Random(seed)) for seed in range(300)]
    lines = _lines([*ROOT.glob("xladoctor/**/*.py"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/**/*.py")])
    lines += _lines([*ROOT.glob("tests/fixtures/logs/**/*.log"), *ROOT.glob("tests/fixtures/logs/**/*.txt")])
    wanted = max(0, STRINGS - len(written) - len(made))
    return [*written, *made, *(Case("text", line, (line,)) for line in _chosen(lines, wanted))]


def library_lines(count: int = 5_000) -> list[Case]:
    """Lines of the standard library of this Python."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    lines = _lines([file for file in folder.glob("*.py") if not any(w in file.name for w in ("netrc", "smtplib"))])
    return [Case("text", line, (line,)) for line in _chosen(lines, count)]


def _lines(files: list[Path]) -> list[str]:
    found: dict[str, None] = {}
    for file in files:
        name = str(file.relative_to(ROOT)) if file.is_relative_to(ROOT) else file.name
        if not any(word in name for word in _ABOUT_SECRETS):
            text = file.read_text(encoding="utf-8", errors="replace")
            found.update(dict.fromkeys(line for line in text.splitlines() if len(line.strip()) > 8))
    return list(found)


def _chosen(lines: list[str], count: int) -> list[str]:
    """So many of the lines, by hash: nobody chose them."""
    return sorted(lines, key=lambda line: hashlib.sha256(line.encode("utf-8", "replace")).digest())[:count]


def changed(cases: list[Case]) -> list[Case]:
    """The ordinary strings in which something was replaced."""
    return [case for case in cases if case.changed]


def figures() -> list[Figure]:
    """Secrets missed and ordinary strings changed, each against what is allowed."""
    return list(_figures())


def _figures() -> Iterator[Figure]:
    yield _figure("secret forms missed", missed_forms(), len({case.form for case in corpus.of(FORMS)}))
    yield _figure("secrets in random structure missed", missed_generated(2_000), 2_000)
    strings, lines = ordinary_strings(), library_lines()
    yield _figure("ordinary strings changed", changed(strings), len(strings))
    yield _figure("lines of the standard library changed", changed(lines), len(lines))


def _figure(name: str, cases: list[Case], of: int) -> Figure:
    note = "; ".join(case.form for case in cases[:5])
    return Figure(f"{name}, of {of:,}", float(len(cases)), "strings", "at most 1 %", _RATE * of, limit=1.0, note=note)
