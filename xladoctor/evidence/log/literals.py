"""The fragments by which the first pass finds the lines of a log that are worth a look.

Every fragment of `signatures.py` holds one of them, and so does every traceback, status line and death notice that the
segmenter knows (a test walks them all). Word starts are left off where that lets one fragment stand for two spellings.

The matcher (Teddy, in the Rust crate aho-corasick) compares the first four bytes of all fragments at once, in
`number mod 16` groups. It is fast while few other words look like a member of a group: so no fragment is shorter than
four bytes, there are at most 64, and their order, which deals them over the groups, was searched on real logs with
`python -m benchmarks._literal_order`: it then reads a training log three times as fast as in the order in which one
would write them down.
"""

from __future__ import annotations

LITERALS: tuple[bytes, ...] = (
    b"Cannot reshape", b"low compile", b"nvalid ", b"registered '", b"-kill", b"on fault", b"Fatal ", b"Dynamic inp",
    b"CANCELLED", b"JIT comp", b"Shape must", b"tensor list", b"rminate", b"requested shape", b"broadcastable",
    b"ompiled cluster", b"SIGSEGV", b"ion took", b"bort", b"rror", b"_kill", b"raceback", b"heck failed",
    b"dynamic dim", b"size-incomp", b"bad_alloc", b", line ", b"algorithm work", b"_EXHAUSTED", b"inputs must", b"[[{{",
    b"ailed", b"RET_CHECK", b"libdevice", b"ing an instr", b"retracing", b"illed", b"TF boundary", b"xception",
    b"nterrupt", b"NIMPLEMENTED", b"FAILED", b"DUE TO ", b"nknown flag", b"such file or", b"llegal ", b"ibrary is not",
    b"ncompatible ", b": not found", b"OOM ", b"compile-time", b"CUDA_ERROR", b": nan", b"_ARGUMENT", b"imensions ",
    b"nsupported op", b"ptxas", b"body do not", b"XLA_FLAGS",
)  # fmt: skip

COMPILED, FLAGS = LITERALS.index(b"ompiled cluster"), LITERALS.index(b"XLA_FLAGS")
"""Lines that tell a fact: that XLA compiled a cluster (said once a process), which flags were set."""

ERROR = LITERALS.index(b"rror")
"""Strong where a colon follows: `ValueError: ...`, `error: ...`."""

_STRONG = (
    b"raceback",
    b", line ",
    b"[[{{",
    b"RET_CHECK",
    b"heck failed",
    b"Fatal ",
    b"nknown flag",
    b"illed",
    b"on fault",
    b"JIT comp",
)
STRONG = frozenset(map(LITERALS.index, _STRONG))
"""What the parts of an error say. A line with one of these is let go by much later than a mere warning."""
