"""Which batch size to try next. Nothing is run here.

A search asks for sizes and is told which of them are bad; it ends when what it saw settles the rule, as far as few
tries can. One threshold among n sizes costs at most log2(n) + 4 tries: both ends, one size between them, the
bisection, and the neighbour on the far side of the boundary. That neighbour is what tells a threshold from "every
multiple of m": a bisection that is blind to multiples takes one for the other, so it also avoids sizes with small
factors.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Callable, Generator, Mapping, Sequence

SMALL = 24
"""Of so few sizes all are tried."""

Tried = Mapping[int, bool]
"""Size -> whether it is bad. Sizes that could not be run are not in it."""
Search = Generator[tuple[int, ...], Tried, None]

_PRIMES = (2, 3, 5, 7)
_NEAR = 24
_COMPOSITE = 5040


def search(sizes: Sequence[int], *, first: Sequence[int] = (), exhaustive: bool = False) -> Search:
    """Yields sizes to try (all of `sizes`, which ascend) and is sent everything that was tried so far.

    `first` are sizes that the recorded call really met: they are tried in any case.
    """
    if exhaustive or len(sizes) <= SMALL:
        yield tuple(sizes)
        return
    line = _Line(sizes)
    yield from line.ask(*[n for n in first if n in line.member], sizes[0], sizes[-1])
    yield from line.ask(line.nearest(int(math.sqrt(sizes[0] * sizes[-1])) + 1))
    known = line.seen()
    if len({bad for _, bad in known}) < 2:
        yield from _look_for_another(line, known[0][1] if known else False)
        known = line.seen()
    if len({bad for _, bad in known}) < 2:
        return
    yield from _boundary(line)
    if line.monotone():
        return
    yield from _multiples(line)


class _Line:
    """The sizes, and what is known of them."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = list(sizes)
        self.member = set(sizes)
        self.tried: Tried = {}
        self._asked: set[int] = set()

    def ask(self, *sizes: int) -> Search:
        """Have these tried, each once."""
        todo = tuple(dict.fromkeys(n for n in sizes if n in self.member and n not in self._asked))
        self._asked.update(todo)
        if todo:
            self.tried = yield todo

    def seen(self) -> list[tuple[int, bool]]:
        """What is known, in the order of size."""
        return sorted((n, bad) for n, bad in self.tried.items() if n in self.member)

    def monotone(self) -> bool:
        """Whether what was seen changes at most once from the smallest to the largest size."""
        return sum(a[1] != b[1] for a, b in self.pairs()) <= 1

    def nearest(self, size: int) -> int:
        """The member that is nearest to a size."""
        at = bisect_left(self.sizes, size)
        return min(self.sizes[max(0, at - 1) : at + 1], key=lambda n: abs(n - size))

    def after(self, size: int) -> int | None:
        """The next larger member."""
        at = bisect_left(self.sizes, size) + 1
        return self.sizes[at] if at < len(self.sizes) else None

    def before(self, size: int) -> int | None:
        """The next smaller member."""
        at = bisect_left(self.sizes, size) - 1
        return self.sizes[at] if at >= 0 else None

    def gap(self) -> tuple[int, int] | None:
        """The first two neighbours in what was seen that differ, as indices; None where they are neighbours in fact."""
        for (a, bad), (b, other) in self.pairs():
            if bad != other:
                low, high = bisect_left(self.sizes, a), bisect_left(self.sizes, b)
                if any(n not in self._asked for n in self.sizes[low + 1 : high]):
                    return low, high
        return None

    def middle(self, low: int, high: int) -> int:
        """A size between two indices that halves the rest, with as few small factors as there is choice for."""
        half = 1 << max(0, (high - low - 1).bit_length() - 1)
        window = range(max(low + 1, high - half), min(high - 1, low + half) + 1)
        open_ = [i for i in window if self.sizes[i] not in self._asked]
        if not open_:
            open_ = [i for i in range(low + 1, high) if self.sizes[i] not in self._asked]
        centre = (low + high) / 2
        near = sorted(open_, key=lambda i: abs(i - centre))[:_NEAR]
        return self.sizes[min(near, key=lambda i: (_smooth(self.sizes[i]), abs(i - centre)))]

    def pairs(self) -> list[tuple[tuple[int, bool], tuple[int, bool]]]:
        """Neighbours in what was seen."""
        known = self.seen()
        return list(itertools.pairwise(known))


