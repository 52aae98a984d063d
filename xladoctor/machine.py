"""What this machine has: processors and memory."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_bytes() -> int:
    """Memory that can be had now (MemAvailable of /proc/meminfo; elsewhere all that there is)."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def is_room_beside(times: float) -> bool:
    """Whether there are two processors, and so many times the memory that the largest child that has ended took."""
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return processors() > 1 and times * largest < available_bytes()
