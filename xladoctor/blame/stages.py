"""Stages that double or halve a size: one too many or too few, where the two sizes differ by a power of 2."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import keyword, last_name, nodes_of, walk

_SLUGS = frozenset(
    {"broadcast-mismatch", "concat-pack-mismatch", "keras-input-mismatch", "loss-input-mismatch", "contract-violation"}
)
_UP = ("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "UpSampling", "depth_to_space", "resize", "upsample")
_DOWN = ("MaxPool", "AveragePool", "max_pool", "avg_pool", "space_to_depth", "downsample")


def of_stages(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The loops of such stages among the lines that the failure depends on."""
    if crash.slug not in _SLUGS or not _by_twos(crash):
        return
    for file, tree in files.trees(f for f, _ in hops).items():
        for loop in (n for n in walk(tree) if isinstance(n, ast.For)):
            over = loop.iter.args[0] if isinstance(loop.iter, ast.Call) and loop.iter.args else None
            if not any(_scales(c) for c in nodes_of(loop, ast.Call)) or over is None:
                continue
            text = ast.unparse(loop.iter)[:40]
            off = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub | ast.Add) for n in walk(loop.iter))
            reason = f"Each round of `{text}` doubles or halves a size, and the sizes differ by a power of 2."
            if any((file, getattr(n, "lineno", 0)) in hops for n in walk(loop)):
                yield Candidate(file, loop.lineno, 8.2 if off else 5.6, reason, None, "other", True)


def _by_twos(crash: Crash) -> bool:
    """Whether two sizes of the same axes are apart by one and the same power of 2, as those of an image are."""
    for one in crash.shapes:
        for other in crash.shapes:
            pairs = [(a, b) for a, b in zip(one, other, strict=False) if a and b and a != b]
            ratios = {b / a for a, b in pairs}
            if len(one) == len(other) > 1 and len(ratios) == 1 and ratios < {2.0, 4.0, 8.0}:
                return True
    return False


def _scales(call: ast.Call) -> bool:
    """Whether a call makes a size twice as large, or half."""
    name = last_name(call.func)
    steps = keyword(call, "strides") or keyword(call, "stride")
    by_two = any(isinstance(n, ast.Constant) and n.value == 2 for n in walk(steps)) if steps is not None else False
    return name.startswith((*_UP, *_DOWN)) or by_two
