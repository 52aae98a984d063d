"""A look at a run that hangs: its processes, their Python stacks, and what the recording says of its last calls.

Nothing is stopped, ended or changed. `processes` reads /proc, `stacks` asks py-spy, `recorded` reads the run folder,
and `look` puts them together.
"""
