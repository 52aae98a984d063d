"""`python -m ptycho.faults`: list the faults, or describe those that are named."""

from __future__ import annotations

import argparse
import textwrap

from ptycho.faults import get, names
from ptycho.faults.registry import Fault, Program, programs


def main() -> None:
    """Print the faults."""
    parser = argparse.ArgumentParser(prog="python -m ptycho.faults", description="Historic failures to put in.")
    parser.add_argument("name", nargs="*", help="describe only these")
    args = parser.parse_args()
    try:
        chosen: list[Fault | Program] = [
            programs().get(name) or get(name) for name in args.name or [*names(), *programs()]
        ]
    except ValueError as error:
        parser.error(str(error))
    for fault in chosen:
        print(fault.name)
        rows = [("report", fault.reports), ("mechanism", fault.mechanism), ("expected", fault.expected)]
        if isinstance(fault, Program):
            rows.append(("command", fault.command))
        elif fault.options:
            rows.append(("options", ", ".join(f"{key}={value}" for key, value in fault.options.items())))
        for label, text in rows:
            indent = " " * 14
            print(textwrap.fill(" ".join(text.split()), 100, initial_indent=f"  {label:<12}", subsequent_indent=indent))
        print()


if __name__ == "__main__":
    main()
