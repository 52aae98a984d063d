"""The commands with which the pages install the doctor, given to uv, pipx and pip themselves, as printed.

Nothing is fetched: what they need is packed from the environment of the tests.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from tests.commands import ROOT
from tests.page_commands import INSTALLS_US
from tests.test_packaging import add_needed
from tests.test_page_commands import EVERY
from xladoctor import __version__

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("uv", path=Path(sys.executable).parent) is None, reason="uv is not installed"),
]
COMMANDS = [command for command in EVERY if re.search(INSTALLS_US, command)]
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "xladoctor", "probes", "docs")
BUILDS = ["hatchling", "pip", "setuptools"]
WHEEL = f"xladoctor-{__version__}-py3-none-any.whl"


def packed(distribution: metadata.Distribution, folder: Path) -> None:
    """An installed distribution as the wheel that it came from, without its scripts."""
    name = re.sub(r"[-_.]+", "_", distribution.metadata["Name"]).lower()
    tags = re.findall(r"^Tag: (\S+)", distribution.read_text("WHEEL") or "", re.MULTILINE)
    tag = "-".join(".".join(dict.fromkeys(parts)) for parts in zip(*(each.split("-") for each in tags), strict=True))
    record = f"{name}-{distribution.version}.dist-info/RECORD"
    rows = []
    with zipfile.ZipFile(folder / f"{name}-{distribution.version}-{tag}.whl", "w") as wheel:
        for file in distribution.files or ():
            path = Path(str(distribution.locate_file(file)))
            inside = re.sub(r"^[^/]+\.dist-info/", f"{name}-{distribution.version}.dist-info/", file.as_posix())
            left = ("../", "/") if not file.name.endswith(".pyc") else ""
            if inside.startswith(left) or inside == record or not path.is_file():
                continue
            content = path.read_bytes()
            wheel.writestr(inside, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{inside},sha256={digest},{len(content)}")
        wheel.writestr(record, "\n".join([*rows, f"{record},,", ""]))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A checkout, with the wheel in `dist`, and the environment in which a user gives the commands there."""
    base = tmp_path_factory.mktemp("installs")
    folder, wheels = base / "checkout", base / "wheels"
    wheels.mkdir()
    folder.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    known: dict[str, metadata.Distribution] = {}
    add_needed(metadata.requires("xladoctor") or [], known, ("mcp", "lsp", "attach"))
    add_needed(BUILDS, known)
    for distribution in known.values():
        packed(distribution, wheels)
    home = base / "home"
    home.mkdir()
    env = {
        "HOME": str(home), "PATH": f"{base / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin", "COLUMNS": "200",
        "UV_OFFLINE": "1", "UV_NO_INDEX": "1", "UV_FIND_LINKS": str(wheels), "UV_PYTHON": sys.executable,
        "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_NO_COMPILE": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIPX_DEFAULT_PYTHON": sys.executable,
    }  # fmt: skip
    (base / "bin").mkdir()
    (base / "bin" / "python3").symlink_to(sys.executable)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)
    assert (folder / "dist" / WHEEL).is_file()
    return folder, home, env


def test_each_way_is_among_them():
    assert {command.split()[0] for command in COMMANDS} == {"uv", "pipx", "python3"}
    assert any(".whl" in command for command in COMMANDS) and any("mcp,lsp" in command for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_install_command_gives_the_command(command, checkout):
    folder, home, env = checkout
    for old in (home / ".local", home / "doctor"):
        shutil.rmtree(old, ignore_errors=True)
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [program] = [p for p in (home / ".local/bin/xladoctor", home / "doctor/bin/xladoctor") if p.exists()]
    plain = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    for arguments in (["--version"], *([extra, "--help"] for extra in ("mcp", "lsp", "attach") if extra in command)):
        said = subprocess.run([program, *arguments], cwd=home, env=plain, capture_output=True, text=True, check=False)
        assert said.returncode == 0 and said.stdout, (arguments, said.stderr)
