"""The commands that README and docs show are run, and what they show is what comes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from docs._build import screen
from tests import quick

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "docs/contents.md", "docs/tutorial.md", "docs/study.md",
    "docs/howto/last-partial-batch.md", "docs/howto/jit-compile.md", "docs/silent.md", "docs/nan.md",
)  # fmt: skip
EXAMPLES = {
    "docs/howto/last-partial-batch.md": "lastbatch", "docs/howto/jit-compile.md": "compiled",
    "docs/silent.md": "silent", "docs/nan.md": "failures",
}  # fmt: skip
"""The example in whose copy the commands of a page are given; `forecast` for the others."""
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
LOG = """\
Epoch 1/2
Traceback (most recent call last):
  File "/home/ada/study/train.py", line 88, in <module>
    model.fit(dataset, epochs=2)
  File "/home/ada/study/warp.py", line 182, in warp
    return tf.reshape(mask, [batch, height, width])
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Input to reshape is a tensor with 778752 values, but the requested shape has 24336
\t [[{{node translation_36_1/Reshape_4}}]] [Op:__inference_one_step_on_data_38575]
"""


def blocks(kind: str, text: str = TEXT) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def sessions(page: str) -> list[tuple[str, list[str]]]:
    """Every command of the console blocks of a page, with the lines that it shows."""
    found: list[tuple[str, list[str]]] = []
    text = (ROOT / page).read_text(encoding="utf-8")
    for line in (line for block in blocks("console", text) for line in block.splitlines()):
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def shown_in_order(shown: list[str], came: list[str]) -> str | None:
    """The first shown line that did not come after the ones before it; `...` stands for any lines."""
    at = 0
    gap = False
    for line in shown:
        if line == "...":
            gap = True
            continue
        here = came[at:] if gap else came[at : at + 1]
        if line not in here:
            return line
        at += here.index(line) + 1
        gap = False
    return None


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": quick.path(ROOT),
        "COLUMNS": "80",
    }
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False
    )


def of_the_slice(page: str, command: str) -> bool:
    """Run by `slice/test_collapse.py`, which looks at more than the page shows of it."""
    return page == "docs/study.md" and " -- " in command


EDITS = ("patch", "sed")
"""What changes a program between two commands of a page goes with them."""


def marked(page: str, session: tuple[str, list[str]]):
    slow = (
        [pytest.mark.slow] if " -- " in session[0] or " replay " in session[0] or session[0].split()[0] in EDITS else []
    )
    return pytest.param(page, *session, id=f"{page}-{session[0][:40]}", marks=slow)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder for each page, in which its commands are given one after the other: the example, and a log."""

    @cache
    def made(page: str) -> Path:
        folder = tmp_path_factory.mktemp("page") / "work"
        shutil.copytree(ROOT / "docs" / "examples" / EXAMPLES.get(page, "forecast"), folder)
        (folder / "train.log").write_text(LOG)
        return folder

    return made


