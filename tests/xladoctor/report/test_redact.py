"""Nothing private is left in a report, wherever it stood; and what is no secret stays readable."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests import quick
from tests.xladoctor.report import samples
from xladoctor.model.diagnosis import Location, Proof, SettingEvent, StackFrame
from xladoctor.report import View, render
from xladoctor.report.redact import Machine, Redactor

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "q9Zk-71hXw-pT20"
ADA = Machine(
    folders=("/home/ada/study", "/srv/here"), homes=("/home/ada",), users=("ada",),
    hosts=("lovelace7", "lovelace7.uni.example"),
)  # fmt: skip
STDERR = (
    f"ada@lovelace7:~$ export API_KEY={TOKEN}\nfetching https://bob:hunter2-hunter2@git.uni.example/x.git\n"
    f"Authorization: Bearer abcdef0123456789.abcdef\nrejected {TOKEN} from 10.20.30.40:8470 at node17.cluster.local\n"
    "HOSTNAME=lovelace7.uni.example  password: 'correct-h0rse'  ghp_0123456789abcdef0123\n"
    "/home/ada/.venv/lib/python3.11/site-packages/keras/x.py /home/adam/x /scratch/ada/run/ada_7\n"
)
SPOILED = replace(
    samples.LOUD,
    source="/home/ada/study/xladoctor-runs/20260106T101500-3f2a",
    environment={
        "command": ["python", "/home/ada/study/train.py", "--token", TOKEN, "--data=/home/ada/data.npz"],
        "cwd": "/home/ada/study",
        "executable": "/home/ada/.venv/bin/python",
        "ptycho_file": "/data/shared/ptycho/__init__.py",
        "variables": {"WANDB_API_KEY": TOKEN, "HOME": "/home/ada", "PWD": "/home/ada/study"},
        "tokenizer": "bert-base-2",
    },
    findings=(
        replace(
            samples.ROOT,
            message=f"The key {TOKEN} of ada on lovelace7.",
            location=Location("/home/ada/study/layers.py", 3, "call"),
            evidence=(Proof("log", STDERR, "/home/ada/study/stderr.log:7"),),
            details={"/home/ada/key": ["/home/ada/study/x.py:3", {"password": "letmein"}]},
        ),
    ),
    settings=(
        SettingEvent(0.1, "env", "SECRET_TOKEN", "write", TOKEN, Location("/home/ada/study/a.py", 1)),
        SettingEvent(0.2, "params.cfg", "data_dir", "write", "/home/ada/study/data"),
    ),
    stacks=(
        replace(
            samples.STACKS[0], frames=(StackFrame("/home/ada/study/a.py", 1, "f", code=f'login(token="{TOKEN}")'),)
        ),
    ),
    notes=("run by ada", "max_tokens=512, author=Grace, PWD=/home/ada/study"),
)
VIEW = View(run_dir="/home/ada/study/xladoctor-runs/20260106T101500-3f2a", target_status=1)
PRIVATE = (
    r"\bada\b|/home/ada(?!m)|lovelace7|hunter2|abcdef0123456789|correct-h0rse|letmein|ghp_0|10\.20\.30\.40|/data/shared|"
    + re.escape(TOKEN)
)


def redactor() -> Redactor:
    return Redactor(ADA, SPOILED, VIEW)


@pytest.mark.parametrize("format", ["console", "json", "markdown", "html"])
def test_nothing_is_left_anywhere(format):
    hidden, view = redactor().value(SPOILED), redactor().value(VIEW)
    before = render(SPOILED, format, None, replace(VIEW, verbose=True))
    said = render(hidden, format, None, replace(view, verbose=True))
    assert re.search(PRIVATE, before)
    assert not re.findall(PRIVATE, said)


def test_one_placeholder_for_one_text():
    hidden = redactor().value(SPOILED)
    assert hidden.source == "<cwd>/xladoctor-runs/20260106T101500-3f2a"
    assert hidden.root.location.file == "<cwd>/layers.py"
    assert hidden.environment["command"][4] == "--data=<home>/data.npz"
    assert hidden.environment["executable"] == "<env>/bin/python"
    assert hidden.settings[1].value == "<cwd>/data"
    proof = hidden.root.evidence[0].text
    assert "<user>@<host>" in proof and "<home-2>/x" in proof and "/scratch/<user>/run/<user>_7" in proof
    assert "<env>/lib/python3.11/site-packages/keras/x.py" in proof
    secret = re.search(r"rejected (<secret[-\d]*>)", proof)[1]
    assert f"API_KEY={secret}" in proof and f"The key {secret} of <user> on <host" in hidden.root.message
    assert hidden.stacks[0].frames[0].code == f'login(token="{secret}")'


def test_words_of_ours_and_numbers_stay():
    hidden = redactor().value(SPOILED)
    assert (hidden.root.role, hidden.root.slug, hidden.root.dims) == ("root", "contract-violation", samples.ROOT.dims)
    assert hidden.environment["tokenizer"] == "bert-base-2"
    assert hidden.notes[1] == "max_tokens=512, author=Grace, PWD=<cwd>"
    assert [(r.place, r.runtime, r.violation) for r in hidden.shapes] == [
        (r.place, r.runtime, r.violation) for r in samples.SHAPES
    ]


def test_a_user_named_root_hides_no_root_cause():
    machine = Machine(homes=("/root",), users=("root",), hosts=("localhost",))
    found = replace(samples.ROOT, message="The root of it: /root/x.py, /rootless, root@db3.uni.example at 127.0.0.1:80")
    hidden = Redactor(machine, found).value(found)
    assert hidden.message == "The root of it: <home>/x.py, /rootless, root@<host> at 127.0.0.1:80"


@pytest.mark.parametrize(
    "said",
    [
        "/opt/app/users/list.py",
        "Unexpected token here", "signature: (float32[32,64])", "key use_xla = True", "auto", "token: none", "a/home/b",
        "tensorflow 2.21.0.1 cuda 12.4.1", "Input to reshape is a tensor with 778752 values",
        "[[{{node Reshape_4}}]] [Op:__inference_f_12]", "https://github.com/x/y/issues/3",
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(said):
    assert Redactor(Machine(), said).text(said) == said


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("--api-key=abc123xyz9 run", "--api-key=<secret> run"),
        ("{'aws_secret_access_key': 'wJalrXUtnFEMI/K7MDENG'}", "{'aws_secret_access_key': '<secret>'}"),
        ("postgres://u:p4ssw0rd-x@db/x", "postgres://<secret>@db/x"),
        ("C:\\Users\\Ada\\run.py", "<home>\\run.py"),
        ("/Users/grace/x.py", "<home>/x.py"),
        ("/gpfs/users/grace/x.py and /scratch/grace", "<home>/x.py and /scratch/<user>"),
        ("file:///home/grace/x.html", "file://<home>/x.html"),
        ("SLURM_JOB_NODELIST=gpu-a100-07\nlost gpu-a100-07.cluster.uni.edu", "SLURM_JOB_NODELIST=<host>\nlost <host>"),
        ("grpc://10.0.0.3:8470, cudnn 9.1.0.70", "grpc://<address>:8470, cudnn 9.1.0.70"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "<secret>"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3.SflKxwRJSM", "<secret>"),
    ],
)
def test_what_is_private(said, left):
    assert Redactor(Machine(), said).text(said) == left


def test_twice_is_once():
    once = redactor().value(SPOILED)
    again = Redactor(ADA, once).value(once)
    assert again == once


@pytest.mark.slow
def test_a_run_with_private_things_everywhere(tmp_path):
    """Environment, command, output, source lines, folders: recorded by a real scan, then reported."""
    home = tmp_path / "home" / "grace"
    study = home / "dose-study"
    study.mkdir(parents=True)
    (study / "train.py").write_text(
        "import os, sys\n"
        f"def login(token='{TOKEN}'):\n"
        "    raise ValueError('Input to reshape is a tensor with 6 values, but the requested shape has 4 '\n"
        "                     'for grace@hopper9.example.org at ' + os.environ['HOME'])\n"
        "print('for grace, in', os.getcwd(), file=sys.stderr)\n"
        f"login(token='{TOKEN}')\n"
    )
    env = {
        **os.environ,
        "HOME": str(home), "USER": "grace", "LOGNAME": "grace", "TF_GRACE_API_KEY": TOKEN, "XLADOCTOR_PROBES": "1",
        "PYTHONPATH": quick.path(ROOT), "PTYCHO_DATA": str(home / "data"),
    }  # fmt: skip

    def doctor(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "xladoctor", *words]
        return subprocess.run(command, cwd=study, env=env, capture_output=True, text=True, check=False)

    program = [sys.executable, "train.py", f"--api-key={TOKEN}", "--password", "open-sesame-1", str(home / "x.npz")]
    assert doctor("scan", "--run-dir", "run", "--no-replay", "--", *program).returncode == 1
    plain = doctor("report", "run").stdout
    assert "grace" in plain and "hopper9" in plain and TOKEN not in plain  # by its form and name, without --redact too
    for format in ("markdown", "html", "json"):
        said = doctor("report", "run", "--format", format, "--verbose", "--redact").stdout
        assert not re.findall(rf"(?i)grace|hopper9|open-sesame|{re.escape(TOKEN)}|{re.escape(str(tmp_path))}", said)
        assert "train.py" in said and "cwd" in said and "home" in said
