"""The step lowered for a platform that this machine need not have (`--target gpu`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xladoctor.replay.bench import Bench
from xladoctor.replay.classify import signature
from xladoctor.replay.model import Case, Lowering, Signature

SHOWS = (
    "Lowering shows which ops have a kernel for the device and that TensorFlow can convert them to HLO; it shows "
    "nothing of the device's own passes, cuDNN or ptxas"
)


def lower(bench: Bench, case: Case, platform: str) -> Lowering:
    """Lower the subject in this case for `platform` ("gpu" or "cpu"), whether the machine has one or not."""
    bench.say(f"lowering for {platform}")
    answer = bench.ask("lowered_for", case, platform=platform)
    if not answer.ok:
        kind = answer.kind if answer.state == "refused" else answer.state
        return Lowering(
            platform, False, answer.seconds, message=f"{kind}: {answer.message}", refused=answer.state == "refused"
        )
    told = answer.result
    if told["refused"]:
        return Lowering(platform, False, answer.seconds, message=told["refused"], note=_hint(platform), refused=True)
    notes = [SHOWS]
    if told["note"]:
        notes.append(told["note"])
    if told["more"]:
        notes.append("behind these ops others may follow that were not reached")
    found = tuple(_unsupported(u) for u in told["unsupported"])
    error = told["error"] or {}
    message = error.get("message")
    sign = None
    if found:
        sign = Signature("unsupported-op", told["unsupported"][0]["op"])
        message = f"no kernel for {platform}: {'; '.join(found)}"
    elif message:
        sign = signature(error.get("kind"), message)
    if told["dynamic"]:
        notes.append(
            f"{told['dynamic']} instructions have a dynamic dimension (<=N); whether each op can carry it is decided "
            "by XLA's passes after lowering, which --vary jit=on tries on this machine's own processor"
        )
    return Lowering(
        platform,
        bool(told["ok"]),
        float(told["seconds"]),
        signature=sign,
        message=message,
        unsupported=found,
        note=". ".join(notes),
    )


def _unsupported(told: Mapping[str, Any]) -> str:
    frames = told.get("sources") or []
    where = f" ({frames[-1][0]}:{frames[-1][1]} in {frames[-1][2]})" if frames else ""
    never = "" if told.get("device") else ", which the doctor never runs or lowers"
    return f"{told['op']}, node {told['node']}{where}{never}"


def _hint(platform: str) -> str:
    if platform != "gpu":
        return ""
    return (
        "lowering for a GPU needs the full tensorflow package (not tensorflow-cpu), but no GPU; --python names an "
        "interpreter that has it"
    )
