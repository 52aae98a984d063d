"""From paths and streams to chunks of bytes: decompression, UTF-16, and one kind of error for what cannot be read."""

from __future__ import annotations

import codecs
import io
import os
import stat
import zlib
from collections.abc import Iterator
from typing import IO, Protocol, cast

from xladoctor.logs.blocks import lines_of, lines_of_file

CHUNK = 1 << 18

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class UnreadableLog(Exception):
    """A log that cannot be read: it is not there, not a file, empty, or damaged from its first byte on."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Source:
    """One log, as chunks of bytes. `damaged` says (after reading) why it ended early, or is None; `binary`, that it is
    no text.
    """

    def __init__(self, name: str, stream: IO[bytes] | None = None) -> None:
        self.name = name
        self.size = 0
        self.damaged: str | None = None
        self.binary = False
        self._stream = stream

    def blocks(self) -> Iterator[tuple[bytes, int]]:
        """Blocks of whole lines (see `blocks.lines_of`), decompressed, in UTF-8 where it was UTF-16; never more than a
        few of them in memory.
        """
        if self._stream is not None:
            yield from lines_of(self._read(self._stream))
            return
        try:
            with open(self.name, "rb", buffering=0) as stream:  # noqa: PTH123 - a Path costs more than the call
                if self._is_plain(stream.fileno()):
                    yield from self._plain(stream.fileno())
                else:
                    yield from lines_of(self._read(cast("IO[bytes]", io.BufferedReader(stream, CHUNK))))
        except OSError as error:
            raise UnreadableLog(self.name, (error.strerror or str(error)).lower()) from error

    def _is_plain(self, descriptor: int) -> bool:
        """Whether the bytes of the file are the bytes of the log, and can be read from any place."""
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        head = os.pread(descriptor, 4, 0)
        return head != ZSTD and not head.startswith((GZIP, codecs.BOM_UTF8, *_UTF16))

    def _plain(self, descriptor: int) -> Iterator[tuple[bytes, int]]:
        try:
            for data, end in lines_of_file(descriptor, self._count):
                if self.size == end:
                    self.binary = _is_binary(data[:CHUNK])
                yield data, end
        except OSError as error:
            self.damaged = error.strerror or str(error)
            if not self.size:
                raise UnreadableLog(self.name, self.damaged.lower()) from error

    def _count(self, size: int) -> None:
        self.size += size

    def _read(self, stream: IO[bytes]) -> Iterator[bytes]:
        head = stream.read(4)
        while head and len(head) < 4 and (more := stream.read(4 - len(head))):
            head += more
        rest = _Joined(head, stream)
        raw = _unpacked(self.name, head, rest)
        try:
            for chunk in _as_utf8(raw):
                if not self.size:
                    self.binary = _is_binary(chunk)
                self.size += len(chunk)
                yield chunk
        except (zlib.error, EOFError, _zstd_error()) as error:
            self.damaged = str(error) or type(error).__name__
            if not self.size:
                raise UnreadableLog(self.name, f"damaged: {self.damaged}") from error
        except OSError as error:
            self.damaged = error.strerror or str(error)
            if not self.size:
                raise UnreadableLog(self.name, self.damaged.lower()) from error


class _Joined:
    """A stream of which the first bytes were already read."""

    def __init__(self, head: bytes, stream: IO[bytes]) -> None:
        self._head, self._stream = head, stream

    def read(self, size: int = -1) -> bytes:
        if not self._head:
            return self._stream.read(size)
        head, self._head = self._head, b""
        return head + self._stream.read(size - len(head) if size > len(head) else -1 if size < 0 else 0)


class _Gunzip:
    """Gzip members one after the other; gives what it has before it complains of a truncated end."""

    def __init__(self, stream: _Joined) -> None:
        self._stream = stream
        self._inflate = zlib.decompressobj(31)
        self._rest = b""
        self._inside = False

    def read(self, size: int) -> bytes:
        while True:
            raw = self._rest or self._stream.read(1 << 16)
            if not raw:
                if self._inside:
                    raise EOFError("the compressed data end too early")
                return b""
            data = self._inflate.decompress(raw, size)
            self._inside = not self._inflate.eof
            self._rest = self._inflate.unconsumed_tail
            if self._inflate.eof:
                self._rest = self._inflate.unused_data.lstrip(b"\0")
                self._inflate = zlib.decompressobj(31)
            if data:
                return data


def _unpacked(name: str, head: bytes, stream: _Joined) -> _Readable:
    if head[:2] == GZIP:
        return _Gunzip(stream)
    if head != ZSTD:
        return stream
    try:
        import zstandard
    except ImportError as error:
        raise UnreadableLog(name, "is zstd-compressed, and the package `zstandard` is not installed") from error
    reader = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    return reader.stream_reader(cast("IO[bytes]", stream), read_across_frames=True)


# Control codes that no log has a use for: all but backspace, tab, line feed, form feed, return and escape.
_NO_TEXT = bytes(n for n in (*range(32), 127) if n not in b"\b\t\n\f\r\x1b")


def _is_binary(chunk: bytes) -> bool:
    """Whether one byte in twenty is no text in any encoding. Random bytes have one in ten."""
    return bool(chunk) and len(chunk) - len(chunk.translate(None, _NO_TEXT)) > len(chunk) // 20


def _zstd_error() -> type[BaseException]:
    import sys

    module = sys.modules.get("zstandard")
    return module.ZstdError if module else EOFError


def _as_utf8(stream: _Readable) -> Iterator[bytes]:
    first = stream.read(CHUNK)
    encoding = _UTF16.get(first[:2])
    if first.startswith(codecs.BOM_UTF8):
        first = first[3:]
    if encoding is None:
        while first:
            yield first
            first = stream.read(CHUNK)
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    first = first[2:]
    while first:
        yield decoder.decode(first).encode("utf-8", "replace")
        first = stream.read(CHUNK)
