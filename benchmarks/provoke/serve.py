"""A fork server: each op or case in a process of its own, with a limit of time, into a journal that can be resumed.

`nice python -m benchmarks.provoke.serve ops|keras JOURNAL [--heldout] [--only PREFIX]`. Some ops abort or hang;
TensorFlow is imported
once, and does nothing before the fork. A tenth of all ops, by hash, is set aside: it is run only with `--heldout`, and
scored once, after the rules are written.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

LIMITS = {"ops": 10.0, "keras": 120.0}
KEPT = 12_000


def set_aside(name: str) -> bool:
    """Whether a name belongs to the tenth that is never looked at."""
    return sha256(name.encode()).digest()[0] < 26


def _said(call: Callable[[], Any]) -> str | None:
    """The traceback that a call prints, or None."""
    try:
        call()
    except Exception:
        return traceback.format_exc()[-KEPT:]
    return None


def op_messages(name: str) -> Iterator[dict[str, Any]]:
    """What an op says in eager mode, in a graph, in one of unknown shapes and under XLA."""
    import tensorflow as tf

    from benchmarks.provoke import ops

    function = getattr(tf.raw_ops, name)

    def eager(call: ops.Call) -> str | None:
        return _said(lambda: function(**dict(call.inputs), **dict(call.attributes)))

    def graph(call: ops.Call, known: bool, jit: bool) -> str | None:
        def run() -> Any:
            names = [key for key, _ in call.inputs]
            specs = [tf.TensorSpec(v.shape if known else None, v.dtype) for _, v in call.inputs]
            f = tf.function(
                lambda *values: function(**dict(zip(names, values, strict=True)), **dict(call.attributes)),
                input_signature=specs,
                jit_compile=jit,
            )
            return f(*(tf.constant(v) for _, v in call.inputs))

        return _said(run)

    valid = ops.base(name, eager)
    if valid is None:
        yield {"name": name, "base": False}
        return
    compiles = graph(valid, True, True) is None
    yield {"name": name, "base": True, "xla": compiles}
    for call in ops.spoilt(valid):
        ways = {
            "eager": lambda call=call: eager(call),
            "graph": lambda call=call: graph(call, True, False),
            "unknown": lambda call=call: graph(call, False, False),
        }
        if compiles:
            ways["xla"] = lambda call=call: graph(call, False, True)
        for way, run in ways.items():
            said = run()
            if said is not None:
                yield {"name": name, "way": way, "spoilt": call.spoilt, "said": said}


def _child(name: str, messages: Callable[[str], Iterator[dict[str, Any]]], out: int) -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for row in messages(name):
        os.write(out, json.dumps(row).encode() + b"\n")
    os._exit(0)


def run(names: list[str], messages: Callable[[str], Iterator[dict[str, Any]]], journal: Path, limit: float) -> None:
    """All names that the journal does not have yet, one process each."""
    done = {json.loads(line)["name"] for line in journal.read_text().splitlines()} if journal.exists() else set()
    descriptor = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for name in names:
        if name in done:
            continue
        pid = os.fork()
        if pid == 0:
            try:
                _child(name, messages, descriptor)
            finally:
                os._exit(1)
        start = time.monotonic()
        while (ended := os.waitpid(pid, os.WNOHANG))[0] == 0 and time.monotonic() - start < limit:
            time.sleep(0.02)
        if ended[0] == 0:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        if ended[0] == 0 or ended[1]:
            how = "time" if ended[0] == 0 else f"status {ended[1]}"
            os.write(descriptor, json.dumps({"name": name, "died": how}).encode() + b"\n")


def main() -> None:
    """Run what is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("ops", "keras"))
    parser.add_argument("journal", type=Path)
    parser.add_argument("--heldout", action="store_true")
    parser.add_argument("--only", default="", metavar="PREFIX", help="names that begin so")
    asked = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow  # noqa: F401 - before the fork

    if asked.what == "ops":
        from benchmarks.provoke import ops

        names, messages = ops.names(), op_messages
    else:
        from benchmarks.provoke import layers

        names, messages = layers.names(), layers.messages
    chosen = [name for name in names if set_aside(name) == asked.heldout and name.startswith(asked.only)]
    sys.stderr.write(f"{len(chosen)} of {len(names)}\n")
    run(chosen, messages, asked.journal, LIMITS[asked.what])


if __name__ == "__main__":
    main()
