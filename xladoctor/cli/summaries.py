"""The commands in the order of the help, each with the sentence that its help begins with.

They stand here so that `xladoctor --help` loads none of the commands.
"""

from __future__ import annotations

SUMMARIES = {
    "scan": "Diagnose a run: a command to run, saved output, or a run folder; or many runs at once.",
    "trace": "Show the layers of a run with their shapes, and the tensors at named places with their contracts.",
    "replay": "Run a subject again in worker processes: at other batch sizes, in other ways.",
    "preflight": "Check a study before it is started, and say go or no-go.",
    "report": "Write the blocker document of a run: what failed, where, why, what to do, with every claim tested or "
    "called untested.",
    "attach": "Show where a program that hangs stands: the Python stacks of its processes, and its last calls.",
    "runs": "List the runs that were recorded here, newest first: verdict, size, age.",
    "lint": "Find hazards in source code, before anything runs.",
    "mcp": "Serve coding agents over the Model Context Protocol: diagnose, trace, explain and lint as tools.",
    "lsp": "Serve an editor over the Language Server Protocol: what lint finds, and its safe fixes.",
    "explain": "Explain a class of failure, or find the one that is meant.",
    "rules": "List the classes of failure that the doctor knows.",
    "env": "Show versions, the interpreter, and the XLA flags that are set.",
}
