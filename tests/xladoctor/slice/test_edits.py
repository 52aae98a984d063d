"""A failed program whose edits are tried on a copy: what runs is a remedy, and nothing of the user's is changed."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.xladoctor.slice.scanned import scan

pytestmark = pytest.mark.slow

PROGRAM = """\
import tensorflow as tf

features = tf.random.normal([12, 7])
weights = tf.Variable(tf.random.normal([3, 7]))  # one row a class
scores = tf.matmul(features, weights)
open("scores.txt", "w").write(str(scores.shape))
"""


def test_the_edit_that_runs_is_written_as_a_patch(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    program = elsewhere / "product.py"
    program.write_text(PROGRAM)
    work = tmp_path / "work"
    options = ("--write-patch", str(tmp_path / "fix.patch"), "--edit-budget", "120", "--no-replay")
    run = scan(work, str(program), options=options)
    assert program.read_text() == PROGRAM and not list(work.glob("scores.txt")), "nothing of the user's is changed"
    tried = json.loads((run.folder / "edits.json").read_text())["edits"]
    ran = [edit for edit in tried if edit["result"] == "ran"]
    # Both make the program run: the rows of the one and the columns of the other can be exchanged where they are made.
    assert "scores = tf.matmul(features, weights, transpose_b=True)" in [edit["new"] for edit in ran]
    assert ran[0]["said"].startswith("it ran, no failure")
    remedy = run.root["remedies"][0]
    assert (remedy["id"], remedy["result"]) == ("edit", "verified")
    assert [e["result"] for e in run.root["details"]["edits"]] == [e["result"] for e in tried]
    subprocess.run(["git", "apply", str(tmp_path / "fix.patch")], cwd=elsewhere, check=True)
    assert ran[0]["new"] in program.read_text()
