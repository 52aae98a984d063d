"""What XLA refuses to compile.

Format strings: xla/service/dynamic_dimension_inference.cc, xla/service/dynamic_padder.cc, xla/status_macros.cc,
tensorflow/compiler/tf2xla/{const_analysis,xla_op_kernel,xla_compiler,graph_compiler}.cc,
tf2xla/kernels/{while_op,if_op,
case_op,tensor_list_ops,pad_op}.cc, jit/{compilability_check_util,xla_compile_util}.cc, core/common_runtime/placer.cc,
tensorflow/python/eager/polymorphic_function, tensorflow/python/autograph/operators/control_flow.py,
python/ops/cond_v2.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xladoctor.rules.forms import SHAPE, Form, N, by_forms, first_form
from xladoctor.rules.matching import Hit, find, ints, pattern

if TYPE_CHECKING:
    from xladoctor.evidence.model import ErrorRecord


def dynamic_dimension(record: ErrorRecord, text: str) -> Hit | None:
    """A bounded dimension that reaches an instruction which cannot carry it."""
    found = find(
        text,
        "Asked to propagate a dynamic dimension from hlo",
        r"dynamic dimension from hlo %?(\S{1,300}?)@\{([\d,]{0,40})\}@(\d{1,3}) to hlo "
        r"(.{1,700})",
    )
    if found:
        instruction, axis = found[4].split(", which is not implemented")[0].split(" ```")[0], int(found[3])
        shaped = pattern(r"= (\w{1,8}\[[^\[\]]{0,200}\])\S{0,40} ([\w-]{1,60})\(").search(instruction)
        opcode = shaped[2] if shaped else None
        details: dict[str, Any] = {"from": found[1], "axis": axis, "hlo": instruction[:300]}
        dims: tuple[int, ...] = ()
        if shaped:
            details["shape"] = shaped[1]
            dims = tuple(int(n) for n in pattern(r"<=(\d{1,18})").findall(shaped[1]))
        bound = f" of at most {dims[0]}" if dims else ""
        to = opcode or instruction.split(" ")[0]
        return Hit(
            f"Axis {axis} of the input of `{to}` has a size{bound} that is known only at run "
            f"time, and XLA cannot carry such a size through `{to}`.",
            dims=dims,
            op=None if record.op and not record.op.startswith("__") else opcode,
            details={**details, "opcode": opcode},
        )
    found = find(
        text,
        "proof the equality of two dimensions",
        r"Fail to proof the equality of two dimensions at compile time: (.{1,300})",
    )
    if found:
        return Hit(
            "XLA cannot show, while compiling, that two sizes known only at run time are equal.",
            details={"hlo": found[1]},
        )
    for literal, source, says in (
        (
            "Dynamic dimension propagation",
            r"Dynamic dimension propagation (?:on|through|with) (.{1,160}?)(?: is| not|\.|$)",
            "XLA cannot carry a bounded dynamic dimension through: {0}.",
        ),
        (
            "dynamic dimension",
            r"(?:does not|doesn't|Can't|cannot|not) support(?:ed)? (.{0,80}?dynamic dimension.{0,80})",
            "XLA cannot carry a bounded dynamic dimension: {0}.",
        ),
        (
            "dynamic dimension",
            r"([Ss]tride.{0,40}? on (?:a )?dynamic dimension.{0,40}|[Dd]ynamic "
            r"dimension.{0,60}?(?:not|un)\s?(?:implemented|supported).{0,40})",
            "XLA cannot carry a bounded dynamic dimension: {0}.",
        ),
    ):
        found = find(text, literal, source)
        if found and "RET_CHECK" not in text and "PadOp" not in text:
            return Hit(says.format(found[1].strip()), details={"axis": None})
    return None


def padder(record: ErrorRecord, text: str) -> Hit | None:
    """A check of XLA's dynamic padder."""
    check = _check(text)
    unexpected = find(
        text,
        "Dynamic input unexpectedly found",
        r"Dynamic input unexpectedly found for unsupported instruction: (.{1,400}?)(?:, metadata|$)",
    )
    if not unexpected and not (check and "dynamic_padder" in check["file"]):
        return None
    details: dict[str, Any] = {"check": check} if check else {}
    dims: tuple[int, ...] = ()
    what = "an instruction that it does not handle"
    if unexpected:
        shaped = pattern(r"= (\w{1,8}\[[^\[\]]{0,200}\])\S{0,40} ([\w-]{1,60})\(").search(unexpected[1])
        details["hlo"] = unexpected[1][:300]
        if shaped:
            dims = tuple(int(n) for n in pattern(r"<=(\d{1,18})").findall(shaped[1]))
            details |= {"opcode": shaped[2], "shape": shaped[1]}
            what = f"`{shaped[2]}` of shape {shaped[1]}"
    return Hit(
        f"XLA's dynamic padder met a bounded dynamic dimension in {what}, and stopped on an internal check.",
        dims=dims,
        details=details,
    )


