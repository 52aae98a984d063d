"""`read_log`: one or several logs to `LogEvidence`, streamed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, cast

from xladoctor.logs.activity import Activity
from xladoctor.logs.blocks import searched
from xladoctor.logs.clean import Clean, clean_by_kind, clean_lines
from xladoctor.logs.endings import is_progress, is_stamped
from xladoctor.logs.inert import inert_by
from xladoctor.logs.kinds import Kind
from xladoctor.logs.matcher import Block
from xladoctor.logs.prefilter import hot_regions
from xladoctor.logs.segment import Segmenter
from xladoctor.logs.skip import Left, left_of, text_of
from xladoctor.logs.source import Source, UnreadableLog
from xladoctor.model.evidence import ErrorRecord, LogEvidence

ERRORS, WARNINGS, STREAMS, LAST = 300, 100, 256, 50


def read_log(
    logs: str | Path | IO[bytes] | Sequence[str | Path | IO[bytes]],
    *,
    name: str | None = None,
    allow_empty: bool = False,
    threads: int | None = None,
    literals: Sequence[str] = (),
) -> LogEvidence:
    """Read logs (paths or binary streams; plain, gzip, zstd, UTF-16) in one pass and with bounded memory.

    `name` names a single stream in `where`. Raises `UnreadableLog` for what cannot be opened, is damaged from
    its first byte on,
    or (unless `allow_empty`) holds nothing at all. Any bytes are a log: what cannot be decoded is replaced.
    `literals` (of plug-ins) are looked for besides the doctor's own: a line that holds one is an error.
    `threads` search large logs (as many as there are processors, at most four, where nothing is said).

    `facts` may hold: `xla_compiled` (TensorFlow said so), `unfinished` (its last line has no end),
    `flags` ({variable: {value, where}}), `went_on`
    ({where of a record: True}: training went on below it), `repeats` ({where of a
    record: how often it came}), `dropped_records` (beyond the bounds), `damaged` ({log: why it could be read in part
    only}), `survived` (the same, where the order of the lines is
    sure), `last_words` ({where of a line of the runtime: True}: nothing below it shows that the program still works).
    """
    several = logs if isinstance(logs, Sequence) and not isinstance(logs, str) else [logs]
    parts = [_read_one(log, name, threads, tuple(literals)) for log in several]
    if not allow_empty and not any(size for _, size, _ in parts):
        raise UnreadableLog(", ".join(shown for shown, *_ in parts) or "log", "is empty")
    return evidence_of(parts)


def evidence_of(parts: Sequence[tuple[str, int, Collector]]) -> LogEvidence:
    """What several logs (name, bytes, what was gathered) show together."""
    records: list[ErrorRecord] = []
    facts: dict[str, Any] = {}
    for _, _, collector in parts:
        records += collector.records()
        for key, value in collector.facts.items():
            facts.setdefault(key, value) if not isinstance(value, dict) else facts.setdefault(key, {}).update(value)
    version = next((c.activity.version for *_, c in parts if c.activity.version), None)
    return LogEvidence(
        source=", ".join(shown for shown, *_ in parts),
        records=tuple(records),
        tensorflow_version=version,
        lines=sum(collector.activity.lines for _, _, collector in parts),
        size=sum(size for _, size, _ in parts),
        facts=facts,
        bare=tuple(words for *_, collector in parts for words in collector.bare()),
    )


def _read_one(
    log: str | Path | IO[bytes], name: str | None, threads: int | None, literals: tuple[str, ...]
) -> tuple[str, int, Collector]:
    if isinstance(log, (str, Path)):
        source = Source(str(log))
        if os.path.isdir(log):  # noqa: PTH112 - a Path costs more than the call
            raise UnreadableLog(str(log), "is a directory, not a log")
    else:
        source = Source(name or str(getattr(log, "name", None) or "<stdin>"), log)
    collector = Collector(source.name, literals)
    more = tuple(literal.encode() for literal in literals)
    blocks = collector.unless_quiet(searched(source.blocks(), threads, more))
    for region in hot_regions(blocks, collector.activity):
        collector.take(region)
    collector.close()
    if source.binary:
        collector.facts["binary"] = {source.name: True}
    if source.damaged:
        collector.facts["damaged"] = {source.name: source.damaged}
    return source.name, source.size, collector


class Collector:
    """Gathers records of one log: a segmenter a stream, repeats grouped, numbers bounded."""

    def __init__(self, source: str, literals: tuple[str, ...] = ()) -> None:
        self.activity = Activity()
        self._literals = literals
        self._inert = inert_by(literals)
        self.facts: dict[str, Any] = {}
        self._source = source
        self._streams: dict[str | None, Segmenter] = {}
        self._errors: dict[tuple[str | None, str, str | None], ErrorRecord] = {}
        self._warnings: dict[tuple[str | None, str], ErrorRecord] = {}
        self._order: dict[str, int] = {}
        # Behind prefixes and in labelled streams, as far as the lines are looked at; `activity` sees the plain ones.
        self._epochs: dict[str | None, int] = {}
        # First and last line of progress, and that last line as it stands in the log.
        self._progress: dict[str | None, tuple[int, int, bytes]] = {}
        self._repeats: dict[str, int] = {}
        self._dropped = 0
        self._previous = 0

    def unless_quiet(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks of a whole log. Of a small one of which no line means anything, none has to be looked at."""
        for block in blocks:
            quiet = block.hits is None and self._inert.all_quiet(block.data)
            yield block._replace(quiet=True) if quiet else block

    def take(self, region: list[tuple[int, bytes]]) -> None:
        """One run of consecutive lines."""
        if not region:
            return
        if region[0][0] != self._previous + 1:
            for segmenter in self._streams.values():
                segmenter.gap()
        self._previous = region[-1][0]
        kinds = clean_by_kind(region)
        if kinds is not None:
            self._take_by_kind(region, kinds)
            return
        first = region[0][0]
        for line in clean_lines(region):
            self._feed(line, region[line.number - first][1])

    def _feed(self, line: Clean, raw: bytes) -> None:
        stream = line.stream
        if stream not in self._streams and len(self._streams) >= STREAMS:
            stream = None
        self._segmenter(stream).feed(line)
        if is_progress(line.text):
            self._saw_progress(stream, line.number, line.text, raw)

    def _segmenter(self, stream: str | None) -> Segmenter:
        if stream not in self._streams:
            self._streams[stream] = Segmenter(self._source, stream, self._add, self._literals)
        return self._streams[stream]

    def _take_by_kind(self, region: list[tuple[int, bytes]], kinds: list[Kind | list[Clean]]) -> None:
        """The same of lines that do not change each other: inert ones, met while nothing is open, are passed by."""
        inert = self._inert.judge_all(kinds)
        inert.append(False)
        plain = self._segmenter(None)
        at, count = 0, len(region)
        while at < count:
            kind, (number, raw) = kinds[at], region[at]
            if isinstance(kind, list):
                for line in kind:
                    self._feed(line, raw)
            elif inert[at] and plain.idle:
                end = inert.index(False, at)
                self._pass_by(plain, left_of(region, cast("list[Kind]", kinds[at:end]), at, end), region)
                at = end
                continue
            elif inert[at] and plain.outside:
                plain.feed_inert(number, text_of(raw, kind), kind)
                if kind.progress:
                    self._saw_progress(None, number, kind.clean, raw)
            else:
                self._feed(Clean(number, text_of(raw, kind)), raw)
            at += 1

    def _pass_by(self, segmenter: Segmenter, left: Left, region: list[tuple[int, bytes]]) -> None:
        segmenter.pass_by(left.recent, left.above, left.worked)
        first, last = left.progress
        if left.epoch >= 0:
            self._epochs[None] = region[left.epoch][0]
        for at in (first, last) if first >= 0 else ():
            self._saw_progress(None, region[at][0], "", region[at][1])

    def _saw_progress(self, stream: str | None, number: int, text: str, raw: bytes) -> None:
        if text.startswith("Epoch "):
            self._epochs[stream] = number
        known = self._progress.get(stream)
        self._progress[stream] = known[0] if known else number, number, raw

    def bare(self) -> list[ErrorRecord]:
        """The words outside of any error, where there is no error."""
        if self._errors:
            return []
        return [words for segmenter in self._streams.values() for words in segmenter.bare.records()]

    def settle(self) -> None:
        """Finish what is open, in the middle of a log that is still being written."""
        for segmenter in self._streams.values():
            segmenter.finish()

    @property
    def count(self) -> int:
        """How many records came, repetitions left out."""
        return len(self._order)

    def close(self) -> None:
        """Finish what is open."""
        self.activity.finish()
        for segmenter in self._streams.values():
            segmenter.finish(at_end=True)
        ends = {where: True for segmenter in self._streams.values() for where in segmenter.last_words}
        if ends:
            self.facts["last_words"] = ends
        if self.activity.compiled:
            self.facts["xla_compiled"] = True
        if self.activity.unfinished:
            self.facts["unfinished"] = True
        if self.activity.flags:
            self.facts["flags"] = {
                variable: {"value": value, "where": f"{self._source}:{line}"}
                for variable, (value, line) in self.activity.flags.items()
            }
        if self._repeats:
            self.facts["repeats"] = self._repeats
        if self._dropped:
            self.facts["dropped_records"] = self._dropped

    def records(self) -> list[ErrorRecord]:
        """All records in the order of the log. Of those that could have ended the run, only what came last did."""
        found = [*self._errors.values(), *self._warnings.values()]
        found.sort(key=lambda record: self._order[record.where])
        survived = {r.where for r in found if r.exception and self._worked_on(self._order[r.where], r.stream)}
        survived |= {where for segmenter in self._streams.values() for where in segmenter.handled}
        went_on = survived | {r.where for r in found if self._order[r.where] < self._last_epoch(r.stream)}
        if survived:
            self.facts["survived"] = dict.fromkeys(sorted(survived), True)
        if went_on:
            self.facts["went_on"] = dict.fromkeys(sorted(went_on), True)
        left = {where: frames for segmenter in self._streams.values() for where, frames in segmenter.left.items()}
        found = [replace(r, frames=(*left[r.where], *r.frames)) if r.where in left else r for r in found]
        return [replace(r, ended_run=False) if r.ended_run and r.where in went_on else r for r in found]

    def _worked_on(self, number: int, stream: str | None) -> bool:
        """Whether training surely went on below a line: loggers say so, or there was progress above it and below."""
        first, last, raw = self._progress.get(stream, (0, 0, b""))
        return number < last and (first < number or is_stamped(raw))

    def _last_epoch(self, stream: str | None) -> int:
        """The last line with which training went on, in this stream. Which labelled process an unlabelled line belongs
        to is not known.
        """
        return max(self._epochs.get(stream, 0), 0 if stream else self.activity.last_epoch)

    def _add(self, record: ErrorRecord, number: int) -> None:
        if record.level == "warning":
            short = (record.stream, record.text)
            if short in self._warnings:
                self._count(self._warnings[short])
            elif len(self._warnings) < WARNINGS:
                self._warnings[short] = record
                self._order[record.where] = number
            else:
                self._dropped += 1
            return
        key = (record.exception, record.text, record.stream)
        if key in self._errors:
            first = self._errors[key]
            self._count(first)
            if record.ended_run and not first.ended_run:
                first = replace(first, ended_run=True)
            if not any(f.user for f in first.frames) and any(f.user for f in record.frames):
                # Raised again from itself, as pandas does with a missing key: only the second traceback begins in the
                # program.
                first = replace(first, frames=record.frames)
            self._errors[key] = first
            return
        if len(self._errors) >= ERRORS:
            victim = list(self._errors)[ERRORS - LAST]
            del self._errors[victim]
            self._dropped += 1
        self._errors[key] = record
        self._order[record.where] = number

    def _count(self, first: ErrorRecord) -> None:
        self._repeats[first.where] = self._repeats.get(first.where, 1) + 1
