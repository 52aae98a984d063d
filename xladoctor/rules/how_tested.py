"""How a remedy is tested, or why nothing can test it: the reasons have the same wording everywhere."""

from __future__ import annotations

from typing import Final

from xladoctor.model.frozen import dataclass

CODE: Final = "it is a change of the program's code"
SHOWS: Final = "it shows something and cures nothing"
RERUN: Final = "the command would have to be run again with other settings"
DEVICE: Final = "it concerns the device, and workers run on the processor"
MACHINE: Final = "it changes the machine"
FILES: Final = "it changes files outside the program"


@dataclass(frozen=True)
class RemedyTest:
    """How one remedy is tested.

    Attributes:
        trial: the id in `replay.json` of the trial that tests this remedy, or None.
        why_not: why a trial cannot test it, or why the trial did not run where one exists.
    """

    trial: str | None = None
    why_not: str = "no trial of it was run on this call"
