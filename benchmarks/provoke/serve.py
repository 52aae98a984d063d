"""A fork server: each op or case in a process of its own, with a limit of time, into a journal that can be resumed.

`nice python -m benchmarks.provoke.serve ops|keras JOURNAL [--heldout] [--only PREFIX] [--known JOURNAL]`. Some ops
abort or hang; TensorFlow is imported once, and does nothing before the fork. A tenth of all ops, by hash, is set aside:
it is run only with `--heldout`, and scored once, after the rules are written. `--known` takes valid calls from the
journal of another version, which are tried first. Python 3.7 or newer, for old versions of TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

LIMITS = {"ops": 60.0, "keras": 180.0}
KEPT = 12_000
WAYS = ("eager", "graph", "unknown", "xla")
"""Unless others are asked for: `session` and `static` are of TensorFlow 1, whose shapes a run or the graph knows."""
_MOST = {"eager": 99, "graph": 2, "unknown": 1, "xla": 1, "session": 4, "static": 4}
"""Spoiled calls of one kind that are asked in each way: what an op says of one more is rarely new."""
_RETRIES = 6


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


def _complaint(call: Callable[[], Any]) -> str | None:
    """The message alone."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:2000]
    return None


class Journal:
    """What a child knows of what was tried before it: valid calls of another version, and the calls at which earlier
    children of the same name died. What a child is about to try stands in memory that its parent reads.
    """

    def __init__(self, known: dict[str, str], ways: tuple[str, ...]) -> None:
        self.known, self.ways = known, ways
        self.fatal: set[bytes] = set()
        self._now = mmap.mmap(-1, 32)

    def trying(self, call: object) -> bool:
        """Whether a call may be tried: False for one that ended a process."""
        key = sha256(repr(call).encode()).digest()
        self._now[:32] = key
        return key not in self.fatal

    def died(self) -> None:
        """A child died at what it was trying."""
        self.fatal.add(bytes(self._now[:32]))


def op_messages(name: str, journal: Journal) -> Iterator[dict[str, Any]]:
    """What an op says in eager mode, in a graph, in one of unknown shapes and under XLA."""
    import tensorflow as tf

    from benchmarks.provoke import bases, ops

    function = getattr(tf.raw_ops, name)
    op = ops.definition(name)
    why = ops.unfit(op)
    if why:
        yield {"name": name, "base": False, "why": why}
        return

    def eager(call: bases.Call) -> Callable[[], Any]:
        return lambda: function(**ops.arguments(call))

    def graph(call: bases.Call, known: bool, jit: bool) -> Callable[[], Any]:
        def run() -> Any:
            given = ops.arguments(call)
            names = [ops.renamed(name).get(key, key) for key, _ in call.inputs]
            flat = tf.nest.flatten([given[key] for key in names])
            specs = [tf.TensorSpec(v.shape if known else None, v.dtype) for v in flat]

            def body(*values: Any) -> Any:
                packed = tf.nest.pack_sequence_as([given[key] for key in names], values)
                return function(**{**given, **dict(zip(names, packed))})  # noqa: B905 - Python 3.8

            return tf.function(body, input_signature=specs, **_jit(tf, jit))(*flat)

        return run

    known, heard = journal.known.get(name), {""}

    def complaint(call: bases.Call) -> str | None:
        said = _complaint(eager(call)) if journal.trying(call) else "died"
        heard.add(bases.WITHDRAWN if bases.WITHDRAWN in (said or "") else "")
        return said

    valid = bases.base(op, complaint, ops.from_json(known) if known else None)
    if valid is None:
        yield {"name": name, "base": False, "why": "withdrawn" if bases.WITHDRAWN in heard else "not found"}
        return
    compiles = "xla" in journal.ways and _complaint(graph(valid, True, True)) is None
    yield {"name": name, "base": True, "xla": compiles, "call": ops.to_json(valid)}
    seen: dict[str, int] = {}
    for call in ops.spoilt(valid):
        ways: dict[str, Callable[[], Any]] = {
            "eager": eager(call),
            "graph": graph(call, True, False),
            "unknown": graph(call, False, False),
            "session": partial(_in_session, function, call, known=False),
            "static": partial(_in_session, function, call, known=True),
        }
        if compiles:
            ways["xla"] = graph(call, False, True)
        for way, run in ways.items():
            seen[way + call.spoilt] = seen.get(way + call.spoilt, 0) + 1
            if way not in journal.ways or seen[way + call.spoilt] > _MOST[way] or not journal.trying((way, call)):
                continue
            said = _said(run)
            if said is not None:
                yield {"name": name, "way": way, "spoilt": call.spoilt, "said": said}


