"""The commands in the order of the help, each with the sentence that its help begins with.

They stand here so that `xladoctor --help` loads none of the commands.
"""

from __future__ import annotations

SUMMARIES = {
    "scan": "Diagnose a command, saved output or a recorded run.",
    "trace": "Show the layers of a run and the shapes in and out of each.",
    "replay": "Run a recorded call again: at other batch sizes, in other modes.",
    "preflight": "Check a study before it starts, and say go or no-go.",
    "report": "Write a report of a run, for a ticket.",
    "attach": "Show where a program hangs.",
    "survey": "Table what failed in the runs below a folder, day after day.",
    "runs": "List the runs recorded here, newest first, or remove old ones.",
    "lint": "Find hazards in source code before anything runs.",
    "mcp": "Serve coding agents over the Model Context Protocol.",
    "lsp": "Serve an editor over the Language Server Protocol.",
    "explain": "Explain a class of failure, or find it by an error message.",
    "rules": "List the classes of failure that the doctor knows.",
    "env": "Show versions, the interpreter and the XLA flags that are set.",
}
