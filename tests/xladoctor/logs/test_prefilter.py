"""The first pass loses nothing for its speed: in a large log every failure gets the diagnosis that it gets alone."""

from __future__ import annotations

import io
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.xladoctor.logs.dirt import DIRT
from tests.xladoctor.rules.fixtures import Fixture, public_fixtures, real_fixtures
from xladoctor.logs import blocks, prefilter, read_log, signatures
from xladoctor.logs.activity import Activity
from xladoctor.logs.blocks import ALONE, BLOCK, SMALL, lines_of, searched
from xladoctor.logs.literals import BARE, COMMON, LITERALS, MESSAGES, STRONG
from xladoctor.logs.matcher import newlines, scan
from xladoctor.logs.repeats import NEAR_END, OFTEN, OFTEN_STRONG
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings, literals

# Longer than what is looked at whole, and longer than what counts as the end of a log.
NOISE = b"".join(b"pattern %d of scan %d was put into the buffer\n" % (i, i % 7) for i in range(2 * NEAR_END // 40))
# Longer than what is looked at around a hit.
SOME = b"".join(NOISE.splitlines(keepends=True)[:90])
LOGS = [f for f in real_fixtures() if f.name.startswith("2.21/")] + list(public_fixtures())


def root(text: bytes) -> list[tuple[str, str, tuple[object, ...]]]:
    found = findings(Evidence("log", read_log(io.BytesIO(text), name="log", literals=literals())))
    return [(f.slug, f.level, f.dims) for f in found][:1]


def test_the_noise_is_noise() -> None:
    assert len(NOISE) > SMALL and scan(NOISE, len(NOISE)).hits == []


@pytest.mark.parametrize("number", range(len(DIRT) + 1), ids=["clean", *DIRT])
def test_dirty_failures_in_a_large_log_with_and_without_the_prefilter(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrapped, coloured, escaped: the same diagnosis. Each kind of dirt with a quarter of the logs, in turn."""
    make = [str, *DIRT.values()][number]
    logs = LOGS[number % 4 :: 4] if number else LOGS
    texts = {f.name: SOME + b"\n" + make(f.text).encode("utf-8", "surrogateescape") + b"\n" + SOME for f in logs}
    monkeypatch.setattr(blocks, "SMALL", 1 << 30)
    without = {name: root(text) for name, text in texts.items()}
    monkeypatch.setattr(blocks, "SMALL", 0)
    monkeypatch.setattr(prefilter, "NEAR_END", 0)
    assert {name: root(text) for name, text in texts.items()} == without


@pytest.mark.parametrize("fixture", LOGS[::9], ids=lambda f: f.name)
def test_a_failure_in_the_middle_of_a_large_log_is_what_it_is_alone(fixture: Fixture) -> None:
    text = fixture.text.encode()
    assert root(NOISE + b"\n" + text + b"\n" + NOISE) == root(text)


def test_every_signature_holds_a_literal() -> None:
    said = (*signatures._ERRORS, *signatures._WARNINGS)
    assert [text for text in said if not any(literal in text.encode() for literal in LITERALS)] == []


def test_the_matcher_can_be_fast() -> None:
    """Its vector search wants at most 64 patterns; it looks at four bytes of each."""
    assert len(set(LITERALS)) == len(LITERALS)
    assert max(len(COMMON), len(MESSAGES) + len(BARE)) <= 64
    assert min(map(len, (*LITERALS, *BARE))) >= 4
    assert set(range(len(COMMON))) > STRONG


@settings(deadline=None)
@given(st.lists(st.sampled_from([*LITERALS, b"\n", b" ", b"x", b"rro", b"\x1b[31m", b"\xc3\xa9"]), max_size=60))
def test_lines_with_hits_are_the_lines_that_hold_a_literal(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    block = scan(data, len(data))
    assert block.hits is not None
    hit = {block.data.count(b"\n", 0, start) for _, start, _ in block.hits}
    lines = data.replace(b"\x1b[31m", b"").split(b"\n")
    assert hit == {i for i, line in enumerate(lines) if any(literal in line for literal in LITERALS)}


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(0, 300))
def test_line_ends_are_counted_up_to_the_end_of_the_block(data: bytes, end: int) -> None:
    import numpy  # noqa: F401 - the other way to count, once the block is large

    end = min(end, len(data))
    assert newlines(data, end) == data[:end].count(b"\n")
    large = data + b"ab\n" * (1 << 15)
    assert newlines(large, len(large)) == large.count(b"\n")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(999, 200_000), min_size=1, max_size=8), st.integers(0, 3))
def test_however_a_stream_is_cut_its_lines_are_the_same(cuts: list[int], threads: int) -> None:
    data = NOISE + b"ValueError: here\n" + NOISE + b"no line end"
    chunks = []
    sizes = itertools.cycle(cuts)
    at = 0
    while at < len(data):
        size = next(sizes)
        chunks.append(data[at : at + size])
        at += size
    activity = Activity()
    [region] = prefilter.hot_regions(searched(lines_of(chunks), threads), activity)
    activity.finish()
    number = 1 + NOISE.count(b"\n")
    assert (number, b"ValueError: here") in region
    assert [n for n, _ in region] == list(range(number - prefilter.BEFORE, number + prefilter.AFTER))
    assert activity.lines == 2 * NOISE.count(b"\n") + 2


def test_threads_and_files_give_the_same(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """A file so large that several blocks are under way at once, with lines across every border."""
    unit = b"pattern of the scan\n" * 5000 + b"KeyError: 'a'\n" + b"W0000 1 a.cc:1] failed to do it\n" + b"Epoch 2/3\n"
    log = tmp_path / "large.log"
    log.write_bytes(unit * ((ALONE + 8) * BLOCK // len(unit)) + b"TypeError: the last\nno line end")
    found = [read_log(log, threads=n) for n in (1, 3)]
    found.append(read_log(io.BytesIO(log.read_bytes()), name=str(log), threads=1))
    assert found[0] == found[1] == found[2]
    assert found[0].lines == log.read_bytes().count(b"\n") + 1 and found[0].size == log.stat().st_size
    assert [(r.exception, r.ended_run) for r in found[0].records if r.level == "error"] == [
        ("KeyError", False),
        ("TypeError", True),
    ]
    assert found[0].records[-1].where == f"{log}:{found[0].lines - 1}"


def test_a_line_that_comes_again_and_again_is_let_go_by_but_not_at_the_end() -> None:
    looked = []
    for kind, often in ((b"it failed again: %d\n", OFTEN), (b"ValueError: try %d\n", OFTEN_STRONG)):
        unit = b"nothing to see here\n" * 200
        data = b"".join(unit + kind % i for i in range(600)) + NOISE
        at_end = data + kind % 1
        for text, more in ((data, 0), (at_end, 1)):
            lines = [line for region in prefilter.hot_regions(searched(lines_of([text]))) for _, line in region]
            looked.append(sum(line.startswith(kind[:10]) for line in lines) - often - more)
    assert looked == [0, 0, 0, 0]


def test_another_warning_is_seen_among_thousands_of_the_same() -> None:
    same = b"".join(b"W0000 00:01 1 a.cc:9] failed call number %d to the driver\n" % i for i in range(5000))
    other = b"W0000 00:01 1 a.cc:9] failed call to another driver, which is not there\n"
    regions = prefilter.hot_regions(searched(lines_of([same + other + same + NOISE])))
    assert any(line == other.rstrip() for region in regions for _, line in region)


def test_what_stands_around_a_hit_is_kept_of_a_line_without_end() -> None:
    filler = b"words and words " * 20_000
    text = filler + b"\\nValueError: Cannot reshape a tensor with 4 elements to shape [5] (5 elements)\\n" + filler
    found = findings(Evidence("log", read_log(io.BytesIO(text + b"\n" + NOISE), name="log")))
    assert [(f.slug, f.level) for f in found] == [("reshape-mismatch", "error")]


def test_training_that_went_on_below_an_error_is_seen_however_far_below() -> None:
    quiet = b"step of the training\n" * 100_000
    for below, ended in ((quiet, True), (quiet + b"Epoch 7/9\n" + quiet, False)):
        [record] = read_log(io.BytesIO(b"Epoch 1/9\nValueError: x\n" + below), name="log").records
        assert record.ended_run is ended


def test_near_the_end_the_last_of_a_warning_that_comes_again_are_looked_at_and_every_error() -> None:
    quiet = "nothing of note\n" * 100
    warning = "WARNING:tensorflow:{} out of the last {} calls triggered tf.function retracing.\n"
    error = "ValueError: Dimensions must be equal, but are {} and 4\n"
    said = [warning.format(n, n) if n % 20 else error.format(n) for n in range(1, 100)]
    evidence = read_log(io.BytesIO(quiet.join(said).encode()))
    warned = [int(r.text.split(":")[2].split()[0]) for r in evidence.records if r.level == "warning"]
    assert warned == [*range(1, 1 + OFTEN), *range(100 - OFTEN, 100)]
    assert [r.text.split()[6] for r in evidence.records if r.level == "error"] == ["20", "40", "60", "80"]
