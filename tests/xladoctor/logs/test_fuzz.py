"""Arbitrary bytes: never a crash, never a hang, always bounded."""

from __future__ import annotations

import io
import time
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.xladoctor.rules.fixtures import public_fixtures, real_fixtures
from xladoctor.logs import UnreadableLog, blocks, prefilter, read_log
from xladoctor.logs.live import LiveLog
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings

PIECES = [
    line for f in (*public_fixtures(), *real_fixtures()[::9]) for line in f.text.splitlines()[-12:] if line.strip()
]
QUICK = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])


def scan(data: bytes) -> None:
    try:
        evidence = read_log(io.BytesIO(data), name="log")
    except UnreadableLog:
        return
    for record in evidence.records:
        assert record.where.startswith("log:")
    findings(Evidence(source="log", log=evidence))


@QUICK
@given(st.binary(max_size=4000))
def test_any_bytes(data: bytes) -> None:
    scan(data)


@QUICK
@given(
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=80)), max_size=30),
    st.sampled_from(["\n", "\r", "\r\n", "\\n", " "]),
)
def test_pieces_of_real_messages(lines: list[str], joint: str) -> None:
    scan(joint.join(lines).encode("utf-8", "surrogatepass"))


@QUICK
@given(st.sampled_from(real_fixtures()), st.data())
def test_damaged_fixtures(fixture, data) -> None:  # type: ignore[no-untyped-def]
    raw = fixture.text.encode()
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    scan(raw[:start] + data.draw(st.binary(max_size=20)) + raw[end:])


@QUICK
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=80)), max_size=30), st.data())
def test_any_bytes_in_a_large_log_and_in_one_that_grows(lines: list[str], data: st.DataObject) -> None:
    """The search of large logs and the following of growing ones take what small logs never show them."""
    raw = b"\n".join([*(line.encode("utf-8", "surrogatepass") for line in lines), data.draw(st.binary(max_size=500))])
    regions = list(prefilter.hot_regions(blocks.searched([(raw[: len(raw) // 2], len(raw) // 2), (raw, len(raw))])))
    assert all(number >= 1 for region in regions for number, _ in region)
    live = LiveLog("log")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    for start, end in pairwise([0, *cuts, len(raw)]):
        live.feed(raw[start:end])
        if data.draw(st.booleans()):
            live.settle()
        findings(Evidence(source="log", log=live.evidence()))
    evidence = live.close()
    assert evidence.lines == raw.count(b"\n") + (raw != b"" and not raw.endswith(b"\n"))


INVISIBLE = "\u202e\u2066\u200b\ufeff"
CONTROLS = [chr(n) for n in (*range(32), 127, *range(128, 160))]
CODES = st.sampled_from([*CONTROLS, *INVISIBLE, "\x1b[2J", "\x1b]0;x\x07", "\n"])


@QUICK
@given(st.lists(st.one_of(st.sampled_from(PIECES), CODES), max_size=40))
def test_control_codes_never_reach_a_terminal_or_a_page(parts: list[str]) -> None:
    from xladoctor.diagnosis.engine import diagnose
    from xladoctor.report import FORMATS, render
    from xladoctor.report.findings_live import render as live
    from xladoctor.report.page import Page

    try:
        evidence = read_log(io.BytesIO("".join(parts).encode()), name="log")
    except UnreadableLog:
        return
    diagnosis = diagnose(Evidence(source="log", log=evidence))
    shown = [render(diagnosis, format) for format in FORMATS]
    shown += [live(finding, Page()) for finding in diagnosis.findings]
    for text in shown:
        bad = {
            c
            for c in text
            if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c in "\u202e\u2066\u200b\ufeff"
        }
        assert not bad, bad


@pytest.mark.parametrize(
    "unit",
    [
        b"[[{{node ",
        b"(",
        b"[",
        b"Traceback (most recent call last):\n",
        b'  File "',
        b"\\n",
        b"\r",
        b"\x1b[",
        b"<span ",
        b"&lt;",
        b"Error: ",
        b"Dimensions must be equal, but are ",
        b"a.",
        b"Input to reshape is a tensor with 1",
        b"> ",
        b"1: ",
        b"# ",
        b"[[",
        b"]]",
        b"{{function_node ",
        b"Incompatible shapes: [1,",
        b"with input shapes: [1],",
        b"=",
        b" ",
        b"\x00",
        b"\xff",
        b"During handling of the above exception\n",
        b"must be a compile-time constant ",
        b"libdevice ",
        b"ptxas ",
        b"loop body do not match: (",
    ],
)
def test_repetition_is_linear(unit: bytes) -> None:
    """No catastrophic regular expression: eight times the text costs about eight times as much, not sixty-four."""

    def cost(size: int, lines: bool) -> float:
        piece = unit * 30 + b"\n" if lines else unit
        data = piece * (size // len(piece))
        started = time.process_time()
        scan(b"RuntimeError: x\n" + data)
        scan(b"tensorflow.errors.InvalidArgumentError: " + data)
        return time.process_time() - started

    # Of one line no more is read than some thousand characters: a longer one would hide how its cost grows.
    for lines, size in ((False, 1_500), (True, 25_000)):
        small, large = cost(size, lines), cost(8 * size, lines)
        assert large < 24 * max(small, 0.01), (small, large)


def test_memory_is_bounded() -> None:
    class Endless(io.RawIOBase):
        """64 MB of log, a failing line on every hundredth, made as it is read."""

        def __init__(self) -> None:
            self.left = 64
            self.block = (
                b"step 1 loss 0.5 and some more words to fill\n" * 99 + b"W0000 00:00:1.1 1 a.cc:1] Failed to do it\n"
            ) * 230

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            return self.block if self.left >= 0 else b""

    tracemalloc.start()
    evidence = read_log(Endless(), name="log")  # type: ignore[arg-type]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert evidence.size > 60_000_000
    assert peak < 60_000_000
