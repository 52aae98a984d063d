"""What to do about sizes that do not agree, in this failure's terms: axis, sizes, the factor between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from xladoctor.model.diagnosis import Finding, Remedy
from xladoctor.rules.recognise.operands import JOINS

_LONG = 8
_FOLLOW = "Print both shapes above that line. The one that you did not expect was made wrong earlier."


def sizes_agree(remedy: Remedy, finding: Finding) -> Remedy | None:
    """The first remedy of a shape failure where no function is watched; None where the message names no sizes."""
    build = _BUILDERS.get(finding.slug)
    words = build(finding) if build is not None else None
    if words is None:
        return None
    title, how = words
    return replace(remedy, id="make-sizes-agree", title=title, how=how)


def _broadcast(finding: Finding) -> tuple[str, str] | None:
    axes, shapes = finding.details.get("axes"), _shapes(finding)
    if len(shapes) != 2 or not isinstance(axes, list | tuple):
        return None
    if len(axes) != 1:
        return _exchanged([tuple(axis["sizes"]) for axis in axes], max(map(len, shapes)))
    left, right = axes[0]["sizes"]
    axis = axes[0]["axis"] + (len(shapes[0]) if len(shapes[0]) == len(shapes[1]) else 0)
    return f"Make axis {axis} agree: {left} on the left, {right} on the right", _FOLLOW + _factor(left, right)


def _exchanged(pairs: list[tuple[int, int]], rank: int) -> tuple[str, str] | None:
    """Where one side has one size the other has another, and the other way round: the axes are in another order."""
    if not pairs or {pair[::-1] for pair in pairs} & set(pairs) == set() or len({frozenset(p) for p in pairs}) != 1:
        return None
    one, other = pairs[0]
    heads = ", after attention heads were split off often `[0, 2, 1, 3]`" if rank == 4 else ""
    how = (
        f"One side has {one} where the other has {other}, and the reverse. `tf.transpose(x, [...])` exchanges "
        f"axes{heads}; a reshape does not."
    )
    return f"Put the axes of both sides in the same order: {one} and {other} are exchanged", how


def _joined(finding: Finding) -> tuple[str, str] | None:
    shapes = _shapes(finding)
    if len(shapes) != 2 or len(shapes[0]) != len(shapes[1]):
        return None
    pairs = [(axis, a, b) for axis, (a, b) in enumerate(zip(*shapes, strict=True)) if None not in (a, b) and a != b]
    if len(pairs) != 1:
        return None
    axis, left, right = pairs[0]
    if finding.op not in JOINS:
        how = (
            "`dataset.padded_batch(N)` instead of `batch(N)` fills shorter elements with zeros. Or cut or pad each "
            "element to one size in a `map` before the batch."
        )
        return f"Give all elements of a batch one shape: axis {axis} is {left} in one, {right} in another", how
    rule = (
        "A stack takes tensors of one shape."
        if finding.op == "Pack"
        else "Only the axis along which they are joined may differ."
    )
    return f"Make axis {axis} agree: {left} in the first, {right} in the second", f"{rule} {_FOLLOW}"


def _product(finding: Finding) -> tuple[str, str] | None:
    numbers = finding.dims
    if finding.details.get("window") and len(_shapes(finding)) == 1:
        how = (
            "Each pooling divides an axis by its stride, and each convolution with padding='valid' takes its kernel "
            "less 1 from it: leave out a pooling, set padding='same', or use larger inputs."
        )
        return _channels_first(_shapes(finding)[0], how) or ("Shrink the axes less before this layer", how)
    if len(numbers) != 2 or not all(isinstance(n, int) for n in numbers) or len(_shapes(finding)) != 2:
        return None
    how = "The inner axes of the two operands must have the same size: transpose one operand, or correct its size."
    return f"Make the inner sizes agree: {numbers[0]} and {numbers[1]}", how


def _channels_first(shape: Sequence[int | None], how: str) -> tuple[str, str] | None:
    """Where one axis of an image is used up and the other is still long, it was probably no axis of the image."""
    space = [size for size in shape[1:-1] if size is not None]
    if len(space) < 2 or max(space) < _LONG * min(space):
        return None
    first = (
        "Images with the channels first, such as (N, 3, 32, 32), need `np.moveaxis(x, 1, -1)`, unless the layers have "
        "`data_format='channels_first'`. Otherwise: "
    )
    title = f"Check that the channels come last: one axis has {min(space)} left, another {max(space)}"
    return title, f"{first}{how[:1].lower()}{how[1:]}"


def _reshape(finding: Finding) -> tuple[str, str] | None:
    have, want, target = (finding.details.get(key) for key in ("have", "want", "target"))
    if not isinstance(have, int) or not isinstance(want, int):
        return None
    how = "Take the sizes of the target from the tensor that is reshaped, not from constants or from another tensor."
    if isinstance(target, list | tuple):
        shape = "(" + ", ".join("?" if n is None else str(n) for n in target) + ")"
        return f"Make the target {shape} hold {have} elements, not {want}", how + _factor(have, want)
    unit = f"a multiple of {want}" if finding.details.get("multiple_of") else str(want)
    return f"Make the tensor and the target agree: {have} elements, and {unit}", how + _factor(have, want)


def _factor(left: int, right: int) -> str:
    small, large = sorted((left, right))
    if small < 1 or large % small or large == small:
        return ""
    times = large // small
    return f" {large} is {times} times {small}: look for code that pools, splits, repeats or folds an axis by {times}."


def _shapes(finding: Finding) -> list[Sequence[Any]]:
    shapes = finding.details.get("shapes")
    return [shape for shape in shapes if shape] if isinstance(shapes, list | tuple) else []


_BUILDERS: dict[str, Callable[[Finding], tuple[str, str] | None]] = {
    "broadcast-mismatch": _broadcast,
    "concat-pack-mismatch": _joined,
    "matmul-conv-mismatch": _product,
    "reshape-mismatch": _reshape,
}
