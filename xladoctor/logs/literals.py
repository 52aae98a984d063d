"""The fragments by which the first pass finds the lines of a log that are worth a look.

Every fragment of `signatures.py` holds one of them (a test says so), and so does every traceback, status line and death
notice that the segmenter knows. Word starts are left off where one fragment then stands for two spellings.

The matcher (Teddy, in the Rust crate aho-corasick) compares the first four bytes of up to 64 fragments at once, in
`number mod 16` groups; with more it is twenty times slower, hence the two sets. It is fast while few other words look
like a member of a group: so no fragment is shorter than four bytes or begins with four that many words hold
(`be initialized`, not `initialized`), and their order, which deals them over the groups,
was searched on real logs with `python -m benchmarks._literal_order`: a training log is then read three times as fast as
in the order in which one would write them down.
"""

from __future__ import annotations

COMMON: tuple[bytes, ...] = (
    b"algorithm work", b"raceback", b"a weight file", b"tensor list", b"ptxas", b"RET_CHECK", b"dynamic dim",
    b"broadcastable", b"rminate", b"Cannot reshape", b"NIMPLEMENTED", b"DUE TO ", b"_ARGUMENT", b"illed",
    b"cast TensorSpec", b"xception", b"libdevice", b"ing an instr", b"size-incomp", b"requested shape", b"FAILED",
    b"CUDA_ERROR", b"ibrary is not", b"CANCELLED", b"ompiled cluster", b"saved weight", b"JIT comp", b"on fault",
    b"_EXHAUSTED", b": nan", b"ion took", b"nsupported op", b"bad_alloc", b"_kill", b"ailed", b"rror", b"Fatal ",
    b"-kill", b"[[{{", b"ncompatible ", b"bort", b"compile-time", b"OOM ", b"TF boundary", b"Dynamic inp", b"SIGSEGV",
    b"body do not", b"llegal ", b"XLA_FLAGS", b"nknown flag", b"inputs must", b"retracing", b"low compile",
    b"Shape must", b"imensions ", b"nvalid ", b"registered '", b"such file or", b", line ", b"heck failed",
    b"nterrupt", b": not found",
)  # fmt: skip
"""What stands in tracebacks, in lines of the runtime and in what is said of a dead process."""

MESSAGES: tuple[bytes, ...] = (
    b"slice index", b"pose expects", b"Op has type", b"lid range", b"Expected size", b"o downsampl", b"be set when",
    b"equality of t", b"also be init", b"st call", b"eterministic G", b"both shapes", b"conversion req",
    b"ut of memory", b"enters the loop", b"Cannot add tensor", b"patible with", b"access resource", b"t shaped",
    b"the loop, but", b"runtime CuDNN", b"ign value", b"[Op:", b"e_fn and f", b"during load", b"pilable",
    b"filter depth", b"be loaded", b"ways to split", b"ndims must", b"nn handle", b"oncatenat", b"same s",
    b"Expected begin", b"t(s), but it", b"ram shape", b"squeeze dim", b"ight list", b"in [0, ", b"expand dim",
    b"depth of fil", b"Unable to alloc", b"cted to be", b"ambiguous", b"t(s) with", b"reduction dim",
    b"Unsupported obj", b"owed val", b"Cannot batch", b"zero or negat", b") are inc", b"d flags for", b"_pad in Pad",
    b"be broadcast", b"Op have typ", b"(ndim) `", b"_bytes_: ", b"rpret value",
)  # fmt: skip
"""Parts of messages that a program may print without the word error near them."""

BARE: tuple[bytes, ...] = (b"[0;3", b"[1;3", b"[38;", b"[31m", b"[0m ", b"[0m:")
"""Colour codes whose escape byte was lost in copying: they part words, and are taken out where they are seen."""

LITERALS = (*COMMON, *MESSAGES)

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