def ret_check(record: ErrorRecord, text: str) -> Hit | None:
    """Another internal check of the compiler, or a fatal check in its code."""
    check = _check(text)
    if check and "dynamic_padder" not in check["file"] and "Dynamic input unexpectedly" not in text:
        says = f"The compiler stopped on its own check `{check['condition']}` at {check['file']}:{check['line']}."
        if "dynamic" in check["file"] or "dynamic" in check["condition"]:
            says += " The file deals with bounded dynamic dimensions."
        return Hit(says, details={"check": check, "key": check["file"]})
    if (
        "Check failed:" in text
        and "mlir" not in text[:40]
        and pattern(r"\bxla::|XlaCompiler|tf2xla|hlo").search(text)
        and not pattern(r"DynamicConditional|Invalid index from").search(text)
    ):
        found = pattern(r"Check failed: (.{1,200}?)(?: \*\*\*|$)").search(text)
        return Hit(
            f"The compiler aborted the process on its own check `{found[1] if found else text[:120]}`.",
            details={"fatal": True},
        )
    return None


def _check(text: str) -> dict[str, Any] | None:
    found = find(
        text,
        "RET_CHECK failure",
        r"RET_CHECK failure \(([^():]{1,300}):(\d{1,7})\) ?(.{0,300}?)(?: \[Op:|\*\*\*|\[\[|$)",
    )
    return {"file": found[1], "line": int(found[2]), "condition": found[3].strip()} if found else None


def constant(record: ErrorRecord, text: str) -> Hit | None:
    """An argument that must be known when the program is compiled."""
    found = find(
        text,
        "must be a compile-time constant",
        rf"[Ii]nput {N} to (?:node|op) ?[`'\"]?([^\s`'\"]{{1,500}}?)[`'\"]? with op "
        rf"(\w{{1,100}}) must be a compile-time constant",
    )
    if found:
        where = f"argument {found[1]} of {found[3]} (node `{found[2]}`)"
        return Hit(
            f"{where[0].upper()}{where[1:]} sets a shape, and its value is not known when XLA compiles.",
            op=found[3],
            node=found[2],
            details={"argument": int(found[1]), "key": found[2]},
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
        ("must be compile-time constant", r"([\w ]{1,80}?) must be compile-time constants?"),
    ):
        found = find(text, literal, source)
        if found:
            return Hit(
                f"{found[1].strip().capitalize()} sets a shape, and its value is not known when XLA compiles.",
                details={"argument": found[1].strip()},
            )
    return None


def unsupported(record: ErrorRecord, text: str) -> Hit | None:
    """Ops without a kernel on the XLA device."""
    if "Detected unsupported operations" in text or "XLA_" in text:
        found = pattern(r"No registered '(\w{1,100})' OpKernel for (XLA_\w{1,20}) devices").findall(text)
        if found:
            names = list(dict.fromkeys(op for op, _ in found))
            node = pattern(r"compatible with node \{\{node ([^\s{}]{1,400})\}\}").search(text)
            attributes = find(
                text,
                "with matching attributes",
                r"\(OpKernel was found, but attributes didn't match\) Requested Attributes: "
                r"(.{1,200}?)(?:\)|$)",
            )
            details: dict[str, Any] = {"ops": names}
            if attributes:
                details["attributes"] = attributes[1]
            many = f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no XLA kernel on {found[0][1]}"
            return Hit(
                many + (" for these types or attributes." if attributes or "attributes didn't match" in text else "."),
                op=names[0],
                node=node[1] if node else None,
                device=found[0][1],
                details=details,
            )
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
                details={"ops": [found2[2]]},
            )
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


