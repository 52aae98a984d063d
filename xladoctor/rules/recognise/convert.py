"""Functions that cannot be converted to HLO: shape arguments that are not constants, ops without a kernel, and the
rest.

Format strings: tensorflow/compiler/tf2xla/{const_analysis,xla_op_kernel,xla_compiler,graph_compiler}.cc,
tf2xla/kernels/pad_op.cc, jit/{compilability_check_util,xla_compile_util}.cc, core/framework/op_kernel.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xladoctor.rules import registry
from xladoctor.rules.forms import N
from xladoctor.rules.matching import Hit, find, pattern

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


def constant(record: ErrorRecord, text: str) -> Hit | None:
    """An argument that must be known when the program is compiled."""
    found = find(
        text,
        "must be a compile-time constant",
        rf"[Ii]nput {N} to (?:node|op) ?[`'\"]?([^\s`'\"]{{1,500}}?)[`'\"]? with op "
        rf"(\w{{1,100}}) must be a compile-time constant",
    )
    if found:
        position, node, op = int(found[1]), found[2], found[3]
        name = registry.argument(op, position)
        named = f"`{name}` (argument {position} of {op}, node `{node}`)"
        in_loop = pattern(_LOOP).search(f"{node} {_converted(text)}") is not None
        return Hit(
            f"{named if name else f'Argument {position} of {op} (node `{node}`)'} sets a shape and is not known "
            f"when XLA compiles. Only values of arguments and of variables are known then.",
            op=op,
            node=node,
            details={"argument": position, "argument_name": name, "in_loop": in_loop, "key": node},
            between=(*(("the loop's variable feeds it",) if in_loop else ()), *_FEEDS),
            decide=(_feeding_op(node, position, in_loop),),
        )
    # xla_op_kernel.cc: the first up to TensorFlow 2.4, the second behind the status of what could not be evaluated.
    for literal, source in (
        ("must be a compile-time constant", rf"[Ii]nput {N} to (\w{{1,100}}) operator must be a compile-time constant"),
        ("as a compile-time constant", rf"evaluating input {N} of (\w{{1,100}}) operator as a compile-time constant"),
    ):
        found = find(text, literal, source)
        if found:
            position, op = int(found[1]), found[2]
            name = registry.argument(op, position)
            called = f"`{name}` (argument {position} of {op})" if name else f"Argument {position} of {op}"
            return Hit(
                f"{called} sets a shape and is not known when XLA compiles.",
                op=op,
                details={"argument": position, "argument_name": name, "key": op},
                between=_FEEDS,
                decide=("the op that computes it at the line of your code",),
            )
    for literal, source in (
        ("must be a compile-time constant", r"([\w ,`'-]{1,80}?) must be a compile-time constant"),
        ("be a compile-time constant", r"([\w ,`'-]{1,80}?) (?:to|should|has to) be a compile-time constant"),
        (
            "as a compile-time constant",
            r"(?:evaluate|use|get|resolve).{0,120}?(\S{1,80}) operator as a compile-time constant()",
        ),
        ("has to be static", r"((?:low|high)_pad in Pad op) has to be static"),
        ("must be constant", r"(\w{1,60}) (?:argument|input|operand) must be (?:a )?constant"),
        ("must have compile-time constant", r"([Nn]ode `[\w.]{1,100}`|[\w.]{1,100}) must have compile-time constant"),
        ("must be compile-time constant", r"([\w ]{1,80}?) must be compile-time constants?"),
    ):
        found = find(text, literal, source)
        if found:
            return Hit(
                f"{found[1].strip().capitalize()} sets a shape, and its value is not known when XLA compiles.",
                details={"argument": found[1].strip()},
            )
    return None


_LOOP = r"(?:^|/)(?:while|for)(?:_\d{1,6})?/|while_body"
_FEEDS = ("a random op feeds it", "it is a size from `tf.where`, `tf.boolean_mask` or `tf.unique`")


def _converted(text: str) -> str:
    """The function in which the op stands: the first that could not be converted."""
    found = find(text, "while converting", r"tf2xla conversion failed while converting ([^\s\[]{1,200})")
    return found[1] if found else ""


def _feeding_op(node: str, position: int, in_loop: bool) -> str:
    if in_loop or "..." in node or "Call/" in node or "cond" in node:
        return "what the value depends on at that line of your code"
    return (
        "the op that feeds it is `f.get_concrete_function(*arguments).graph"
        f".get_operation_by_name({node!r}).inputs[{position}].op`, and the ops that feed that op are in its `.inputs`"
    )


def _remedies(ops: Sequence[str]) -> tuple[str, ...] | None:
    """The remedies that fit: what only prints or calls back can be left out, another op's result is needed."""
    host = pattern(r"Print|String|PyFunc|Summary")
    return None if any(host.search(op) for op in ops) else ("move-outside", "jit-off")


