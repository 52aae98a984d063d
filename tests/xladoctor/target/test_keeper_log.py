"""The logs of the keeper: head and tail within a bound, one marked gap."""

from __future__ import annotations

import os
import re

import pytest

from xladoctor.target.keeper.log_file import LogFile, copy_region

GAP = re.compile(rb"\n\[xladoctor: (\d+) bytes of output are left out here\]\n")


def lines(count: int) -> bytes:
    return b"".join(b"line %d\n" % n for n in range(count))


def check(folder, log: LogFile, data: bytes, share: int) -> None:
    text = (folder / "out.log").read_bytes()
    assert [p.name for p in folder.iterdir() if p.name.startswith("out")] == ["out.log"], "no parts are left behind"
    assert len(text) <= share
    assert (log.size, log.lost) == (len(data), None)
    head, *rest = GAP.split(text)
    if not rest:
        assert text == data
        return
    dropped, tail = rest
    assert log.size - log.kept == int(dropped) == len(data) - len(head) - len(tail)
    assert data.startswith(head) and data.endswith(tail)
    assert len(head) == share // 4
    assert len(tail) >= share // 8


@pytest.mark.parametrize("chunk", [1, 7, 100, 1000, 1 << 16])
@pytest.mark.parametrize("count", [0, 1, 30, 100, 120, 150, 200, 3000])
def test_head_and_tail(tmp_path, chunk, count):
    data = lines(count)
    log = LogFile(str(tmp_path), "out.log", 1200)
    for at in range(0, len(data), chunk):
        log.write(data[at : at + chunk])
        assert sum(p.stat().st_size for p in tmp_path.iterdir()) <= 900
    log.finish()
    check(tmp_path, log, data, 1200)
    tail = GAP.split((tmp_path / "out.log").read_bytes())[-1]
    assert tail == b"" or tail.startswith(b"line "), "the tail begins with a line"


@pytest.mark.parametrize("count", [0, 1, 30, 100, 120, 150, 200, 3000])
def test_the_same_of_a_file(tmp_path, count):
    data = lines(count)
    (tmp_path / "source").write_bytes(b"before\n" + data)
    log = LogFile(str(tmp_path), "out.log", 1200)
    source = os.open(tmp_path / "source", os.O_RDONLY)
    copy_region(source, 7, 7 + len(data), log)
    os.close(source)
    log.finish()
    check(tmp_path, log, data, 1200)


def test_a_line_without_end(tmp_path):
    data = b"x" * 10_000
    log = LogFile(str(tmp_path), "out.log", 1200)
    log.write(data)
    log.finish()
    check(tmp_path, log, data, 1200)


def test_a_folder_that_is_not_there(tmp_path):
    log = LogFile(str(tmp_path / "gone"), "out.log", 1200)
    log.write(b"x" * 5000)
    log.finish()
    assert (log.size, log.kept, log.lost) == (5000, 0, "No such file or directory")


def test_a_log_never_takes_the_place_of_a_file(tmp_path):
    (tmp_path / "out.log").symlink_to(tmp_path / "other")
    log = LogFile(str(tmp_path), "out.log", 1200)
    log.write(b"x")
    log.finish()
    assert log.lost == "File exists"
    assert not (tmp_path / "other").exists()
