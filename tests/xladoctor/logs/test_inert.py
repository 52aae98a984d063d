"""Lines of a kind that was seen before are passed by: what a log shows is the same as if each were looked at."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Iterator

import pytest

from benchmarks._fleet_logs import text_of
from tests.xladoctor.logs.dirt import DIRT
from tests.xladoctor.rules.fixtures import public_fixtures, real_fixtures
from xladoctor.logs import read_log
from xladoctor.logs.clean import KINDS
from xladoctor.logs.inert import Inert, inert_by
from xladoctor.model.evidence import LogEvidence
from xladoctor.rules import literals

PROGRESS = "".join(f"Epoch {n}/9\n  {n}/90 [=====>....] - loss: 0.{n}31 - acc: 0.5\n" for n in range(1, 9))
BETWEEN = PROGRESS + "2026-01-06 10:15:12 INFO read 40 files, none of them found\n" + "step 7 done\n" * 70
# Each kind of dirt needs some seconds for all logs; together they meet every log.
DIRTY = [name for name in DIRT if name not in ("clean",)]


def read(text: str | bytes) -> LogEvidence:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return read_log(io.BytesIO(data), name="log", allow_empty=True, literals=literals())


def other_digits(text: str, seed: int) -> str:
    pick = random.Random(seed)
    return re.sub(r"[0-9]", lambda _: str(pick.randrange(10)), text)


def texts() -> Iterator[str | bytes]:
    """Recorded and published failures: as they are, amid a training, dirty in one way each, with other digits; and
    logs of a fleet.
    """
    fixtures = [*(f for f in real_fixtures() if f.name.startswith("2.21/")), *public_fixtures()]
    for number, fixture in enumerate(fixtures):
        text = fixture.text if isinstance(fixture.text, str) else fixture.text.decode("utf-8", "replace")
        if number % 3 == 0:
            yield text
        elif number % 3 == 1:
            yield DIRT[DIRTY[number // 3 % len(DIRTY)]](PROGRESS + text).encode("utf-8", "surrogateescape")
        else:
            yield other_digits(BETWEEN + text + "\n" + BETWEEN, number)
    for number in range(30):
        yield text_of(number, fails=number % 3 == 0)
        yield other_digits(text_of(number, fails=number % 2 == 0), number)


def looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on every line is looked at."""
    monkeypatch.setattr("xladoctor.logs.read.clean_by_kind", lambda region: None)
    monkeypatch.setattr(Inert, "all_quiet", lambda self, data: False)


def test_what_is_passed_by_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = list(texts())
    quick = [read(text) for text in logs]
    looked_at(monkeypatch)
    for text, found in zip(logs, quick, strict=True):
        assert found == read(text)


def test_the_test_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    inert_by.cache_clear()
    monkeypatch.setattr(Inert, "_means_something", lambda self, text, cpp: "Traceback" in text)
    text = "W tensorflow/x.cc:1] one\nKilled\nW0000 00:00:1767694500.000001    42 op.cc:9] OP_REQUIRES failed\n"
    quick = read(text)
    inert_by.cache_clear()
    looked_at(monkeypatch)
    assert quick != read(text)


@pytest.mark.parametrize(
    "line",
    [
        "tf2xla conversion failed while converting f",  # a digit in the words of an error
        "Epoch 1/2Killed",
        "I0000 00:00:1767694500.000001    42 op.cc:9] RET_CHECK failure",
        'File "a.py", line 3, in f',
        "step 3: all 12 inputs must match",
    ],
)
def test_a_line_that_means_something_is_not_inert(line: str) -> None:
    kind = KINDS.of(line.encode())
    assert kind is None or not inert_by(()).judge(kind)
    assert not inert_by(()).all_quiet(f"step 1\n{line}\n".encode())


def test_a_healthy_log_is_quiet_as_a_whole() -> None:
    """This is what makes a fleet of healthy logs cheap: were it not so, the answers would be the same."""
    assert all(inert_by(literals()).all_quiet(text_of(number, fails=False).encode()) for number in range(5))


def test_lines_that_a_terminal_broke_are_not_quiet() -> None:
    """The parts of a broken line mean nothing by themselves."""
    words = "loss is fine and so are all of these words that go on and on up to the width of a screen, Traceb"
    broken = "\n".join(f"{letter}{words}"[:80] + "\n" + words[79:] for letter in "abcdef")
    assert not inert_by(()).all_quiet(broken.encode())
