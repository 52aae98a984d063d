"""Weights & Biases: the verdict in the summary of a run, the findings as a table, and the page.

Project, entity and run are those of wandb's own variables (WANDB_PROJECT, WANDB_ENTITY, WANDB_RUN_ID with
WANDB_RESUME). Only WANDB_MODE=online, or `wandb:online`, reaches a server; else the run is kept in a folder.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from xladoctor.trackers import Tracker

if TYPE_CHECKING:
    from xladoctor.trackers._parcel import Parcel

_MODES = ("online", "offline")


def wrong(where: str) -> str | None:
    """It is a mode, or nothing."""
    return None if where in ("", *_MODES) else f"{where} is no mode; give wandb:online or wandb:offline"


def log(parcel: Parcel, where: str) -> str:
    """Logs one step to a run, and ends it."""
    import wandb

    mode = where or os.environ.get("WANDB_MODE") or "offline"
    settings = wandb.Settings(console="off", silent=True)
    run = wandb.init(mode=mode, settings=settings, name=os.environ.get("WANDB_NAME") or parcel.name)
    try:
        table = wandb.Table(columns=list(parcel.heads), data=[list(row) for row in parcel.rows])
        run.log({"xladoctor/findings": table, "xladoctor/page": wandb.Html(parcel.page, inject=False)})
        for name, value in parcel.verdict.items():
            run.summary[f"xladoctor/{name}"] = value
    finally:
        run.finish(exit_code=int(parcel.failed))
    if mode == "online":
        return str(run.url)
    if mode != "offline":
        return f"nowhere: its mode is {mode}"
    folder = str(Path(run.dir).parent)
    return f"{folder} (to send it: wandb sync {shlex.quote(folder)})"


TRACKER = Tracker("wandb", log, wrong, environment={"WANDB_ERROR_REPORTING": "false"})
