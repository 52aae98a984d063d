"""What was suspected of one package is asked of runs of that package only."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import collapsed
from xladoctor.saved import scan_run


@pytest.mark.parametrize("module", ["ptycho", "another"])
def test_the_claims_of_a_profile_are_judged_for_its_programs(tmp_path, module):
    run = collapsed()
    run.event("import", module=module, version="1", file=f"/a/{module}/__init__.py")
    claims = scan_run(run.write(tmp_path / "run")).hypotheses
    assert [c.id for c in claims] == (["H2-REVISED"] if module == "ptycho" else [])
