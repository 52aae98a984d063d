"""The study under the doctor, run once for each file and each set of options."""

from __future__ import annotations

import shlex
from functools import cache

import pytest

from tests.test_readme import of_the_slice, sessions
from tests.xladoctor.slice.scanned import STUDY, Run, scan


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Run the study with some options; the same options are run once."""

    @cache
    def run(*options: str) -> Run:
        folder = tmp_path_factory.mktemp("study") / "work"
        return scan(folder, *STUDY, "--output-dir", "out", *options)

    return run


@pytest.fixture(scope="module")
def shown():
    """The command of the page about studies, and what the page shows of its output."""
    [session] = [s for s in sessions("docs/study.md") if of_the_slice("docs/study.md", s[0])]
    return session


@pytest.fixture(scope="module")
def collapsed(tmp_path_factory, shown):
    command = shlex.split(shown[0].partition(" -- python ")[2])
    return scan(tmp_path_factory.mktemp("page") / "work", *command, env={"COLUMNS": "80"}, checks=True)


@pytest.fixture(scope="module")
def muted(study):
    return study("--fault", "reassembly-collapses-batch-muted", "--batch-size", "32")


@pytest.fixture(scope="module")
def flat(study):
    return study("--fault", "flat-positions", "--batch-size", "32")


@pytest.fixture(scope="module")
def healthy(tmp_path_factory):
    """Checked for as long as it takes, on a machine that is slow, too: so small that nothing is too large to check."""
    folder = tmp_path_factory.mktemp("healthy") / "work"
    sizes = ("--N", "16", "--batch-size", "16", "--ngroups", "32", "--ntest", "32")
    return scan(folder, *STUDY, "--output-dir", "out", *sizes, options=("--check-budget", "300"))
