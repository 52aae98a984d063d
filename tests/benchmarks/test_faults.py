"""The table of the faults, from what a replay wrote: no TensorFlow in it."""

import re

from benchmarks import faults
from tests.xladoctor.model.test_reader import WHOLE, written


def test_a_row_is_made_of_what_the_command_wrote(tmp_path, monkeypatch):
    row = faults.ROWS[0]
    asked = []

    def run(command, **rest):
        asked.append((command, rest["env"]["PTYCHO_FAULT"]))
        return type("Done", (), {"stdout": faults.json.dumps(written(WHOLE)), "stderr": ""})

    monkeypatch.setattr(faults.subprocess, "run", run)
    for _ in range(2):
        heads, rule, line, *_, versions = faults.markdown([row], tmp_path).splitlines()
        assert line.startswith("| `reassembly-collapses-batch` | `predict` | ")
        assert len(re.findall(r" \|", line)) == len(re.findall(r" \|", heads)) == rule.count("---")
        assert versions.startswith("tensorflow ")
    assert [(c[3:6], fault) for c, fault in asked] == [(row.command()[:3], row.fault)], "the second time it is read"
