"""Names and versions of everything that crosses a process border: events, capsules, worker messages.

Of `probes` the doctor loads this module and `probes.redaction`, the grammar of secrets, and nothing else. Data only.
"""

from __future__ import annotations

EVENTS_SCHEMA = "xladoctor.events/1"
CAPSULE_SCHEMA = "xladoctor.capsule/1"
WORKER_SCHEMA = "xladoctor.worker/1"
RUN_SCHEMA = "xladoctor.run/1"
PLACES_SCHEMA = "xladoctor.places/1"
FLIPS_SCHEMA = "xladoctor.flips/1"
FIRST_NAN_SCHEMA = "xladoctor.first-nan/1"
EDITS_SCHEMA = "xladoctor.edits/1"
RETRACE_SCHEMA = "xladoctor.retrace/1"

# In the run folder before the target starts: {schema, file, places: [{name, contract, axes: {axis: where}}], problems}.
PLACES_FILE = "places.json"

# In the run folder after rehearsals with a switch flipped: {schema, flips: [{name, store, key, value, other, ended,
# functions: [{function, capsule, step (of a Keras call), same (None: not traced again), compiled: [before, after],
# nodes}] | error}]}.
FLIPS_FILE = "flips.json"

# In the run folder after a search for the first NaN: {schema, found: {..} | null, why, seconds}.
FIRST_NAN_FILE = "first-nan.json"

# In the run folder after edits of the sources were tried on a copy: {schema, edits: [{file, line, kind, old, new, why,
# diff, result (ran, same, moved, not-tried), said}]}.
EDITS_FILE = "edits.json"

# In the run folder after a second run that looked at each line: {schema, shapes: [{file, line, name, shape, dtype},
# in the order in which they came up], complete}.
RETRACE_FILE = "retrace.json"

# Environment variables by which the doctor talks to its probes.
ENV_RUN_DIR = "XLADOCTOR_RUN_DIR"
ENV_PROBES = "XLADOCTOR_PROBES"
ENV_CAPTURE = "XLADOCTOR_CAPTURE"
# Bytes that everything which the recorders of all processes write may take together.
ENV_MAX_SIZE = "XLADOCTOR_MAX_SIZE"
ENV_REHEARSE = "XLADOCTOR_REHEARSE"

# What `XLADOCTOR_PROBES` may choose (comma-separated; without it all of them, 0 is none).
PROBES = ("settings", "shapes", "xla", "keras", "failures", "capsules")
# What `XLADOCTOR_CAPTURE` may be: capsules with the values of each distinct step's first call, with those of a failing
# call, without values, or no capsules.
CAPTURES = ("all", "values", "specs", "none")

