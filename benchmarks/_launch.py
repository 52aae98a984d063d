"""Start a command in odd surroundings: `python _launch.py JSON COMMAND...` changes itself, then becomes the command."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import sys
from pathlib import Path

PR_CAPBSET_DROP = 24
CAPABILITIES = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: without them root obeys permissions, too."""


def main() -> None:
    """Apply what the JSON says, and execute the command."""
    odd = json.loads(sys.argv[1])
    for name in ("SIGINT", "SIGHUP", "SIGTERM", "SIGPIPE", "SIGXFSZ"):
        ignored = name in odd["ignored"]
        signal.signal(getattr(signal, name), signal.SIG_IGN if ignored else signal.SIG_DFL)
    if odd["obeys_permissions"] and os.geteuid() == 0:
        for capability in CAPABILITIES:
            ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if odd["umask"] is not None:
        os.umask(odd["umask"])
    if odd["cwd_deleted"]:
        shutil.rmtree(Path.cwd())
    for name, limit in odd["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    for descriptor in odd["closed"]:
        os.close(descriptor)
    os.execv(sys.argv[2], sys.argv[2:])  # the command itself, without a shell


if __name__ == "__main__":
    main()
