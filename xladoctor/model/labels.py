"""What a finding shows of the labels of a loss."""

from __future__ import annotations

from xladoctor.model.diagnosis import Finding


def labels_from_one(finding: Finding) -> bool:
    """Whether the recorded labels of a loss run from 1 to the number of classes, although classes begin at 0."""
    op = finding.details.get("failing_op")
    inputs = op.get("inputs") if isinstance(op, dict) else None
    if finding.slug != "index-out-of-range" or not isinstance(inputs, list | tuple) or len(inputs) != 2:
        return False
    whole = [size for size in finding.dims if isinstance(size, int)]
    values = inputs[1].get("value") if isinstance(inputs[1], dict) else None
    flat = [n for n in values if isinstance(n, int)] if isinstance(values, list | tuple) else []
    return len(whole) == 2 and whole[0] == whole[1] == max(flat, default=0) and min(flat) == 1