# Kinds of events. Every event has: v (schema number), seq, t (seconds since the recorder started), kind.
# `process` tells a process from others that have its pid elsewhere.
START = "start"  # schema, process, pid, ppid, argv, executable, prefix, python, cwd, path, environment, recorders
SETTING = "setting"  # store, key, action, value, where; reads: site, graph, frames; bulk: that site reads all keys;
#   asked: the module whose import had asked for a variable before it was written
IMPORT = "import"  # module, version, file
PLACE_FOUND = "place-found"  # place, contract, file, line, axes, origin (None: built in)
PLACE_MISSING = "place-missing"  # place, reason, origin
PLACE = "place"  # place, phase, call, graph, at, scope, tensors, axes, caller, frames
FIRST_OP = "first-op"  # by, devices: TensorFlow made or listed its devices: TF_XLA_FLAGS has been read
XLA_PATH = "xla-path"  # mechanism, function, requested, resolved, where, note
MODEL = "model"  # action (build, compile), name, inputs, outputs, where
TRACE = "trace"  # function, python_name, graph, parent, owner, xla, inputs, arguments, seconds, where, capsule
USE = "use"  # owner, graphs, where: a function was called again, without a trace, after a setting had changed
GRAPH = "graph"  # graph, function: a library function was made from a FuncGraph
CALL = "call"  # method, phase (begin, end), call, model, rows_in, rows_out, batch_size, where
FAILURE = "failure"  # failure, exception, message, frames, chain, during, capsule, state
CAPSULE = "capsule"  # capsule, folder, what (graph, values), recipe
FIRST_CALL = "first-call"  # capsule, kept, why, bytes: the values of the first call of a function that XLA compiled
LAYER = "layer"  # layer, parent, name, cls, model, made, called, inputs, outputs, parameters, trainable
NOT_FINITE = "not-finite"  # what (logs, result, weights), method, call, model, where, names, data: a NaN or infinity
LATER_CALL = "later-call"  # capsule, call, file, bytes: the values of a later call of such a function
GRADIENT = "gradient"  # capsule, function, python_name, graph, xla, where: the gradient of a compiled function
# op, shapes, watched, predicted, given, where: eager operands of which broadcasting makes all pairs of rows
MEETING = "meeting"
# what (reshuffled, shuffled-pass, dropped, zipped, empty), where, used, other (loop), rows, method, model, shuffled:
# how it was made
DATASET = "dataset"
# what (reshuffled, sorted, batches, shared, apart, cached, unnamed, folds, and those of given_rows.py), where, used,
# model, rows [training, validation] (of batches: those of one class, all; shared, unnamed, folds, windows, unwritten:
# so many of so many; target, shifted: the column, or by how much, and all), classes [of each], unseen, buffer, size,
# argument, name (of the array that shows it, where no call of Keras was given it), factor (other-scale: by how much the
# numbers are larger than those of the training), names and numbers (other-pairs: the arrays that have the same rows and
# labels in other pairs; how well labels follow from rows in these pairs, and in those; renumbered: the shares of rows
# that look like their class, and once the classes are exchanged)
SPLIT = "split"
# shape, dtype, of (mean, sum), pairs, where: NumPy took the mean or sum of a square of as many rows as models gave; its
# numbers are those of all pairs of two columns (pairs)
TABLE = "table"
# what (apart: predictions are compared with labels of other rows; unfilled: the last rows of predictions were never
# written), rows (so many of so many), names, numbers (correlation, that in the other order), distance, where, made (by
# which call)
SCORE = "score"
DIRECT = "direct"  # model, calls, shape, where: a line called a model itself so often, and had this result at first
BELOW_ZERO = "below-zero"  # shape, dtype, least, where: NumPy took the mean of whole numbers, some of them negative
# file, function, names {name: kind, shape, dtype, ...}: what the names of a function or module held; of a table, keys
# {column: [digest of its values, of their order]}
NAMES = "names"
NO_GRADIENT = "no-gradient"  # what (missing, stopped), variables, count, given, where, stops [{variables, connected,
#   cuts [{op, why (op, outside, numpy), frames}]}], zeros: those that zeros may stand for; none:
#   optimizer, given, where: it was given one for each; end: trained, moved, same
OWN_GRADIENT = "own-gradient"  # what (custom: of tf.custom_gradient; taken: of a tape, by what is no variable), graph,
#   function, arguments, results, upstream, gradients (names of tensors of floats there, or None), where
UNMOVED = "unmoved"  # variables, count, given, steps, optimizer, rate, where: variables that tapes were asked about,
#   and that no step changed
CROSSED = "crossed"  # of, to, swapped, optimizer, where: a gradient was applied to another variable
REPLACED = "replaced"  # what (variable, rate), name, of, variable, by, steps, where: a tensor took the place of a
#   variable; a rate was set on an optimizer that made no more steps
LEFT_OUT = (
    "left-out"  # what, layer, variables, where: frozen: a layer was frozen and not used any more, and one like it
)
#   is trained; thawed: a layer was made trainable, and no optimizer was given its variables; loaded: weights were
#   loaded into a model that nothing used, and `instead` is the name of one of the same shapes that was used;
#   saved-early: its weights were written before it was trained, and loaded into another one (instead);
#   untracked: a model calls layers that it does not know, and no optimizer is given their variables
NO_EFFECT = "no-effect"  # what, where, name: weights: a loss that is one number was given weights (used: the call);
#   restore: a part of a checkpoint has another name (instead) in the file; nothing: there was no checkpoint to restore
#   (name: the folder below that has one); reset: a metric (of) kept this variable through so many resets (times)
SCHEDULE = "schedule"  # of, numbers, steps: a schedule of a rate, and the numbers among its attributes (lists: name.0)
KEPT = "kept"  # path, before, now, call, traces, readers, where, capsule, constants {graph: nodes}: a Python
#   value that was read when a function was traced, and had changed when it was called again without a trace
MONITOR = "monitor"  # callback, wanted, reported, epochs, model, made, where, mode, best: a callback waited for a
#   metric that no epoch reported
TRAINABLE = "trainable"  # what (frozen, thawed), layer, model, where: the line that set it, used: the `fit`, count,
#   variables: a layer was frozen or thawed after the step had been traced, and its values moved, or did not
IDLE_LAYER = (
    "idle-layer"  # what (batch-normalization, dropout), layers, count, of, made: layers that were in their mode for
)
#   inference all the time, in a program that trains them; after-training: batch normalisation took the statistics of a
#   batch at the line `made`, which the calls of `frames` came to, outside of a graph and with no gradient after it
LOSS_INPUT = "loss-input"  # what (logits, probabilities: what the loss got; alone: of one unit; equal, cut: a metric
#   that compares for equality or cuts to whole numbers got scores or probabilities), loss, op, least, most, where,
#   frames
TURNOVER = "turnover"  # optimizer, optimizers, steps, where: so many optimizers of one kind for the same variables
POLICY_TAKEN = "policy-taken"  # the first layer was made after the dtype policy of Keras was set
MISNAMED = "misnamed"  # name, meant, of, where: the program set an attribute that an object of Keras has not
DRAW = "draw"  # op, key, counter, shape, where: random numbers that were drawn from a seed outside of a graph
SEED = "seed"  # seed, where: the global seed of TensorFlow was set
PROBE_ERROR = "probe-error"  # hook, error: a probe failed inside; the target never saw it
DROPPED = "dropped"  # recorder (a kind, "events" or "capsule"), reason; what was not written: see DROP_REASONS
REHEARSAL = "rehearsal"  # force, batches, until: this is no run, but a short second one for a question
END = "end"  # state: how the interpreter ended, as far as it can know; "block": the block did, not the program; stay;
# calls {owner of traces: how often it was called}
BLOCK = "block"  # tensorflow, flags_read: a block of a program is recorded, which had or had not done that before
UNSEEN = "unseen"  # function, where: a function was called that had been traced before the block began

