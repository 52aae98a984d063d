"""Benches that judge the doctor by programs, one at a time: all of them, the named ones, or a sample."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from benchmarks import _results, _spread


class Answered(Protocol):
    """A row of such a bench: a program, and what the doctor said of it ("timeout" where it did not end)."""

    @property
    def name(self) -> str: ...
    @property
    def answer(self) -> str: ...


R = TypeVar("R", bound=Answered)


@dataclass(frozen=True)
class Programs(Generic[R]):
    """A bench: its module, what it writes, which programs there are, how one is judged, and what is said of it.

    `says` is the line of progress; `is_false` tells a row that makes the command end with 1.
    """

    module: str
    about: str | None
    file: str
    schema: str
    names: Callable[[], list[str]]
    is_held_out: Callable[[str], bool]
    judge: Callable[..., R]
    says: Callable[[R], str]
    is_false: Callable[[R], bool]
    as_data: Callable[[Sequence[R]], dict[str, Any]]
    as_markdown: Callable[[Sequence[R]], str]

    def measure(
        self,
        programs: Sequence[str],
        report: Callable[[str], None] = lambda line: None,
        jobs: int = 1,
        on: str = "local",
    ) -> list[R]:
        """Judge each of the programs, `jobs` of them at a time, or on a cluster: each runs in processes of its own."""
        return _spread.judged(
            self.module,
            [(name,) for name in programs],
            lambda row: report(f"{row.name}: {self.says(row)}"),
            jobs=jobs,
            on=on,
        )

    def sample(self, report: Callable[[str], None] = lambda line: None) -> list[R]:
        """Programs in the order of their hash, as many as a minute allows, without one that does not end in time."""

        def ended(name: str, left: float) -> R | None:
            row = self.judge(name, timeout=left)
            return None if row.answer == "timeout" else row

        rows: list[R] = []
        for row in _results.within_a_minute(self.names(), ended):
            rows.append(row)
            report(f"{row.name}: {self.says(row)}")
        return rows

    def markdown(self) -> str:
        """Judge all programs, write the results, and make the table."""
        rows = self.measure(self.names())
        _results.write(self.file, self.schema, self.as_data(rows))
        return self.as_markdown(rows)

    def main(self) -> int:
        """The named programs, a sample, or all of them; only all of them are written. 1 where an answer is false."""
        parser = argparse.ArgumentParser(prog=f"python -m {self.module}", description=self.about)
        parser.add_argument("names", nargs="*", metavar="PROGRAM", help="its name, or the beginning of it")
        parser.add_argument("--sample", action="store_true", help="chosen by hash; at most a minute")
        parser.add_argument("--held-out", action="store_true", help="only the programs that are held out")
        parser.add_argument("--seen", action="store_true", help="only the others")
        _spread.add_options(parser)
        options = parser.parse_args()

        def report(line: str) -> None:
            print(line, file=sys.stderr, flush=True)

        every = self.names()
        programs = [n for n in every if not options.names or any(n.startswith(word) for word in options.names)]
        if options.held_out or options.seen:
            programs = [name for name in programs if self.is_held_out(name) == options.held_out]
        rows = self.sample(report) if options.sample else self.measure(programs, report, options.jobs, options.on)
        print(self.as_markdown(rows))
        if rows and not options.sample and programs == every:
            print(f"written to {_results.write(self.file, self.schema, self.as_data(rows))}")
        return int(any(map(self.is_false, rows)))
