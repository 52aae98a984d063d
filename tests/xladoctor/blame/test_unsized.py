"""Blame for failures that no size explains: what was selected, what has a strange type, what was kept too long."""

from __future__ import annotations

import textwrap

import pytest

from xladoctor.blame.bindings import Line, index
from xladoctor.blame.crash import Crash, Frame
from xladoctor.blame.slices import hops
from xladoctor.blame.unsized import of_unsized
from xladoctor.sources.files import Files

from .programs import MAIN


def suspected(source: str, *pieces: str, slug: str, message: str = "", **dtypes: str) -> dict[str, float]:
    """The lines that something speaks against, by their source; each piece is of a call that was under way."""
    rows = textwrap.dedent(source).strip().split("\n")
    files = Files({MAIN: "\n".join(rows)}.get, ("/work",))
    at: list[Line] = [(MAIN, next(i for i, row in enumerate(rows, 1) if piece in row)) for piece in pieces]
    frames = tuple(Frame(f, line, files.function(f, line) or "<module>", {}, dtypes) for f, line in at)
    crash = Crash(frames, message, slug=slug)
    found = of_unsized(hops(index(files, MAIN), crash), crash, files)
    return {rows[one.line - 1].strip(): one.weight for one in found}


TABLE = """
POOLS = {
    "sorted": lambda x: tf.math.segment_mean(x, IDS),
    "plain": lambda x: tf.math.unsorted_segment_mean(x, IDS, 3),
}
CONFIG = {
    "width": 3,
    "pool": "sorted",
}
def pooled(x):
    return POOLS[CONFIG["pool"]](x)
pooled(load())
"""


def test_the_word_that_selects_what_failed_is_suspect() -> None:
    assert suspected(TABLE, "segment_mean(x, IDS),", slug="unsupported-op") == {'"pool": "sorted",': 7.6}


@pytest.mark.parametrize("slug", ["broadcast-mismatch", "not-xla"])
def test_what_selects_is_no_suspect_of_another_failure(slug: str) -> None:
    assert not suspected(TABLE, "segment_mean(x, IDS),", slug=slug)


def test_a_registered_stage_of_rows_that_depend_on_data() -> None:
    source = """
    STAGES = {}
    @stage
    def gaps(x):
        return tf.boolean_mask(x, x > 0)
    @stage
    def scaled(x):
        return x / 2
    ORDER = ["scaled", "gaps"]
    def score(x):
        for name in ORDER:
            x = STAGES[name](x)
        return total(x)
    score(load())
    """
    found = suspected(source, "score(load", "return total(x)", slug="dynamic-dimension-unsupported")
    assert set(found) == {"return tf.boolean_mask(x, x > 0)", 'ORDER = ["scaled", "gaps"]'}


TYPES = """
def matrix(table):
    return table.join(flags).to_numpy()
def target(table):
    return table["y"].to_numpy(dtype="float32")
def learn(x, y, n=1):
    model.fit(x, y)
table = load()
x, y = matrix(table), target(table)
learn(x, y)
"""


def test_an_operand_with_a_type_of_no_numbers_leads_to_its_maker() -> None:
    calls = ("learn(x, y)", "model.fit")
    found = suspected(TYPES, *calls, slug="not-xla", message="Invalid dtype: object", x="object", y="float32")
    assert found == {"return table.join(flags).to_numpy()": 7.0, "x, y = matrix(table), target(table)": 6.4}
    assert not suspected(TYPES, *calls, slug="not-xla", message="Bad value", x="float32", y="float32")
    assert not suspected(TYPES, *calls, slug="not-xla", message="must be a string or a number", x="string", y="float32")


def test_the_wider_of_two_types_is_the_stranger() -> None:
    source = """
    def spectrum(rows):
        return np.fft.fft(rows * np.hanning(8))
    def search(rows):
        spectra = spectrum(rows)
        kernel = weights()
        return tf.matmul(spectra, kernel)
    search(load())
    """
    found = suspected(
        source, "search(load", "return tf.matmul", slug="dtype-mismatch",
        message="must be complex128 and is complex64", spectra="complex128", kernel="complex64",
    )  # fmt: skip
    assert found == {"return np.fft.fft(rows * np.hanning(8))": 7.0, "spectra = spectrum(rows)": 6.4}


KEPT = """
class Log:
    def __init__(self):
        self.rows = []
    def note(self, row):
        self.rows.append(row)
    def last(self):
        return float(self.rows[-1])
log = Log()
@tf.function
def step(x):
    loss = tf.reduce_sum(x)
    log.note(loss)
    parts = []
    parts.append(loss)
    return loss
step(load())
log.last()
"""


def test_what_keeps_a_traced_tensor_is_suspect() -> None:
    found = suspected(
        KEPT, "log.last()", "return float", slug="not-xla", message="float() argument must be, not 'SymbolicTensor'"
    )
    assert found.get("self.rows.append(row)") == 7.0
    assert "parts.append(loss)" not in found
    assert "self.rows = []" not in found


def test_nothing_is_kept_too_long_in_another_failure() -> None:
    assert not suspected(KEPT, "log.last()", "return float", slug="not-xla", message="list index out of range")
