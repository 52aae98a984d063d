"""Hazards in source code, seen on the syntax tree: nothing of the code is imported or run.

Files become sources (`files`, `source`), sources a project with its names (`project`, `names`). `interpret` follows the
code that XLA will compile, from each jit entry through the calls, with values that say only where a number comes from.
`checks` has one file a hazard; `engine` puts their findings into a `Diagnosis`.
"""
