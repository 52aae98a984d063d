"""The page in a real browser, where there is one: it opens, light and dark, and prints; nothing is refused."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.xladoctor.report import samples
from tests.xladoctor.report.test_pictures import REPLAY
from xladoctor.report import View, render

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")]


def browse(page: Path, *options: str) -> str:
    """What the browser says on its error stream."""
    command = [
        CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
        f"--user-data-dir={page.parent / 'profile'}", *options, page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def corner(png: Path) -> tuple[int, int, int]:
    """The colour of the first pixel."""
    data, at, packed = png.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    first = zlib.decompressobj().decompress(packed, 16)
    # The filter of the first row adds nothing to its first pixel.
    return first[1], first[2], first[3]


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    rows = tuple(replace(row, call=n) for n in range(460) for row in samples.SHAPES)
    diagnosis = replace(samples.LOUD, shapes=rows)
    file = tmp_path_factory.mktemp("browser") / "page.html"
    assert len(rows) > 10_000
    file.write_text(render(diagnosis, "html", None, View(run_dir="runs/1", replays=(REPLAY,))))
    return file


def test_ten_thousand_rows_light_and_dark(page):
    seen = {}
    for number, scheme in ((1, "light"), (0, "dark")):
        png = page.with_name(f"{scheme}.png")
        said = browse(
            page, f"--blink-settings=preferredColorScheme={number}", f"--screenshot={png}", "--window-size=900,700"
        )
        assert not re.findall(r"CONSOLE.*", said), "the browser refuses nothing, and finds nothing odd"
        seen[scheme] = corner(png)
    assert seen == {"light": (255, 255, 255), "dark": (0x15, 0x18, 0x1C)}


def test_it_prints(page):
    pdf = page.with_name("page.pdf")
    browse(page, "--no-pdf-header-footer", f"--print-to-pdf={pdf}")
    data = pdf.read_bytes()
    assert data.startswith(b"%PDF-")
    assert 3 < len(re.findall(rb"/Type\s*/Page\b(?!s)", data)) < 60, "what is folded is not printed"


def test_that_a_refusal_is_seen(page):
    spoiled = page.with_name("spoiled.html")
    spoiled.write_text(
        render(samples.HEALTHY, "html").replace("<main", '<p style="color:red"></p><script>1</script><main')
    )
    said = browse(spoiled, f"--screenshot={page.with_name('spoiled.png')}")
    assert len(re.findall(r"CONSOLE.*Content Security Policy", said)) == 2
