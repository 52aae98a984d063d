"""The process that answers questions about capsules, in the target's interpreter.

`python .../probes/graph/worker.py [--memory BYTES] [--cpu SECONDS]`, one JSON object a line on standard input and
output:

    {"id": 1, "op": "shapes", ...}  ->  {"id": 1, "ok": true, "result": {...}}
                                    or  {"id": 1, "ok": false, "error": {"type": "BadCapsule", "message": "..."}}

Whatever TensorFlow or anything else prints goes to standard error. The questions are in `service.py`. This file is run
as a script: it must not put its own folder on the path (a module there could hide one of the target's), so it loads
`probes` by location.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

_NAME = "_xladoctor_probes"
# A worker has nothing to write; what it prints goes through a pipe or a log that may grow a little.
_FILE_BYTES = 256 * 1024 * 1024


def main() -> int:
    """Answer until standard input ends."""
    options = _options()
    here = str(Path(__file__).resolve().parent)
    sys.path[:] = [entry for entry in sys.path if str(Path(entry or ".").resolve()) != here]
    _limit(options)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout = sys.stderr
    _load_probes()
    from _xladoctor_probes.graph import service  # type: ignore[import-not-found]

    server = service.Service()
    for line in questions:
        if not line.strip():
            continue
        answer = server.answer(line)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if answer.get("result") == service.GOODBYE:
            break
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Answers questions about capsules (JSON lines).")
    parser.add_argument("--memory", type=int, help="limit of the address space in bytes")
    parser.add_argument("--cpu", type=int, help="limit of processor time in seconds")
    return parser.parse_args()


def _limit(options: argparse.Namespace) -> None:
    """Limits that the process cannot lift again."""
    wanted = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, _FILE_BYTES)]
    if options.memory:
        wanted.append((resource.RLIMIT_AS, options.memory))
    if options.cpu:
        wanted.append((resource.RLIMIT_CPU, options.cpu))
    for kind, value in wanted:
        _, hard = resource.getrlimit(kind)
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (ceiling, ceiling))


def _load_probes() -> Any:
    """The `probes` package by file location, under a private name."""
    folder = Path(__file__).resolve().parent.parent
    spec = importlib.util.spec_from_file_location(
        _NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package in {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    raise SystemExit(main())
