"""What a status rests on. `confirmed` needs a test of this run that could have failed, or a fact that was recorded.

A text alone confirms nothing: what it says is likely. An exception that ended a run does not show why it was raised.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xladoctor.model.diagnosis import Basis, Finding

RAN_AGAIN = Basis("tested", "A worker ran the recorded call again, and it failed at this op in the same way.")
OPTIMIZED = Basis(
    "tested", "A worker ran the recorded call with TensorFlow's graph optimizers, where it failed, and without them."
)
COMPARED_PLAINLY = Basis(
    "tested", "A worker ran the recorded call plainly and under XLA on the values of the run, and compared the results."
)
CALLED_BOTH = Basis(
    "tested", "A worker called both ways of this function on the same made-up arguments, and compared the results."
)
FITTED = Basis(
    "tested", "A worker fitted the recorded graph behind the weights to rows of the run, as they are and turned."
)
DREW_BOTH_WAYS = Basis(
    "tested", "The run recorded that the program drew from this key. A worker drew from it plainly and under XLA."
)
READ_IN_GRAPH = Basis("observed", "The recorded graph says so.")
RECORDED_METRICS = Basis("observed", "The metrics of each epoch were recorded in the run.")
KEPT_CONSTANT = Basis(
    "observed", "The graph has the old value as a constant, and the run recorded a later call with another value."
)
ROWS_CHANGED = Basis(
    "tested", "A worker ran the recorded graph, changed one row of the data at a time, and compared the results."
)
DIFFERENCES = Basis(
    "tested",
    "A worker ran the recorded graph with slightly other inputs, and compared the differences with the gradient.",
)
COMPILED_AGAIN = Basis("tested", "A worker compiled the recorded function again, and XLA refused it in the same way.")
ISOLATED = Basis(
    "tested",
    "A worker compiled parts of the recorded function. XLA refuses those with this op, and compiles the others.",
)
DIED_AGAIN = Basis(
    "tested", "A worker compiled parts of the recorded function: those with this op end the process, the others do not."
)
MADE_AGAIN = Basis("tested", "A worker ran this op with the recorded types and shapes, and it failed in the same way.")
COMPARED = Basis("tested", "A worker ran the recorded call again; its run-time shapes were compared with the contract.")
RECORDED_SHAPES = Basis("observed", "The shapes were recorded in the run and compared with the contract.")
RECORDED_ORDER = Basis("observed", "The order of these events was recorded in the run.")
RECORDED_ROWS = Basis("observed", "The run recorded the rows in and the rows out.")
RECORDED_DATASET = Basis("observed", "The run recorded how the dataset was built.")
RECORDED_CALL = Basis("observed", "The layers and the arguments of the call were recorded in the run.")
RECORDED_LABELS = Basis("observed", "The labels of both parts were counted in the run.")
RECORDED_TABLE = Basis("observed", "The shape was recorded in the run; what made it was read in the source.")
TABLE_OF_PAIRS = Basis("observed", "The numbers of the array were compared with those of all pairs of two columns.")
RECORDED_PARTNERS = Basis(
    "observed", "The recorder compared the predictions with the labels in both orders, by the rows they were made for."
)
RECORDED_SOURCE = Basis(
    "untested", "It was read in the source, with what the names held in the run; it was not tested."
)
RECORDED_MEETING = Basis("observed", "The shapes of both operands were recorded in the run.")
RECORDED_GRADIENTS = Basis("observed", "The run recorded the gradients of the optimizer and the ops before the loss.")
REHEARSED = Basis("tested", "The command was rehearsed with the switch in its other position.")
REHEARSED_AS_IT_IS = Basis("observed", "The command was rehearsed, and both values were read after the line had run.")
FOUND_NAN = Basis("tested", "The doctor ran the command again, and checked the output of every op.")
RECORDED_NUMBERS = Basis("observed", "The values were recorded in the run. What made them was not tested.")
COMPUTED = Basis("tested", "The doctor computed the schedule for steps of the run.")
TIMED = Basis("tested", "A worker called the function with the same value and with another one.")
ENDED = Basis("observed", "How the process ended was recorded.")
RAISED = Basis("observed", "The exception that ended the run says so. Why it was raised was not tested.")
HANDLED = Basis("observed", "The exception was recorded, and the program continued after it.")
LOOKED_UP = Basis(
    "tested", "Before the run, the doctor searched TensorFlow's libraries for the flag and did not find it."
)
TEXT = Basis("text", "The output says so. It was not tested.")
CLAIM_RUN_AGAIN = Basis("tested", "A worker ran the recorded call again, and its result decides the claim.")
CLAIM_SHAPES = Basis("observed", "The shapes were recorded in the run; other shapes would have decided otherwise.")
CLAIM_SETTINGS = Basis("observed", "The reads and writes were recorded; in another order they would decide otherwise.")
NOT_TESTED = Basis("untested", "It was not tested.")


def grounded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, each with what its status rests on; what rests on a text alone is not confirmed."""
    return tuple(_grounded(finding) for finding in findings)


def _grounded(finding: Finding) -> Finding:
    if finding.basis is not None:
        return finding
    basis = TEXT if any(proof.kind == "log" for proof in finding.evidence) else NOT_TESTED
    return replace(finding, basis=basis, status="untested" if finding.status == "confirmed" else finding.status)