def compile_failed(record: ErrorRecord, text: str) -> Hit | None:
    """A failure inside of XLA's compilation of which the message gives no cause that another rule knows."""
    found = find(
        text, "tf2xla conversion failed", r"tf2xla conversion failed while converting (\S{1,300}?)\["
    ) or pattern(
        r"(?:[Ee]rror|failed|aborted) .{0,60}?while compiling (\S{1,200})|\((\S{1,200})\) "
        r"(?:could not be|failed to be) compiled by XLA"
    ).search(text)
    if not found:
        return None
    explicit = "_XlaMustCompile=true" in text
    function = next((g for g in found.groups() if g), "")
    says = f"XLA could not compile `{function}`; the message gives no cause that is known here."
    if explicit:
        says += " The function is compiled explicitly (_XlaMustCompile), so TF_XLA_FLAGS does not govern it."
    return Hit(says, status="untested", details={"function": function, "explicit": explicit})


_LOOP_FORMS = (
    Form(
        "loop body do not match",
        r"Input and output shapes of loop body do not match: (.{1,1500}?) vs\. "
        r"(.{1,1500}?)(?: \[\[|\[\[| tf2xla|$)",
        "A loop variable changes its shape: {0} goes in, {1} comes out.",
    ),
    Form(
        "enters the loop with shape",
        rf"tensor `?(\S{{1,200}}?)`? enters the loop with shape {SHAPE}, but has shape {SHAPE} "
        rf"after one iteration",
        "`{0}` enters the loop as {1} and leaves its first iteration as {2}.",
        pick=(1, 2),
    ),
    Form(
        "before the loop, but shape",
        rf"'(\S{{1,200}}?)' has shape {SHAPE} before the loop, but shape {SHAPE} after one iteration",
        "`{0}` is {1} before the loop and {2} after one iteration.",
        pick=(1, 2),
    ),
    Form(
        "is not an invariant for the loop",
        rf"shape invariant.{{1,200}}?{SHAPE}.{{1,80}}?{SHAPE}|shape for (\S{{1,200}}?) is not "
        rf"an invariant for the loop\. It enters the loop with shape {SHAPE}, but has shape "
        rf"{SHAPE}",
        "A loop variable does not keep its shape.",
    ),
    Form(
        "before the loop, but dtype",
        r"'(\S{1,200}?)' has dtype (\w{1,20}) before the loop, but dtype (\w{1,20}) after one iteration",
        "`{0}` is {1} before the loop and {2} after one iteration.",
        pick=(),
    ),
    Form(
        "Body function must",
        r"(?:[Bb]ody function|parameter).{0,80}? must (?:match|be) .{0,200}?loop()",
        "The body of a loop does not return what it takes.",
    ),
)


def loop(record: ErrorRecord, text: str) -> Hit | None:
    """A loop variable that changes its static shape (or type)."""
    hit = first_form(_LOOP_FORMS, text)
    if hit and "vs." in text:
        sides = pattern(r"(\w{1,8}\[[^\[\]]{0,99}\])").findall(hit.message)
        half = len(sides) // 2
        differ = [(a, b) for a, b in zip(sides[:half], sides[half:], strict=False) if a != b]
        dims = ints(" ".join(s[s.index("[") :] for pair in differ for s in pair))
        names = "; ".join(f"{a} goes in, {b} comes out" for a, b in differ) or "see the message"
        return Hit(
            f"A loop variable changes its shape from one iteration to the next: {names}.",
            dims=dims,
            details={"differ": [list(p) for p in differ]},
        )
    return hit


