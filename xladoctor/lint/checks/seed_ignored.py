"""XD815: a seed for random ops in a function that XLA compiles, which does not use it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.lint.frames import Call, Event
from xladoctor.lint.hazard import Hazard, in_frame
from xladoctor.sources.names import keyword

# Those with an XLA kernel that keep a state of their own (measured, docs/lint.md); the others are host ops (XD803).
_STATEFUL = frozenset({"normal", "uniform", "truncated_normal", "shuffle", "categorical"})


def see(event: Event) -> Iterator[Hazard]:
    """`tf.random.normal(shape, seed=1)`: a warning. The same without a seed, in a module that sets the global one: a
    note. `tf.random.stateless_*` and `tf.random.Generator` follow their seed.
    """
    if not isinstance(event, Call) or not event.frame.entry.jit:
        return
    family, _, name = event.op.rpartition(".")
    if family != "random" or name not in _STATEFUL:
        return
    given = keyword(event.node, "seed")
    own = given is not None and not (isinstance(given, ast.Constant) and given.value is None)
    setter = None if own else _global_seed(event)
    if own or setter:
        what = "its seed" if own else f"the seed of {setter}"
        message = (
            f"tf.{event.op} does not follow {what} under XLA: it draws other numbers than eager execution, and new "
            f"ones each time that the seed is set."
        )
        level = "warning" if own else "note"
        yield in_frame("XD815", event.frame, event.node, message, "random-in-compiled", level=level, op=event.op)


def _global_seed(event: Call) -> str | None:
    """How the module of the function sets the seed of all random ops, if it does."""
    for call, _ in event.frame.module.calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        full = event.frame.module.full(call.func) or name
        if name in ("set_seed", "set_random_seed") and not full.startswith(("numpy", "random.")):
            return full.replace("tensorflow.", "tf.")
    return None
