"""`python -m benchmarks [NAME...] [--json] [--list]`: measures all figures, or those named.

A module has `figures()`, or `markdown()`: a table that is made only if it is named. One that has `OPTIONS` takes what
stands after its name: `python -m benchmarks silent --sample`.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys

import benchmarks
from benchmarks.figure import Figure, as_json, as_table


def names() -> list[str]:
    """Every module of this package that measures something."""
    found = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return [name for name in found if not name.startswith("_") and name != "figure"]


def main() -> int:
    """Measures, prints, and returns 1 where a limit was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}; all without it")
    parser.add_argument("--json", action="store_true", help="as data")
    parser.add_argument("--list", action="store_true", help="the names, and nothing else")
    asked, rest = parser.parse_known_args()
    unknown = [name for name in asked.names if name not in names()]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(names())}")
    if rest:
        module = importlib.import_module(f"benchmarks.{asked.names[0]}") if len(asked.names) == 1 else None
        if not getattr(module, "OPTIONS", False):
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        return int(module.main(rest))  # type: ignore[union-attr]
    if asked.list:
        print("\n".join(names()))
        return 0
    measured: list[Figure] = []
    tables: list[str] = []
    for name in asked.names or names():
        module = importlib.import_module(f"benchmarks.{name}")
        if not hasattr(module, "figures") and not asked.names:
            continue
        if sys.stderr.isatty():
            print(f"measuring {name} ...", file=sys.stderr)
        if hasattr(module, "figures"):
            measured += module.figures()
        else:
            tables.append(module.markdown())
    print(*tables, sep="\n\n", end="\n" if tables else "")
    if measured or not tables:
        print(as_json(measured) if asked.json else as_table(measured))
    return int(not all(figure.kept for figure in measured))


if __name__ == "__main__":
    raise SystemExit(main())