_branch = by_forms(
    (
        Form(
            "Check failed: result.",
            r"(Check failed: result\.(?:rank|dimensions)\(\)).{0,40}? == shape->.{0,12000}?Conditional",
            "The branches of a conditional differ in rank; XLA aborts the process instead of saying so.",
            pick=(),
        ),
        Form(
            "true_fn and false_fn",
            r"(true_fn and false_fn) .{0,40}?must have the same .{0,400}",
            "The two branches of `tf.cond` do not return the same structure or types.",
            pick=(),
        ),
        Form(
            "both branches",
            r"'(\S{1,200}?)' must have the same (\w{1,20}) .{0,60}?both branches.{0,200}",
            "`{0}` differs in {1} between the branches.",
            pick=(),
        ),
        Form(
            "must also be initialized in the",
            r"'(\S{1,200}?)' must also be initialized in the (\w{1,20}) branch",
            "`{0}` is set in one branch only (missing in the {1} branch).",
            pick=(),
        ),
        Form(
            "initialized in the main branch",
            r"'(\S{1,200}?)' must also be initialized in the (\w{1,20}) branch",
            "`{0}` is set in one branch only.",
            pick=(),
        ),
        Form(
            "branch_fns",
            r"(branch_fns|branches).{0,80}?must (?:have|return) the same .{0,200}",
            "The branches of a switch do not return the same structure or types.",
            pick=(),
        ),
        Form(
            "shape of conditional",
            rf"(?:true|false|branch).{{0,80}}?shape of conditional.{{0,200}}?{SHAPE}.{{0,60}}?{SHAPE}",
            "The branches return {0} and {1}.",
        ),
        Form(
            "of the result of the",
            rf"(?:then|else|true|false|branch \d{{1,3}}).{{1,80}}?{SHAPE}.{{1,60}}?(?:vs\.?|and|"
            rf"but).{{1,60}}?{SHAPE}.{{0,40}}?branch",
            "The branches return {0} and {1}.",
        ),
        Form(
            "Output shapes of",
            r"(?:Output shapes of|Mismatch in resource of) (?:then|else|true|false|\w{1,20}) "
            r"(?:and else )?branch(?:es)? (?:do not match|differ).{0,10}(.{0,300})",
            "The branches return different shapes: {0}",
            pick=(),
        ),
        Form("Incompatible shapes for conditional", rf"{SHAPE}.{{1,60}}?{SHAPE}", "The branches return {0} and {1}."),
    )
)


def branch(record: ErrorRecord, text: str) -> Hit | None:
    """Branches that do not return the same."""
    if record.exception == "AssertionError" and pattern(r"^\[\d{1,4}(?:, \d{1,4}){1,40}\](?: |$)").match(text):
        if any(
            pattern(r"\bcond\b").search(frame.code or "") for frame in record.frames
        ):  # cond_v2: the number of outputs of each branch
            return Hit(f"The branches return different numbers of tensors: {text}.", status="untested")
        return None
    return _branch(record, text)


tensorlist = by_forms(
    (
        Form(
            "fixed tensor list size",
            r"(XLA compilation requires a fixed tensor list size)",
            "A TensorArray or a loop's gradient has no static bound.",
            pick=(),
        ),
        Form(
            "crossing the XLA/TF boundary",
            r"(TensorList crossing the XLA/TF boundary)",
            "A TensorList leaves or enters the compiled function.",
            pick=(),
        ),
        Form(
            "TensorArray",
            r"(?:XLA|[Cc]ompil).{0,80}?(TensorArray.{0,60}? (?:size|shape).{0,100}?(?:constant|"
            r"known|static|inferred).{0,60})",
            "A TensorArray without a static size: {0}",
            pick=(),
        ),
        Form(
            "TensorList",
            r"(TensorList .{0,80}?(?:non-scalar|not initialized|uninitialized|dynamic).{0,100})",
            "A TensorList that XLA cannot size: {0}",
            pick=(),
        ),
        Form(
            "TensorListReserve",
            rf"[Ii]nput {N} to node `[^`]{{1,300}}` with op (TensorListReserve|EmptyTensorList|"
            rf"TensorListSplit) must be a compile-time constant",
            "The size of a TensorArray (argument {0} of {1}) is not known when XLA compiles.",
            pick=(),
        ),
        Form(
            "EmptyTensorList",
            rf"[Ii]nput {N} to node `[^`]{{1,300}}` with op (EmptyTensorList) must be a "
            rf"compile-time constant",
            "The size of a TensorArray (argument {0} of {1}) is not known when XLA compiles.",
            pick=(),
        ),
    )
)

