"""Pure functions on graphs, and the worker that serves them.

`load` reads a capsule; `flatten` inlines its calls; `cut_iterators` makes the batch an input;
`functionalise` makes variables inputs and outputs; `fix_batch` binds the batch; `truncate` keeps the
ancestors of some tensors; `Activation` evaluates by value; `runtime_shapes` and `failing_op` are what the
doctor asks for. `worker` answers these as JSON lines.
"""
