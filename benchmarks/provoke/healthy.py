"""Output of programs that work: `nice python -m benchmarks.provoke.healthy JOURNAL [--most N]`.

Each valid call of a journal is made again and told as programs tell what they do: tensors and shapes, a summary, tests
that pass, errors as numbers ("max error"), what was caught and left. No error may be found in any of it.
"""

from __future__ import annotations

import argparse
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from xladoctor.logs import read_log
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings


def _tensors(name: str, given: dict[str, Any], result: Any) -> str:
    lines = [f"{name}: {key} = {value}" for key, value in given.items()]
    return "\n".join([*lines, f"{name} gives {result}"])


def _shapes(name: str, given: dict[str, Any], result: Any) -> str:
    shapes = ", ".join(f"{key}.shape={getattr(value, 'shape', '-')}" for key, value in given.items())
    return f"[debug] {name}({shapes})\n[debug] expected shape matches, got {getattr(result, 'shape', '-')}"


def _tests(name: str, given: dict[str, Any], result: Any) -> str:
    return (
        f"test_{name.lower()}.py::test_shape_mismatch_is_refused PASSED\n"
        f"test_{name.lower()}.py::test_error_of_{name}[rank-{len(given)}] PASSED\n"
        f"test_{name.lower()}.py::test_invalid_axis XFAIL (not implemented)\n===== 2 passed, 1 xfailed in 0.31s =====\n"
    )


def _numbers(name: str, given: dict[str, Any], result: Any) -> str:
    pick = Random(name)
    rows = [
        f"Epoch {n}/5 - loss: {pick.random():.4f} - max error: {pick.random():.2e} - shape errors: 0 - failed: 0"
        for n in range(1, 6)
    ]
    return "\n".join([f"checking {name}: mean absolute error 0.01, reconstruction error below 1e-3", *rows])


def _log(name: str, given: dict[str, Any], result: Any) -> str:
    pick = Random(name)
    return (
        f"2026-01-06 10:15:{pick.randrange(60):02},120 INFO study.{name}: error handling is on, retries=3\n"
        f"2026-01-06 10:15:{pick.randrange(60):02},188 WARNING study.{name}: padded {len(given)} of 8 rows to match\n"
        f"W0000 00:00:1767694500.123456 {pick.randrange(10**5)} gpu_device.cc:2344] Cannot dlopen some GPU libraries.\n"
        f"2026-01-06 10:16:01,001 INFO study.{name}: done, wrote result of shape {getattr(result, 'shape', '-')}\n"
    )


def _caught(name: str, given: dict[str, Any], result: Any) -> str:
    return (
        f"{name}: falling back to the plain path (incompatible layout for the fast one)\n"
        f"{name}: skipped 0 files that failed to load; dimension check passed\n"
        f"{name}: nan count 0, inf count 0, index range [0, {len(given)}), all within bounds\nfinished without errors\n"
    )


def _table(name: str, given: dict[str, Any], result: Any) -> str:
    rows = [f"| {key:20} | {getattr(value, 'shape', '-')!s:20} | ok |" for key, value in given.items()]
    return "\n".join([f"| {'layer (' + name + ')':20} | {'output shape':20} | error |", *rows, "Total params: 1,284"])


STYLES: tuple[Callable[[str, dict[str, Any], Any], str], ...] = (
    _tensors, _shapes, _tests, _numbers, _log, _caught, _table,
)  # fmt: skip


def texts(journal: Path, most: int) -> Iterator[tuple[str, str]]:
    """(name, text) of valid calls, each told in one way or two."""
    import tensorflow as tf

    from benchmarks.provoke import ops

    rows = map(json.loads, journal.read_text(encoding="utf-8").splitlines())
    calls = [ops.from_json(row["call"]) for row in rows if row.get("call")]
    told = 0
    for number, call in enumerate(calls):
        given = ops.arguments(call)
        try:
            result = getattr(tf.raw_ops, call.op)(**given)
        except Exception:
            continue
        inputs = {key: given[key] for key, _ in call.inputs if key in given}
        for style in (STYLES[number % len(STYLES)], STYLES[(number * 3 + 1) % len(STYLES)]):
            yield f"{call.op}, {style.__name__[1:]}", style(call.op, inputs, result)
            told += 1
            if told >= most:
                return


def main() -> None:
    """Print how many texts have a finding at error level, and which."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal", type=Path)
    parser.add_argument("--most", type=int, default=240)
    asked = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    number, wrong = 0, 0
    for name, text in texts(asked.journal, asked.most):
        number += 1
        found = findings(Evidence("log", log=read_log(io.BytesIO((text + "\n").encode()), name="log")))
        for one in found:
            if one.level == "error":
                wrong += 1
                print(f"{name}: {one.slug}: {one.message[:160]}")
    print(f"{number} texts, {wrong} findings at error level")


if __name__ == "__main__":
    main()