def _in_session(function: Callable[..., Any], call: Any, *, known: bool) -> None:
    import tensorflow as tf

    from benchmarks.provoke import ops

    with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as session:
        given = ops.arguments(call)
        for key in () if known else [ops.renamed(call.op).get(key, key) for key, _ in call.inputs]:
            given[key] = tf.nest.map_structure(lambda v: tf.compat.v1.placeholder_with_default(v, None), given[key])
        made = [part for part in tf.nest.flatten(function(**given)) if part is not None]
        session.run(made)


def _jit(tf: Any, jit: bool) -> dict[str, Any]:
    if not jit:
        return {}
    return {"experimental_compile" if tf.__version__.startswith(("2.2.", "2.3.", "2.4.")) else "jit_compile": True}


def keras_messages(name: str, journal: Journal) -> Iterator[dict[str, Any]]:
    """What a case of Keras says."""
    from benchmarks.provoke import layers

    yield from layers.messages(name)


Messages = Any
"""(name, journal) -> rows of the journal: Python 3.8 has no name for its type here."""


def _child(name: str, messages: Messages, journal: Journal, out: int) -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    import numpy as np

    np.set_printoptions(threshold=20)  # a message may print its tensors
    for row in messages(name, journal):
        os.write(out, json.dumps(row).encode() + b"\n")
    os._exit(0)


def run(names: list[str], messages: Messages, path: Path, journal: Journal, limit: float) -> None:
    """All names that the journal does not have yet, one process each."""
    done = {json.loads(line)["name"] for line in path.read_text().splitlines()} if path.exists() else set()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for name in names:
        if name in done:
            continue
        journal.fatal.clear()
        for left in reversed(range(_RETRIES)):
            how = _one(name, messages, journal, descriptor, limit)
            journal.died()
            if not how or how == "time" or not left:
                break
        if how:
            os.write(descriptor, json.dumps({"name": name, "died": how}).encode() + b"\n")


def _one(name: str, messages: Messages, journal: Journal, descriptor: int, limit: float) -> str:
    """How the process of a name ended; empty where it came to its end."""
    pid = os.fork()
    if pid == 0:
        try:
            _child(name, messages, journal, descriptor)
        finally:
            os._exit(1)
    start = time.monotonic()
    ended = (0, 0)
    while ended[0] == 0 and time.monotonic() - start < limit:
        time.sleep(0.01)
        ended = os.waitpid(pid, os.WNOHANG)
    if ended[0] == 0:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return "time"
    return f"status {ended[1]}" if ended[1] else ""


def _known(path: Path | None) -> dict[str, str]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines()) if path else ()
    return {row["name"]: row["call"] for row in rows if row.get("call")}


def main() -> None:
    """Run what is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("ops", "keras"))
    parser.add_argument("journal", type=Path)
    parser.add_argument("--heldout", action="store_true")
    parser.add_argument("--only", default="", metavar="PREFIX", help="names that begin so")
    parser.add_argument("--known", type=Path, help="a journal of ops whose valid calls are tried first")
    parser.add_argument("--ways", default=",".join(WAYS), help="of ops: eager, graph, unknown, xla, session, static")
    asked = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow as tf  # before the fork

    if tf.__version__.startswith("1."):
        tf.compat.v1.enable_eager_execution()
    if asked.what == "ops":
        from benchmarks.provoke import ops

        names, messages = ops.names(), op_messages
    else:
        from benchmarks.provoke import layers

        names, messages = layers.names(), keras_messages
    # In the order of their hashes: what was asked when the time is over is a fair draw.
    names = sorted(names, key=lambda name: sha256(name.encode()).digest()[1:])
    chosen = [name for name in names if set_aside(name) == asked.heldout and name.startswith(asked.only)]
    sys.stderr.write(f"{len(chosen)} of {len(names)}\n")
    run(chosen, messages, asked.journal, Journal(_known(asked.known), tuple(asked.ways.split(","))), LIMITS[asked.what])


if __name__ == "__main__":
    main()
