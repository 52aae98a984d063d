"""What an installation does, and must never do, to somebody's environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


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


def test_the_wheel_has_one_top_level_package(wheel):
    """A top-level `probes` or `ptycho` in site-packages could shadow or overwrite the user's."""
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {t for t in tops if not t.endswith(".dist-info")} == {"xladoctor"}


def test_the_facts_about_tensorflow_travel_with_it(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "xladoctor/rules/data/xla_registry.json" in names


def test_the_guides_that_explain_names_travel_with_it(wheel):
    from xladoctor.report.guides import GUIDES

    names = zipfile.ZipFile(wheel).namelist()
    assert {f"xladoctor/_docs/{page}" for page in GUIDES} <= set(names)


def test_the_source_distribution_gives_the_same_wheel(wheel, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build"]
    subprocess.run([*build, "-t", "sdist", "-d", str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    [source] = (tmp_path / "source").iterdir()
    subprocess.run([*build, "-t", "wheel", "-d", str(tmp_path)], cwd=source, check=True, capture_output=True)
    built = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    assert sorted(built) == sorted(zipfile.ZipFile(wheel).namelist())


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
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(next(n for n in archive.namelist() if n.endswith("METADATA"))).decode()
    needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line]
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
