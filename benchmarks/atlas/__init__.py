"""A development tool: where XLA gives something else than eager execution, op by op. Users need nothing of it.

`edges` makes the inputs at the edges of an op (NaN, out-of-range indices, empty tensors, ...) from the valid calls that
`benchmarks.provoke.serve` finds. `run` executes each eagerly, in a graph and under XLA, in a process of its own.
`compare` says whether the results are the same, `entries` sums up a journal as the table that the doctor reads
(`xladoctor/rules/atlas.csv`), and `page` makes docs/atlas.md of it. It takes about half an hour for one version of
TensorFlow and never runs in CI.
"""
