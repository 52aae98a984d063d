"""Historic failures, each a named fault that can be put in and taken out again.

The model's own code is correct; a fault replaces some of its functions while it is applied:

    with faults.applied("reassembly-collapses-batch", threshold=16):
        ...build, train, predict...

The studies take `--fault NAME` and `--fault-option key=value`, and obey the environment variable PTYCHO_FAULT
(`NAME` or `NAME:key=value,key=value`). `python -m ptycho.faults` lists all of them.

A fault acts on what is built and traced while it is applied; a model traced before keeps what it has.
"""

from ptycho.faults.registry import ENVIRONMENT, Fault, applied, from_environment, get, names, parse_options

__all__ = ["ENVIRONMENT", "Fault", "applied", "from_environment", "get", "names", "parse_options"]