def _without_kernel(text: str) -> Hit | None:
    """Ops of which the runtime says that they have no kernel, each with where it has one."""
    found = pattern(r"No registered '(\w{1,100})' OpKernel for (XLA_\w{1,20}) devices").findall(text)
    if not found:
        return None
    names = list(dict.fromkeys(op for op, _ in found))
    node = pattern(r"compatible with node \{\{node ([^\s{}]{1,400})\}\}").search(text)
    attributes = find(
        text,
        "with matching attributes",
        r"\(OpKernel was found, but attributes didn't match\) Requested Attributes: "
        r"([^)]{1,200})",
    )
    details: dict[str, Any] = {"ops": names}
    if attributes:
        details["attributes"] = attributes[1]
    many = f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no XLA kernel on {found[0][1]}"
    by_types = bool(attributes) or "attributes didn't match" in text
    details["kernels"] = {name: _kernels(name) for name in names}
    return Hit(
        many
        + (" for these types or attributes." if by_types else ".")
        + "".join(f" {says}" for name in names[:3] if (says := _elsewhere(name, by_types))),
        op=names[0],
        node=node[1] if node else None,
        device=found[0][1],
        remedies=_remedies(names),
        details=details,
    )


def unsupported(record: ErrorRecord, text: str) -> Hit | None:
    """Ops without a kernel on the XLA device."""
    if "Detected unsupported operations" in text or "XLA_" in text:
        without = _without_kernel(text)
        if without:
            return without
        found2 = find(
            text,
            "Detected unsupported operations",
            r"Detected unsupported operations when trying to compile graph \S{1,300} on "
            r"(\w{1,30}): (\w{1,100}) \((.{0,300}?)\)",
        )
        if found2:
            return Hit(
                f"{found2[2]} cannot be compiled on {found2[1]}: {found2[3]}.",
                op=found2[2],
                device=found2[1],
                remedies=_remedies(found2.groups()[1:2]),
                details={"ops": [found2[2]]},
            )
    # compilability_check_util.cc, up to TensorFlow 2.5: a list of nodes, each with its reason.
    node = find(text, "Uncompilable nodes:", r"Uncompilable nodes: ?(\S{1,300}?): (.{1,300}?) Stacktrace:")
    if node:
        return Hit(f"`{node[1]}` cannot be compiled: {node[2].strip().rstrip('.')}.", node=node[1])
    found1 = find(
        text,
        "is not compilable",
        r"(?:Function invoked by the following node|node|op) .{0,300}?is not compilable: ?(.{0,300})",
    )
    if found1:
        return Hit(f"A part of the function cannot be compiled: {found1[1][:200]}", details={})
    found1 = find(
        text,
        "unsupported",
        r"(?:op|Op|operation) ?'?(\w{1,80})'? (?:is )?(?:unsupported|not supported) (?:by XLA|in XLA|on XLA)",
    )
    if found1:
        return Hit(f"{found1[1]} is not supported by XLA.", op=found1[1])
    return None


def _kernels(op: str) -> dict[str, bool] | None:
    """What TensorFlow 2.21 registers for an op; None where it has no such op."""
    found = registry.kernels(op)
    return None if found is None else {"xla": found.xla, "cpu": found.cpu, "gpu": found.gpu}


def _elsewhere(op: str, by_types: bool) -> str:
    found = registry.kernels(op)
    if found is None:
        return f"TensorFlow {registry.VERSION} registers no op {op}: a custom op, or one of another version."
    version = f"TensorFlow {registry.VERSION}"
    if found.xla and by_types:
        return f"XLA has a kernel for {op}, but none for these types or attributes."
    if found.xla:
        return f"{version} has an XLA kernel for {op}: this version is older, or the device another."
    return f"{op} has kernels for {found.elsewhere} ({version}), and none for XLA." if found.elsewhere else ""


def compile_failed(text: str) -> Hit | None:
    """A failure inside XLA's compilation whose message has no cause that another rule recognises."""
    found = find(
        text, "tf2xla conversion failed", r"tf2xla conversion failed while converting (\S{1,300}?)\["
    ) or pattern(
        r"(?:[Ee]rror|failed|aborted) .{0,60}?while compiling (\S{1,200})|\((\S{1,200})\) "
        r"(?:could not be|failed to be) compiled by XLA"
    ).search(text)
    if not found:
        return None
    explicit = "_XlaMustCompile=true" in text
    clustered = "_XlaCompiledKernel=true" in text
    function = next((g for g in found.groups() if g), "")
    says = f"XLA could not compile `{function}`; the message has no cause that the doctor knows."
    if explicit:
        says += " The function is compiled explicitly (_XlaMustCompile), so TF_XLA_FLAGS has no effect on it."
    elif clustered:
        says += " Auto-clustering made this cluster (_XlaCompiledKernel). TF_XLA_FLAGS=--tf_xla_auto_jit=0 ends that."
    return Hit(
        says,
        status="untested",
        details={"function": function, "explicit": explicit},
        between=("a mistake that eager execution shows too (shapes, types)", "something that only XLA refuses"),
        decide=(
            "the line just above `tf2xla conversion failed` says what failed",
            "the same step with `tf.config.run_functions_eagerly(True)`: if it fails too, the mistake is in the "
            "program",
        ),
    )
