"""What an installation does, and must never do, to somebody's environment."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from email.message import Message
from importlib import metadata
from pathlib import Path

import pytest
import zstandard
from packaging.requirements import Requirement

from xladoctor import __version__

ROOT = Path(__file__).resolve().parents[1]
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
LOG = """\
Epoch 1/2
Traceback (most recent call last):
  File "/home/ada/study/warp.py", line 182, in warp
    return tf.reshape(mask, [batch, height, width])
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Input to reshape is a tensor with 778752 values, but the requested shape has 24336 [Op:__inference_step_1]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built as pip would build it, without fetching anything."""
    out = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-q",
        "-w",
        str(out),
        str(ROOT),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The source distribution."""
    out = tmp_path_factory.mktemp("sdist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(out)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(out.glob("*.tar.gz"))


def add_needed(requires: list[str], known: dict[str, metadata.Distribution], extras: Iterable[str] = ()) -> None:
    """Add what these lines ask for, with these extras, and what that needs."""
    for requirement in map(Requirement, requires):
        marker = requirement.marker
        if marker is not None and not any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            continue
        if requirement.name not in known or requirement.extras:
            known[requirement.name] = found = metadata.distribution(requirement.name)
            add_needed(found.requires or [], known, requirement.extras)


def told(wheel: Path) -> Message:
    """The metadata of a wheel."""
    archive = zipfile.ZipFile(wheel)
    return message_from_bytes(archive.read(next(n for n in archive.namelist() if n.endswith("METADATA"))))


def lend(folder: Path, wheel: Path, *extras: str) -> None:
    """An environment that has what the wheel says that it needs with these extras, and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, capture_output=True)
    [packages] = folder.glob("lib/python3*/site-packages")
    lent: dict[str, metadata.Distribution] = {}
    add_needed(told(wheel).get_all("Requires-Dist", []), lent, extras)
    assert "tensorflow" not in lent and len(lent) > 8
    for distribution in lent.values():
        for top in {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(distribution.locate_file(top))))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An environment into which pip has put the wheel (the source gives the same one). It has what the wheel says that
    it needs, and nothing else: lent by the environment of the tests, since CI may have no network.
    """
    folder = tmp_path_factory.mktemp("empty")
    lend(folder, wheel)
    install = [
        *PIP,
        "--python",
        str(folder / "bin" / "python"),
        "install",
        "--no-deps",
        "--no-index",
        "--no-compile",
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True)
    return folder


def called(installed: Path, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """The command of the installation, with no way to this checkout or to the packages of the tests."""
    env = {"PATH": f"{installed / 'bin'}:/usr/bin:/bin", "HOME": str(folder), "COLUMNS": "500"}
    return subprocess.run(
        [str(installed / "bin" / "xladoctor"), *args], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def test_an_installation_into_an_empty_environment_answers(installed, tmp_path):
    (tmp_path / "train.log").write_text(LOG)
    assert called(installed, tmp_path, "--version").stdout == f"xladoctor {__version__}\n"
    helped = called(installed, tmp_path, "--help")
    assert helped.returncode == 0 and "xladoctor scan train.log" in helped.stdout
    commands = re.findall(r"^  ([a-z]+)  ", helped.stdout, re.MULTILINE)
    assert len(commands) > 10
    for command in commands:
        done = called(installed, tmp_path, command, "--help")
        assert done.returncode == 0 and done.stdout, (command, done.stderr)
    for form in ("console", "json", "html", "markdown", "sarif", "csv"):
        done = called(installed, tmp_path, "scan", "train.log", "--format", form)
        assert (done.returncode, done.stderr) == (1, "") and "778752" in done.stdout, form
    assert called(installed, tmp_path, "env").returncode == 0


def test_an_installation_has_what_only_some_commands_load(installed, tmp_path):
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "old.log.zst").write_bytes(zstandard.compress(LOG.encode()))
    (tmp_path / "ours.md.j2").write_text("{{ root.code }} it is")
    survey = called(installed, tmp_path, "scan", "train.log", "old.log.zst", "--color", "always")
    assert survey.returncode == 1 and "XD301" in survey.stdout, survey.stderr
    document = called(installed, tmp_path, "report", "train.log", "--template", "ours.md.j2")
    assert document.stdout.strip().endswith("XD301 it is"), document.stderr
    (tmp_path / "study.yaml").write_text("zebra: 1\n")
    study = called(installed, tmp_path, "preflight", "--study", "study.yaml")
    assert study.returncode == 2 and "zebra" in study.stderr, study.stderr


def test_explain_of_an_installation_names_a_guide_that_is_there(installed, tmp_path):
    done = called(installed, tmp_path, "explain", "reshape-mismatch")
    assert done.returncode == 0 and done.stdout.startswith("XD301 reshape-mismatch"), done.stderr
    [guide] = re.findall(r"^\s*(/\S+\.md)$", done.stdout, re.MULTILINE)
    assert Path(guide).is_file() and installed in Path(guide).parents


def test_an_installation_records_a_program(installed, tmp_path):
    (tmp_path / "train.py").write_text("import sys\nassert 'xladoctor' not in sys.modules\nraise ValueError('mine')\n")
    done = called(installed, tmp_path, "scan", "--run-dir", "run", "--", "python", "train.py")
    assert done.returncode == 1 and "train.py:3" in done.stdout, done.stdout + done.stderr
    assert list((tmp_path / "run").glob("events-*.jsonl"))


@pytest.mark.parametrize("command", ["mcp", "lsp"])
def test_a_command_whose_extra_is_missing_says_so(command, installed, tmp_path):
    done = called(installed, tmp_path, command)
    assert done.returncode == 2 and "To install it: " in done.stderr and "Traceback" not in done.stderr


CLIENT = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}, "protocolVersion": "2025-06-18"}
HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CLIENT})
ASKED = {"mcp": f"{HELLO}\n", "lsp": f"Content-Length: {len(HELLO)}\r\n\r\n{HELLO}"}


