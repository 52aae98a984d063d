"""What a renderer is told besides the diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.model.frozen import dataclass

if TYPE_CHECKING:
    from xladoctor.model.replay import Replay
    from xladoctor.report.excerpt import Excerpt


@dataclass(frozen=True)
class View:
    """How much to show, and what only the caller knows.

    `run_dir` is where the recording lies (None for a log), `target_status` how the target ended where the
    doctor ran it, `replays` what was learnt by running it again, `excerpts` the source lines that may be shown.
    """

    verbose: bool = False
    quiet: bool = False
    run_dir: str | None = None
    target_status: int | None = None
    replays: tuple[Replay, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()