LATER_CALLS = (2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 128, 256, 512, 1024)
"""Calls of a compiled function whose values are kept besides those of the first one: close together where most programs
end, and each about twice the one before where they go on."""


DATASET_VALUE = "dataset"
"""In `values.npz`, as bytes: the graph of the dataset that a Keras step takes its batch from. A worker makes it."""


SAMPLE = "sample.npz"
"""A few rows of what a Keras step is given, with the tensors and small variables that its graph captured."""


def later_file(call: int) -> str:
    """The file of a capsule with the values of a later call."""
    return f"later-{call}.npz"


# Why something was not recorded. An event "dropped" has of `recorder` "events": count, kinds {kind: count}, since,
# until; of "capsule": what (graph, values), capsule, function, bytes, or only kept; of a kind: kept, at the end count.
DROP_COUNT = "count"
DROP_SIZE = "size"
DROP_REASONS = {
    DROP_COUNT: "there were too many of them",
    DROP_SIZE: "the run folder reached its maximum size",
    "disk-full": "the disk was full",
    "disk-space": "it would have taken more than half of the free space on the disk",
    "file-limit": "the process may not write files of that size (ulimit -f)",
    "folder-gone": "the run folder was not there any more",
    "no-permission": "the process was not allowed to write into the run folder",
    "no-descriptors": "the process had no file descriptor left",
    "write-failed": "writing failed",
}

EVENTS_GLOB = "events-*.jsonl"
VERSION = 1