def _boundary(line: _Line) -> Search:
    """Narrow the first change down to two neighbours, then look at the neighbours of those."""
    gap = line.gap()
    while gap is not None:
        yield from line.ask(line.middle(*gap))
        gap = line.gap() if line.monotone() else None
    change = next(((a, b) for (a, x), (b, y) in line.pairs() if x != y), None)
    if change is None or not line.monotone():
        return
    # A single multiple in the midst of others would look the same from one side.
    low, high = change
    beyond = line.after(high)
    if beyond is not None:
        yield from line.ask(beyond)
    elif line.sizes[-1] == high:
        # There is no other side. If the rule is about multiples of m, m divides the last size less one of its factors.
        for p in reversed(_factors(high)):
            yield from line.ask(high // p)
            if not line.monotone():
                return
    if line.sizes[0] > 1:
        yield from line.ask(*[n for n in (line.before(low),) if n is not None])


def _look_for_another(line: _Line, bad: bool) -> Search:
    """Everything so far was alike: sizes that between them are multiples of every number up to 20, and a few primes."""
    candidates = [n for n in line.sizes if n <= _COMPOSITE]
    left = {m for m in (*range(2, 21), 24, 32, 48, 64) if any(n % m == 0 for n in candidates)}
    left -= {m for m in left for n, _ in line.seen() if n % m == 0}
    while left:
        size = max(candidates, key=lambda n: sum(n % m == 0 for m in left))
        left -= {m for m in left if size % m == 0}
        yield from line.ask(size)
        if any(other != bad for _, other in line.seen()):
            return
    yield from line.ask(line.nearest(127), line.nearest(31))


def _multiples(line: _Line) -> Search:
    """What was seen goes back and forth: find m for "(not) a multiple of m", then try to break it."""
    for odd in (True, False):
        # The multiples are the bad ones, or the good ones.
        chosen = [n for n, bad in line.seen() if bad is odd]
        if not chosen:
            continue
        m = math.gcd(*chosen)
        if m > 1:
            # A divisor of the greatest common divisor may do too: divide while it stays of the same kind.
            smaller = True
            while smaller:
                smaller = False
                for p in _factors(m):
                    if m // p > 1 and m // p in line.member:
                        yield from line.ask(m // p)
                        if line.tried.get(m // p) is odd:
                            m, smaller = m // p, True
                            break
        if m > 1 and all((n % m == 0) is (bad is odd) for n, bad in line.seen()):
            top = line.sizes[-1] // m
            yield from line.ask(m - 1, m, m + 1, 3 * m, 3 * m + 1, 5 * m, top * m, top * m - 1)
            if all((n % m == 0) is (bad is odd) for n, bad in line.seen()):
                return


def _factors(number: int) -> list[int]:
    """The prime factors, each once."""
    found = []
    p = 2
    while p * p <= number:
        if number % p == 0:
            found.append(p)
            while number % p == 0:
                number //= p
        p += 1
    return found + ([number] if number > 1 else [])


def _smooth(size: int) -> int:
    """How many of the small primes divide a size: the fewer, the less a rule about multiples can hide."""
    return sum(1 << (len(_PRIMES) - i) for i, p in enumerate(_PRIMES) if size % p == 0)


def drive(sizes: Sequence[int], bad: Callable[[int], bool], **options: bool) -> dict[int, bool]:
    """Run a search against a function: what it tried, in that order."""
    steps = search(sizes, **options)  # type: ignore[arg-type]
    tried: dict[int, bool] = {}
    try:
        todo = next(steps)
        while True:
            tried.update({n: bad(n) for n in todo})
            todo = steps.send(tried)
    except StopIteration:
        return tried
