"""The picture of the README: `python -m docs._build.screen` runs its example and draws the first screen that came.

A test runs the example again, and compares each line of the picture with what comes then.
"""

from __future__ import annotations

import html
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "images" / "scan.svg"
EXAMPLE = ROOT / "docs" / "examples" / "forecast"
COMMAND = "xladoctor scan -- python train.py"
COLUMNS = 80
THEME = TerminalTheme(
    (27, 31, 36), (226, 230, 234),
    [(27, 31, 36), (255, 138, 128), (98, 206, 130), (229, 192, 96), (120, 170, 255), (214, 150, 240), (110, 205, 220), (226, 230, 234)],
)  # fmt: skip
# Plain words of the system's own font: nothing is fetched, and the text can be read and searched.
FORMAT = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="LABEL">
<style>{styles}
.{unique_id}-matrix{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:{char_height}px}}
</style><defs>{lines}</defs><rect width="100%" height="100%" fill="#1b1f24" rx="6"/>
<g transform="translate(12,12)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""
_CODES = re.compile(r"\x1b\[[0-9;]*m")
_PIECE = re.compile(r'<text [^>]*\bx="([\d.]+)"[^>]*clip-path="url\(#t-line-(\d+)\)">(.*?)</text>', re.DOTALL)
_WIDTH = 12.2
"""Of a character, in the units of the picture."""


def first_screen(output: str) -> list[str]:
    """The lines of the root cause and of the first thing to do, with their colours; `...` stands for the others."""
    paragraphs = [part.split("\n") for part in output.strip("\n").split("\n\n")]
    plain = [[_CODES.sub("", line) for line in part] for part in paragraphs]
    cause = next(n for n, part in enumerate(plain) if any("Root cause" in line for line in part))
    todo = next(n for n, part in enumerate(plain) if part[0] == "What to do")
    end = next((n for n, line in enumerate(plain[todo]) if line.startswith("  2. ")), len(plain[todo]))
    return ["...", *paragraphs[cause], "", *paragraphs[todo][:end], "..."]


def draw(lines: Iterable[str], label: str) -> str:
    """The lines as an SVG of text."""
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="standard", legacy_windows=False
    )
    for line in lines:
        console.print(Text.from_ansi(line), soft_wrap=True, markup=False, highlight=False, emoji=False)
    svg = console.export_svg(title="", theme=THEME, code_format=FORMAT, unique_id="t")
    return svg.replace("LABEL", html.escape(label, quote=True))


def text_of(svg: str) -> list[str]:
    """The lines that a picture shows."""
    found: dict[int, str] = {}
    for x, number, said in _PIECE.findall(svg):
        before = found.get(int(number), "").ljust(round(float(x) / _WIDTH))  # blanks alone are not drawn
        found[int(number)] = before + html.unescape(said).replace("\xa0", " ")
    return [found.get(number, "").rstrip() for number in range(max(found, default=-1) + 1)]


def run(command: str, folder: Path) -> str:
    """What the command prints in a terminal of 80 columns, with its colours."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "PATH": path, "PYTHONPATH": str(ROOT)}
    coloured = shlex.split(command.replace(" scan ", " scan --color always "))
    return subprocess.run(
        coloured, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    ).stdout


def main() -> None:
    """Draw the picture."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = shutil.copytree(EXAMPLE, Path(scratch, "forecast"), ignore=shutil.ignore_patterns("__pycache__"))
        lines = first_screen(run(COMMAND, folder))
    PICTURE.write_text(draw([f"$ {COMMAND}", *lines], f"What {COMMAND} says of the example"), encoding="utf-8")


if __name__ == "__main__":
    main()
