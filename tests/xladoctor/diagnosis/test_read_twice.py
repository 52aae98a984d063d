"""A setting that was changed between two reads that have to agree."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.read_twice import sizes_apart
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.saved import scan_run

LAYER = (
    "Input 1 with name 'offsets' of layer 'net' is incompatible with the layer: "
    "expected shape=(None, {}, 2), found shape=(8, {}, 2)"
)


def frame(file: str, line: int, function: str) -> dict[str, object]:
    return {"file": f"/w/{file}", "line": line, "function": function, "user": True}


def run(*, was: object = 1, now: object = 2, sizes: tuple[int, int] = (4, 1), again: bool = True) -> Run:
    """Data are made with one value, then `publish` writes another, then a model is built, and does not fit."""
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})

    def setting(action: str, value: object, *frames: dict[str, object]) -> None:
        where = frames[0] if frames else None
        run.event("setting", store="params.cfg", key="gridsize", action=action, value=value, where=where,
                  site=len(run.events), graph=None, frames=list(frames))  # fmt: skip

    setting("default", was)
    setting(
        "read", was, frame("loader.py", 66, "load"), frame("train.py", 20, "main"), frame("train.py", 37, "<module>")
    )
    setting("read", was, frame("config.py", 73, "publish"), frame("train.py", 23, "main"))
    setting("write", now, frame("config.py", 75, "publish"))
    if again:
        setting(
            "read",
            now,
            frame("model.py", 53, "build"),
            frame("train.py", 27, "main"),
            frame("train.py", 37, "<module>"),
        )
    message = LAYER.format(*sizes)
    run.event("failure", failure=1, state="raised", exception="ValueError", message=message, during="program",
              frames=[frame("train.py", 29, "main")], chain=[], capsule=None)  # fmt: skip
    run.event("failure", failure=1, state="uncaught", exception="ValueError")
    return run


def scanned(made: Run, tmp_path):
    folder = made.write(tmp_path / "run")
    message = next(e["message"] for e in made.events if e["kind"] == "failure")
    head = 'Traceback (most recent call last):\n  File "/w/train.py", line 29, in main\n    fit()\n'
    (folder / "stderr.log").write_text(f"{head}ValueError: {message}\n")
    return scan_run(folder)


def test_the_order_is_the_root_and_the_failure_its_consequence(tmp_path):
    found = scanned(run(), tmp_path)
    root = found.root
    assert (root.slug, root.level, root.status) == ("setting-too-late", "error", "untested")
    assert (root.location.file, root.location.line) == ("/w/train.py", 20), "there the order can be changed"
    assert "was 1 when /w/train.py:20 read it, and 2 when /w/train.py:27 did" in root.message
    assert "/w/config.py:75 wrote it in between" in root.message
    assert root.details == {"key": "gridsize", "was": 1, "now": 2, "sizes": [1, 4]}
    assert root.remedies[0].title == "Set `gridsize` before /w/train.py:20"
    assert [(f.slug, f.role) for f in found.findings[1:2]] == [("keras-input-mismatch", "consequence")]


@pytest.mark.parametrize(
    "made",
    [
        run(sizes=(5, 3)),
        run(again=False),
        run(now=1),
        run(was="hat", now="lin"),
        run(was=3, now=6, sizes=(8, 4)),
    ],
    ids=["other sizes", "not read again", "the same value", "no number", "no multiple"],
)
def test_a_change_that_the_sizes_do_not_show_is_no_root(made, tmp_path):
    assert scanned(made, tmp_path).root.slug == "keras-input-mismatch"


@pytest.mark.parametrize(
    ("dims", "text", "pairs"),
    [
        ((4, 2, 8, 1, 2), "expected shape=(None, 4, 2), found shape=(8, 1, 2)", ((4, 1),)),
        ((24, 48), "Input to reshape is a tensor with 24 values, but the requested shape has 48", ((24, 48),)),
        ((), "Incompatible shapes: [8,64] vs. [8,32]", ((64, 32),)),
        ((), "Shapes (3,) and (4, 5)", ()),
    ],
)
def test_the_sizes_that_do_not_fit(dims, text, pairs):
    root = Finding("XD302", "broadcast-mismatch", "error", "root", "t", "m", dims=dims, evidence=(Proof("log", text),))
    assert sizes_apart(root) == pairs
