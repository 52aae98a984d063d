"""The step lowered for a platform that this machine need not have (`--target gpu`)."""

from __future__ import annotations

import re
from dataclasses import replace

from xladoctor.experiments import chain as chains
from xladoctor.experiments.isolate import location, quick
from xladoctor.model.replay import Case, Lowering, Signature
from xladoctor.protocol import answers, requests
from xladoctor.recording.hlo import read_hlo
from xladoctor.workers.bench import Bench
from xladoctor.workers.classify import signature

SHOWS = (
    "Lowering shows which ops have a kernel for the device and that TensorFlow can convert them to HLO; it shows "
    "nothing of the device's own passes, cuDNN or ptxas"
)


def lower(bench: Bench, case: Case, platform: str) -> Lowering:
    """Lower the subject in this case for `platform` ("gpu" or "cpu"), whether the machine has one or not."""
    bench.say(f"lowering for {platform}")
    answer = bench.ask(requests.LowerFor(platform=platform), case)
    if not answer.ok:
        kind = answer.kind if answer.state == "refused" else answer.state
        return Lowering(
            platform, False, answer.seconds, message=f"{kind}: {answer.message}", refused=answer.state == "refused"
        )
    told = answer.result
    if told.refused:
        return Lowering(platform, False, answer.seconds, message=told.refused, note=_hint(platform), refused=True)
    notes = [SHOWS]
    if told.note:
        notes.append(told.note)
    if told.more:
        notes.append("behind these ops others may follow that were not reached")
    found = tuple(_unsupported(u) for u in told.unsupported)
    message = told.error.message if told.error is not None else None
    sign = None
    if found:
        sign = Signature("unsupported-op", told.unsupported[0].op)
        message = f"no kernel for {platform}: {'; '.join(found)}"
    elif told.error is not None and message:
        sign = signature(told.error.kind, message)
    lowered = Lowering(
        platform,
        told.ok,
        told.seconds,
        signature=sign,
        message=message,
        unsupported=found,
        note=". ".join(notes),
    )
    return _carried(bench, case, told.dynamic, lowered) if told.dynamic else lowered


def _carried(bench: Bench, case: Case, count: int, lowered: Lowering) -> Lowering:
    """Whether every op can carry the bounded dimensions that the HLO text has: what decides it comes after lowering, is
    the same for all devices, and is tried on this machine's own processor.
    """
    bench.say(f"{count} instructions have a dynamic dimension: compiling for this machine's processor")
    many = f"{count} instructions have a dynamic dimension (<=N)"
    told = bench.ask(requests.CountOps(), case)
    if not told.ok:
        return _noted(lowered, f"{many}; whether each op can carry it was not tried: {told.message}")
    ops = told.result.ops
    answer = bench.ask(requests.CompilePrefix(ops=ops), quick(bench, case, "optimized_hlo"))
    if not answer.ok and answer.state == "refused":
        return _noted(lowered, f"{many}; whether each op can carry it was not tried: {answer.message}")
    if not answer.ok:
        return _noted(lowered, f"{many}; compiled for this machine's processor, the step {answer.state}")
    error = answer.result.error
    if error is None:
        return _noted(lowered, f"{many}; compiled for this machine's processor, every op carries it")
    failed = signature(error.kind, error.message)
    if answer.result.outcome != "failed" or failed.slug not in _DYNAMIC:
        why = error.message.strip().split("\n")[0][:300]
        return _noted(lowered, f"{many}; whether each op can carry it cannot be seen here: {why}")
    note = (
        f"{many}, and {failed.op or 'an op'} cannot carry it: compiled for this machine's processor, the step is "
        "refused. Behind this op others may follow"
    )
    text = bench.folder / f"lowered-{case.batch}.hlo"
    bench.ask(requests.CompilePrefix(ops=ops, stage="hlo", save=str(text)), case)
    module = read_hlo(text.read_text(encoding="utf-8", errors="replace") if text.is_file() else "")
    named = _NAMED.findall(error.message)
    op, node = named[-1] if named else (failed.op or "", "")
    way = chains.chain(module, node.rpartition(";")[2], op, error.message)
    nodes = [link.node for link in way.links if link.node]
    sources = bench.ask(requests.FindSources(nodes=tuple(nodes)), case) if nodes else None
    links = chains.located(way.links, sources.result) if sources is not None and sources.ok else way.links
    more = replace(lowered, ok=False, dynamic=links)
    if lowered.ok:
        more = replace(more, signature=failed, message=error.message)
    return _noted(more, note, *([way.note] if way.note else []))


_DYNAMIC = ("dynamic-dimension-unsupported", "dynamic-padder-ret-check", "xla-internal-ret-check")
_NAMED = re.compile(r'op_type="([^"]*)"\s+op_name="((?:[^"\\]|\\.)*)"')


def _noted(lowered: Lowering, *notes: str) -> Lowering:
    return replace(lowered, note=". ".join([*([lowered.note] if lowered.note else []), *notes]))


def _unsupported(found: answers.Unsupported) -> str:
    at = location(found.sources, found.call_sources)
    where = f" ({at})" if at else ""
    never = "" if found.device else ", which the doctor never runs or lowers"
    return f"{found.op}, node {found.node}{where}{never}"


def _hint(platform: str) -> str:
    if platform != "gpu":
        return ""
    return (
        "lowering for a GPU needs the full tensorflow package (not tensorflow-cpu), but no GPU; --python names an "
        "interpreter that has it"
    )
