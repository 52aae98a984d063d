"""A check of the program's own that two results are close: paths that should agree."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

CLOSE = (
    "\nNot equal to tolerance rtol=0.0001, atol=1e-05\n\nMismatched elements: 354 / 360 (98.3%)\n"
    "Max absolute difference among violations: 0.9910282\n"
)
SHAPES = "\nNot equal to tolerance rtol=0.0001, atol=1e-05\n\n(shapes (3,), (4,) mismatch)\n"
ALMOST = "\nArrays are not almost equal to 6 decimals\n\nMismatched elements: 1 / 4 (25%)\n"


@pytest.mark.parametrize(
    ("message", "title"),
    [
        (CLOSE, "Two results that the program compares differ in 354 of 360 elements, by up to 0.9910282"),
        (ALMOST, "Two results that the program compares differ in 1 of 4 elements"),
        (SHAPES, None),
        ("the rows of the table are sorted", None),
    ],
)
def test_an_assertion_about_values(tmp_path, message, title):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    frame = {"file": "/home/ada/check.py", "line": 61, "function": "main", "user": True}
    for state in ("raised", "uncaught"):
        run.event("failure", failure=1, exception="AssertionError", message=message, state=state, module="builtins",
                  during="program", capsule=None, frames=[frame])  # fmt: skip
    folder = run.write(tmp_path / "run")
    trace = 'Traceback (most recent call last):\n  File "/home/ada/check.py", line 61, in main\n    check(a, b)\n'
    (folder / "stderr.log").write_text(f"{trace}AssertionError: {message}\n")
    root = scan_run(folder).root
    assert (root.location.line, root.status) == (61, "untested" if title else root.status)
    assert (root.slug, root.title) == ("parity-divergence", title) if title else root.slug == "not-xla"
