"""Has every op of the steps a kernel for XLA on a GPU? Shown without one, as far as tf2xla goes."""

from __future__ import annotations

from xladoctor.model.replay import Case
from xladoctor.preflight.situation import NotNow, Situation, Stage, Unanswered
from xladoctor.preflight.verdict import Verdict, explained
from xladoctor.protocol import requests

TITLE = "lowering for the GPU"
ORDER = 120
RUNS_STEPS = True

_NOT_OF_KERNELS = frozenset(
    {
        "reshape-mismatch",
        "broadcast-mismatch",
        "concat-pack-mismatch",
        "matmul-conv-mismatch",
        "rank-mismatch",
        "not-xla",
    }
)


def check(situation: Situation) -> Verdict:
    """Each step at its largest size, lowered for XLA_GPU_JIT: nothing of the GPU's own passes, cuDNN or ptxas."""
    if situation.study.device != "gpu":
        raise NotNow("the study runs on a CPU")
    from xladoctor.experiments.lowering import lower
    from xladoctor.workers.classify import gist

    lines: list[str] = []
    doubts: list[str] = []
    plain: list[str] = []
    for stage in situation.wanted_stages:
        if not stage.cases:
            continue
        if not situation.study.subjects and _without_xla(stage):
            plain.append(stage.name)
            continue
        situation.say(f"lowering {stage.name} for a GPU")
        found = lower(stage.bench, stage.cases[0], "gpu")
        lines.append(f"{stage.name}: {'lowered' if found.ok else found.message or 'refused'}")
        lines += [f"{stage.name}: {found.note}"] if found.note else []
        slug = found.signature.slug if found.signature else None
        if not found.ok and not found.unsupported and (slug in _NOT_OF_KERNELS or explained(slug) is None):
            # A size that does not fit is one that was planned wrongly, and nothing is known of a kernel.
            doubts.append(f"{stage.name}: {gist(found.message) or 'it cannot be lowered'}")
        elif not found.ok:
            ops = f" ({', '.join(found.unsupported)})" if found.unsupported else ""
            return Verdict(
                "fail", f"{stage.name}{ops}: {gist(found.message) or 'it cannot be lowered'}",
                explained(slug), (slug,) if explained(slug) and slug else (), tuple(lines),
            )  # fmt: skip
    if not lines and plain:
        raise NotNow(f"the study does not compile {plain[0]} with XLA")
    if not lines:
        raise Unanswered("no step has a size to lower for")
    if doubts:
        return Verdict("unchecked", doubts[0], None, (), tuple(lines))
    return Verdict("pass", "kernels for all ops (tf2xla only: nothing of cuDNN or ptxas)", details=tuple(lines))


def _without_xla(stage: Stage) -> bool:
    """Whether nothing of a step is compiled, so that no op of it needs a kernel of XLA's: Keras leaves XLA out where a
    layer does not support it, and so may the program.
    """
    answer = stage.bench.ask(requests.DigestGraph(), Case(None))
    return answer.ok and not answer.result.compiled
