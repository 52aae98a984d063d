"""What a rehearsal in a copy says of files, and of the batch that failed."""

from pathlib import Path

import pytest

from xladoctor.model.answers import WorkerAnswer
from xladoctor.preflight.batch import which
from xladoctor.preflight.copies import as_of
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

ROOT = Path("/home/me/study")
FOLDER = ROOT / "xladoctor-runs" / "20260101T000000Z-aaaa-preflight"


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        (f"{FOLDER}/rehearsal/.work/ptycho/tf_helper.py:35 in f", "ptycho/tf_helper.py:35 in f"),
        (f"(xladoctor-runs/{FOLDER.name}/rehearsal/.work/train.py:3)", "(train.py:3)"),
        (f"/mnt{FOLDER}/switch-2/.work/train.py", f"/mnt{ROOT}/train.py"),
        (f"in '{FOLDER}/rehearsal/.work'", f"in '{ROOT}'"),
        (f"'{FOLDER}/rehearsal/.work/'", f"'{ROOT}/'"),
        (f"See {FOLDER}/rehearsal/stderr.log.", f"See {FOLDER}/rehearsal/stderr.log."),
        (f"{FOLDER}/rehearsal/.workers.txt", f"{FOLDER}/rehearsal/.workers.txt"),
        (f"{ROOT}/.work/a.py", f"{ROOT}/.work/a.py"),
    ],
)
def test_paths_below_the_copy_are_the_users_own(told, meant):
    assert as_of(ROOT, FOLDER, told) == meant


def recorded(rows, size, answers, fit=True):
    calls = [{"method": "fit", "call": 1, "phase": "end", "rows_in": 20, "rows_out": None}] if fit else []
    calls.append(
        {"method": "predict", "call": 2, "phase": "failed", "capsule": "1-2-f", "rows_in": rows, "batch_size": size}
    )
    failure = {"kind": schema.FAILURE, "state": "raised", "failure": 1, "capsule": "1-2-f", "message": "", "seq": 9}
    events = [*({"kind": schema.CALL, "seq": i, **c} for i, c in enumerate(calls)), failure]
    worker = [WorkerAnswer("1-2-f", "failing_op", r, batch=b) for b, r in answers]
    return Recording(Path("run"), {}, tuple({"pid": 1, **e} for e in events), tuple(worker))


OP = {"op": "Reshape"}


@pytest.mark.parametrize(
    ("recording", "said"),
    [
        (recorded(20, 8, [(8, None), (4, OP)]), "predict's last batch of 4 (a full one of 8 passes; fit passed)"),
        (recorded(20, 8, [(8, OP)]), "predict's full batch of 8 (fit passed)"),
        (recorded(4, 8, [(4, OP)], fit=False), "predict's only batch of 4"),
        (recorded(20, 8, [(8, None), (4, None)]), None),
        (recorded(20, 8, []), None),
    ],
)
def test_the_batch_that_failed(recording, said):
    assert which(recording) == said
