"""How each remedy is tested: by which trial of `xladoctor replay --verify`, or why none can test it.

`scan`, `report` and `preflight` all read the result of a trial through it,
so they cannot disagree. Remedies with a file of their own say it there. A test walks the source and fails for one that
is missing.
"""

from __future__ import annotations

from typing import Final

from xladoctor.rules import messages, remedies
from xladoctor.rules.how_tested import CODE, DEVICE, FILES, MACHINE, RERUN, SHOWS, RemedyTest


def _by(trial: str) -> RemedyTest:
    return RemedyTest(trial=trial)


def _none(why: str) -> RemedyTest:
    return RemedyTest(why_not=why)


_CALLABLE = f"{RERUN}; of a callable, xladoctor replay --verify tests it"

REMEDY_TESTS: Final[dict[str, RemedyTest]] = {
    # What a worker applies to the recorded call.
    "jit-off": _by("jit-off"),
    "move-outside": _by("move-outside"),
    "remove-op": _by("move-outside"),
    "static-batch": _by("static-size"),
    "pad-last-batch": _by("pad-last-batch"),
    "pad-the-last": _by("pad-last-batch"),
    "smaller-batch": _by("smaller-batch"),
    "row-by-row": _by("row-by-row"),
    "drop-remainder": _by("drop-remainder"),
    "cast": _by("cast"),
    "set-earlier": RemedyTest("set-earlier", _CALLABLE),
    "rebuild": RemedyTest("rebuild", _CALLABLE),
    # What changes the program's code.
    "edit": _none(f"{CODE}; scan --try-edits tries it on a copy"),
    "other-edit": _none(f"{CODE}; scan --try-edits tries it on a copy"),
    "third-edit": _none(f"{CODE}; scan --try-edits tries it on a copy"),
    "static-size": _none(f"{CODE} (what is tried is the size of the batch alone)"),
    "bucket": _none(CODE),
    "keep-rows": _none(CODE),
    "other-axis": _none(CODE),
    "row-offset": _none(CODE),
    "same-index": _none(CODE),
    "shift-in-rows": _none(CODE),
    "one-draw": _none(CODE),
    "same-order": _none(CODE),
    "same-rank": _none(CODE),
    "split-before": _none(CODE),
    "cache-first": _none(CODE),
    "ask-for-none": _none(CODE),
    "sigmoid-of-one": _none(CODE),
    "keep-sequence": _none(CODE),
    "other-mode": _none(CODE),
    "right-name": _none(CODE),
    "more-epochs": _none(CODE),
    "add-losses": _none(CODE),
    "new-model": _none(CODE),
    "cast-first": _none(CODE),
    "count-from-zero": _none(CODE),
    "call-for-training": _none(CODE),
    "call-update": _none(CODE),
    "list-again": _none(CODE),
    "one-for-each": _none(CODE),
    "iterate-again": _none(CODE),
    "layer-once": _none(CODE),
    "read-option": _none(CODE),
    "freeze-the-clone": _none(CODE),
    "rate-that-moves": _none(CODE),
    "same-list": _none(CODE),
    "assign": _none(CODE),
    "rate-of-the-optimizer-in-use": _none(CODE),
    "bind-now": _none(CODE),
    "true-division": _none(CODE),
    "use-result": _none(CODE),
    "second-model": _none(CODE),
    "read-at-call": _none(CODE),
    "defaults-first": _none(CODE),
    "flag-as-flag": _none(CODE),
    "same-key": _none(CODE),
    "call-for-inference": _none(CODE),
    "reset-metrics": _none(CODE),
    "one-optimizer": _none(CODE),
    "compile-again": _none(CODE),
    "say-logits": _none(CODE),
    "one-activation": _none(CODE),
    "keep-statistics": _none(CODE),
    "undo-order": _none(CODE),
    "positions-of-all": _none(CODE),
    "transpose-axes": _none(CODE),
    "stack-columns": _none(CODE),
    "round-up": _none(CODE),
    "cut-padding": _none(CODE),
    "zip-strict": _none(CODE),
    "transpose": _none(CODE),
    "check-range": _none(CODE),
    "clean-data": _none(CODE),
    "guard-values": _none(CODE),
    "lower-rate": _none(CODE),
    "mask-before": _none(CODE),
    "wider-type": _none(CODE),
    "leave-a-margin": _none(CODE),
    "cluster-on-cpu": _none(RERUN),
    "set-before-import": _none(RERUN),
    "read-where-used": _none(CODE),
    "value-as-tensor": _none(CODE),
    "monitor-what-comes": _none(CODE),
    "shuffle-all-rows": _none(CODE),
    "settings-as-arguments": _none(CODE),
    "keep-order": _none(CODE),
    "keep-object": _none(CODE),
    "keep-function": _none(CODE),
    "shuffle-after-zip": _none(CODE),
    "split-once": _none(CODE),
    "one-hot": _none(CODE),
    "shuffle-together": _none(CODE),
    "shuffle-before-split": _none(CODE),
    "open-axis": _none(CODE),
    "start-whole": _none(CODE),
    "keep-remainder": _none(CODE),
    "set-before-layers": _none(CODE),
    "constant-size": _none(CODE),
    "create-outside": _none(CODE),
    "crop-or-pad": _none(CODE),
    "dont-reindex": _none("it is advice against a change of the program"),
    "explicit-axes": _none(CODE),
    "fix-first-violation": _none(CODE),
    "fix-what-is-named": _none(CODE),
    "fixed-size": _none(CODE),
    "give-a-reason": _none(CODE),
    "graph-mode": _none(CODE),
    "make-outside": _none(CODE),
    "mask-by-value": _none(CODE),
    "match-data": _none(CODE),
    "maximum-iterations": _none(CODE),
    "mend-argument": _none(CODE),
    "mend-birth": _none(CODE),
    "mend-place": _none(CODE),
    "no-constants": _none(CODE),
    "no-unroll": _none(CODE),
    "one-switch": _none(CODE),
    "outside": _none(CODE),
    "preallocate": _none(CODE),
    "read-when-used": _none(CODE),
    "relax-shapes": _none(CODE),
    "remove-reindex": _none(CODE),
    "return-the-flag": _none(CODE),
    "same-device": _none(CODE),
    "same-result": _none(CODE),
    "same-rows": _none(CODE),
    "say-dtype": _none(CODE),
    "say-it-locally": _none(CODE),
    "seed": _none(CODE),
    "shape-invariants": _none(CODE),
    "split": _none(CODE),
    "stack-inside": _none(CODE),
    "stateless-random": _none(CODE),
    "tensors-in": _none(CODE),
    "whole-size": _none(CODE),
    "call-it-directly": _none(SHOWS),
    "name-the-inputs": _none(CODE),
    "save-and-resume": _none(CODE),
    "save-by-the-library": _none(CODE),
    "size-of-table": _none(CODE),
    "use-the-new-name": _none(CODE),
    "unroll": _none(CODE),
    # What shows more, and cures nothing.
    "assert-rows": _none(SHOWS),
    "check-in-the-graph": _none(SHOWS),
    "check-shape": _none(SHOWS),
    "compare-paths": _none(f"{SHOWS}: xladoctor replay --parity"),
    "ask-the-scheduler": _none(SHOWS),
    "find-first-nan": _none(SHOWS),
    "get-the-rest": _none(SHOWS),
    "look-at-the-file": _none(SHOWS),
    "keep-the-output": _none(SHOWS),
    "launch-blocking": _none(SHOWS),
    "list-flags": _none(SHOWS),
    "report-upstream": _none(SHOWS),
    "run-eagerly": _none(SHOWS),
    "run-without-isolation": _none(SHOWS),
    "show-lines": _none(SHOWS),
    "make-sizes-agree": _none(CODE),
    "trace-shapes": _none(SHOWS),
    # Settings of the whole process.
    "name-the-algorithm": _none(CODE),
    "seed-as-state": _none(CODE),
    "determinism-off": _none(RERUN),
    "no-autotune": _none(RERUN),
    "remove-flag": _none(RERUN),
    "remove-switch": _none(RERUN),
    # The device, the machine, other files.
    "memory-growth": _none(DEVICE),
    "place-on-cpu": _none(DEVICE),
    "driver-fallback": _none(MACHINE),
    "install-cuda-tree": _none(MACHINE),
    "install-ptxas": _none(MACHINE),
    "legacy-keras": _none(MACHINE),
    "make-space": _none(MACHINE),
    "match-versions": _none(MACHINE),
    "same-config": _none(FILES),
    "skip-mismatch": _none(FILES),
    # Those that have a file of their own.
    **remedies.tests(),
    **messages.tests(),
}

_OWN_NAME: Final = {"static-size": "static-batch"}
"""Trials whose id in `replay.json` is taken, among rules, by a remedy that means something else."""


def remedy_of_trial(trial: str) -> str:
    """The id, among the remedies of a diagnosis, of what a trial of `replay.json` tested."""
    return _OWN_NAME.get(trial, trial)


def why_untested(remedy: str) -> str:
    """Why nobody ran a remedy. One that is not in the table comes from a plug-in."""
    known = REMEDY_TESTS.get(remedy)
    return known.why_not if known else "the rule that names it does not say how it could be tested"
