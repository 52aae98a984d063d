"""Where an error begins, where its message goes on below its first line, and where it ends."""

from __future__ import annotations

from xladoctor.patterns import pattern

HEADER = "Traceback (most recent call last"
RAISED = pattern(
    r"(?:^|\s)((?:[A-Za-z_]\w{0,80}\.){0,12})([A-Z]\w{0,80}(?:Error|Exception|Interrupt|"
    r"Exit))(?: \(see above for traceback\))?(?::\s?(.*)|\s*)$"
)
NODE = pattern(r"^\s*\[\[(?:\{\{node |[Nn]ode)")
OP_STACK = pattern(
    r"^\s*(?:Detected at node .{1,500} defined at|Stack trace for op definition|The op is "
    r"created at|Original stack trace for"
    r"|Caused by op |Input Source operations|Errors may have originated|Function call stack)"
)
STOP = pattern(
    r"^(?:```|~~~|Epoch \d{1,6}/\d{1,6}|\s*\d{1,7}/(?:\d{1,7}|Unknown) |srun: |slurmstepd: |"
    r"make(?:\[\d+\])?: |wandb: |INFO[: ]|WARNING[: ]"
    r"|DEBUG[: ]|Exception ignored in|=+ |_{5,} |FAILED |ERROR |\$ |-{20,}|In \[\d*\]:|"
    r"\[[\w.@~ /-]{3,80}\][$#] |\w{1,40}@[\w.-]{1,60}:)"
)
GOES_ON = pattern(
    r"^(?:\s|\(\d{1,3}\) |\d{1,3} (?:root|successful|derived)|Detected at|Stack trace|The "
    r"op is|Original stack|Caused by|Input Source"
    r"|Errors may|Function call stack|tf2xla|XLA compilation|Arguments received|Call "
    r"arguments|Additional GRPC|:\{|Hint|Node: |Limit"
    r"|File \"|This |\[\[|It |Run with|\*|Current thread|Thread 0x|Extension modules|•|Received|Found|See )"
)
