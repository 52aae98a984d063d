"""How each command of the pages and of the help is run: what stands in the place of what it leaves open, and the few
that are run elsewhere, with a smaller job, or not at all, each with its reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_EVERYTHING = "xladoctor replay last --batch-sizes 4:5 --parity --verify --target gpu --repro again.py"
FILL = (
    (r"^(?:\.venv/bin|~/doctor/bin)/(?=xladoctor)", ""),
    # The program, and what a command that a sentence names leaves out.
    (r"PROGRAM\.py", "train.py"),
    (r" -- (?:CMD(?:\.\.\.)?|\.\.\.)$", " -- python train.py"),
    (r"^(xladoctor (?:preflight|scan --(?:flip|retrace|try-edits|verify)))$", r"\1 -- python train.py"),
    (r"(--capture|--probes)$", r"\1 ALL -- python train.py"),
    (r"--capture ALL", "--capture specs"),
    (r"--probes ALL", "--probes settings"),
    (r"--flip(?: SWITCH)? --", "--flip env:TF_CPP_MIN_LOG_LEVEL --"),
    (r"--flip SWITCH$", "--flip env:TF_CPP_MIN_LOG_LEVEL -- python train.py"),
    # Logs and run folders.
    (r"\bLOG\b(?:\.\.\.)?", "train.log"),
    (r"--format$", "--format json train.log"),
    (r"--source DIR\b.*", "--source ."),
    (r"(report|trace) --diff(?: A B| RUN_A RUN_B)?$", r"\1 --diff run other"),
    (r"^xladoctor report$", "xladoctor report run"),
    (r"^xladoctor report last", "xladoctor report run"),
    (r"--keep (?:N|10)", "--keep 1000"),
    # A recorded run, and what is done with it: options that can be given together are.
    (r"^xladoctor scan --verify -- python train\.py$", "xladoctor scan --verify -- python steps.py"),
    (r"^xladoctor replay (?:RUN_DIR|\S+3f2a)$", "xladoctor replay"),
    (r"^xladoctor replay(?: last)?(?: --(?:parity|verify|target gpu|repro FILE))*(?: \.\.\.)?$", _EVERYTHING),
    (r"^(xladoctor replay --batch-sizes \S+) \S+3f2a$", r"\1 last"),
    (r"--resume FOLDER", '--resume "$(ls -d xladoctor-runs/*/replays/* | tail -1)"'),
    (r"--subject (?:M:C|module:callable)$", "--subject steps:step --batch-sizes 4:5"),
    (r"mypkg\.steps:train_step", "steps:step"),
    (r"\bRUN_DIR\b", "run"),
    # What differs in a name alone.
    (r"\bpage\.html", "blocker.html"),
    (r"^xladoctor report \S+3f2a", "xladoctor report run"),
    (r"^(xladoctor explain) XD\d{3}$", r"\1 XD301"),
    (r" --epochs \d+$", ""),
    (r"\b[aA]\.log [bB]\.log\b", "a.log b.log"),
    # The rest.
    (r"PATH\.\.\.", "src"),
    (r"^(xladoctor lint(?: --fix| --format html)?)$", r"\1 src"),
    (r"^(xladoctor explain|xladoctor explain CODE)$", "xladoctor explain XD301"),
    (r"^xladoctor explain OP$", "xladoctor explain GatherV2"),
    (r"--search \.\.\.", "--search shape"),
    (r"\bCOMMAND --help", "scan --help"),
    (r"--study F$", "--study study.toml"),
    (r"attach (?:PID|4711)", 'attach "$HANGS"'),
    (r"/scratch/runs", "runs"),
    (r"/scratch/logs|\bROOT\b(?:\.\.\.)?", "runs"),
    (r"^xladoctor survey$", "xladoctor survey runs"),
    (r"^(xladoctor survey .*--watch.*)$", r"timeout --signal=INT 4 \1"),
    (r" --on (?:dask:\S+|slurm)$", ""),
    (r"^(xladoctor (?:mcp|lsp)\b.*)$", r"\1 < /dev/null"),
    (r"^(xladoctor scan --follow .*)$", r"timeout --signal=INT 4 \1"),
)  # fmt: skip
"""In this order: a pattern of a command, and what is given instead."""


class Why(Enum):
    """Why a command is not run here."""

    INSTALLS = "it installs the doctor: test_installs.py gives it to uv, pipx and pip"
    FETCHES = "it fetches a package of somebody else into the user's environment"
    CHECKOUT = "it makes, checks or changes a checkout: CI runs `make test`, and with it lint and the site"
    MEASURES = "it measures for minutes to hours; its words are parsed by the benchmark itself"


@dataclass(frozen=True)
class Elsewhere:
    """Run by the test or fixture `test` (file::name), which holds all these words, or names what holds them."""

    commands: str
    test: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Smaller:
    """The same part of the command line with a job that does not take minutes: `instead` is run here."""

    commands: str
    instead: str


MMD = "tests/ptycho/test_faults_mmd_session.py"
ELSEWHERE = (
    Elsewhere(r"pip wheel ", "tests/test_packaging.py::wheel", ('"wheel"', '"--no-deps"')),
    Elsewhere(r"python -m ptycho\.workflows\.dose_response ", "tests/ptycho/test_dose_response.py::test_healthy_run",
              ('"ptycho.workflows.dose_response"', "--output-dir=")),
    Elsewhere(r"python -m ptycho\.workflows\.grid_lines_workflow ",
              "tests/ptycho/test_grid_lines.py::test_killed_after_the_first_arm_and_resumed",
              ('"ptycho.workflows.grid_lines_workflow"', "--output-dir=")),
    Elsewhere(r"python -m ptycho\.workflows\.learning(?: |$)",
              "tests/ptycho/test_learning.py::test_the_study_pairs_every_arm_with_the_estimate",
              ('"ptycho.workflows.learning"', "--output-dir=")),
    Elsewhere(r"python -m ptycho\.workflows\.make_example ", "tests/ptycho/test_data_file.py::test_example",
              ('"ptycho.workflows.make_example"',)),
    Elsewhere(r"python -m ptycho\.faults\.mmd_session$", f"{MMD}::test_as_a_program_with_xla_for_its_whole_graph",
              ('"ptycho.faults.mmd_session"',)),
    Elsewhere(r"pre-commit try-repo ", "tests/test_pre_commit.py::test_try_repo", ('"try-repo"', '"xladoctor-lint"')),
    Elsewhere(r"xladoctor scan -- jupyter execute ",
              "tests/xladoctor/test_notebook.py::test_the_cell_that_fails_is_the_root_and_the_command_its_consequence",
              ("jupyter-execute", '"scan"')),
    # By `make test-trackers`, where the library is there.
    Elsewhere(r"xladoctor scan --export tensorboard\b",
              "tests/xladoctor/test_trackers.py::test_with_the_library_itself",
              ('"scan"', '"--export"', '"tensorboard"')),
    Elsewhere(r"xladoctor report .*--export mlflow\b",
              "tests/xladoctor/test_trackers.py::test_a_report_is_logged_as_it_is_written",
              ('"report"', '"--redact"', '"--export"', '"mlflow"')),
    Elsewhere(r"(?:\S+/)?(?:pip|xladoctor) (?:install|explain|rules) ?\S* ?(?:acme-rules|ACME101)$",
              "tests/xladoctor/rules/test_rules_page.py::test_the_example_works", ('"acme-rules"', "ACME101")),
)  # fmt: skip
REPLAYED = "PTYCHO_FAULT=modular-pairing xladoctor replay --subject ptycho:reassemble --batch-sizes 6 --parity"
SMALLER = (
    Smaller(r".*xladoctor replay --subject ptycho:\w+ --batch-sizes 1:\d+", REPLAYED),
    Smaller(r"xladoctor preflight -- python -m ptycho\.", "xladoctor preflight -- python train.py"),
)
INSTALLS_US = (
    r"^(?:(?:uv tool|pipx) install '?(?:\.|dist/\S+\.whl)|python3 -m venv ~/doctor && ~/doctor/bin/pip install \.)"
)
NOT_RUN = (
    (Why.INSTALLS, INSTALLS_US),
    (Why.FETCHES, r"uv tool install --with |(?:~/doctor/bin/)?pip install (?!\.)"),
    (Why.CHECKOUT, r"make |\.venv/bin/(?:ruff|python) |python (?:-m )?(?:docs|tests)[./]"),
    (Why.MEASURES, r"python -m benchmarks\b"),
)


def filled(command: str) -> str:
    """The command with something in the place of each thing that it leaves open."""
    for pattern, text in FILL:
        command = re.sub(pattern, text, command)
    return command


def why_not(command: str) -> Elsewhere | Smaller | Why | None:
    """Why the command is not run here; None where it is."""
    for row in (*ELSEWHERE, *SMALLER):
        if re.match(row.commands, command):
            return row
    return next((why for why, pattern in NOT_RUN if re.match(pattern, command)), None)