@pytest.mark.parametrize("extra", ASKED)
def test_an_extra_brings_all_that_its_command_needs(extra, wheel, tmp_path):
    """In an environment that has the wheel with this extra, and nothing else."""
    lend(tmp_path / "with", wheel, extra)
    zipfile.ZipFile(wheel).extractall(tmp_path / "wheel")
    done = subprocess.run(
        [str(tmp_path / "with" / "bin" / "python"), "-m", "xladoctor", extra],
        cwd=tmp_path, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path / "wheel")},
        input=ASKED[extra], capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert '"serverInfo"' in done.stdout and '"xladoctor"' in done.stdout, done.stdout + done.stderr


def test_the_extras_that_the_pages_name_are_in_the_wheel(wheel):
    has = set(told(wheel).get_all("Provides-Extra", []))
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *ROOT.glob("docs/*.md"))]
    found = re.findall(r"(?:xladoctor|\.whl|'\.)\[([\w,]+)\]|extras? `(\w+)`", "\n".join(texts))
    named = {name for words in found for word in words if word for name in word.split(",")}
    assert {"mcp", "lsp", "attach"} <= named <= has


def test_the_wheel_has_one_top_level_package(wheel):
    """A top-level `probes` or `ptycho` in site-packages could shadow or overwrite the user's."""
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {t for t in tops if not t.endswith(".dist-info")} == {"xladoctor"}


def test_the_facts_about_tensorflow_travel_with_it(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {"xladoctor/rules/data/xla_registry.json", "xladoctor/blame/data/op_makers.json"} <= set(names)


def test_the_guides_that_explain_names_travel_with_it(wheel):
    from xladoctor.report.guides import GUIDES

    names = zipfile.ZipFile(wheel).namelist()
    assert {f"xladoctor/_docs/{page}" for page in GUIDES} <= set(names)


def test_the_source_distribution_gives_the_same_wheel(wheel, source, tmp_path):
    # What builds it stands in the environment of the tests.
    offline = ["--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*PIP, "wheel", *offline, "-w", str(tmp_path), str(source)], check=True, capture_output=True)
    built, direct = (zipfile.ZipFile(file) for file in (next(tmp_path.glob("*.whl")), wheel))
    assert {n: built.read(n) for n in built.namelist()} == {n: direct.read(n) for n in direct.namelist()}


def test_the_types_travel_with_it(wheel):
    assert "xladoctor/py.typed" in zipfile.ZipFile(wheel).namelist()


def test_an_installed_doctor_watches_a_block(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    (tmp_path / "program.py").write_text(
        "from xladoctor import api\ntry:\n    with api.watch() as run:\n        raise ValueError('mine')\n"
        "except ValueError:\n    print(run.diagnosis(replay=False).root.location.line)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout == "4\n", done.stderr


def test_pytest_finds_the_plug_in(wheel):
    archive = zipfile.ZipFile(wheel)
    points = archive.read(next(n for n in archive.namelist() if n.endswith("entry_points.txt"))).decode()
    assert "[pytest11]\nxladoctor = xladoctor.pytest_plugin" in points


def test_tensorflow_is_an_extra(wheel):
    needed = [line for line in told(wheel).get_all("Requires-Dist", []) if "extra ==" not in line]
    assert needed
    assert not [line for line in needed if "tensorflow" in line or "pydantic" in line]


def test_an_installed_doctor_records_a_target_that_has_a_probes_and_a_ptycho_of_its_own(wheel, tmp_path):
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    project = tmp_path / "project"
    for name, text in {
        "probes.py": "mine = 'my own probes'\n",
        "sitecustomize.py": "raise SystemExit('never on the path of a script')\n",
        "ptycho/__init__.py": "",
        "ptycho/params.py": "cfg = {'N': 64}\n",
        "train.py": (
            "import sys, probes\nfrom ptycho import params\nprint(probes.mine, params.cfg['N'])\n"
            "assert 'xladoctor' not in sys.modules\n"
            f"assert not [p for p in sys.path if p == {str(installed)!r}], sys.path\n"
        ),
    }.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (project / "sitecustomize.py").unlink()
    # The doctor's own path must not reach the target: it is given by -c and not by PYTHONPATH.
    start = f"import sys; sys.path.insert(0, {str(installed)!r}); from xladoctor.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", start, "scan", "--run-dir", "run", "--format", "json", "--", sys.executable, "train.py"],
        cwd=project,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "my own probes 64" in done.stderr
    events = [json.loads(line) for f in (project / "run").glob("events-*") for line in f.read_text().splitlines()]
    assert [e for e in events if e["kind"] == "setting" and e["key"] == "N" and e["action"] == "read"]
    argv = next(e for e in events if e["kind"] == "start")
    assert argv["cwd"] == str(project)


def test_the_lock_file_is_complete():
    """Everything that pyproject.toml asks for is pinned, with hashes."""
    lock = (ROOT / "requirements.lock").read_text()
    for name in ("typer", "rich", "pandas", "numpy", "zstandard", "tensorflow", "pytest", "hypothesis", "ruff", "mypy"):
        assert f"\n{name}==" in f"\n{lock}", name
    assert lock.count("--hash=sha256:") > 100
    assert "://" not in "".join(line for line in lock.splitlines() if not line.lstrip().startswith("#"))
