"""The pictures of docs/screens.md as the present version gives them: `python -m docs._build.screens [NAME...]`.

Each program is scanned in an empty folder, and reported. The console is drawn as `screen` draws it, the page by
Chromium, in few colours, so that a picture stays small. The pictures called `before` are of an older version, and stay.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from rich.text import Text

from docs._build.screen import draw, run

DOCS = Path(__file__).resolve().parents[1]
PICTURES = DOCS / "images" / "screens"
PAGE = (1120, 760)
COLOURS = 64
"""Of a picture of the page: text and its edges, boxes, accents."""


@dataclass(frozen=True)
class Screen:
    """A program below docs/examples, and what `scan` is asked besides."""

    program: str
    options: str = ""

    @property
    def name(self) -> str:
        return Path(self.program).stem


SCREENS = (
    Screen("forecast/train.py", "--try-edits "),
    *(
        Screen(f"failures/{name}.py")
        for name in ("kalman", "pairs", "survival", "sensor", "old", "distances", "pixels", "recommend", "inputs")
    ),
)


def console(screen: Screen, folder: Path) -> list[str]:
    """The lines of a scan in `folder`, from the first one of the doctor's on, with their colours."""
    source = DOCS / "examples" / screen.program
    for file in source.parent.glob("*.py" if screen.options else source.name):
        shutil.copy(file, folder)
    said = run(f"xladoctor scan {screen.options}-- python {source.name}", folder)
    shown = said.replace(f"{folder}{os.sep}", "").rstrip().split("\n")
    begin = max(n for n, line in enumerate(shown) if Text.from_ansi(line).plain.startswith("xladoctor: "))
    return shown[begin:]


def photograph(page: Path, picture: Path) -> None:
    """The first screen of a page, by Chromium, in few colours."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise SystemExit("docs._build.screens: there is no Chromium on PATH")
    subprocess.run(
        [found, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         f"--user-data-dir={page.parent / 'profile'}", f"--window-size={PAGE[0]},{PAGE[1]}",
         f"--screenshot={picture}", page.as_uri()],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    with Image.open(picture) as image:
        image.convert("RGB").quantize(COLOURS).save(picture, optimize=True)


def take(screen: Screen) -> None:
    """Both pictures of a program."""
    with tempfile.TemporaryDirectory(prefix="screen-") as name:
        folder = Path(name)
        drawn = draw(console(screen, folder), f"What scan says of {screen.name}.py, after")
        (PICTURES / f"{screen.name}-after.svg").write_text(drawn, encoding="utf-8")
        page = folder / "page.html"
        doctor = str(Path(sys.executable).with_name("xladoctor"))
        subprocess.run([doctor, "report", "last", "--output", page.name], cwd=folder, check=True, capture_output=True)
        photograph(page, PICTURES / f"{screen.name}-after.png")


def main(names: Sequence[str]) -> int:
    """The named pictures, or all of them."""
    for screen in SCREENS:
        if not names or screen.name in names:
            take(screen)
            print(screen.name, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
