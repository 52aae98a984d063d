"""Evaluating a frame by value: the top graph, or one activation of a body of control flow.

One run gives everything that is wanted as long as nothing fails. When something fails, the failing node is
found (TensorFlow's message is taken as a hint, and confirmed: its inputs can be evaluated, and it alone
fails on their values; without a usable hint, by bisecting the program order), and what does not depend on
it is evaluated all the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from .errors import Unsupported
from .holes import holes
from .ir import IFS, WHILES, Graph, ancestors, body_names, descendants, split
from .machine import Loaded, Machine, RunFailed, Value

_MAX_CULPRITS = 64


@dataclasses.dataclass(frozen=True)
class Culprit:
    """A node whose inputs can be evaluated and which fails on their values."""

    node: str
    message: str
    kind: str


class Frames:
    """The graphs of a program as imported into one machine: each body once, however often it runs."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._loaded: dict[int, tuple[Graph, Loaded]] = {}

    def loaded(self, graph: Graph) -> Loaded:
        """Import a graph when it is first needed."""
        if id(graph) not in self._loaded:
            self._loaded[id(graph)] = (graph, self.machine.load(graph))
        return self._loaded[id(graph)][1]


class Activation:
    """A frame with the values of its arguments, and what is known of its tensors so far."""

    def __init__(self, frames: Frames, graph: Graph, arguments: Mapping[str, Value]) -> None:
        self.frames = frames
        self.graph = graph
        self.loaded = frames.loaded(graph)
        self.values: dict[str, Value] = dict(arguments)
        self.culprits: list[Culprit] = []
        self.failed: set[str] = set()
        """Nodes that failed or depend on one that did."""
        self.unavailable: dict[str, str] = self._unavailable()
        """Nodes that cannot be evaluated for want of a value or of support, with the reason."""
        self._position = {name: i for i, name in enumerate(graph.nodes)}
        self._arguments = {item.name for item in graph.inputs}

    def state(self, tensor: str) -> str:
        """executed, failed or unknown."""
        if tensor in self.values:
            return "executed"
        return "failed" if split(tensor)[0] in self.failed else "unknown"

    def compute(self, tensors: Sequence[str], nodes: Sequence[str] = ()) -> None:
        """Evaluate what can be evaluated of `tensors`, and run `nodes`.

        Failures are kept in `culprits` and `failed`.
        """
        suspects: list[str] = []
        for _ in range(_MAX_CULPRITS):
            behind = descendants(self.graph, suspects) if suspects else set()
            free = [t for t in self._inputs(suspects) if split(t)[0] not in behind]
            wanted = [*(t for t in tensors if split(t)[0] not in behind), *free]
            targets = [*(n for n in nodes if n not in behind), *self._controls(suspects, behind)]
            try:
                self.fetch(wanted, targets)
            except RunFailed as error:
                suspects.append(self._suspect(error, wanted, targets))
                continue
            if not suspects:
                return
            ready = [s for s in suspects if all(t in self.values for t in self.graph.nodes[s].inputs)]
            confirmed = [suspect for suspect in ready if self._fails(suspect)]
            if not confirmed:
                raise Unsupported(f"{suspects[0]} failed in its step, but not on the values of its inputs")
            suspects = []

    def first_culprit(self, tensors: Sequence[str], nodes: Sequence[str] = ()) -> Culprit | None:
        """The first node, in program order, of those that fail when `tensors` and `nodes` are run.

        TensorFlow runs in parallel and names any of several failures; so what comes before a culprit is run
        again until it passes.
        """
        running = ancestors(self.graph, tensors, nodes)
        culprit: Culprit | None = None
        before: Sequence[str] = nodes
        while True:
            try:
                self.fetch(() if culprit else tensors, before)
                return culprit
            except RunFailed as error:
                culprit = self._one(error, () if culprit else tensors, before)
            culprit = self._first_in_region(culprit, running)
            before = self._before(culprit, running)

    def _first_in_region(self, culprit: Culprit, running: set[str]) -> Culprit:
        """The first culprit within the innermost call: cheap, as the arguments of that call are known by now."""
        region = self.graph.origins[culprit.node].path
        inside = {n for n in running if self.graph.origins[n].path[: len(region)] == region} if region else set()
        while inside:
            before = self._before(culprit, inside)
            try:
                self.fetch((), before)
                break
            except RunFailed as error:
                culprit = self._one(error, (), before)
        return culprit

    def _before(self, culprit: Culprit, running: set[str]) -> list[str]:
        last = self._position[culprit.node]
        return [n for n in running if self._position[n] < last]

    def branch(self, node: str) -> tuple[int, Activation] | None:
        """The number of the body that an If or Case takes, entered with its values; None if they cannot be
        had.
        """
        definition = self.graph.nodes[node]
        if definition.op not in IFS:
            raise Unsupported(f"{node} is {definition.op}, not If or Case")
        self.compute(definition.inputs)
        if any(t not in self.values for t in definition.inputs):
            return None
        names = list(body_names(definition))
        index = _chosen(self.values[definition.inputs[0]], definition.op, len(names))
        return index, self.enter(names[index], [self.values[t] for t in definition.inputs[1:]])

    def loop_start(self, node: str) -> list[Value] | None:
        """The initial values of a While, or None if they cannot be had."""
        definition = self.graph.nodes[node]
        if definition.op not in WHILES:
            raise Unsupported(f"{node} is {definition.op}, not While")
        self.compute(definition.inputs)
        if any(t not in self.values for t in definition.inputs):
            return None
        return [self.values[t] for t in definition.inputs]

    def enter(self, body: str, arguments: Sequence[Value]) -> Activation:
        """A new activation of a body."""
        graph = self.graph.bodies[body]
        given = {f"{i.name}:0": v for i, v in zip(graph.inputs, arguments, strict=True)}
        return Activation(self.frames, graph, given)

    # -- inside
    # -----------------------------------------------------------------------------------------------

    def _unavailable(self) -> dict[str, str]:
        reasons = dict(holes(self.graph))
        for item in self.graph.inputs:
            if f"{item.name}:0" not in self.values:
                reasons[item.name] = f"input {item.label or item.name} ({item.role}) has no value"
        if not reasons:
            return {}
        spread = descendants(self.graph, reasons)
        return {n: reasons.get(n, "depends on a node without a value") for n in spread}

    def _possible(self, node: str) -> bool:
        return node not in self.failed and node not in self.unavailable

    def fetch(self, tensors: Sequence[str], nodes: Iterable[str] = ()) -> None:
        """Run for what is not known yet and can be had; raises RunFailed."""
        wanted = [t for t in tensors if t not in self.values and self._possible(split(t)[0])]
        targets = [n for n in nodes if n not in self._arguments and self._possible(n)]
        self.values.update(self.loaded.run(wanted, self._feeds(), targets))

    def _feeds(self) -> dict[str, Value]:
        return {t: v for t, v in self.values.items() if self.loaded.can_feed(t)}

    def _inputs(self, nodes: Iterable[str]) -> list[str]:
        return [t for n in nodes for t in self.graph.nodes[n].inputs]

    def _controls(self, nodes: Iterable[str], behind: set[str]) -> list[str]:
        return [c for n in nodes for c in self.graph.nodes[n].controls if c not in behind]

    def _region_arguments(self, node: str) -> list[str]:
        """What the innermost call around a node was given, as far as it does not come from behind the node."""
        path = self.graph.origins[node].path
        given = next((r.arguments for r in self.graph.regions if r.path == path), ())
        return [t for t in given if self._position[split(t)[0]] < self._position[node] and not self.loaded.is_opaque(t)]

    def _suspect(self, error: RunFailed, tensors: Sequence[str], nodes: Sequence[str]) -> str:
        hinted = next((n for n in error.hints if self._possible(n) and n not in self._arguments), None)
        return hinted or self._bisect(tensors, nodes)

    def _one(self, error: RunFailed, tensors: Sequence[str], nodes: Sequence[str]) -> Culprit:
        """One confirmed culprit of a failed run: a suspect whose inputs can be evaluated, and that fails on
        their values.
        """
        suspect = self._suspect(error, tensors, nodes)
        for _ in range(_MAX_CULPRITS):
            inputs, controls = self._inputs([suspect]), self._controls([suspect], set())
            try:
                self.fetch([*inputs, *self._region_arguments(suspect)], controls)
            except RunFailed as earlier:
                suspect = self._suspect(earlier, inputs, controls)
                continue
            if self._fails(suspect):
                return self.culprits[-1]
            suspect = self._bisect(tensors, nodes)
        raise Unsupported(f"{suspect} failed in its step, but not on the values of its inputs")

    def _fails(self, node: str) -> bool:
        outputs = self._outputs(node)
        try:
            self.fetch(outputs, [] if outputs else [node])
        except RunFailed as error:
            self.culprits.append(Culprit(node, str(error.error), type(error.error).__name__))
            self.failed |= descendants(self.graph, [node])
            return True
        return False

    def _outputs(self, node: str) -> list[str]:
        return self.loaded.outputs(node)

    def _bisect(self, tensors: Sequence[str], nodes: Sequence[str]) -> str:
        """The first node in program order without which everything before it runs and with which it does
        not.
        """
        known = [t for t in self.values if self.loaded.can_feed(t)]
        todo = ancestors(self.graph, tensors, nodes, known)
        order = [n for n in self.graph.nodes if n in todo and n not in self._arguments and self._possible(n)]
        low, high = 0, len(order)  # order[:low] runs, order[:high] does not
        while high - low > 1:
            middle = (low + high) // 2
            try:
                self.loaded.run([], self._feeds(), order[:middle])
                low = middle
            except RunFailed:
                high = middle
        return order[high - 1]


def _chosen(value: Value, op: str, count: int) -> int:
    number = int(value) if not hasattr(value, "item") else value.item()
    if op in ("If", "StatelessIf"):
        return 0 if number else 1
    return number if 0 <= number < count else count - 1
