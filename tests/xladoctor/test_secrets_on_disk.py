"""No secret of a command, its environment, its settings or its errors is in any file of ours; what the program itself
printed is its own.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from probes.record import capsule
from xladoctor import secrets
from xladoctor.commands import report as documents
from xladoctor.errors import XladoctorError
from xladoctor.experiments import analyse, flip, places
from xladoctor.model.preflight import Check, Preflight
from xladoctor.preflight import cache
from xladoctor.recording.run import Recording
from xladoctor.workers import worker as workers

# Each stands at one place only, so that what is left says where it came from.
ARGV = [
    ("--password", "Zq1argv-word"),
    ("--db.password=Zq2assigned",),
    ("--header", "Authorization: Bearer Zq3bearer0123456789abcdef"),
    ("-pZq4short99",),
    ("-u", "ada:Zq5login"),
    ("--url", "https://ada:Zq6url@example.org/x?token=Zq7query123"),
    ("--config", '{"api_key": "Zq8json"}'),
    ("sh", "-c", "mysql -pZq9nested db"),
]
ENVIRONMENT = {
    "XLA_TOKEN": "Zq10token",
    "PTYCHO_PASS": "Zq11environ",
    "XLA_FLAGS": "--xla_dump_to=http://ada:Zq12proxy@host/x",
    "PTYCHO_CREDS": "Zq13creds",
    "UNWATCHED_SECRET": "Zq14other",
}
SETTING, MESSAGE, CAUSE = "Zq15setting", "Zq16message", "Zq17cause"
SECRETS = [f"Zq{n}" for n in range(1, 18)]
PROGRAM = f"""
import os
from ptycho import params
params.cfg["db_password"] = "{SETTING}"
params.cfg.get("db_password")
params.set("api_token", "{SETTING}")
[os.environ.get(name) for name in {list(ENVIRONMENT)}]
os.environ["XLA_TOKEN"] = "{ENVIRONMENT["XLA_TOKEN"]}x"
try:
    raise KeyError("token={CAUSE}99")
except KeyError as error:
    raise RuntimeError("cannot reach postgres://ada:{MESSAGE}@db.example.org/study") from error
"""
TOML = '[tool.xladoctor.places]\nx = "password=Zq1argv"\n'


def left(folder: Path) -> dict[str, list[str]]:
    """{file: the secrets in it}, of all files but the program's own output."""
    found = {}
    for file in folder.rglob("*"):
        if file.is_file() and file.name not in ("stdout.log", "stderr.log"):
            data = file.read_bytes()
            text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8", "replace")
            found[str(file.relative_to(folder))] = [secret for secret in SECRETS if f"{secret}" in text]
    return found


@pytest.mark.slow
def test_no_file_of_a_run_holds_a_secret(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "pyproject.toml").write_text(TOML)
    (tmp_path / "ptycho").mkdir()
    (tmp_path / "ptycho" / "__init__.py").touch()
    (tmp_path / "ptycho" / "params.py").write_text(
        f'cfg = {{"N": 64, "auth_token": "{SETTING}"}}\ndef set(key, value):\n    cfg[key] = value\n'
    )
    command = [sys.executable, "program.py", *(word for words in ARGV for word in words)]
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", "scan", "--run-dir", "run", "--", *command],
        cwd=tmp_path, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    run = tmp_path / "run"
    found = left(run)
    assert {"run.json", "diagnosis.json", "blocker.md", "places.json", "marks.json"} <= set(found)
    assert {name: secret for name, secret in found.items() if secret} == {}
    # It was all there to be written.
    events = "".join(file.read_text() for file in run.glob("events-*.jsonl"))
    for name in ("XLA_FLAGS", "db_password", "api_token", "cannot reach postgres"):
        assert name in events
    assert MESSAGE in (run / "stderr.log").read_text() and secrets.REDACTED in (run / "blocker.md").read_text()


def test_no_capsule_holds_a_secret_and_its_names_are_what_they_were(tmp_path):
    names = {"arguments": {"__inference_auth_token_12": ["inputs", "password"]}, "python_name": "api_token"}
    recipe = {"data": "exact", "missing": {"input:0": "OSError: https://ada:Zq6url@host is gone"}}
    assert json.loads(capsule.lines(names)) == names
    assert b"Zq6" not in capsule.lines(recipe) and json.loads(capsule.lines(recipe))["data"] == "exact"


def test_no_place_and_no_flip_holds_a_secret(tmp_path):
    places.write(places.UserPlaces(tmp_path / "x.toml", (), ("place 'x': password=Zq1argv99 is none",)), tmp_path)
    recording = Recording(tmp_path, {})
    flip.write(recording, [{"key": "jit", "name": "jit", "why": "it ended: token=Zq17cause99"}])
    assert set(left(tmp_path)) == {"places.json", "flips.json"} and not any(left(tmp_path).values())


def test_no_answer_of_a_worker_holds_a_secret(tmp_path, monkeypatch):
    class Worker:
        def __init__(self, *args, **kwargs):
            pass

        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda self, *args: None  # noqa: E731

        def ask(self, *args, **kwargs):
            raise workers.WorkerRefused("ValueError", "https://ada:Zq6url@host/?token=Zq7query123 cannot be read")

    monkeypatch.setattr(workers, "Worker", Worker)
    monkeypatch.setattr(analyse, "interpreter", lambda recording: sys.executable)
    monkeypatch.setattr(analyse, "_compiled", lambda recording: ["1-1-f"])
    analyse.ask_workers(Recording(tmp_path, {}), {}, lambda text: None, every=True)
    assert left(tmp_path) == {"worker.jsonl": []}


def test_no_kept_preflight_holds_a_secret(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "_FOLDER", tmp_path)
    monkeypatch.setattr(cache.made_of, "same", lambda paths: True)
    check = Check("data", "Data", "fail", "the data cannot be read: password=Zq1argv99")
    cache.keep("k", Preflight("study", (check,)), {"/x.py": "d"})
    assert left(tmp_path) == {"k.json": []}


def test_a_diagnosis_that_is_no_file_or_too_deep_is_not_read(tmp_path):
    for name, why in (
        ("zero.json", "is no regular file"),
        ("deep.json", "nested more than"),
        ("x.json", "no JSON|Expect"),
    ):
        file = tmp_path / name
        if name == "zero.json":
            file.symlink_to("/dev/zero")
        else:
            file.write_text("[" * 5000 + "]" * 5000 if name == "deep.json" else "{")
        with pytest.raises(XladoctorError, match=why):
            documents.of_diagnosis(file)
