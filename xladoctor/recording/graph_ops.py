"""Which ops the graph of a capsule has, read from its bytes: the doctor imports no TensorFlow.

A GraphDef holds nodes (field 1) and a library (field 2) of functions (field 1), whose nodes are field 3; a node's op
is its field 2 (tensorflow/core/framework/graph.proto, function.proto, node_def.proto).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

_NODES, _LIBRARY, _FUNCTIONS, _BODY, _OP = 1, 2, 1, 3, 2
_WIDTHS: Mapping[int, int] = {1: 8, 5: 4}
_VARINT, _BYTES = 0, 2
_LONGEST_VARINT = 10


def ops(graph: bytes) -> Counter[str]:
    """{op: number of its nodes} of a GraphDef, functions included.

    Raises:
        ValueError: the bytes are no GraphDef.
    """
    found: Counter[str] = Counter()
    for number, part in _fields(memoryview(graph)):
        if number == _NODES:
            found.update(_op(part))
        elif number == _LIBRARY:
            for kind, function in _fields(part):
                for field, node in _fields(function) if kind == _FUNCTIONS else ():
                    found.update(_op(node) if field == _BODY else ())
    return found


def _op(node: memoryview) -> list[str]:
    return [bytes(text).decode("utf-8", "replace") for number, text in _fields(node) if number == _OP]


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The number and the bytes of each field that has bytes; the others are passed over."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            _, at = _varint(message, at)
            continue
        size = _WIDTHS.get(kind)
        if kind == _BYTES:
            size, at = _varint(message, at)
        if size is None or at + size > len(message):
            raise ValueError("no protocol buffer")
        if kind == _BYTES:
            yield key >> 3, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = 0
    for shift, byte in enumerate(message[at : at + _LONGEST_VARINT]):
        value |= (byte & 127) << 7 * shift
        if byte < 128:
            return value, at + shift + 1
    raise ValueError("no protocol buffer")