resource_device = by_forms(
    (
        Form(
            "Trying to access resource",
            r"Trying to access resource (\S{1,200}) (?:\(defined @ .{1,200}?\) )?located in "
            r"device (\S{1,200}) from device (\S{1,200})",
            "Resource `{0}` lives on {1} and is used from {2}.",
            pick=(),
        ),
        Form(
            "resource",
            r"(?:[Rr]esource|[Vv]ariable) '?(\S{1,200}?)'? .{0,80}?(?:on|in) device (\S{1,120}?) "
            r".{0,80}?(?:different|another|from) (?:from )?device ?(\S{0,120})",
            "Resource `{0}` lives on {1} and is used from {2}.",
            pick=(),
        ),
        Form(
            "Cannot place the graph because a reference or resource edge",
            r"a (reference or resource) edge connects colocation groups.{0,60}?incompatible "
            r"(?:assigned |resource )?devices: (\S{1,120}) vs (\S{1,120})",
            "A {0} connects {1} and {2}.",
            pick=(),
        ),
    )
)

variable_creation = by_forms(
    (
        Form(
            "tf.Variables created on the first call",
            r"(tf\.function only supports singleton tf\.Variables)",
            "A `tf.Variable` is created each time the function is traced.",
            pick=(),
        ),
        Form(
            "tried to create variables on non-first call",
            r"(tried to create variables on non-first call)",
            "A `tf.Variable` is created on a later call of the function.",
            pick=(),
        ),
        Form(
            "lift variable creations",
            r"(failed to lift variable creations out of this tf\.function)",
            "A variable is created inside the compiled function, from a value that is computed in it.",
            pick=(),
        ),
        Form(
            "Creating variables",
            r"(?:[Cc]reating|[Cc]reation of) (?:a )?(tf\.)?[Vv]ariables?.{0,80}?(?:inside|in) "
            r"(?:an? )?(?:XLA|jit|compiled)",
            "A variable is created inside a compiled function.",
            pick=(),
        ),
    )
)

determinism = by_forms(
    (
        Form(
            "eterministic GPU implementation of",
            r"[Dd]eterministic GPU implementation of (.{1,120}?) (?:is )?(?:not currently|"
            r"currently not|not) available",
            "{0} has no deterministic version on the GPU, and determinism was asked for.",
            pick=(),
        ),
        Form(
            "require a seed to be set when determinism",
            r"(Random ops require a seed to be set when determinism is enabled)",
            "Determinism is on, and a random op has no seed.",
            pick=(),
        ),
        Form(
            "eterminis",
            r"(\w{1,80}) .{0,80}?(?:not (?:yet )?(?:supported|implemented|available)|unsupported|"
            r"nondeterministic)"
            r".{0,80}?(?:deterministic|determinism)",
            "`{0}` has no deterministic version, and determinism was asked for.",
            pick=(),
            status="untested",
        ),
    )
)

slow_compile = by_forms(
    (
        Form(
            "ery slow compile",
            r"(?:\[Compiling module (\S{1,200}?)\] )?(Very slow compile)",
            "XLA takes minutes to compile {0}.",
            level="warning",
            pick=(),
        ),
        Form(
            "folding an instruction is taking",
            rf"folding an instruction is taking > {N}s: ?(.{{0,200}})",
            "XLA spends more than {0} s on folding one constant: {1}",
            level="warning",
            pick=(),
        ),
        Form(
            "The operation took",
            r"(The operation took) (\d{1,9}(?:\.\d{1,9})?(?:m[\d.]{1,12})?s)",
            "A single step of the compilation took {1}.",
            level="warning",
            pick=(),
        ),
    )
)

retracing = by_forms(
    (
        Form(
            "triggered tf.function retracing",
            r"(\d{1,6}) out of the last (\d{1,6}) calls to (.{1,300}?) triggered tf\.function retracing",
            "{0} of the last {1} calls of {2} traced the function again.",
            level="warning",
            pick=(0, 1),
        ),
    )
)
