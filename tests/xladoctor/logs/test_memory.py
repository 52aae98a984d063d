"""The memory of `scan` does not grow with the log, whatever the log is like: measured in a process of its own."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path

import pytest
import zstandard

from tests.xladoctor.rules.fixtures import real_fixtures

pytestmark = pytest.mark.slow

LIMIT = 200 << 20
MEASURE = """
import sys
from xladoctor.__main__ import main
status = main(["scan", "--quiet", *sys.argv[1:]])
# Not ru_maxrss: that begins with what the parent had when it forked.
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
print(status, peak * 1024)
"""
PLAIN = b"".join(b"step %d of the training, loss 0.%04d\n" % (i, i % 9999) for i in range(100_000))
WARNING = PLAIN[:4000] + b"W0000 00:00:1.1 1 a.cc:1] Failed to do it\n"
ERROR = next(f.text for f in real_fixtures() if f.name == "2.21/reshape_jit").encode()


def unlike() -> Iterator[bytes]:
    """Errors of which no two are alike."""
    number = 0
    while True:
        names = (f"{number + i:x}".translate(str.maketrans("0123456789", "ghijklmnop")) for i in range(2000))
        number += 2000
        yield "".join(f"ValueError: {name} is not what was expected\n" for name in names).encode()


def packed(pack: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """Members (or frames) one after the other, as log rotation appends them."""
    return repeat(pack(PLAIN + ERROR + PLAIN))


LOGS: dict[str, tuple[Callable[[], Iterator[bytes]], int]] = {
    "plain.log": (lambda: repeat(PLAIN + ERROR), 400 << 20),
    "warnings.log": (lambda: repeat(WARNING), 300 << 20),
    "one-line.log": (lambda: repeat(b"words without end, which failed again "), 80 << 20),
    "unlike.log": (unlike, 20 << 20),
    "many.log.gz": (lambda: packed(gzip.compress), 40 << 20),
    "many.log.zst": (lambda: packed(zstandard.compress), 40 << 20),
    "dense.log.gz": (lambda: repeat(gzip.compress(b"x" * (64 << 20))), 250 << 10),
    "utf-16.log": (lambda: iter([b"\xff\xfe", *[PLAIN.decode().encode("utf-16-le")] * 20]), 1 << 40),
}


@pytest.mark.parametrize("name", LOGS)
def test_peak_memory(name: str, tmp_path: Path) -> None:
    make, size = LOGS[name]
    log = tmp_path / name
    with log.open("wb") as handle:
        written = 0
        for part in make():
            written += handle.write(part)
            if written > size:
                break
    done = subprocess.run([sys.executable, "-c", MEASURE, str(log)], capture_output=True, text=True, check=True)
    status, peak = map(int, done.stdout.split()[-2:])
    log.unlink()
    assert done.stderr == "" and status in (0, 1)
    assert peak < LIMIT, f"{peak >> 20} MB for {written >> 20} MB"
