"""The GitHub Action: its form against GitHub's schemas, and its shell steps run by bash as GitHub runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

from xladoctor.__main__ import main

ROOT = Path(__file__).resolve().parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
WARNING = "import tensorflow as tf\n\n\n@tf.function(jit_compile=True)\ndef f(x):\n    tf.print(x)\n    return x\n"


def is_valid(file: Path, schema: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_action_is_valid(tmp_path) -> None:
    assert is_valid(ROOT / "action.yml", "vendor.github-actions").returncode == 0
    broken = (ROOT / "action.yml").read_text().replace("using: composite", "using: composit")
    (tmp_path / "action.yml").write_text(broken)
    assert is_valid(tmp_path / "action.yml", "vendor.github-actions").returncode == 1


def test_the_workflow_of_the_page_is_valid_and_gives_inputs_that_exist(tmp_path) -> None:
    block = next(block for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "jobs:" in block)
    (tmp_path / "ci.yml").write_text(block)
    done = is_valid(tmp_path / "ci.yml", "vendor.github-workflows")
    assert done.returncode == 0, done.stdout
    uses = [
        s for job in yaml.safe_load(block)["jobs"].values() for s in job["steps"] if "xladoctor" in s.get("uses", "")
    ]
    assert len(uses) == 2 and all(set(step["with"]) <= set(ACTION["inputs"]) for step in uses)


def test_the_page_says_that_it_was_never_run() -> None:
    assert "never run on GitHub" in PAGE and "never run on GitHub" in (ROOT / "action.yml").read_text()


def test_no_input_becomes_a_part_of_a_script() -> None:
    scripts = [step["run"] for step in STEPS.values() if "run" in step]
    assert len(scripts) == 3 and not any("${{" in script for script in scripts)


def test_the_commands_for_other_services(tmp_path, monkeypatch) -> None:
    block = next(block for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if "gitlab" in block)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(WARNING)
    monkeypatch.chdir(tmp_path)
    for command in block.splitlines():
        program, *words = command.split()
        assert program == "xladoctor" and main(words) == 1
    assert {file.name for file in tmp_path.iterdir()} == {"src", *re.findall(r"--output (\S+)", block)}


class Runner:
    """What GitHub's runner does with a composite action, as far as shell steps go."""

    def __init__(self, folder: Path, temporary: Path, **inputs: str) -> None:
        self.folder, self.temporary = folder, temporary
        self.outputs: dict[str, dict[str, str]] = {}
        self.inputs = {name: given["default"] for name, given in ACTION["inputs"].items()} | inputs

    def run(self, name: str, **environment: str) -> subprocess.CompletedProcess[str]:
        step = STEPS[name]
        output = self.temporary / "output"
        output.write_text("")
        env = {
            **os.environ, **environment, "RUNNER_TEMP": str(self.temporary), "GITHUB_OUTPUT": str(output),
            **{key: self._value(text) for key, text in step["env"].items()},
        }  # fmt: skip
        script = self.temporary / "script.sh"
        script.write_text(step["run"])
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=300, check=False
        )
        if "id" in step:
            self.outputs[step["id"]] = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return done

    def _value(self, text: str) -> str:
        found = re.fullmatch(r"\$\{\{ (.*) \}\}", text)
        assert found is not None
        for name in found[1].split(" || "):
            kind, *parts = name.split(".")
            value = {
                "inputs": lambda parts: self.inputs[parts[0]],
                "github": lambda parts: str(ROOT),
                "steps": lambda parts: self.outputs[parts[0]].get(parts[2], ""),
            }[kind](parts)
            if value:
                return value
        return ""


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """RUNNER_TEMP after the first step: pip builds and installs the package; dependencies are those of the tests."""
    temporary = tmp_path_factory.mktemp("runner")
    offline = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    done = Runner(ROOT, temporary).run("Install xladoctor", PYTHONPATH=sysconfig.get_path("purelib"), **offline)
    assert done.returncode == 0 and done.stdout.startswith("xladoctor "), done.stdout + done.stderr
    return temporary


def look(installed: Path, folder: Path, **inputs: str) -> tuple[Runner, subprocess.CompletedProcess[str], int]:
    """The step that looks, with its outputs, and how the action ends."""
    runner = Runner(folder, installed, **inputs)
    done = runner.run("Lint or run", PYTHONPATH=sysconfig.get_path("purelib"))
    assert done.returncode == 0, done.stderr
    return runner, done, runner.run("End as xladoctor did").returncode


@pytest.mark.slow
def test_lint(installed, tmp_path) -> None:
    (tmp_path / "a b.py").write_text(WARNING)
    (tmp_path / "clean.py").write_text("x = 1\n")
    runner, done, status = look(installed, tmp_path, paths="a b.py\n\nclean.py\n")
    out = runner.outputs["look"]
    assert status == 1 and out["status"] == "1"
    assert "::warning file=a b.py,line=6" in done.stdout
    [run] = json.loads(Path(out["sarif"]).read_text())["runs"]
    assert {result["ruleId"] for result in run["results"]} == {"XD803", "XD810"}
    assert "XD803" in Path(out["page"]).read_text()
    assert look(installed, tmp_path, **{"fail-on": "never"})[2] == 0
    assert look(installed, tmp_path, paths="clean.py")[2] == 0
    # Neither an option nor a command of the shell.
    assert look(installed, tmp_path, paths="--fix\n$(touch made)")[2] == 2
    assert not (tmp_path / "made").exists()


@pytest.mark.slow
def test_run(installed, tmp_path) -> None:
    (tmp_path / "train.py").write_text("import sys\nprint(sys.argv[1:])\nraise ValueError('no such thing')\n")
    run = f"'{sys.executable}' train.py 'a b' && echo unreached"
    runner, done, status = look(installed, tmp_path, run=run)
    out = runner.outputs["look"]
    assert status == 1, done.stderr
    assert "['a b']" in done.stdout and "unreached" not in done.stdout
    assert "::error" in done.stdout and json.loads(Path(out["sarif"]).read_text())["runs"][0]["results"]
    assert "no such thing" in Path(out["page"]).read_text()
    both = {"run": "exit 7", "exit-code": "target"}
    assert look(installed, tmp_path, **both)[2] == 7
