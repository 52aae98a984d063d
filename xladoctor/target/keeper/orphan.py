"""What becomes of `run.json` when the doctor was killed: it says how the target ended all the same."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xladoctor.target.keeper.main import Keeper


def write_down(keeper: Keeper) -> None:
    """Complete `run.json`. It gets no mark: only the doctor has the user's key."""
    path = f"{keeper.plan.folder}/run.json"
    with suppress(OSError, ValueError):
        with open(path, encoding="utf-8") as file:
            facts: dict[str, Any] = json.load(file)
        if facts.get("outcome", {}).get("state") != "running":
            return
        recorded = any(name.startswith("events-") for name in os.listdir(keeper.plan.folder))
        outcome = {**facts["outcome"], **_outcome(keeper)}
        if outcome.get("probes") != "off":
            outcome["probes"] = "recorded" if recorded else "absent"
        facts |= {"outcome": outcome, "pid": keeper.pid, "ended": time.time(), "doctor": "killed"}
        with open(f"{path}.tmp", "w", encoding="utf-8") as file:
            file.write(json.dumps(facts, indent=1) + "\n")
        os.replace(f"{path}.tmp", path)


def _outcome(keeper: Keeper) -> dict[str, Any]:
    status = keeper.status if keeper.status is not None else 0
    state = "exited" if status >= 0 else "signalled"
    if keeper.timed_out:
        state = "timed-out"
    elif keeper.signals.interrupted:
        state = "interrupted"
    return {
        "state": state,
        "code": status if status >= 0 else None,
        "signal": signal.Signals(-status).name if status < 0 else None,
        "seconds": round(keeper.seconds, 3),
        "output": [
            {
                "streams": ["stdout" if number == 1 else "stderr" for number in route.targets],
                "kind": route.kind,
                "log": route.log,
                "size": log.size if log else None,
                "kept": log.kept if log else 0,
                "lost": log.lost if log else None,
            }
            for route, log in keeper.outputs.logs
        ],
    }
