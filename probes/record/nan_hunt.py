"""A rehearsal that looks for the first NaN: every op's output is looked at, while the program runs as it would.

TensorFlow calls an *op callback* for each op that is executed eagerly or added to a graph. An eager result is looked at
right there; in a graph a `PyFunc` beside the op looks at what it computes and changes nothing. XLA drops such ops, so
that functions are traced without `jit_compile` here. It ends when something that is not finite reaches a variable or
the result of a call, and tells which op made it.
"""

from __future__ import annotations

import sys
import threading
import weakref
from types import ModuleType
from typing import Any

from .. import compat, schema
from . import nan_origin
from .frames import hidden, user_frames
from .guard import Guard
from .importhook import PostImportFinder
from .nan_facts import Facts, Node, forward_of, layer_of, of_dataset, symbolic
from .nan_origin import Bad, Source
from .rehearse import Rehearsal

_SINKS = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp", "ResourceScatter", "ResourceApply")
_SKIP = nan_origin.MOVES | nan_origin.READS | nan_origin.WRITTEN | nan_origin.DATA | nan_origin.ARGUMENTS
_KEPT = 4000
_WAIT = 3.0
_FRAMES = 12


class Hunt:
    """Watches every op of the main thread, and writes one `rehearsal` event with `nan`."""

    def __init__(self, guard: Guard, finder: PostImportFinder, rehearsal: Rehearsal) -> None:
        self.guard = guard
        self.rehearsal = rehearsal
        self._lock = threading.RLock()
        self.facts = Facts()
        self._graphs: dict[str, Any] = {}
        self._keep: list[Any] = []
        self._eager: dict[int, tuple[Any, Bad]] = {}
        self._feeds: dict[int, Any] = {}
        self._order = 0
        self._reached: dict[str, tuple[Any, str, str]] = {}
        self._soft: dict[str, Any] | None = None
        self._told = False
        self._inside = threading.local()
        finder.when_imported("tensorflow", lambda m: self.guard.part("nan", self._start, m))
        rehearsal.last.append(self.finish)

    def _start(self, tensorflow: ModuleType) -> None:
        import numpy

        from . import nan_values

        self.numpy, self.values = numpy, nan_values
        self.tensorflow = tensorflow
        self._without_xla()
        self._names()
        self._targets()
        compat.add_op_callback(hidden(self._callback()))

    def _without_xla(self) -> None:
        cls: Any = compat.function_class()
        init = cls.__init__

        def __init__(function: Any, *args: Any, **kwargs: Any) -> None:
            init(function, *args, **kwargs)
            if getattr(function, "_jit_compile", None):
                function._jit_compile = None

        cls.__init__ = hidden(__init__)

    def _names(self) -> None:
        module = compat.atomic_function_module()
        original = module.from_func_graph

        def from_func_graph(name: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
            self._graphs[name.decode() if isinstance(name, bytes) else str(name)] = graph
            return original(name, graph, *args, **kwargs)

        module.from_func_graph = hidden(from_func_graph)

    def _targets(self) -> None:
        """What a program differentiates is its loss, whatever it calls it."""
        cls = self.tensorflow.GradientTape
        original = cls.gradient

        def gradient(tape: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
            self.guard.part("nan loss", self._target, target)
            return original(tape, target, *args, **kwargs)

        cls.gradient = hidden(gradient)

    def _target(self, target: Any) -> None:
        for tensor in self.tensorflow.nest.flatten(target):
            if not _floats(tensor):
                continue
            if not symbolic(tensor):
                if flags := self._of(tensor):
                    self._reaches("loss", tensor, flags, "GradientTape.gradient")
                    self._conclude({})
                continue

            def look(array: Any, tensor: Any = tensor) -> None:
                self.guard.part("nan look", self._looked_at_target, tensor, array)

            with self.tensorflow.device("/cpu:0"):
                self.tensorflow.numpy_function(look, [tensor], [])

    def _looked_at_target(self, tensor: Any, array: Any) -> None:
        if flags := self.values.flags(array):
            with self._lock:
                self._reaches("loss", tensor, flags, "GradientTape.gradient")
                self._soon()

    def _callback(self) -> Any:
        def seen(op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None) -> Any:
            kind = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
            if graph is not None:
                return self.guard.part("nan graph", self._built, kind, inputs, outputs, graph)
            if not getattr(self._inside, "on", False):
                self._inside.on = True
                try:
                    self.guard.part("nan eager", self._executed, kind, inputs, outputs)
                finally:
                    self._inside.on = False
            return None

        return seen

    # -- graphs -----------------------------------------------------------------------------------------------------

    def _built(self, kind: str, inputs: Any, outputs: Any, graph: Any) -> list[Any] | None:
        """An op was added to a graph: look at what it computes, if that are floats. Returns what is to stand for its
        outputs, if anything is.
        """
        sink = kind.startswith(_SINKS)
        if not hasattr(graph, "outer_graph") or (kind in _SKIP and not sink):
            return None
        results = [] if sink else [t for t in outputs if _floats(t)]
        given = [t for t in inputs if _floats(t)]
        op = outputs[0].op if outputs else _last_op(graph)
        if op is None or op.type != kind:
            return None
        if not results and not (sink and given):
            return None
        frame = sys._getframe(4)
        node = Node(op, user_frames(skip=4, limit=_FRAMES), layer_of(frame), forward_of(frame), of_dataset(frame))
        self.facts.nodes[id(graph), op.name] = node
        self._keep.append(graph)

        def look(*arrays: Any) -> None:
            self.guard.part("nan look", self._looked, node, sink, results, given, arrays)

        with self.tensorflow.device("/cpu:0"):
            watch = self.tensorflow.numpy_function(look, [*results, *given], [])
        if sink or compat.runs_stateful_ops(graph):
            return None
        # Nothing makes an op beside the others run in this graph (that of a gradient): it must stand between them.
        with self.tensorflow.control_dependencies([watch]):
            return [self.tensorflow.identity(t) if _floats(t) else t for t in outputs]

    def _body(self, op: Any) -> list[Any]:
        """The outputs of the function that an op calls; what its placeholders stand for is noted."""
        body = self._graphs.get(compat.function_name(op))
        for inner, outer in zip(body.inputs if body is not None else (), op.inputs, strict=False):
            self._feeds[id(inner)] = outer
        return list(body.outputs) if body is not None else []

    def _looked(self, node: Node, sink: bool, results: list[Any], given: list[Any], arrays: tuple[Any, ...]) -> None:
        """An op of a graph was executed."""
        node.runs += 1
        flags = self.values.flags
        if sink:
            bad = [(t, f) for t, a in zip(given, arrays, strict=True) if (f := flags(a))]
            if bad:
                with self._lock:
                    self._reaches("variable", *bad[0], node.op.type)
                    self._soon()
            return
        out = arrays[: len(results)]
        found = [flags(a) for a in out]
        if not any(found):
            if node.start is None:
                node.start = max((self.values.largest(a) or 0.0 for a in out), default=0.0)
            if not node.data:  # a dataset runs ahead
                node.bad = None
            return
        if node.bad is not None:
            return
        with self._lock:
            inputs = [(t, f) for t, a in zip(given, arrays[len(results) :], strict=True) if (f := flags(a))]
            node.bad = self._record(node.op.type, found, out, inputs, arrays[len(results) :], node.runs)
            node.bad.op = node.op
            worst = next((t for t, f in zip(results, found, strict=True) if f), None)
            node.bad.facts |= {"node": node, "data": node.data, "tensor": worst}

    def _record(self, kind: str, found: list[Any], out: Any, inputs: list[Any], given: Any, run: int) -> Bad:
        self._order += 1
        nan = any(f.nan for f in found)
        which = next(i for i, f in enumerate(found) if (f.nan if nan else f))
        array = out[which]
        index = self.values.first(array, "nan" if nan else "inf")
        facts = {
            "value": str(array[index] if array.ndim else array[()]),
            "index": list(index),
            "shape": list(array.shape),
            "dtype": str(array.dtype),
            "inputs": [self.values.describe(a, index, array.shape) for a in list(given)[:6]],
        }
        flags = self.values.Flags(nan, any(f.inf for f in found))
        return Bad(kind, self._order, run, flags, inputs, facts)

    # -- eager ops --------------------------------------------------------------------------------------------------

    def _executed(self, kind: str, inputs: Any, outputs: Any) -> None:
        """An op, or a function as a whole, was executed eagerly."""
        if kind.startswith(_SINKS):
            for tensor in inputs:
                if _floats(tensor) and (flags := self._of(tensor)):
                    self._reaches("variable", tensor, flags, kind)
                    self._conclude({})
            return
        graph = self._graphs.get(kind)
        if graph is not None and self._reached:
            self._conclude(dict(zip(map(id, graph.inputs), inputs, strict=False)))
        results = [t for t in outputs if _floats(t)] if isinstance(outputs, (list, tuple)) else []
        found = [self._of(t) for t in results]
        if graph is None and kind not in nan_origin.MOVES and len(self.facts.lines) < 200_000:
            for t in results:
                self.facts.lines[id(t)] = (weakref.ref(t), user_frames(skip=5, limit=4))
        if not any(found):
            return
        given = [t for t in inputs if _floats(t)]
        arrays = [t.numpy() for t in given]
        bad = [(t, f) for t, a in zip(given, arrays, strict=True) if (f := self.values.flags(a))]
        record = self._record(kind, found, [t.numpy() for t in results], bad, arrays, 1)
        record.facts |= {"frames": user_frames(skip=5, limit=_FRAMES), "layer": layer_of(sys._getframe(5))}
        record.facts["forward"] = forward_of(sys._getframe(5))
        for tensor, flags in zip(results, found, strict=True):
            record.facts.setdefault("tensor", tensor)
            if flags and len(self._eager) < _KEPT:
                self._eager[id(tensor)] = (tensor, record)
        if graph is not None:
            feed = dict(zip(map(id, graph.inputs), inputs, strict=False))
            record.facts["inside"] = found_inside = self._inside_of(graph, outputs, feed)
            plain = "forward" not in kind and "backward" not in kind
            if found_inside is not None and plain and record.out.nan:
                self._tell(found_inside, "result", kind)
        elif record.makes == "nan" and self._soft is None:
            fetched = kind in nan_origin.DATA  # it makes nothing: the numbers came with the data
            self._soft = self.facts.of(Source("data", record.facts.get("tensor")) if fetched else record)

    def _inside_of(self, graph: Any, outputs: Any, feed: dict[int, Any]) -> Bad | Source | None:
        """What made the first result of a function that is not finite."""
        for inner, value in zip(graph.outputs, outputs, strict=False):
            if _floats(value) and (flags := self._of(value)):
                found = self._origin(inner, "nan" if flags.nan else "inf", feed)
                if found is not None:
                    return found
        return None

    def _of(self, tensor: Any) -> Any:
        return self.values.flags(self.numpy.asarray(tensor.numpy()))

    # -- conclusions ------------------------------------------------------------------------------------------------

    def _reaches(self, what: str, tensor: Any, flags: Any, by: str) -> None:
        self._reached.setdefault(what, (tensor, "nan" if flags.nan else "inf", by))

    def _soon(self) -> None:
        """In a step that does not return soon (a loop of its own) it is concluded while it runs."""
        timer = threading.Timer(_WAIT, lambda: self.guard.part("nan", self._conclude, {}))
        timer.daemon = True
        timer.start()

    def _conclude(self, feed: dict[int, Any]) -> None:
        """Something reached the loss or a variable, and the call in which it did has returned."""
        with self._lock:
            reached, self._reached = self._reached, {}
            for what in ("loss", "variable"):
                if what in reached:
                    tensor, kind, by = reached[what]
                    found = self._origin(tensor, kind, feed)
                    if found is not None:
                        self._tell(found, what, by)
                        return

    def _origin(self, tensor: Any, kind: str, feed: dict[int, Any]) -> Bad | Source | None:
        trace = nan_origin.Trace(self._bad, self._watched, lambda t: self._fed(t, feed), self._body, self._inner())
        return nan_origin.chosen(self._through(trace.origins(tensor, kind)))

    def _through(self, found: Any) -> Any:
        for origin in found:
            inside = origin.facts.get("inside") if isinstance(origin, Bad) else None
            yield inside or origin

    def _bad(self, tensor: Any) -> Bad | None:
        if hasattr(tensor, "numpy") and not hasattr(tensor, "graph"):
            return self._eager[id(tensor)][1] if id(tensor) in self._eager else None
        if id(tensor) in self._eager:
            return self._eager[id(tensor)][1]
        try:
            node = self.facts.nodes.get((id(tensor.graph), tensor.op.name))
        except AttributeError:
            return None
        return node.bad if node is not None else None

    def _watched(self, op: Any) -> bool:
        return (id(op.graph), op.name) in self.facts.nodes

    def _fed(self, tensor: Any, feed: dict[int, Any]) -> Any:
        if id(tensor) in feed:
            return feed[id(tensor)]
        outer = compat.captured_from(tensor)
        return self._feeds.get(id(tensor)) if outer is None else outer

    def _inner(self) -> list[Bad]:
        return [n.bad for n in self.facts.nodes.values() if n.bad is not None]

    def _tell(self, found: Bad | Source, reached: str, by: str) -> None:
        if self._told:
            return
        self._told = True
        first = self.facts.before(found)
        facts = self.facts.of(first) | {"reached": reached, "by": by, "through_gradient": first is not found}
        self.rehearsal.sink.write(schema.REHEARSAL, nan=facts)
        self.rehearsal._enough("nan")

    def finish(self) -> None:
        """The program is at its end."""
        if not self._told:
            self._checks()
        if not self._told:
            self._told = True
            self.rehearsal.sink.write(schema.REHEARSAL, nan=self._soft or {"none": True})

    def _checks(self) -> None:
        """What made the value at which a check of the program's own raised: its call did not return."""
        for node in list(self.facts.nodes.values()):
            if not node.op.type.startswith("CheckNumerics"):
                continue
            for kind in ("nan", "inf"):
                found = self._origin(node.op.inputs[0], kind, {})
                if found is not None and not (isinstance(found, Source) and self._soft is not None):
                    self._tell(found, "check", node.op.type)
                    return


def _floats(tensor: Any) -> bool:
    dtype = getattr(tensor, "dtype", None)
    return dtype is not None and bool(getattr(dtype, "is_floating", False) or getattr(dtype, "is_complex", False))


def _last_op(graph: Any) -> Any:
    operations = graph.get_operations()
    return operations[-1] if operations else None