@pytest.fixture(scope="module")
def came():
    """(status, output, errors) of a command. What two pages show of the same program is run once."""
    known: dict[tuple[str, ...], subprocess.CompletedProcess[str]] = {}

    def made(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
        key = (command, *(file.read_text() for file in sorted(folder.glob("*.py"))))
        return known.get(key) or known.setdefault(key, run(command, folder))

    return made


@pytest.mark.parametrize(
    ("page", "command", "shown"),
    [marked(page, session) for page in PAGES for session in sessions(page) if not of_the_slice(page, session[0])],
)
def test_a_session_of_a_page(page, command, shown, folders, came):
    done = came(command, folders(page))
    assert done.returncode in (0, 1), done.stderr[-2000:]
    lines = done.stdout.replace(f"{ROOT}/", "./").splitlines()
    missing = shown_in_order(shown, lines)
    assert missing is None, f"{page} shows {missing!r}; this came:\n{done.stdout}"


@pytest.mark.slow
def test_the_picture_of_the_readme_is_what_comes(came, folders):
    command, *shown = screen.text_of(screen.PICTURE.read_text(encoding="utf-8"))
    assert command == f"$ {screen.COMMAND}"
    lines = came(screen.COMMAND, folders("README.md")).stdout.splitlines()
    assert shown_in_order(shown, lines) is None, "run: python -m docs._build.screen"


def test_the_readme_is_one_screen_with_one_picture():
    assert len(TEXT.splitlines()) <= 45
    [picture] = re.findall(r"!\[([^\]]+)\]\(docs/([^)]+)\)", TEXT)
    assert ROOT / "docs" / picture[1] == screen.PICTURE
    shown = "\n".join(screen.text_of(screen.PICTURE.read_text(encoding="utf-8")))
    assert "\n  likely at fault: train.py:14 in <module>\n" in shown and "train.py:14" in picture[0]
    assert all(quoted in shown for quoted in re.findall(r'"([^"]+)"', picture[0]))


def test_a_picture_gives_back_its_lines():
    lines = ["$ x <&> y", "", "  \x1b[1;31mtwo\x1b[0m  words", "..."]
    assert screen.text_of(screen.draw(lines, "a & b")) == ["$ x <&> y", "", "  two  words", "..."]


def test_the_lines_of_the_example_are_those_that_the_pages_show():
    source = (ROOT / "docs/examples/forecast/train.py").read_text().splitlines()
    text = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    rows = re.findall(r"^    (\d\d) \| (.*)$", text, re.MULTILINE)
    assert rows and all(source[int(number) - 1] == code for number, code in rows)


def test_a_line_that_is_said_to_make_an_op_makes_it():
    text = (ROOT / "docs/study.md").read_text(encoding="utf-8")
    shown = re.findall(r"at \.?/?(\S+):(\d+) in \w+\n(?:.*\n){0,8}?\s+made by (\w+)", text)
    assert shown
    for file, line, op in shown:
        source = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        assert op.lower() in source.lower(), f"{file}:{line} makes no {op}"


def test_shown_in_order_can_fail():
    came = ["a", "b", "c", "d"]
    assert shown_in_order(["a", "...", "c", "d"], came) is None
    assert shown_in_order(["...", "b", "..."], came) is None
    assert shown_in_order(["a", "c"], came) == "c"
    assert shown_in_order(["...", "c", "...", "b"], came) == "b"


@pytest.mark.parametrize(
    "block", [*blocks("sh"), *blocks("sh", (ROOT / "docs/contents.md").read_text(encoding="utf-8"))]
)
def test_other_commands_are_sound(block, tmp_path):
    assert run(f"set -n\n{block}", tmp_path).returncode == 0
    for target in re.findall(r"^make (\S+)", block, re.MULTILINE):
        done = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "page",
    ["README.md", *PAGES, "CHANGELOG.md", "docs/cli.md", "docs/places.md", "docs/replay.md", "docs/architecture.md"],
)
def test_links_lead_somewhere_and_no_path_is_of_one_machine(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert link.startswith("https://") or (ROOT / page).parent.joinpath(link).exists(), link
    assert not re.search(r"/work/|/root/|/tmp/", text)


def test_every_command_and_option_is_described():
    described = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    for command in ("scan", "trace", "replay"):
        done = subprocess.run(
            [sys.executable, "-m", "xladoctor", command, "--help"], capture_output=True, text=True, check=True
        )
        options = set(re.findall(r"--[a-z][a-z-]+", done.stdout)) - {"--epochs", "--help"}
        assert {option for option in options if option not in described} == set()
    for command in ("scan", "trace", "replay", "explain", "rules", "env"):
        assert f"xladoctor {command}" in described


def test_the_decorator_of_the_docs_is_the_one_that_is_tested():
    (snippet,) = (block for block in blocks("python", (ROOT / "docs/places.md").read_text()) if "def watched" in block)
    assert snippet in (ROOT / "tests/patients/own_places/gears/watched.py").read_text()
