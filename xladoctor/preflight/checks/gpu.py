"""Has every op of the steps a kernel for XLA on a GPU? Shown without one, as far as tf2xla goes."""

from __future__ import annotations

from xladoctor.preflight.situation import NotNow, Situation
from xladoctor.preflight.verdict import Verdict

TITLE = "lowering for the GPU"


def check(situation: Situation) -> Verdict:
    """Each step at its largest size, lowered for XLA_GPU_JIT: nothing of the GPU's own passes, cuDNN or ptxas."""
    if situation.study.device != "gpu":
        raise NotNow("the study runs on a CPU")
    from xladoctor.replay.classify import gist
    from xladoctor.replay.lowering import lower

    lines: list[str] = []
    for stage in situation.stages:
        if not stage.cases:
            continue
        situation.say(f"lowering {stage.name} for a GPU")
        found = lower(stage.bench, stage.cases[0], "gpu")
        lines.append(f"{stage.name}: {'lowered' if found.ok else found.message or 'refused'}")
        lines += [f"{stage.name}: {found.note}"] if found.note else []
        if not found.ok:
            slug = found.signature.slug if found.signature else None
            ops = f" ({', '.join(found.unsupported)})" if found.unsupported else ""
            return Verdict(
                "fail", f"{stage.name}{ops}: {gist(found.message) or 'it cannot be lowered'}",
                f"xladoctor explain {slug}" if slug else None, (slug,) if slug else (), tuple(lines),
            )  # fmt: skip
    if not lines:
        raise NotNow("no step has a size to lower for")
    return Verdict("pass", "kernels for all ops (tf2xla only: nothing of cuDNN or ptxas)", details=tuple(lines))
